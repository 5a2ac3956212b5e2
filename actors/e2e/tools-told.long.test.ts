import { afterEach, describe, expect, it } from 'vitest';
import { createEar } from '../../scenarios/fixtures/hosted.ts';
import { createComputer, foreign, type Computer, type LogEntry, type LinkedEnd } from '../index.ts';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const tool = (name: string): object => ({ name, inputSchema: { type: 'object' } });
/** In-memory server whose list of tools can change; each tool answers with its own name. */
function serverOf(...names: string[]) {
  let tools = names.map(tool);
  let server: Server;
  const connect = async (): Promise<LinkedEnd> => {
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    server = new Server({ name: 's', version: '1' }, { capabilities: { tools: { listChanged: true } } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
      content: [{ type: 'text', text: params.name }],
    }));
    await server.connect(theirs);
    return ours;
  };
  const change = (...next: (string | object)[]): Promise<void> => {
    tools = next.map((one) => (typeof one === 'string' ? tool(one) : one));
    return server.sendToolListChanged();
  };
  return { connect, change };
}

/** Tests of problems with tools that stop nothing: who hears of them, and how often. */
let computer: Computer;
afterEach(() => computer.close());

const told = { notices: [] as string[], log: [] as LogEntry[], ear: createEar() };
async function start(
  servers: Readonly<Record<string, ReturnType<typeof serverOf>>>,
  more: Readonly<Record<string, object>> = {},
): Promise<void> {
  Object.assign(told, { notices: [], log: [], ear: createEar() });
  const entries = Object.keys(servers).map((name) => [
    name,
    { type: 'inmemory', autoApprove: ['all'], ...more[name] },
  ]);
  computer = await createComputer({
    name: 'c',
    stateDir: false,
    config: foreign({ mcpServers: Object.fromEntries(entries) as object }),
    inMemory: Object.fromEntries(Object.entries(servers).map(([name, { connect }]) => [name, connect])),
    onNotice: (text) => told.notices.push(text),
    log: (entry) => void told.log.push(entry),
    onEvent: told.ear.onEvent,
  });
  await told.ear.until(() => computer.status().servers.every(({ state }) => state === 'ready'));
}
const logged = (event: string): string[] =>
  told.log.flatMap((entry) => (entry.event === event ? [`${entry.level} ${entry.server ?? ''}`] : []));
const reasonOf = (name: string) => computer.status().servers.find((server) => server.name === name)?.reason;
/** Changes the list of tools of a server and waits until the computer announces the change. */
async function relisted(server: ReturnType<typeof serverOf>, ...names: string[]): Promise<void> {
  const before = told.ear.of('tools.changed').length;
  await server.change(...names);
  await told.ear.until(() => told.ear.of('tools.changed').length > before);
}

describe('tools that are refused', () => {
  it.each([
    ['one name that is taken', ['t', 'own'], /^Tool 't' exists in multiple servers: 'a', 'b'$/],
    [
      'all names that are taken',
      ['t', 'u'],
      /^2 tools of 'b' are refused; the first: Tool 't' exists in multiple/,
    ],
  ])(
    'are told once to host and log, and at the server and the status for as long as it is so: %s',
    async (_, names, reason) => {
      const [a, b] = [serverOf('t', 'u'), serverOf(...names)];
      await start({ a, b });
      expect([reasonOf('a'), reasonOf('b')]).toEqual([undefined, expect.stringMatching(reason)]);
      expect(computer.status().state).toBe('degraded');
      expect(told.notices).toEqual([expect.stringMatching(/exists in multiple servers.*alias/)]);
      expect(logged('tools.refused')).toEqual(['warn b']);
      expect(
        told.ear
          .of('server.changed')
          .filter(({ name }) => name === 'b')
          .at(-1),
      ).toMatchObject({
        state: 'ready',
        reason: expect.stringMatching(reason) as string,
        failure: { code: 'ToolNameDuplicated' },
      });
      await relisted(a, 't', 'u', 'more');
      await computer.servers.restart('b');
      expect([told.notices.length, logged('tools.refused').length]).toEqual([1, 1]);
      await computer.servers.remove('a');
      expect([reasonOf('b'), computer.status().state]).toEqual([undefined, 'whole']);
      expect(told.notices).toHaveLength(1);
    },
  );

  it('are told when they are no tools, and told again when they are others than before', async () => {
    const [a, b] = [serverOf('t'), serverOf('own', 'w')];
    await start({ a, b });
    expect([told.notices, computer.status().state]).toEqual([[], 'whole']);
    await b.change('own', { name: 'flawed', inputSchema: { type: 'string' } });
    await told.ear.until(() => reasonOf('b') !== undefined);
    expect(reasonOf('b')).toContain("Tool 'flawed' of 'b' is not offered");
    await b.change('own', 't');
    await told.ear.until(() => /exists in multiple/.test(reasonOf('b') ?? ''));
    expect([told.notices.length, logged('tools.refused')]).toEqual([2, ['warn b', 'warn b']]);
    await b.change('own');
    await told.ear.until(() => reasonOf('b') === undefined);
    expect([told.notices.length, computer.status().state]).toEqual([2, 'whole']);
  });
});

it('a name that several tools would have is told once, and stops nothing', async () => {
  const [a, b] = [serverOf('t'), serverOf('t', 'own')];
  const prefix = { a2c: { onConflict: 'prefix' } };
  await start({ a, b }, { a: prefix, b: prefix });
  await relisted(b, 't', 'own', 'more');
  expect(told.notices).toEqual([
    expect.stringMatching(/^Several servers have a tool 't': they are called a_t, b_t\./),
  ]);
  expect(logged('name.shared')).toEqual(['warn ']);
  expect([computer.status().state, reasonOf('a'), reasonOf('b')]).toEqual(['whole', undefined, undefined]);
});

it('a program that fails is told once to the host, and with each call to the log', async () => {
  await start({ a: serverOf('t') }, { a: { vrl: '.n = to_int!(.content)' } });
  for (const reqId of ['one', 'two']) {
    const { outcome, result } = await computer.callTool('t', {}, { reqId });
    expect([outcome, JSON.stringify(result)]).toEqual(['succeeded', expect.stringContaining('a2c_warnings')]);
  }
  expect(told.notices).toEqual([expect.stringMatching(/^vrl of 'a': /)]);
  const entries = told.log.filter(({ message }) => message.includes("vrl of 'a'"));
  expect(entries.map(({ level, req_id, server, tool: name }) => [level, req_id, server, name])).toEqual([
    ['warn', 'one', 'a', 't'],
    ['warn', 'two', 'a', 't'],
  ]);
});
