import { byRecency, type ServerHistory } from '../history/index.ts';
import type { DPEDocumentSummary } from '../wire/finder.ts';
import { isDpeUri } from './dpe-uri.ts';
import { instantOf } from './instant.ts';
import { partOf, testOf, type FinderQuery } from './query.ts';

export interface FinderPage {
  readonly documents: readonly DPEDocumentSummary[];
  /** Of all that the query is for, before paging. */
  readonly totalCount: number;
}
/** The documents of one server. */
type Group = readonly DPEDocumentSummary[];

/**
 * One page of the documents of a computer, in order (seed 000, organize_finder). `documents` come as their servers list
 * them; `history` has the oldest call first.
 */
export function organizeFinder(
  documents: readonly DPEDocumentSummary[],
  query: FinderQuery,
  history: ServerHistory,
): FinderPage {
  const groups = grouped(documents, query);
  const { from, count } = partOf(query);
  let totalCount = 0;
  for (const group of groups.values()) totalCount += group.length;
  return { documents: partIn(groups, history, from, count), totalCount };
}

/** All that the query is for, not paged: what does not count is left out, the rest by server and then by age. */
export function arrangeDocuments(
  documents: readonly DPEDocumentSummary[],
  query: FinderQuery,
  history: ServerHistory,
): readonly DPEDocumentSummary[] {
  return partIn(grouped(documents, query), history, 0, documents.length);
}

function grouped(documents: Group, query: FinderQuery): ReadonlyMap<string, Group> {
  const isWanted = testOf(query);
  const groups = new Map<string, DPEDocumentSummary[]>();
  for (const document of documents) {
    if (!isWanted(document) || !isDpeUri(document.uri)) continue;
    const group = groups.get(document.server);
    if (group) group.push(document);
    else groups.set(document.server, [document]);
  }
  return groups;
}

/** Only servers whose documents are in this part have theirs sorted. */
function partIn(
  groups: ReadonlyMap<string, Group>,
  history: ServerHistory,
  from: number,
  count: number,
): readonly DPEDocumentSummary[] {
  let part: readonly DPEDocumentSummary[] = [];
  let skipped = 0;
  for (const server of byRecency(groups.keys(), history)) {
    if (part.length >= count) break;
    const group = groups.get(server) ?? [];
    const start = Math.max(0, from - skipped);
    skipped += group.length;
    if (start < group.length)
      part = part.concat(newestFirst(group).slice(start, start + count - part.length));
  }
  return part;
}

/** By instants, whatever the zone; those without a time come last, and equals stay in their order. */
const newestFirst = (group: Group): Group =>
  group
    .map((document) => ({ document, instant: instantOf(document.last_modified ?? '') ?? -Infinity }))
    .sort((a, b) => (a.instant === b.instant ? 0 : b.instant - a.instant))
    .map(({ document }) => document);
