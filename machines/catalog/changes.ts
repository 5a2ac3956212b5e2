import { fnvBasis, fnvPrime } from '../kernel/fnv.ts';
import { canonical } from '../trace/canonical.ts';

/**
 * What an entry says, as one short text: two entries with the same fields and values have the same, in whatever
 * order their keys stand and whichever server lists them. 64 bits of FNV-1a in two halves, and the length. It tells
 * changes from no changes; it protects from nobody who wants two entries to agree.
 */
export function contentHash(entry: unknown): string {
  const text = canonical(entry);
  let [first, second] = [fnvBasis, fnvBasis];
  for (let at = 0; at < text.length; at++) {
    first = Math.imul(first ^ text.charCodeAt(at), fnvPrime);
    // Mixes what the first has become: fed with the same characters, their low bits would always agree.
    second = Math.imul(second ^ first ^ (first >>> 15), fnvPrime);
  }
  return `${hex(first)}${hex(second)}-${text.length.toString(36)}`;
}
const hex = (lane: number): string => (lane >>> 0).toString(16).padStart(8, '0');

/** What became of a list: keys of its entries, each once, in the order of the list that has them. */
export interface Changes {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Still there, with another content. */
  readonly changed: readonly string[];
}

/** Where two entries have one key the first counts, as everywhere. */
const byKey = <T>(list: readonly T[], keyOf: (entry: T) => string): ReadonlyMap<string, T> => {
  const entries = new Map<string, T>();
  for (const entry of list) {
    const key = keyOf(entry);
    if (!entries.has(key)) entries.set(key, entry);
  }
  return entries;
};

/** What is left of both where they begin and end with the same objects: of a list without a key twice no change is lost. */
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

/** From one state of a list to the next, by content: the order of entries and of their keys is no change. */
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

/** The last thing that happened to one entry. */
export interface LastChange {
  readonly change: 'added' | 'changed' | 'removed';
  /** Of the list: the one that brought it. */
  readonly revision: number;
  /** What made us look: a notification, a poll, a start. */
  readonly why: string;
}
/** The last change of every entry of one list, as plain data. */
export interface History {
  /** By key; ask `lastChangeOf`, an entry may be called `constructor`. */
  readonly present: Readonly<Record<string, LastChange>>;
  /** Those that are no longer listed, the oldest first. A list: a record would sort keys that look like numbers. */
  readonly gone: readonly (LastChange & { readonly key: string })[];
}
export const emptyHistory: History = { present: {}, gone: [] };

/** A server that renames its entries all the time must not fill our memory. */
const mostGone = 100;

/** The history after one more revision of its list. */
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

/** Undefined: it was never there, or left too long ago. */
export const lastChangeOf = (history: History, key: string): LastChange | undefined => {
  if (Object.hasOwn(history.present, key)) return history.present[key];
  const gone = history.gone.find((entry) => entry.key === key);
  return gone && { change: gone.change, revision: gone.revision, why: gone.why };
};
