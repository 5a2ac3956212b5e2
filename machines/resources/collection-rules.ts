/** Desktop and Finder as one shape with two sets of rules: what a list, a change, a read and a question mean to each. */
import { parseWindowUri } from './window-uri.ts';
import { parseDpeUri } from './dpe-uri.ts';
import type { Read } from '../protocol/messages/lists.ts';
import { desktop } from './desktop.ts';
import { finder } from './finder.ts';
import type { ResourceCollection } from '../kernel/ports.ts';
import type { CollectionRules } from './collections.ts';

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
