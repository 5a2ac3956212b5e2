import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { echoed, textOf, type Chain } from './chain.ts';
import { endureApart } from './endurance.ts';
import { bootedComputer } from '../../fixtures/booted.ts';

/** One server inside the host, called through the SDK's own client and through a computer: what is ours is the difference. */
const echo = {
  name: 'echo',
  inputSchema: { type: 'object' as const, properties: { text: { type: 'string' } }, required: ['text'] },
};

interface Served {
  readonly end: InMemoryTransport;
  /** What came to its handler: a call that is answered without its server is no call. */
  readonly heard: { calls: number };
}
async function served(): Promise<Served> {
  const [end, theirs] = InMemoryTransport.createLinkedPair();
  const heard = { calls: 0 };
  const server = new Server({ name: 'echo', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [echo] }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    heard.calls += 1;
    return { content: [{ type: 'text' as const, text: String(params.arguments?.['text']) }] };
  });
  await server.connect(theirs);
  return { end, heard };
}
/** Each answer has had its call at the server. */
const counted = (heard: Served['heard'], call: Chain['call']): Chain['call'] => {
  let answered = 0;
  return async (n) => {
    const text = await call(n);
    answered += 1;
    if (heard.calls < answered) throw new Error(`${answered} answers to ${heard.calls} calls at the server`);
    return text;
  };
};

/** A compiler that works while the code runs is done by then; what a host pays for its first calls is another question. */
const warmCalls = 10_000;
export const warmed = (open: () => Promise<Chain>) => async (): Promise<Chain> => {
  const chain = await open();
  for (let n = 0; n < warmCalls; n += 1) await chain.call(n);
  return chain;
};

export async function bareClient(): Promise<Chain> {
  const { end, heard } = await served();
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(end);
  await client.listTools();
  const call = async (n: number): Promise<string> =>
    echoed(await client.callTool({ name: 'echo', arguments: { text: textOf(n) } }));
  const close = (): Promise<void> => client.close();
  return { pids: [], call: counted(heard, call), close, endure: endureApart('bareClient') };
}

/** As any host makes it: recorded, remembered, each argument held against the schema, each call in its turn. */
export async function throughComputer(): Promise<Chain> {
  const { end, heard } = await served();
  const computer = await bootedComputer({
    config: { mcpServers: { echo: { type: 'inmemory', autoApprove: ['all'] } } },
    inMemory: { echo: async () => end },
    stateDir: false,
    reaper: false,
  });
  const call = async (n: number): Promise<string> => {
    const { result, failure } = await computer.callTool('echo', { text: textOf(n) });
    if (failure) throw new Error(failure.message);
    return echoed(result);
  };
  const close = (): Promise<void> => computer.close();
  return { pids: [], call: counted(heard, call), close, endure: endureApart('throughComputer') };
}
