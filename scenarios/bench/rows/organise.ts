import { organizeDesktop, type Window } from '../../../machines/resources/desktop/index.ts';
import { organizeFinder } from '../../../machines/resources/finder/index.ts';
import type { DPEDocumentSummary } from '../../../machines/protocol/index.ts';
import { work, type Chain } from '../chain.ts';
import { comparedSlices, ratio, withBoth } from '../measure.ts';
import { atMost, type Row } from '../row.ts';

/** How a computer with very many windows and documents puts them in order, beside a bare sort of the same arrays. */
const counts = { windows: 10_000, documents: 100_000, servers: 50 };

/** Numbers below 1, always the same ones. */
function drawn(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
const history = [3, 17, 3, 42].map((n) => ({ server: `server-${n}` }));

function windows(): readonly Window[] {
  const draw = drawn();
  const whole = (below: number): number => Math.floor(draw() * below);
  return Array.from({ length: counts.windows }, (_, n) => ({
    server: `server-${whole(counts.servers)}`,
    uri: `window://com.example.app/main/tab-${n}?priority=${whole(101)}`,
    contents: [{ text: `what window ${n} shows`.padEnd(200, '.') }],
  }));
}
function documents(): readonly DPEDocumentSummary[] {
  const draw = drawn();
  return Array.from({ length: counts.documents }, (_, n) => ({
    doc_ref: `reports/${n}.pdf`,
    uri: `dpe://com.example.docs/reports%2F${n}.pdf`,
    file_uri: `file:///reports/${n}.pdf`,
    file_type: n % 3 === 0 ? 'xlsx' : 'pdf',
    title: `Report ${n}`,
    page_count: 12,
    keywords: ['report', `part ${n % 100}`],
    summary: 'what happened in the year',
    server: `server-${Math.floor(draw() * counts.servers)}`,
    last_modified: new Date(1.7e12 + Math.floor(draw() * 1e11)).toISOString(),
  }));
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
const sortedWindows = (): Promise<Chain> => {
  const all = windows();
  const order = (a: Window, b: Window): number => compare(a.server, b.server) || compare(a.uri, b.uri);
  return work(() => all.toSorted(order).length, counts.windows);
};
const organisedDesktop = (): Promise<Chain> => {
  const all = windows();
  return work(() => organizeDesktop(all, null, history).length, counts.windows);
};

const sortedDocuments = (): Promise<Chain> => {
  const all = documents();
  const order = (a: DPEDocumentSummary, b: DPEDocumentSummary): number =>
    compare(a.server, b.server) || compare(b.last_modified ?? '', a.last_modified ?? '');
  return work(() => all.toSorted(order).length, counts.documents);
};
/** The first page, of all documents. */
const organisedFinder = (): Promise<Chain> => {
  const all = documents();
  // Another list each time: of the same one everything is known.
  return work(() => organizeFinder([...all], {}, history).totalCount, counts.documents);
};
/** A page far behind, of the documents that a word is looked for in. */
const searchedFinder = (): Promise<Chain> => {
  const all = documents();
  const query = { keywords: ['nowhere', 'REPORT'], offset: counts.documents / 2, limit: 100 };
  return work(() => organizeFinder([...all], query, history).totalCount, counts.documents);
};

export const measureOrganise: Row['measure'] = async (plan, tell) => {
  for (const [what, yardstick, ours, aim] of [
    ['10,000 windows in order, CPU', sortedWindows, organisedDesktop, atMost(3)],
    ['a page of 100,000 documents, CPU', sortedDocuments, organisedFinder, atMost(3)],
    ['a word in 100,000 documents, CPU', sortedDocuments, searchedFinder, undefined],
  ] as const)
    await withBoth([yardstick, ours], async (chains) =>
      tell(ratio(what, await comparedSlices(plan, chains, 'cpuUs'), 'µs', aim)),
    );
};
