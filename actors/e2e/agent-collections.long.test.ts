/** Tests of the Desktop and the Finder of an agent, with a real office, computer and server. */
import { describe, expect, it } from 'vitest';
import { bootedHosts } from '../../scenarios/fixtures/booted.ts';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';
import { launchedWith, type ResourceServer } from '../../scenarios/fixtures/resource-servers.ts';

/** Starts an office, the computer `desk` with one such server over stdio, and an agent. */
async function hostsWith(server: ResourceServer, flags: readonly string[]) {
  const config = { mcpServers: { [server]: launchedWith(server, `hosts-${server}`, ...flags) } };
  const hosts = closedAfter(await bootedHosts({ name: 'desk', config }));
  const { agent } = hosts;
  /** Runs a tool of the server that changes its resources. */
  const act = async (tool: string, args: Readonly<Record<string, unknown>> = {}): Promise<void> => {
    const { outcome, failure } = await agent.callTool('desk', tool, args);
    if (outcome !== 'succeeded') throw new Error(failure?.message ?? outcome);
  };
  return {
    ...hosts,
    act,
    /** Resolves with the event that a tool of the server causes. */
    changedBy: async (...[tool, args]: Parameters<typeof act>) => {
      const changed = server === 'windows' ? agent.once('desktop.changed') : agent.once('finder.changed');
      await act(tool, args);
      return changed;
    },
  };
}

const log = 'window://h/log';
const flags = ['--host', 'h', '--windows', JSON.stringify([{ path: 'log', text: 'started' }])];

describe('an agent that listens to a Desktop', () => {
  it('an agent hears of all windows, then of each that appears, changes and vanishes, and of nothing else', async () => {
    const hosts = await hostsWith('windows', flags);
    let times = 0;
    hosts.agent.on('desktop.changed', () => (times += 1));
    const started = { uri: log, text: 'started' };
    expect(await hosts.agent.once('desktop.changed')).toEqual({
      computer: 'desk',
      value: { desktops: [`${log}\n\nstarted`], missing: [] },
      ...{ added: [started], removed: [], changed: [] },
    });
    const hello = { uri: 'window://h/new', text: 'hello' };
    const shown = await hosts.changedBy('show_window', { path: 'new', text: 'hello' });
    expect(shown).toMatchObject({ added: [hello], removed: [], changed: [] });
    // The server announces a change of its list although the list is the same.
    await hosts.act('relist_windows');
    const done = { uri: log, text: 'done' };
    const other = await hosts.changedBy('show_window', { path: 'log', text: 'done' });
    expect(other).toMatchObject({ added: [], removed: [], changed: [done] });
    expect(await hosts.changedBy('close_window', { path: 'new' })).toMatchObject({
      value: { desktops: [`${log}\n\ndone`] },
      ...{ added: [], removed: [hello], changed: [] },
    });
    expect(times).toBe(4);
  });

  it('an agent whose Desktop is too large for an office hears so, and what to ask for instead', async () => {
    const hosts = await hostsWith('windows', flags);
    hosts.agent.on('desktop.changed', () => {});
    await hosts.agent.once('desktop.changed');
    const failed = hosts.agent.once('desktop.failed');
    for (const path of ['big', 'bigger'])
      await hosts.act('show_window', { path, text: 'x'.repeat(4_300_000) });
    const remedy = expect.stringMatching(/size.*window/);
    const failure = { code: 'TooLarge', details: { limit_bytes: expect.any(Number) }, remedy };
    expect(await failed).toMatchObject({ computer: 'desk', failure });
    await expect(hosts.agent.desktop('desk')).rejects.toMatchObject(failure);
    expect((await hosts.agent.desktop('desk', { size: 1 })).desktops).toHaveLength(1);
  });
});

const plan = 'dpe://h/reports%2F2026%20plan.pdf';
const notes = (day: number) => ({
  ...{ ref: 'notes.md', title: 'Notes', last_modified: `2026-03-0${day}T00:00:00Z`, pages: [] },
});
const listed = (...documents: readonly object[]) => ['--host', 'h', '--documents', JSON.stringify(documents)];

describe('an agent that listens to a Finder', () => {
  it('an agent hears of all documents, then of each that appears, changes and vanishes, and of nothing else', async () => {
    const hosts = await hostsWith('documents', listed(notes(1)));
    let times = 0;
    hosts.agent.on('finder.changed', () => (times += 1));
    expect(await hosts.agent.once('finder.changed')).toMatchObject({
      computer: 'desk',
      value: { total_count: 1, left_out: 0, missing: [] },
      ...{ added: [{ uri: 'dpe://h/notes.md', server: 'documents' }], removed: [], changed: [] },
    });
    expect(await hosts.changedBy('put_document', { ...notes(1), ref: 'new.md' })).toMatchObject({
      ...{ added: [{ uri: 'dpe://h/new.md' }], removed: [], changed: [] },
    });
    // The server announces a change of its list although the list is the same.
    await hosts.act('relist_documents');
    const changed = [{ uri: 'dpe://h/notes.md', last_modified: notes(2).last_modified }];
    const put = await hosts.changedBy('put_document', notes(2));
    expect(put).toMatchObject({ added: [], removed: [], changed });
    expect(await hosts.changedBy('drop_document', { ref: 'new.md' })).toMatchObject({
      value: { total_count: 1 },
      ...{ added: [], removed: [{ uri: 'dpe://h/new.md' }], changed: [] },
    });
    expect(times).toBe(4);
  });
});

describe('an agent that asks for documents', () => {
  it('reads a document level by level, and hears which page it has not', async () => {
    const { agent } = await hostsWith('documents', ['--host', 'h']);
    const known = { title: 'The plan of 2026', page_count: 2 };
    expect(await agent.documents.metadata('desk', plan)).toMatchObject(known);
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
    const read = await agent.readResource('desk', `${plan}/pages/0?format=text`);
    expect(read).toMatchObject([{ mimeType: 'text/plain' }]);
    await expect(agent.documents.page('desk', plan, 9)).rejects.toMatchObject({
      ...{ code: 'PageOutOfRange', details: { page_index: 9, page_count: 2, req_id: expect.any(String) } },
    });
  });
});
