import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema, type Tool } from '@modelcontextprotocol/sdk/types.js';
import type { Computer, ComputerOptions } from '../../actors/index.ts';
import { bootedComputer } from '../fixtures/booted.ts';

/** Servers inside the host, over linked pairs: called through the SDK's own client, and through a computer. */
export const echoTool = (name = 'echo'): Tool => ({
  name,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
});

export interface Served {
  readonly end: InMemoryTransport;
  /** Calls that reached the handler; one that is answered without its server does not count. */
  readonly heard: { calls: number };
}
export async function served(tools: readonly Tool[] = [echoTool()]): Promise<Served> {
  const [end, theirs] = InMemoryTransport.createLinkedPair();
  const heard = { calls: 0 };
  const server = new Server({ name: 'echo', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...tools] }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    heard.calls += 1;
    return { content: [{ type: 'text' as const, text: String(params.arguments?.['text']) }] };
  });
  await server.connect(theirs);
  return { end, heard };
}

export async function connected(end: InMemoryTransport): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(end);
  await client.listTools();
  return client;
}

type Ends = Readonly<Record<string, () => Promise<InMemoryTransport>>>;
export const optionsOver = (ends: Ends): ComputerOptions => {
  const one = { type: 'inmemory', autoApprove: ['all'] };
  const mcpServers = Object.fromEntries(Object.keys(ends).map((name) => [name, one]));
  return { config: { mcpServers }, inMemory: { ...ends }, stateDir: false, reaper: false };
};
export const computerOver = (ends: Ends, more: Partial<ComputerOptions> = {}): Promise<Computer> =>
  bootedComputer({ ...optionsOver(ends), ...more });

export async function textFrom(computer: Computer, tool: string, text: string): Promise<string> {
  const { result, failure } = await computer.callTool(tool, { text });
  if (failure) throw new Error(failure.message);
  const [content] = (result as { content: readonly { readonly text?: string }[] }).content;
  return content?.text ?? 'no text';
}
