import { beforeEach, describe, expect, it, vi } from 'vitest';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { linked } from '../../scenarios/fixtures/hostile-texts.ts';
import {
  createAgent,
  createComputer,
  createOffice,
  type LinkedEnd,
  type Log,
  type LogEntry,
} from '../index.ts';
import { launchedWith } from '../../scenarios/fixtures/resource-servers.ts';
import { bootedComputer, bootedHosts } from '../../scenarios/fixtures/booted.ts';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';

const entries: LogEntry[] = [];
const into: Log = (entry) => void entries.push(entry);
const logged = (): LogEntry[] => entries.splice(0);
/** Opens an office, an agent, and a computer whose server refuses and fails, with this log. */
const house = async (text: string, config: object = {}, log: Log = into) =>
  closedAfter(
    await bootedHosts({
      ...{ name: 'c', inMemory: { 'a/b#c': linked(text) }, log },
      config: { mcpServers: { 'a/b#c': { type: 'inmemory', autoApprove: ['all'], ...config } } },
    }),
  );
/** In-memory server that answers these methods; without any method it never answers. */
const answering = (results?: Readonly<Record<string, unknown>>) => (): LinkedEnd => {
  const end: LinkedEnd = {
    start: async () => {},
    send: async (message) => {
      const { id, method = '' } = message as { readonly id?: number; readonly method?: string };
      if (!results || id === undefined) return;
      const error = { code: -32_601, message: 'Method not found' };
      const said = results[method] === undefined ? { error } : { result: results[method] };
      end.onmessage?.({ jsonrpc: '2.0', id, ...said } as never);
    },
    close: async () => end.onclose?.(),
  };
  return end;
};
// An agent that closes may still log a request that it takes back.
beforeEach(() => void logged());

it.each([
  ['that its server refuses', 'refuse', { outcome: 'failed', phase: 'running' }],
  ['whose tool says itself that it failed', 'fail', {}],
])('a call %s is followed by its req_id through server, computer, office and agent', async (_, tool, end) => {
  const { agent } = await house('went wrong');
  const outcome = await agent.callTool('c', tool, {}, { reqId: 'req-1' });
  expect(outcome).toMatchObject({ outcome: 'failed' });
  const seen = logged();
  expect(seen.map(({ layer, event, req_id }) => [layer, event, req_id])).toEqual([
    ['server', 'tools/call', 'req-1'],
    ['computer', 'call.settled', 'req-1'],
    ['office', 'client:tool_call', 'req-1'],
    ['agent', 'client:tool_call', 'req-1'],
  ]);
  for (const { message, level, time } of seen) {
    expect(message).toContain('went wrong');
    expect(level).toBe('error');
    expect(new Date(time).toISOString()).toBe(time);
  }
  expect(seen[0]).toMatchObject({ server: 'a/b#c', tool });
  expect(seen[1]).toMatchObject({ server: 'a/b#c', tool, ...end });
  expect(seen[2]).toMatchObject({ computer: 'c', tool });
});

it('what never comes to a server is told by the layers to which it came', async () => {
  const { agent, computer } = await house('x');
  await agent.callTool('c', 'none', {}, { reqId: 'req-3' });
  expect(logged().map(({ layer, req_id }) => [layer, req_id])).toEqual(
    ['computer', 'office', 'agent'].map((layer) => [layer, 'req-3']),
  );
  await agent.callTool('nobody', 'echo', {}, { reqId: 'req-4' });
  expect(logged().map(({ layer, req_id, code }) => [layer, req_id, code])).toEqual(
    ['office', 'agent'].map((layer) => [layer, 'req-4', 'NotFound']),
  );
  await agent.readResource('c', 'window://nobody/x').catch(() => {});
  const asked = logged();
  expect(asked.map(({ layer, event }) => [layer, event])).toEqual(
    ['office', 'agent'].map((layer) => [layer, 'client:read_resource']),
  );
  expect(new Set(asked.map(({ req_id }) => req_id)).size).toBe(1);
  expect((await computer.callTool('none', {}, { reqId: 'req-5' })).outcome).toBe('failed');
  expect(logged()).toMatchObject([{ layer: 'computer', req_id: 'req-5', tool: 'none' }]);
});

