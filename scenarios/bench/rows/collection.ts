import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  ListResourcesRequestSchema,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { computerOver } from '../inside.ts';
import { cpuMsOf, pairs, ratio } from '../measure.ts';
import { atMost, type Row } from '../row.ts';

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
/** The first collection of all windows of one computer. */
const collect = async (count: number): Promise<void> => {
  const computer = await computerOver({ windows: () => endOf(count) }, { timing: { aggregateMs: 120_000 } });
  const { desktops } = await computer.desktop();
  await computer.close();
  if (desktops.length !== count) throw new Error(`${desktops.length} windows were shown`);
};
/** The same work where it grows linearly, and dearer the more one computer has where it does not. */
export const measureCollection: Row['measure'] = async ({ isQuick, rounds }, tell) => {
  const many = isQuick ? 400 : 4_000;
  const halves = () =>
    cpuMsOf(async () => {
      await collect(many / 2);
      await collect(many / 2);
    });
  await halves();
  const found = await pairs(rounds, halves, () => cpuMsOf(() => collect(many)));
  const what = `first collection of ${many.toLocaleString('en')} windows ÷ twice the half, CPU`;
  tell(ratio(what, found, 'ms', atMost(1.1)));
};
