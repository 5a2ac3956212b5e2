import { byRecency, type ServerHistory } from '../../call/history.ts';
import type { DPEDocumentSummary } from '../../protocol/messages/collections.ts';
import { remembered } from '../../kernel/objects.ts';
import { isDpeUri } from './dpe-uri.ts';
import { instantOf } from './instant.ts';
import { partOf, testOf, type FinderQuery } from './query.ts';

export interface FinderPage {
  readonly documents: readonly DPEDocumentSummary[];
  /** Of all that the query is for, before paging. */
  readonly totalCount: number;
}
type Documents = readonly DPEDocumentSummary[];
/** Of one server: all of its documents, and how many of them a query is for. */
interface Group {
  readonly all: Documents;
  readonly count: number;
}

/**
 * One page of the documents of a computer, in order (seed 000, organize_finder). `documents` come as their servers list
 * them; `history` has the oldest call first.
 */
export function organizeFinder(documents: Documents, query: FinderQuery, history: ServerHistory): FinderPage {
  const isWanted = testOf(query);
  const groups = grouped(documents, isWanted);
  const { from, count } = partOf(query);
  let totalCount = 0;
  for (const group of groups.values()) totalCount += group.count;
  return { documents: partIn(groups, isWanted, history, from, count), totalCount };
}

/** All that the query is for, not paged: what does not count is left out, the rest by server and then by age. */
export function arrangeDocuments(
  documents: Documents,
  query: FinderQuery,
  history: ServerHistory,
): Documents {
  const isWanted = testOf(query);
  return partIn(grouped(documents, isWanted), isWanted, history, 0, documents.length);
}

type Test = ReturnType<typeof testOf>;

/** What is no document is left out. Worked out once for what a computer knows, however often it is asked. */
const byServer = remembered((documents: Documents): ReadonlyMap<string, Documents> => {
  const all = new Map<string, DPEDocumentSummary[]>();
  for (const document of documents) {
    if (!isDpeUri(document.uri)) continue;
    const others = all.get(document.server);
    if (others) others.push(document);
    else all.set(document.server, [document]);
  }
  return all;
});
function grouped(documents: Documents, isWanted: Test): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>();
  for (const [server, all] of byServer(documents)) {
    let count = 0;
    for (const document of all) if (isWanted(document)) count += 1;
    if (count > 0) groups.set(server, { all, count });
  }
  return groups;
}

/** Only servers whose documents are in this part have theirs sorted. */
function partIn(
  groups: ReadonlyMap<string, Group>,
  isWanted: Test,
  history: ServerHistory,
  from: number,
  count: number,
): Documents {
  let part: Documents = [];
  let skipped = 0;
  for (const server of byRecency(groups.keys(), history)) {
    if (part.length >= count) break;
    const group = groups.get(server);
    if (!group) continue;
    const start = Math.max(0, from - skipped);
    skipped += group.count;
    if (start >= group.count) continue;
    const wanted = newestFirst(group.all).filter(isWanted);
    part = part.concat(wanted.slice(start, start + count - part.length));
  }
  return part;
}

/** By instants, whatever the zone; those without a time come last, and equals stay in their order. */
const newestFirst = remembered((documents: Documents): Documents =>
  documents
    .map((document) => ({ document, instant: instantOf(document.last_modified ?? '') ?? -Infinity }))
    .sort((a, b) => (a.instant === b.instant ? 0 : b.instant - a.instant))
    .map(({ document }) => document),
);