it('a read that its server refuses is followed by its req_id, too', async () => {
  const mcpServers = { docs: launchedWith('documents', crypto.randomUUID(), '--host', 'h') };
  const { agent } = closedAfter(await bootedHosts({ name: 'c', log: into, config: { mcpServers } }));
  await agent.readResource('c', 'dpe://h/nothing').catch(() => {});
  const seen = logged();
  expect(seen.map(({ layer, event }) => `${layer} ${event}`)).toEqual([
    'server resources/read',
    ...['office', 'agent'].map((layer) => `${layer} client:read_resource`),
  ]);
  expect(seen[0]).toMatchObject({ server: 'docs', req_id: expect.any(String) });
  expect(new Set(seen.map(({ req_id }) => req_id)).size).toBe(1);
});

it('what a server need not have, and a question whose agent leaves, is no failure', async () => {
  const debug = { record: false, log: into, logLevel: 'debug' } as const;
  const office = await createOffice({ ...debug, port: 0 });
  const seat = { ...debug, stateDir: false, office: { url: office.url } } as const;
  const config = { mcpServers: { s: { type: 'inmemory' } } };
  const capabilities = { tools: {}, resources: { subscribe: true } };
  const given = { protocolVersion: '2025-06-18', capabilities, serverInfo: { name: 's', version: '1' } };
  const inMemory = { s: answering({ initialize: given, 'tools/list': { tools: [] } }) };
  const computer = await bootedComputer({ ...seat, name: 'c', config, inMemory });
  const unknown = logged().filter(({ code }) => code !== undefined);
  expect(unknown.map(({ event }) => event)).toContain('resources/templates/list');
  // This server never answers, so that a request for its tools stays open.
  const silent = await createComputer({ ...seat, name: 'silent', config, inMemory: { s: answering() } });
  const agent = await createAgent({ ...debug, url: office.url });
  agent.tools('silent').catch(() => {});
  await agent.close();
  const left = logged().filter(({ layer, event }) => layer === 'office' && event === 'client:get_tools');
  expect(left.map(({ code }) => code)).toContain('NotFound');
  for (const handle of [silent, computer, office]) await handle.close();
  for (const { level, event, message } of [...unknown, ...left, ...logged()])
    expect([event, level, message]).toEqual([event, expect.stringMatching(/debug|info/), message]);
});

it('a server that cannot be started is told of with its reason', async () => {
  await house('x', {
    type: 'stdio',
    command: process.execPath,
    args: ['-e', 'console.error("no licence"); process.exit(7)'],
    a2c: { restart: 'never' },
  });
  const seen = logged();
  expect(seen).not.toEqual([]);
  for (const entry of seen)
    expect(entry).toMatchObject({ layer: 'computer', event: 'server.changed', server: 'a/b#c' });
  expect(seen.at(-1)).toMatchObject({ level: 'error', message: expect.stringContaining('exit code 7') });
});

it('what goes well is no entry, and what is told of it is bounded and without secrets', async () => {
  const long = `sesame ${'x'.repeat(5_000)}`;
  const { agent } = await house(long, { env: { API_TOKEN: 'sesame' } });
  expect(await agent.callTool('c', 'structured')).toMatchObject({ outcome: 'succeeded' });
  await agent.tools('c');
  expect(logged()).toEqual([]);
  await agent.callTool('c', 'refuse');
  const seen = logged();
  expect(seen).toHaveLength(4);
  for (const { message } of seen) {
    expect(message).toMatch(/\*\*\* xxx.*…$/);
    expect(message).toHaveLength(1_000);
  }
});

it('a log that throws, or rejects, disturbs nothing', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const broken = (({ layer }: LogEntry) => {
    if (layer === 'computer') return Promise.reject(new Error('of the log'));
    throw new Error('of the log');
  }) as unknown as Log;
  const { agent } = await house('x', {}, broken);
  expect(await agent.callTool('c', 'refuse')).toMatchObject({ outcome: 'failed' });
  expect(await agent.callTool('c', 'structured')).toMatchObject({ outcome: 'succeeded' });
  expect(warned).toHaveBeenCalledWith(expect.stringContaining('of the log'), 'A2cListenerWarning');
  warned.mockRestore();
});

