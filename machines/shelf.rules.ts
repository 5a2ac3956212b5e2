/** Pure rules of a shelf: what it is told, what it remembers, and what follows from a list, a change, an answer. */
import type { Address } from './address.ts';
import { contentsIn, systems, type System } from './systems/index.ts';
import type { TimingOf } from './timing.ts';
import type { Failure } from './wire/failure.ts';

export interface ShelfStart {
  readonly server: string;
  readonly system: System;
  /** The address that opened the session: questions go there. */
  readonly session: Address;
  readonly timing: TimingOf<'shelf'>;
}
export type ShelfOrder =
  /** These are listed from now on; what is known of others is forgotten. */
  | { readonly type: 'shelf.list'; readonly uris: readonly string[] }
  /** What it knows of these is old. */
  | { readonly type: 'shelf.spoil'; readonly uris: readonly string[] }
  /** Somebody wants all of it; these are read whatever is known of them already. Answered by `shelf.filled`. */
  | { readonly type: 'shelf.fill'; readonly anew: readonly string[] }
  | { readonly type: 'close' };
/** What is on it now. */
export interface ShelfFilled {
  readonly type: 'shelf.filled';
  readonly server: string;
  readonly items: readonly object[];
  /** Why not all that is listed is there; null: all is. */
  readonly reason: string | null;
  /** How often it had been told of a change when it was asked: what it was told of later is not in it. */
  readonly changes: number;
  /** None of it has changed since it was read, as far as its server says. */
  readonly isFresh: boolean;
}
export type Input = ShelfStart & { readonly self: Address; readonly owner: Address };
/** What a read of one URI gave. */
interface Held {
  readonly items: readonly object[];
  readonly failure: Failure | null;
}
export interface Context extends Input {
  readonly uris: readonly string[];
  readonly held: Readonly<Record<string, Held>>;
  /** To be read, in order. */
  readonly stale: readonly string[];
  /** Being read. */
  readonly asked: readonly string[];
  /** How often each was asked for since somebody wants all of it. */
  readonly asks: Readonly<Record<string, number>>;
  /** These changed again and again while they were read: read the next time. */
  readonly later: readonly string[];
  readonly isLate: boolean;
  readonly changes: number;
}

/** One server is asked so many questions at a time. */
export const mostAsked = 4;
/** Who says of one that it changes whenever it is read is asked for it so often, and then the next time. */
const mostAsks = 2;

const rulesOf = ({ system }: Context) => systems[system];
export const questionOf = (uri: string): string => `read ${uri}`;
export const uriOf = ({ id }: { readonly id: string }): string => id.slice(questionOf('').length);
export const without = (all: readonly string[], some: readonly string[]): readonly string[] => {
  const gone = new Set(some);
  return gone.size === 0 ? all : all.filter((each) => !gone.has(each));
};
/** Those of the first that are among the second, too. */
export const both = (some: readonly string[], others: readonly string[]): readonly string[] => {
  const known = new Set(others);
  return some.filter((each) => known.has(each));
};
/** What is known of what is listed no more is forgotten. */
export function listed(c: Context, { uris }: { readonly uris: readonly string[] }): Partial<Context> {
  const wanted = new Set(uris);
  const held = Object.fromEntries(Object.entries(c.held).filter(([uri]) => wanted.has(uri)));
  const known = new Set(Object.keys(held).concat(c.asked));
  const fresh = uris.filter((uri) => !known.has(uri));
  const stale = c.stale.filter((uri) => wanted.has(uri) && !fresh.includes(uri));
  const later = c.later.filter((uri) => wanted.has(uri) && !fresh.includes(uri));
  return { uris, held, stale: [...stale, ...fresh], later, changes: c.changes + 1 };
}
/** One that is being read for nobody: it is listed no more. */
export const unwanted = ({ uris, asked }: Context): string | undefined =>
  asked.find((uri) => !uris.includes(uri));
export function spoilt(c: Context, { uris }: { readonly uris: readonly string[] }): Partial<Context> {
  const old = uris.filter((uri) => c.uris.includes(uri));
  const isOften = (uri: string): boolean => (c.asks[uri] ?? 0) >= mostAsks;
  return {
    stale: [...new Set([...c.stale, ...old.filter((uri) => !isOften(uri))])],
    later: [...new Set([...c.later, ...old.filter(isOften)])],
    changes: c.changes + 1,
  };
}
export function took(c: Context, uri: string, given: Held): Partial<Context> {
  const asked = c.asked.filter((each) => each !== uri);
  return c.uris.includes(uri) ? { asked, held: { ...c.held, [uri]: given } } : { asked };
}
export function answered(
  c: Context,
  fact: { readonly id: string; readonly result: unknown },
): Partial<Context> {
  const uri = uriOf(fact);
  const given = contentsIn(fact.result);
  const items = given.ok ? rulesOf(c).itemsOf(given.body, uri, c.server) : given;
  return took(
    c,
    uri,
    items.ok ? { items: items.body, failure: null } : { items: [], failure: items.failure },
  );
}
/** Why not all is there: the first reason stands for all. */
export function reasonOf({ isLate, stale, asked, uris, held, timing }: Context): string | null {
  const open = new Set([...stale, ...asked]).size;
  if (isLate && open > 0) return `${open} of ${uris.length} could not be read within ${timing.shelfMs} ms`;
  const failed = uris.flatMap((uri) => (held[uri]?.failure ? [`${uri}: ${held[uri].failure.message}`] : []));
  const [first] = failed;
  return first === undefined
    ? null
    : failed.length === 1
      ? first
      : `${first} (and ${failed.length - 1} more)`;
}
