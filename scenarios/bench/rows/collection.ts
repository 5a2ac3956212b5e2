import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  ListResourcesRequestSchema,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { textOf, type Chain } from './chain.ts';
import { bootedComputer } from '../../fixtures/booted.ts';

/** A server inside the host with so many windows. */
async function endOf(count: number): Promise<InMemoryTransport> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const capabilities = { resources: { subscribe: true } };
  const mcp = new Server({ name: 'windows', version: '1' }, { capabilities });
  const resources = Array.from({ length: count }, (_, n) => ({ uri: `window://h/${n}`, name: `${n}` }));
  mcp.setRequestHandler(ListResourcesRequestSchema, () => ({ resources }));
  mcp.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => ({
    contents: [{ uri, text: uri }],
  }));
  mcp.setRequestHandler(SubscribeRequestSchema, () => ({}));
  await mcp.connect(theirs);
  return ours;
}
const parts = 4_000;

/**
 * The first collection of 4,000 windows, by computers that have `count` each: the same work where it grows linearly, and
 * dearer the more one computer has where it does not.
 */
export const firstCollection = (count: number) => async (): Promise<Chain> => {
  const collect = async (): Promise<void> => {
    const computer = await bootedComputer({
      config: { mcpServers: { windows: { type: 'inmemory' } } },
      inMemory: { windows: () => endOf(count) },
      stateDir: false,
      reaper: false,
      timing: { aggregateMs: 120_000 },
    });
    const { desktops } = await computer.desktop();
    await computer.close();
    if (desktops.length !== count) throw new Error(`${desktops.length} windows were shown`);
  };
  return {
    pids: [],
    call: async (n) => {
      for (let done = 0; done < parts; done += count) await collect();
      return textOf(n);
    },
    close: async () => {},
  };
};
