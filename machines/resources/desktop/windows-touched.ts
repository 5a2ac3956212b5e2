import { remembered } from '../../kernel/objects.ts';
import { parseWindowUri, type WindowUri } from './window-uri.ts';

/** Where a window is, without its query; a slash at its end says nothing. */
const keyOf = (host: string, path: readonly string[]): string => JSON.stringify([host, ...path]);
const pathOf = ({ path }: WindowUri): readonly string[] =>
  path.slice(0, path.findLastIndex((segment) => segment !== '') + 1);

interface Places {
  readonly uris: ReadonlyMap<string, readonly string[]>;
  /** Segments of the longest path. */
  readonly deepest: number;
}
/** Of a list, once as long as it stays what it is. */
const placesIn = remembered((listed: readonly string[]): Places => {
  const uris = new Map<string, string[]>();
  let deepest = 0;
  for (const raw of listed) {
    const read = parseWindowUri(raw);
    if (!read.ok) continue;
    const path = pathOf(read.uri);
    const key = keyOf(read.uri.host, path);
    const others = uris.get(key);
    if (others) others.push(raw);
    else uris.set(key, [raw]);
    deepest = Math.max(deepest, path.length);
  }
  return { uris, deepest };
});

/**
 * The windows that are others when this URI has changed: those at its place, whatever their query, and those of which it
 * is a part (`window://h/log/line/7` of `window://h/log`). Empty where it is no window, or of none that is listed.
 */
export function windowsTouched(uri: string, listed: readonly string[]): readonly string[] {
  const changed = parseWindowUri(uri);
  if (!changed.ok) return [];
  const { uris, deepest } = placesIn(listed);
  const path = pathOf(changed.uri);
  const depths = Array.from({ length: Math.min(path.length, deepest) + 1 }, (_, depth) => depth);
  return depths.flatMap((depth) => uris.get(keyOf(changed.uri.host, path.slice(0, depth))) ?? []);
}
