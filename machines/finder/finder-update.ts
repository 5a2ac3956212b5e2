import { differenceOf, isSameUris, type Difference, type UrisByServer } from '../difference.ts';
import type { DPEDocumentSummary } from '../wire/finder.ts';
import { isDpeUri, parseDpeUri } from './dpe-uri.ts';
import { instantOf } from './instant.ts';

/** The URIs of documents in the list of one server, each once, as it lists them; whatever else it lists is none. */
export const dpeUrisIn = (resources: readonly { readonly uri: string }[]): readonly string[] => [
  ...new Set(resources.map(({ uri }) => uri).filter(isDpeUri)),
];

/** Of these the ones of one level: 1 are documents, which have a summary; 0 are catalogues, which list documents. */
export const urisOfLevel = (uris: readonly string[], level: 0 | 1 | 2 | 3): readonly string[] =>
  uris.filter((uri) => {
    const read = parseDpeUri(uri);
    return read.ok && read.uri.level === level;
  });

/** Whether a change of lists changed the catalogue: the order of documents, and all that is none, does not. */
export const isFinderChanged = (before: UrisByServer, after: UrisByServer): boolean =>
  !isSameUris(before, after);

/** What an agent tells of two catalogues that it was given one after the other: by URI, and changed by time. */
export const finderDifference = (
  before: readonly DPEDocumentSummary[],
  after: readonly DPEDocumentSummary[],
): Difference<DPEDocumentSummary> => differenceOf(before, after, ({ uri }) => uri, isSameTime);

/** Two spellings of one instant are no change; a text that is no time is compared as it stands. */
function isSameTime(a: DPEDocumentSummary, b: DPEDocumentSummary): boolean {
  const [old, now] = [a.last_modified ?? '', b.last_modified ?? ''];
  return old === now || (instantOf(old) ?? old) === (instantOf(now) ?? now);
}
