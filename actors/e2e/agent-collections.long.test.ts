/** Tests of the Desktop and the Finder of an agent, with a real office, computer and server. */
import { describe, expect, it } from 'vitest';
import type { A2cError, Agent, AgentEvents } from '../index.ts';
import { bootedHosts } from '../../scenarios/fixtures/booted.ts';
import { launchedWith, type ResourceServer } from '../../scenarios/fixtures/resource-servers.ts';

/** Queues the events of one name for an agent; `next` waits for the first one not taken yet. */
function earOf<Name extends keyof AgentEvents>(agent: Agent, name: Name) {
  const told: AgentEvents[Name][] = [];
  const waiting: ((value: AgentEvents[Name]) => void)[] = [];
  agent.on(name, (value) => {
    const first = waiting.shift();
    if (first) first(value);
    else told.push(value);
  });
  return {
    told,
    next: (): Promise<AgentEvents[Name]> => {
      const first = told.shift();
      return first ? Promise.resolve(first) : new Promise((resolve) => waiting.push(resolve));
    },
  };
}

/** Starts an office, the computer `desk` with one such server over stdio, and an agent. */
async function hostsWith(server: ResourceServer, flags: readonly string[]) {
  const config = { mcpServers: { [server]: launchedWith(server, `hosts-${server}`, ...flags) } };
  const hosts = await bootedHosts({ name: 'desk', config });
  const { agent } = hosts;
  return {
    ...hosts,
    /** Runs a tool of the server that changes its resources. */
    act: async (tool: string, args: Readonly<Record<string, unknown>> = {}): Promise<void> => {
      const { outcome, failure } = await agent.callTool('desk', tool, args);
      if (outcome !== 'succeeded') throw new Error(failure?.message ?? outcome);
    },
  };
}

const log = 'window://h/log';
const flags = ['--host', 'h', '--windows', JSON.stringify([{ path: 'log', text: 'started' }])];

describe('an agent that listens to a Desktop', () => {
  it('an agent hears of all windows, then of each that appears, changes and vanishes, and of nothing else', async () => {
    await using hosts = await hostsWith('windows', flags);
    const { next, told } = earOf(hosts.agent, 'desktop.changed');
    const started = { uri: log, text: 'started' };
    expect(await next()).toEqual({
      computer: 'desk',
      value: { desktops: [`${log}\n\nstarted`], missing: [] },
      ...{ added: [started], removed: [], changed: [] },
    });
    await hosts.act('show_window', { path: 'new', text: 'hello' });
    const hello = { uri: 'window://h/new', text: 'hello' };
    expect(await next()).toMatchObject({ added: [hello], removed: [], changed: [] });
    // The server announces a change of its list although the list is the same.
    await hosts.act('relist_windows');
    await hosts.act('show_window', { path: 'log', text: 'done' });
    const done = { uri: log, text: 'done' };
    expect(await next()).toMatchObject({ added: [], removed: [], changed: [done] });
    await hosts.act('close_window', { path: 'new' });
    expect(await next()).toMatchObject({
      value: { desktops: [`${log}\n\ndone`] },
      ...{ added: [], removed: [hello], changed: [] },
    });
    expect(told).toEqual([]);
  });

  it('an agent whose Desktop is too large for an office hears so, and what to ask for instead', async () => {
    await using hosts = await hostsWith('windows', flags);
    const { next } = earOf(hosts.agent, 'desktop.changed');
    await next();
    const failed = earOf(hosts.agent, 'desktop.failed');
    for (const path of ['big', 'bigger'])
      await hosts.act('show_window', { path, text: 'x'.repeat(4_300_000) });
    const remedy = expect.stringMatching(/size.*window/);
    const failure = { code: 'TooLarge', details: { limit_bytes: expect.any(Number) }, remedy };
    expect(await failed.next()).toMatchObject({ computer: 'desk', failure });
    await expect(hosts.agent.desktop('desk')).rejects.toMatchObject(failure);
    expect((await hosts.agent.desktop('desk', { size: 1 })).desktops).toHaveLength(1);
  });
});

describe('an agent that asks for a Desktop', () => {
  it('has all windows, the first few, or the one that it names', async () => {
    const windows = [
      { path: 'a?priority=9', text: 'A' },
      { path: 'b', text: 'B' },
    ];
    await using hosts = await hostsWith('windows', ['--host', 'h', '--windows', JSON.stringify(windows)]);
    const { agent } = hosts;
    const [a, b] = ['window://h/a?priority=9\n\nA', 'window://h/b\n\nB'];
    expect(await agent.desktop('desk')).toEqual({ desktops: [a, b], missing: [] });
    expect((await agent.desktop('desk', { size: 1 })).desktops).toEqual([a]);
    expect((await agent.desktop('desk', { size: 0 })).desktops).toEqual([]);
    expect((await agent.desktop('desk', { window: 'window://h/b' })).desktops).toEqual([b]);
    expect((await agent.desktop('desk', { window: 'window://h/c' })).desktops).toEqual([]);
    await expect(agent.desktop('desk', { size: 1.5 })).rejects.toMatchObject({ code: 'BadRequest' });
  });
});

