import { expect, it } from 'vitest';
import { createConversation } from '../../machines/models/conversation.ts';
import { bootedComputer, bootedHosts } from '../../scenarios/fixtures/booted.ts';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';

/** In-memory server that lists the given tools, valid or invalid. */
const listing =
  (
    tools: () => readonly unknown[],
    called: string[] = [],
    serverInfo = (): object => ({ name: 'odd', version: '1' }),
  ) =>
  () => {
    type Message = { readonly id?: number; readonly method?: string; readonly params?: { name?: string } };
    const end = {
      onmessage: undefined as ((message: never) => void) | undefined,
      start: () => Promise.resolve(),
      close: () => Promise.resolve(),
      send: (message: object) => {
        const { id, method, params } = message as Message;
        const info = { protocolVersion: '2025-11-25', serverInfo: serverInfo() };
        const answers: Record<string, () => object> = {
          initialize: () => ({ ...info, capabilities: { tools: { listChanged: true } } }),
          'tools/list': () => ({ tools: tools() }),
          'tools/call': () => {
            called.push(params?.name ?? '');
            return { content: [] };
          },
        };
        const answer = answers[method ?? '']?.();
        if (answer) queueMicrotask(() => end.onmessage?.({ jsonrpc: '2.0', id, result: answer } as never));
        return Promise.resolve();
      },
    };
    return end;
  };
const inputSchema = { type: 'object' };
const odd = [
  { name: 'good', title: 'Good one', inputSchema, execution: { taskSupport: 'optional' } },
  { name: 'long', inputSchema: 'none' },
  { name: '', inputSchema },
  { name: 'listy', inputSchema: { type: 'array' } },
  { name: 'bare' },
  'text',
];
const config = { mcpServers: { odd: { type: 'inmemory' }, twin: { type: 'inmemory', disabled: true } } };

it('a tool that a server lists and nobody can call is refused with the reason, here and for agents', async () => {
  const called: string[] = [];
  const { computer, agent } = closedAfter(
    await bootedHosts({
      ...{ confirm: 'allow', config, inMemory: { odd: listing(() => odd, called) } },
    }),
  );
  const { tools, refused } = await computer.tools();
  expect(tools).toMatchObject([{ name: 'good', title: 'Good one', execution: { taskSupport: 'optional' } }]);
  expect(refused.map(({ name, server, reason }) => [name, server, reason])).toEqual([
    ['long', 'odd', expect.stringContaining('its inputSchema')],
    ['#3', 'odd', expect.stringContaining('it has no name')],
    ['listy', 'odd', expect.stringContaining('its inputSchema does not take an object')],
    ['bare', 'odd', expect.stringContaining('its inputSchema is missing')],
    ['#6', 'odd', expect.stringContaining('it is no object')],
  ]);
  for (const { suggestion } of refused) expect(suggestion).not.toBe('');
  expect((await agent.tools('c1')).tools.map(({ name }) => name)).toEqual(['good']);
  expect(await agent.callTool('c1', 'long', {})).toMatchObject({ outcome: 'failed' });
  expect(await computer.callTool('long')).toMatchObject({
    outcome: 'failed',
    failure: { code: 'ToolNotFound', message: expect.stringContaining('its inputSchema') as string },
  });
  expect(called).toEqual([]);
});

it('a definition for models has the icon and the description of its server: of the config, or else its own', async () => {
  const icons = [{ src: 'https://h/own.png' }, { src: 'https://h/other.png' }];
  const own = listing(
    () => [odd[0]],
    [],
    () => ({ name: 'odd', version: '1', title: 'Own', description: 'What it says of itself', icons }),
  );
  const plain = listing(() => [{ name: 'other', inputSchema }]);
  const config = {
    mcpServers: {
      odd: { type: 'inmemory' },
      named: { type: 'inmemory', icons: '🔧', descriptions: 'As its config has it' },
      silent: { type: 'inmemory' },
    },
  };
  await using computer = await bootedComputer({
    ...{ config, stateDir: false },
    inMemory: {
      odd: own,
      named: listing(
        () => [{ name: 'third', inputSchema }],
        [],
        () => ({ name: 'n', version: '1', description: 'not this', icons }),
      ),
      silent: plain,
    },
  });
  const { tools } = await computer.tools();
  expect((await computer.tools()).tools[0]).toEqual(tools[0]);
  const { definitions } = createConversation().offer(tools);
  expect(definitions.map(({ server }) => server)).toEqual([
    { name: 'odd', icons: 'https://h/own.png', descriptions: 'What it says of itself' },
    { name: 'named', icons: '🔧', descriptions: 'As its config has it' },
    { name: 'silent', icons: '', descriptions: '' },
  ]);
});
