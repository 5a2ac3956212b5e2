import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Accepted violations of the invariants of charts, each with its reason: one list for each invariant, as JSON
 * beside this file, sorted. A list is exact: what is mended has to leave it. `atMost` makes it a ratchet: lower it
 * with the list, never raise it.
 */
export const lists = {
  /** Transitions that no scenario takes. */
  untaken: { of: 'transition', atMost: 0 },
  /** Orders that a machine does not know in some state. */
  ignored: { of: 'order', atMost: 0 },
  /** Ends of roots that their owner does not hear. */
  unheard: { of: 'end', atMost: 1 },
  /** States in which nothing is sure to come. */
  unawaited: { of: 'state', atMost: 1 },
} as const;
export type ListName = keyof typeof lists;

/** `{ "transition": "…", "because": "…" }` */
export type Entry = Readonly<Record<string, string>>;
interface Kept {
  readonly name: string;
  /** The key under which an entry says what it lets through. */
  readonly of: string;
  readonly atMost: number;
}

/** What is wrong with a list, given all violations of its invariant today. */
export function complaintsOf(
  { name, of, atMost }: Kept,
  entries: readonly Entry[],
  found: readonly string[],
): string[] {
  const listed = entries.map((entry) => entry[of] ?? '');
  const known = new Set(listed);
  const today = new Set(found);
  return [
    ...[...today].filter((each) => !known.has(each)).map((each) => `${each}: is not in ${name}.json`),
    ...listed
      .filter((each) => !today.has(each))
      .map((each) => `${each}: is so no more; A2C_UPDATE_${name.toUpperCase()}=1 drops it from ${name}.json`),
    ...entries
      .filter(({ because = '' }) => because.trim() === '')
      .map((entry) => `${entry[of]}: has no reason`),
    ...listed
      .filter((each, i) => i > 0 && each <= (listed[i - 1] ?? ''))
      .map((each) => `${each}: stands out of order`),
    ...(entries.length > atMost ? [`${name}.json has grown from ${atMost} to ${entries.length}`] : []),
    ...(entries.length < atMost ? [`${name}: lower atMost to ${entries.length} in reasons.ts`] : []),
  ];
}

/** What stays of a list: what is so still, with its reason. Nothing is ever added: a reason is written by a person. */
export const keptOf = (of: string, entries: readonly Entry[], found: readonly string[]): Entry[] =>
  entries
    .filter((entry) => found.includes(entry[of] ?? ''))
    .toSorted((a, b) => ((a[of] ?? '') < (b[of] ?? '') ? -1 : 1));

/** Compares the violations of an invariant with its list; empty: it passes. `A2C_UPDATE_<LIST>=1` shortens the list. */
export function heldTo(name: ListName, found: readonly string[]): string[] {
  const { of, atMost } = lists[name];
  const file = new URL(`${name}.json`, import.meta.url);
  const entries = JSON.parse(readFileSync(file, 'utf8')) as readonly Entry[];
  if (!process.env[`A2C_UPDATE_${name.toUpperCase()}`])
    return complaintsOf({ name, of, atMost }, entries, found);
  const kept = keptOf(of, entries, found);
  writeFileSync(file, `${JSON.stringify(kept, null, 2)}\n`);
  return complaintsOf({ name, of, atMost }, kept, found);
}
