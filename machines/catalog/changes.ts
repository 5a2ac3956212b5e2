import { fnvBasis, fnvPrime } from '../kernel/fnv.ts';
import { canonical } from '../trace/canonical.ts';

/**
 * Hash of the content of an entry as short text: equal fields and values give equal text, whatever the order
 * of keys and the server. It has 64 bits of FNV-1a and the length; it detects changes but does not resist
 * deliberate collisions.
 */
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
  /** Keys of entries that are in both states with different content. */
  readonly changed: readonly string[];
}

/** Indexes entries by key; of two entries with one key the first counts. */
const byKey = <T>(list: readonly T[], keyOf: (entry: T) => string): ReadonlyMap<string, T> => {
  const entries = new Map<string, T>();
  for (const entry of list) {
    const key = keyOf(entry);
    if (!entries.has(key)) entries.set(key, entry);
  }
  return entries;
};

/**
 * Returns the middle parts of two lists without their common start and end (identical objects). No change is
 * lost if keys are unique.
 */
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

/** Compares two states of a list by content; the order of entries and of their fields does not matter. */
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

/** Last change of one entry. */
export interface LastChange {
  readonly change: 'added' | 'changed' | 'removed';
  /** Revision of the list that brought the change. */
  readonly revision: number;
  /** Reason why the list was read: a notification, a poll, a start. */
  readonly why: string;
}
/** Last change of every entry of one list, as plain data. */
export interface History {
  /** Last changes of listed entries by key. Read with `lastChangeOf`, because a key may be `constructor`. */
  readonly present: Readonly<Record<string, LastChange>>;
  /**
   * Last changes of entries that are gone, oldest first. An array, because an object would reorder keys that
   * look like numbers.
   */
  readonly gone: readonly (LastChange & { readonly key: string })[];
}
export const emptyHistory: History = { present: {}, gone: [] };

/**
 * Largest number of removed entries that are remembered, so that a server that keeps renaming entries does
 * not fill the memory.
 */
const mostGone = 100;

/** Returns the history after one more revision of the list. */
export const remember = (history: History, changes: Changes, revision: number, why: string): History => {
  const { added, changed, removed } = changes;
  if (added.length + changed.length + removed.length === 0) return history;
  const [left, back] = [new Set(removed), new Set([...added, ...changed])];
  const stayed = Object.entries(history.present).filter(([key]) => !left.has(key) && !back.has(key));
  const now = (keys: readonly string[], change: LastChange['change']) =>
    keys.map((key) => [key, { change, revision, why }] as const);
  const stillGone = history.gone.filter(({ key }) => !back.has(key) && !left.has(key));
  const newlyGone = removed.map((key) => ({ key, change: 'removed' as const, revision, why }));
  return {
    present: Object.fromEntries([...stayed, ...now(added, 'added'), ...now(changed, 'changed')]),
    gone: [...stillGone, ...newlyGone].slice(-mostGone),
  };
};

/**
 * Returns the last change of an entry; undefined when the entry never existed or was removed too long ago.
 */
export const lastChangeOf = (history: History, key: string): LastChange | undefined => {
  if (Object.hasOwn(history.present, key)) return history.present[key];
  const gone = history.gone.find((entry) => entry.key === key);
  return gone && { change: gone.change, revision: gone.revision, why: gone.why };
};
