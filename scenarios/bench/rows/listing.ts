import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { textOf, type Chain } from '../chain.ts';
import { computerOver, connected } from '../inside.ts';
import { absolute, calls, comparedSlices, withBoth } from '../measure.ts';
import { atMost, type Row } from '../row.ts';

/** All tools of all servers, as a host is shown them: what it costs to ask once more. */
const counts = { servers: 100, tools: 50 };
const names = Array.from({ length: counts.servers }, (_, n) => `server-${n}`);

const toolsOf = (server: string): object[] =>
  Array.from({ length: counts.tools }, (_, n) => ({
    name: `${server}.tool-${n}`,
    title: `Tool ${n} of ${server}`,
    description: 'does what it is asked to do, and says so',
    inputSchema: { type: 'object', properties: { text: { type: 'string' }, times: { type: 'integer' } } },
    annotations: { readOnlyHint: n % 2 === 0 },
  }));
async function endOf(server: string): Promise<InMemoryTransport> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const mcp = new Server({ name: server, version: '1' }, { capabilities: { tools: {} } });
  mcp.setRequestHandler(ListToolsRequestSchema, () => ({ tools: toolsOf(server) as never }));
  await mcp.connect(theirs);
  return ours;
}
function whole(tools: readonly { readonly name: string }[]): void {
  const listed = new Set(tools.map(({ name }) => name)).size;
  if (listed !== counts.servers * counts.tools) throw new Error(`${listed} tools were listed`);
}
/** That all are there is looked at now and then: looking costs more than the list by hand. */
const asked =
  (list: () => Promise<readonly { readonly name: string }[]>): Chain['call'] =>
  async (n) => {
    const tools = await list();
    if (tools.length !== counts.servers * counts.tools) throw new Error(`${tools.length} tools were listed`);
    if (n % 100 === 0) whole(tools);
    return textOf(n);
  };

/** One SDK client for each, and what they listed kept by hand. */
async function handCachedLists(): Promise<Chain> {
  const clients = await Promise.all(
    names.map(async (name) => {
      const client = await connected(await endOf(name));
      return { name, client, tools: (await client.listTools()).tools };
    }),
  );
  const list = async (): Promise<readonly { readonly name: string }[]> =>
    clients.flatMap(({ name, tools }) => tools.map((tool) => ({ server: name, ...tool })));
  whole(await list());
  const close = async (): Promise<void> => {
    await Promise.all(clients.map(({ client }) => client.close()));
  };
  return { call: asked(list), close };
}

/** `tools()` of a computer: names, refusals and the state of each server. */
async function toolListing(): Promise<Chain> {
  const computer = await computerOver(Object.fromEntries(names.map((name) => [name, () => endOf(name)])));
  const list = async (): Promise<readonly { readonly name: string }[]> => (await computer.tools()).tools;
  whole(await list());
  return { call: asked(list), close: () => computer.close() };
}

export const measureListing: Row['measure'] = (plan, tell) =>
  withBoth([handCachedLists, toolListing], async (chains) => {
    for (const chain of chains) await calls(chain, plan.isQuick ? 2 : 200);
    const found = await comparedSlices(plan, chains, 'cpuUs');
    tell(absolute('5,000 tools of 100 servers, CPU', found, 'µs', atMost(5_000)));
  });
