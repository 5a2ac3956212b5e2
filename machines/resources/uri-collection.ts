import type { ResourceCollection } from '../ports/link.ts';
import type { Read } from '../protocol/messages/lists.ts';
import { parseDpeUri } from './dpe-uri.ts';
import { parseWindowUri } from './window-uri.ts';

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
