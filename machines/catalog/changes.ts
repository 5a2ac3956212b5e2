import { fnv, fnvBasis, fnvPrime } from '../kernel/fnv.ts';
import { remembered } from '../kernel/objects.ts';
import { canonical } from '../trace/canonical.ts';

export const isNoChange = ({ added, removed, changed }: Changes): boolean =>
  added.length + removed.length + changed.length === 0;

/** Independent of key order and server. Detects changes, but does not resist deliberate collisions. */
export function contentHash(entry: unknown): string {
  const text = canonical(entry);
  let [first, second] = [fnvBasis, fnvBasis];
  for (let at = 0; at < text.length; at++) {
    first = Math.imul(first ^ text.charCodeAt(at), fnvPrime);
    // Mixes the first hash in, because two FNV hashes of the same characters would always agree in their low bits.
    second = Math.imul(second ^ first ^ (first >>> 15), fnvPrime);
  }
  return `${hex(first)}${hex(second)}-${text.length.toString(36)}`;
}
const hex = (lane: number): string => (lane >>> 0).toString(16).padStart(8, '0');

/**
 * Differences between two states of a list, as keys of entries. Each key occurs once, in the order of its
 * list.
 */
export interface Changes {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Keys of entries that are in both states of the list, with different content. */
  readonly changed: readonly string[];
}

/** Of two entries with one key the first counts. */
const byKey = <T>(list: readonly T[], keyOf: (entry: T) => string): ReadonlyMap<string, T> => {
  const entries = new Map<string, T>();
  for (const entry of list) {
    const key = keyOf(entry);
    if (!entries.has(key)) entries.set(key, entry);
  }
  return entries;
};

/** Cuts the common start and end (identical objects); no change is lost if keys are unique. */
export function differing<T>(
  before: readonly T[],
  after: readonly T[],
): readonly [before: readonly T[], after: readonly T[]] {
  const most = Math.min(before.length, after.length);
  let [start, end] = [0, 0];
  while (start < most && before[start] === after[start]) start += 1;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return [before.slice(start, before.length - end), after.slice(start, after.length - end)];
}

/** The order of entries and of their fields does not matter. */
export const changesOf = <T>(
  before: readonly T[],
  after: readonly T[],
  keyOf: (entry: T) => string,
): Changes => {
  const [old, current] = [byKey(before, keyOf), byKey(after, keyOf)];
  const isChanged = ([key, entry]: readonly [string, T]): boolean => {
    const known = old.get(key);
    return known !== undefined && known !== entry && contentHash(known) !== contentHash(entry);
  };
  return {
    added: [...current.keys()].filter((key) => !old.has(key)),
    removed: [...old.keys()].filter((key) => !current.has(key)),
    changed: [...current].filter(isChanged).map(([key]) => key),
  };
};

const digestOf = (text: string): string => `${(fnv(fnvBasis, text) >>> 0).toString(16)}-${text.length}`;
const hashOfItem = remembered((item: object) => contentHash(item));
/** 32-bit FNV-1a over the hashes of the items, and the length; their order does not matter. */
export const signatureOf = (list: readonly object[]): string =>
  digestOf(list.map(hashOfItem).toSorted().join());