describe('a log from the level info on', () => {
  const told: LogEntry[] = [];
  const how = { record: false, log: (entry: LogEntry) => void told.push(entry), logLevel: 'info' } as const;
  const shown = ({ layer, event, message, ...more }: LogEntry): readonly unknown[] => {
    const { req_id, office, agent, computer, server, tool, outcome, code } = more;
    const named = { req_id, office, agent, computer, server, tool, outcome, code };
    const there = Object.entries(named).filter(([, value]) => value !== undefined);
    return [`${layer} ${event}`, ...(there.length > 0 ? [Object.fromEntries(there)] : []), message];
  };
  it.each(['info', 'debug'] as const)(
    '%s tells who comes and goes, and how each call ended',
    async (logLevel) => {
      told.length = 0;
      const office = await createOffice({ ...how, logLevel, port: 0, auth: 'token' });
      const seat = { url: office.url, auth: 'token' };
      const computer = await bootedComputer({
        ...{ ...how, logLevel, name: 'c', stateDir: false, office: seat },
        config: { mcpServers: { s: { type: 'inmemory', autoApprove: ['all'] } } },
        inMemory: { s: linked('went wrong') },
      });
      await createAgent({ ...how, url: office.url, auth: 'other' }).catch(() => {});
      const agent = await createAgent({ ...how, logLevel, ...seat });
      await agent.tools('c');
      const late = await bootedComputer({ name: 'late', stateDir: false, record: false, office: seat });
      await agent.tools('late');
      const left = new Promise((resolve) => agent.on('computer.left', resolve));
      await late.close();
      await left;
      await agent.callTool('c', 'structured', {}, { reqId: 'r1' });
      await agent.callTool('c', 'refuse', {}, { reqId: 'r2' });
      for (const handle of [agent, computer, office]) await handle.close();
      const infos = told.filter(({ level }) => level !== 'debug').map(shown);
      const well = { outcome: 'succeeded', tool: 'structured', req_id: 'r1' };
      const badly = { req_id: 'r2', tool: 'refuse' };
      for (const entry of [
        ['computer server.changed', { server: 's' }, 'is ready'],
        ['office seat.changed', { office: 'local', computer: 'c' }, 'computer joined'],
        ['link link.changed', 'joined its office'],
        ['office peer.connected', 'connected'],
        ['office peer.refused', 'This office does not know that token'],
        ['office seat.changed', { office: 'local', agent: 'agent' }, 'agent joined'],
        ['agent computer.entered', { computer: 'late' }, 'a computer sits in the office'],
        ['agent computer.left', { computer: 'late' }, 'a computer has left'],
        ['computer call.settled', { ...well, server: 's' }, 'succeeded'],
        ['office client:tool_call', { ...well, computer: 'c' }, 'succeeded'],
        ['agent client:tool_call', { ...well, server: 's' }, 'succeeded'],
        ['office client:tool_call', { ...badly, computer: 'c', code: 'ToolFailed' }, 'went wrong'],
        ['office seat.changed', { office: 'local', agent: 'agent' }, 'agent left'],
        ['office seat.changed', { office: 'local', computer: 'c' }, 'computer left'],
        ['link link.changed', 'its seat is given up'],
      ])
        expect(infos).toContainEqual(entry);
      // Each layer must log the call once, with the time that it took in that layer.
      for (const req_id of ['r1', 'r2'])
        for (const layer of ['agent', 'office', 'computer'])
          expect(
            told.filter((one) => one.level !== 'debug' && one.req_id === req_id && one.layer === layer),
          ).toMatchObject([{ ms: expect.any(Number) }]);
      const debugs = told
        .filter(({ level }) => level === 'debug')
        .map(({ layer, event }) => `${layer} ${event}`);
      if (logLevel === 'info') expect(debugs).toEqual([]);
      else
        expect(debugs).toEqual(
          expect.arrayContaining([
            ...['server tools/list', 'server tools/call', 'computer call.started', 'agent call.started'],
            ...['office client:get_tools', 'office server:join_office'],
          ]),
        );
      expect(JSON.stringify(told)).not.toContain('127.0.0.1');
    },
  );
  it('a level that is none is refused with those that there are', async () => {
    const wrong = createOffice({ ...how, port: 0, logLevel: 'verbose' as never });
    await expect(wrong).rejects.toThrow('logLevel: expected one of debug, info, warn, error');
  });
});

it('--log writes JSON lines on stderr, and without it there are none', async () => {
  const { office, agent } = await house('went wrong', {}, () => {});
  // The agent leaves its seat, because the command needs it.
  await agent.close();
  const call = ['call', 'refuse', '--url', office.url, '--req-id', 'req-6'];
  const withLog = await commandLine([...call, '--log']);
  const lines = withLog.err
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as LogEntry] : []));
  expect(lines).toMatchObject([{ layer: 'agent', req_id: 'req-6', event: 'client:tool_call' }]);
  expect((await commandLine(call)).err).not.toMatch(/^\{/m);
});
