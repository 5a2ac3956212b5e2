import { parseWindowUri } from './uri.ts';
import { parseDpeUri } from './uri.ts';
import type { Read } from '../protocol/messages/lists.ts';
import { desktop } from './desktop.ts';
import { finder } from './finder.ts';
import type { ResourceCollection } from '../ports/link.ts';
import type { CollectionRules } from './collections.ts';

export const collections: Readonly<Record<ResourceCollection, CollectionRules>> = { desktop, finder };

export const isOtherUri = (uri: string): boolean => !/^(?:window|dpe):/i.test(uri);
/** The Desktop reads windows and all other resources. A wrong URI of a window or a document fails (4204). */
export function collectionOfUri(uri: string): Read<ResourceCollection> {
  if (isOtherUri(uri)) return { ok: true, body: 'desktop' };
  if (/^window:/i.test(uri)) {
    const window = parseWindowUri(uri);
    return window.ok ? { ok: true, body: 'desktop' } : window;
  }
  const read = parseDpeUri(uri);
  return read.ok ? { ok: true, body: 'finder' } : read;
}
