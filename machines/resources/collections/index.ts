/** Desktop and Finder as one shape with two sets of rules: what a list, a change, a read and a question mean to each. */
import { parseWindowUri } from '../desktop/index.ts';
import { parseDpeUri } from '../finder/index.ts';
import type { Read } from '../../protocol/messages/lists.ts';
import { desktop } from './desktop.ts';
import { finder } from './finder.ts';
import type { ResourceCollection, CollectionRules } from './collection.ts';

export type { AggregateShown, ResourceRead, ResourcesRelist } from './answers.ts';
export { contentsIn, promptIn } from './contents.ts';
export { failureForAgents, withoutAddresses } from './addresses.ts';
export { narrower, withRemedy } from './remedies.ts';
export { notShownReason } from './not-shown.ts';
export { signatureOf } from './signature.ts';
export type {
  Contents,
  Items,
  Listed,
  Standings,
  Missing,
  Notice,
  Part,
  Refused,
  ResourceCollection,
  CollectionRules,
} from './collection.ts';
export const collections: Readonly<Record<ResourceCollection, CollectionRules>> = { desktop, finder };

/** Whose URI it is, if it is well-formed: a window's scheme says Desktop, all else has to be a document's (4204). */
export function collectionOfUri(uri: string): Read<ResourceCollection> {
  if (/^window:/i.test(uri)) {
    const window = parseWindowUri(uri);
    return window.ok ? { ok: true, body: 'desktop' } : window;
  }
  const read = parseDpeUri(uri);
  return read.ok ? { ok: true, body: 'finder' } : read;
}
