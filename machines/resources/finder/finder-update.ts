import { differenceOf, isSameUris, type Difference, type UrisByServer } from '../../kernel/difference.ts';
import { remembered } from '../../kernel/objects.ts';
import { canonical } from '../../trace/canonical.ts';
import type { DPEDocumentSummary } from '../../protocol/messages/collections.ts';
import { isDpeUri, parseDpeUri } from './dpe-uri.ts';

/** The URIs of documents in the list of one server, each once, as it lists them; whatever else it lists is none. */
export const dpeUrisIn = (resources: readonly { readonly uri: string }[]): readonly string[] => [
  ...new Set(resources.map(({ uri }) => uri).filter(isDpeUri)),
];

/** Those that would be of documents, each once, and the rule that each breaks. */
export const refusedDocumentsIn = (
  resources: readonly { readonly uri: string }[],
): readonly { readonly uri: string; readonly reason: string }[] =>
  [...new Set(resources.map(({ uri }) => uri))].flatMap((uri) => {
    if (!/^dpe:/i.test(uri)) return [];
    const read = parseDpeUri(uri);
    return read.ok ? [] : [{ uri, reason: read.failure.message }];
  });

/** Of these the ones of one level: 1 are documents, which have a summary; 0 are catalogues, which list documents. */
export const urisOfLevel = (uris: readonly string[], level: 0 | 1 | 2 | 3): readonly string[] =>
  uris.filter((uri) => {
    const read = parseDpeUri(uri);
    return read.ok && read.uri.level === level;
  });

/** Whether a change of lists changed the catalogue: the order of documents, and all that is none, does not. */
export const isFinderChanged = (before: UrisByServer, after: UrisByServer): boolean =>
  !isSameUris(before, after);

/** What an agent tells of two catalogues that it was given one after the other: by URI, and changed by any field. */
export const finderDifference = (
  before: readonly DPEDocumentSummary[],
  after: readonly DPEDocumentSummary[],
): Difference<DPEDocumentSummary> =>
  differenceOf(
    before,
    after,
    ({ uri }) => uri,
    (a, b) => said(a) === said(b),
  );
/** Many documents do not say when they changed: all of it counts, in whatever order its fields stand. */
const said = remembered((document: DPEDocumentSummary) => canonical(document));
