/** Rules of Desktop and Finder: the handling of lists, changes, reads and questions in each. */
import { parseWindowUri } from './uri.ts';
import { parseDpeUri } from './uri.ts';
import type { Read } from '../protocol/messages/lists.ts';
import { desktop } from './desktop.ts';
import { finder } from './finder.ts';
import type { ResourceCollection } from '../kernel/ports.ts';
import type { CollectionRules } from './collections.ts';

export const collections: Readonly<Record<ResourceCollection, CollectionRules>> = { desktop, finder };

/**
 * Returns the collection of a valid URI: the Desktop for `window:`, the Finder for documents; any other URI
 * fails (4204).
 */
export function collectionOfUri(uri: string): Read<ResourceCollection> {
  if (/^window:/i.test(uri)) {
    const window = parseWindowUri(uri);
    return window.ok ? { ok: true, body: 'desktop' } : window;
  }
  const read = parseDpeUri(uri);
  return read.ok ? { ok: true, body: 'finder' } : read;
}
