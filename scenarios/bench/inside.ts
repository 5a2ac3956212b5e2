import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { type Computer } from '../../actors/index.ts';
import { echoed, textOf, type Chain } from './rows/chain.ts';
import { many } from './rows/standing.ts';
import { bootedComputer } from '../fixtures/booted.ts';

/** Servers inside the host, made with the SDK, over linked pairs: with a computer, and connected by hand. */
type End = InMemoryTransport;

/** Our end of a pair; at the other one sits a server with one tool, or nobody who answers. */
async function endOf(name: string, isMute: boolean): Promise<End> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  if (isMute) return ours;
  const server = new Server({ name, version: '1' }, { capabilities: { tools: { listChanged: true } } });
  const tools = [{ name: `${name}.echo`, description: name, inputSchema: { type: 'object' as const } }];
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
    content: [{ type: 'text' as const, text: String(params.arguments?.['text']) }],
  }));
  await server.connect(theirs);
  return ours;
}
const namesOf = (servers: number): string[] => Array.from({ length: servers }, (_, n) => `s${n}`);

interface Standing {
  call(n: number): Promise<string>;
  close(): Promise<void>;
}
/** `Promise.all` over SDK clients, and the list of each. */
async function byHand(servers: number, isOneMute: boolean): Promise<Standing> {
  const names = namesOf(servers);
  const [, ...others] = names;
  const clients = new Map<string, Client>();
  const connect = async (name: string, isMute: boolean): Promise<void> => {
    const client = new Client({ name: 'bench', version: '1' });
    clients.set(name, client);
    await client.connect(await endOf(name, isMute));
    await client.listTools();
  };
  const mute = isOneMute ? connect('s0', true).catch(() => {}) : undefined;
  await Promise.all((isOneMute ? others : names).map((name) => connect(name, false)));
  return {
    call: async (n) => {
      const name = names[n % servers] ?? '';
      const request = { name: `${name}.echo`, arguments: { text: textOf(n) } };
      return echoed(await clients.get(name)?.callTool(request));
    },
    close: async () => {
      await Promise.all([...clients.values()].map((client) => client.close()));
      await mute;
    },
  };
}
/** A computer as any host makes it, without an office; nothing is kept on disk. */
async function ours(servers: number, isOneMute: boolean): Promise<Standing> {
  const names = namesOf(servers);
  const inMemory = Object.fromEntries(
    names.map((name, n) => [name, () => endOf(name, isOneMute && n === 0)]),
  );
  const config = {
    mcpServers: Object.fromEntries(names.map((name) => [name, { type: 'inmemory', autoApprove: ['all'] }])),
  };
  const ready = new Set<string>();
  const wanted = servers - (isOneMute ? 1 : 0);
  const given = new AbortController();
  let whole = (): void => {};
  const served = new Promise<void>((resolve) => (whole = resolve));
  const opening: Promise<Computer> = bootedComputer({
    config,
    inMemory,
    stateDir: false,
    reaper: false,
    signal: given.signal,
    onEvent: (_, value) => {
      const { name, state } = value as { name?: string; state?: string };
      if (name === undefined || state !== 'ready') return;
      if (ready.add(name).size === wanted) whole();
    },
  });
  if (!isOneMute) await opening;
  await served;
  return {
    call: async (n) => {
      const computer = await opening;
      const { result, failure } = await computer.callTool(`${names[n % servers]}.echo`, { text: textOf(n) });
      if (failure) throw new Error(failure.message);
      return echoed(result);
    },
    close: async () => {
      // One that still boots, because somebody never answers, is given up.
      given.abort();
      await (await opening).close();
    },
  };
}

type Make = (servers: number, isOneMute: boolean) => Promise<Standing>;
/** Each call is a whole life: up, one call, and down. */
const lives = (make: Make) => async (): Promise<Chain> => ({
  pids: [],
  stand: make,
  call: async (n) => {
    const standing = await make(many, false);
    const text = await standing.call(n);
    await standing.close();
    return text;
  },
  close: async () => {},
});
/** Calls to servers that stand. */
const idle = (make: Make) => async (): Promise<Chain> => {
  const standing = await make(many, false);
  return { pids: [], stand: make, call: standing.call, close: standing.close };
};

export const byHandLives = lives(byHand);
export const oursLives = lives(ours);
export const byHandIdle = idle(byHand);
export const oursIdle = idle(ours);
