import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  ListResourcesRequestSchema,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { DPEDocumentSummary } from '../../../machines/protocol/index.ts';
import { textOf, type Chain } from '../chain.ts';
import { computerOver } from '../inside.ts';
import { absolute, calls, comparedSlices, withBoth } from '../measure.ts';
import { atMost, type Row } from '../row.ts';

/** The first page of all documents of fifty servers that were read before: what it costs to ask again. */
const counts = { servers: 50, documents: 200 };
const page = 20;

const uriOf = (server: number, n: number): string => `dpe://server-${server}/reports%2F${n}.pdf`;
const documentOf = (server: number, n: number): DPEDocumentSummary => ({
  doc_ref: `reports/${n}.pdf`,
  uri: uriOf(server, n),
  file_uri: `file:///reports/${n}.pdf`,
  file_type: 'pdf',
  title: `Report ${n} of ${server}`,
  page_count: 12,
  keywords: ['report', `part ${n}`],
  summary: 'what happened in the year',
  server: `server-${server}`,
  // No two at once, in an order that is none of those in which they are listed.
  last_modified: new Date(1.7e12 + (((n * 7_919 + server) * 104_729) % 1e10)).toISOString(),
});
const each = <T>(make: (server: number, n: number) => T): T[] =>
  Array.from({ length: counts.servers * counts.documents }, (_, i) =>
    make(Math.floor(i / counts.documents), i % counts.documents),
  );

/** Our end of a pair; at the other one a server with documents, that counts what it is asked. */
async function serverOf(server: number, heard: { requests: number }): Promise<InMemoryTransport> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const mcp = new Server(
    { name: `server-${server}`, version: '1' },
    { capabilities: { resources: { subscribe: true, listChanged: true } } },
  );
  const documents = new Map(
    Array.from({ length: counts.documents }, (_, n) => [uriOf(server, n), documentOf(server, n)]),
  );
  mcp.setRequestHandler(ListResourcesRequestSchema, () => {
    heard.requests += 1;
    return { resources: [...documents.keys()].map((uri) => ({ uri, name: uri })) };
  });
  mcp.setRequestHandler(SubscribeRequestSchema, () => {
    heard.requests += 1;
    return {};
  });
  mcp.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
    heard.requests += 1;
    return { contents: [{ uri, text: JSON.stringify(documents.get(uri)) }] };
  });
  await mcp.connect(theirs);
  return ours;
}

async function warmFinder(): Promise<Chain> {
  const heard = { requests: 0 };
  const names = Array.from({ length: counts.servers }, (_, n) => `server-${n}`);
  const ends = Object.fromEntries(names.map((name, n) => [name, () => serverOf(n, heard)]));
  const computer = await computerOver(ends, { record: false });
  const ask = async (): Promise<number> => {
    const { documents, total_count, missing } = await computer.finder({ limit: page });
    const [first] = missing;
    if (first) throw new Error(`${first.server} is missing: ${first.reason}`);
    if (documents.length !== page) throw new Error(`${documents.length} documents where a page was expected`);
    return total_count;
  };
  // What its server has not been told to tell of is read with each question: when one costs nothing, all is known.
  let known = -1;
  while (known !== heard.requests) {
    known = heard.requests;
    await ask();
  }
  return {
    call: async (n) => {
      const total = await ask();
      if (heard.requests !== known) throw new Error(`${heard.requests - known} requests went to servers`);
      if (total !== counts.servers * counts.documents) throw new Error(`${total} documents`);
      return textOf(n);
    },
    close: () => computer.close(),
  };
}

/** The same documents, sorted, and the same page of them: nothing is asked, matched or told. */
async function sortedPage(): Promise<Chain> {
  const all = each(documentOf);
  const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
  return {
    call: async (n) => {
      const sorted = all.toSorted(
        (a, b) => compare(a.server, b.server) || compare(b.last_modified ?? '', a.last_modified ?? ''),
      );
      if (sorted.slice(0, page).length !== page) throw new Error('no page');
      return textOf(n);
    },
    close: async () => {},
  };
}

export const measureWarm: Row['measure'] = (plan, tell) =>
  withBoth([sortedPage, warmFinder], async (chains) => {
    for (const chain of chains) await calls(chain, plan.isQuick ? 2 : 200);
    const found = await comparedSlices(plan, chains, 'wallMs');
    tell(absolute('a page of 50 servers with 200 documents each, time', found, 'ms', atMost(20)));
  });