const plan = 'dpe://h/reports%2F2026%20plan.pdf';
const notes = (day: number) => ({
  ...{ ref: 'notes.md', title: 'Notes', last_modified: `2026-03-0${day}T00:00:00Z`, pages: [] },
});
const listed = (...documents: readonly object[]) => ['--host', 'h', '--documents', JSON.stringify(documents)];
const failureOf = (question: Promise<unknown>): Promise<A2cError> =>
  question.then(
    () => Promise.reject(new Error('it was answered')),
    (error: unknown) => error as A2cError,
  );

describe('an agent that listens to a Finder', () => {
  it('an agent hears of all documents, then of each that appears, changes and vanishes, and of nothing else', async () => {
    await using hosts = await hostsWith('documents', listed(notes(1)));
    const { next, told } = earOf(hosts.agent, 'finder.changed');
    const first = await next();
    expect(first).toMatchObject({
      computer: 'desk',
      value: { total_count: 1, left_out: 0, missing: [] },
      ...{ added: [{ uri: 'dpe://h/notes.md', server: 'documents' }], removed: [], changed: [] },
    });
    await hosts.act('put_document', { ...notes(1), ref: 'new.md' });
    expect(await next()).toMatchObject({ added: [{ uri: 'dpe://h/new.md' }], removed: [], changed: [] });
    // The server announces a change of its list although the list is the same.
    await hosts.act('relist_documents');
    await hosts.act('put_document', notes(2));
    const changed = [{ uri: 'dpe://h/notes.md', last_modified: notes(2).last_modified }];
    expect(await next()).toMatchObject({ added: [], removed: [], changed });
    await hosts.act('drop_document', { ref: 'new.md' });
    expect(await next()).toMatchObject({
      value: { total_count: 1 },
      ...{ added: [], removed: [{ uri: 'dpe://h/new.md' }], changed: [] },
    });
    expect(told).toEqual([]);
  });
});

describe('an agent that asks for documents', () => {
  it('reads a document level by level', async () => {
    await using hosts = await hostsWith('documents', ['--host', 'h']);
    const { agent } = hosts;
    expect(await agent.documents.metadata('desk', plan)).toMatchObject({
      title: 'The plan of 2026',
      page_count: 2,
    });
    expect(await agent.documents.pages('desk', plan, { offset: 1, limit: 1 })).toMatchObject({
      ...{ pages: [{ page_index: 1 }], page_offset: 1, page_limit: 1, page_total: 2 },
    });
    expect(await agent.documents.page('desk', plan, 0)).toMatchObject({ title: 'Aims', element_count: 2 });
    const tables = await agent.documents.page('desk', plan, 1, { categories: ['table'] });
    expect(tables.elements.map(({ element_id }) => element_id)).toEqual(['tab-1']);
    const text: string = await agent.documents.page('desk', plan, 1, { format: 'markdown' });
    expect(text).toContain('| month | cost |');
    const element = await agent.documents.element('desk', plan, 'tab-1');
    expect(element).toMatchObject({ category: 'table', content: { columns: ['month', 'cost'] } });
    expect(await agent.documents.element('desk', plan, 't-1', { format: 'text' })).toBe('We want more.');
    expect(await agent.readResource('desk', `${plan}/pages/0?format=text`)).toMatchObject([
      { mimeType: 'text/plain' },
    ]);
  });

  it('an agent that asks for a wrong document gets the code of Finder, its details and the name of the question', async () => {
    await using hosts = await hostsWith('documents', ['--host', 'h']);
    const { agent } = hosts;
    const refused = [
      await failureOf(agent.documents.metadata('desk', 'dpe://h/nothing')),
      await failureOf(agent.documents.metadata('desk', 'dpe://elsewhere/d')),
      await failureOf(agent.documents.page('desk', plan, 9)),
      await failureOf(agent.documents.element('desk', plan, 'x')),
    ];
    expect(refused.map(({ code }) => code)).toEqual([
      'DocumentNotFound',
      'DocumentNotFound',
      'PageOutOfRange',
      'ElementNotFound',
    ]);
    expect(refused.map(({ details: { req_id: _, ...details } }) => details)).toEqual([
      { doc_ref: 'nothing' },
      { host: 'elsewhere' },
      { page_index: 9, page_count: 2 },
      { element_id: 'x' },
    ]);
    const names = refused.map(({ details }) => details['req_id']);
    expect([new Set(names).size, names.every((name) => typeof name === 'string')]).toEqual([4, true]);
    await expect(agent.finder('nobody')).rejects.toMatchObject({
      ...{ code: 'NotFound', details: { req_id: expect.stringMatching(/./) } },
    });
  });
});
