/** Pure rules of a server cache: what it is told, what it remembers, and what follows from a list, a change, an answer. */
import { kindOf, type Address, type AddressFor } from '../kernel/address.ts';
import { remembered } from '../kernel/remembered.ts';
import { chunked, slotAt, unread, withSlot, type Slot, type Slots } from './server-cache.slots.ts';
import { contentsIn, collections, type Refused, type ResourceCollection } from './collections/index.ts';
import type { TimingOf } from '../kernel/timing.ts';
import type { Failure } from '../protocol/failure.ts';

export interface CacheStart {
  readonly server: string;
  readonly collection: ResourceCollection;
  /** The address that opened the session: questions go there. */
  readonly session: Address;
  readonly timing: TimingOf<'cache'>;
}
export type CacheOrder =
  /** These are listed from now on; what is known of others is forgotten. */
  | { readonly type: 'cache.list'; readonly uris: readonly string[] }
  /** What it knows of these is old. */
  | { readonly type: 'cache.invalidate'; readonly uris: readonly string[] }
  /**
   * Somebody wants all of it; these are read for him whatever is known of them already. `isFresh`: that was asked for, so
   * those that were too slow are waited for as well. Answered by `cache.refreshed` with this number or a later one.
   */
  | {
      readonly type: 'cache.refresh';
      readonly n: number;
      readonly anew: readonly string[];
      readonly isFresh: boolean;
    }
  /** Whoever wants all of it with this number waits no longer: what is there is told at once. */
  | { readonly type: 'cache.tell'; readonly n: number }
  | { readonly type: 'close' };
export const cacheKind = kindOf<CacheStart, CacheOrder>('cache');
/** What is on it now. */
export interface CacheRefreshed {
  readonly type: 'cache.refreshed';
  readonly server: string;
  readonly items: readonly object[];
  /** Why it is not known how all of it is; null: it is. */
  readonly reason: string | null;
  /** What could not be read, and what was read and is none: each spoils itself only. */
  readonly refused: readonly Refused[];
  /** How often it had been told of a change when it was asked: what it was told of later is not in it. */
  readonly changes: number;
  /** None of it has changed since it was read, as far as its server says. */
  readonly isFresh: boolean;
  /** Whoever wanted it with this number or an earlier one has his answer. */
  readonly upTo: number;
  /** There is what was told to be missing. */
  readonly isNews: boolean;
}
export type Input = CacheStart & { readonly self: Address; readonly owner: AddressFor<CacheRefreshed> };
export interface Context extends Input {
  readonly uris: readonly string[];
  readonly slots: Slots;
  /** To be read, in order, but for the first ones, which were asked for: as many as `begun` says. */
  readonly stale: readonly string[];
  readonly begun: number;
  /** Being read. */
  readonly asked: readonly string[];
  /** These did not come in time: nobody waits for them, and they are asked for by and by. */
  readonly slow: readonly string[];
  /** Of these, being read. */
  readonly probed: readonly string[];
  /** How many were slow when that began, and how often in a row none of them came. */
  readonly slowBefore: number;
  readonly tries: number;
  /** How often somebody has wanted all of it. */
  readonly round: number;
  /** Asked for a second time in this round. */
  readonly twice: readonly string[];
  /** These changed again and again while they were read: read the next time. */
  readonly later: readonly string[];
  /** Who wants it since this round began: by the end of it, and by the end of the next, in which these are read anew. */
  readonly refresh: number;
  readonly nextRefresh: number;
  readonly again: readonly string[];
  /** Whoever wanted it with this number or an earlier one was told. */
  readonly told: number;
  /** How many were told to be missing because they did not come in time. */
  readonly toldMissing: number;
  readonly changes: number;
}

/** One server is asked so many questions at a time. */
export const mostAsked = 4;

export const initialContext = (input: Input): Context => ({
  ...input,
  uris: [],
  slots: [],
  stale: [],
  begun: 0,
  asked: [],
  slow: [],
  probed: [],
  slowBefore: 0,
  tries: 0,
  round: 0,
  twice: [],
  later: [],
  refresh: 0,
  nextRefresh: 0,
  again: [],
  told: 0,
  toldMissing: 0,
  changes: 0,
});

const rulesOf = ({ collection }: Context) => collections[collection];
export const questionOf = (uri: string): string => `read ${uri}`;
const uriOf = ({ id }: { readonly id: string }): string => id.slice(questionOf('').length);
export const without = (all: readonly string[], some: readonly string[]): readonly string[] => {
  if (some.length === 0 || all.length === 0) return all;
  const gone = new Set(some);
  return all.filter((each) => !gone.has(each));
};
/** Those of the first that are among the second, too. */
export const both = (some: readonly string[], others: readonly string[]): readonly string[] => {
  if (some.length === 0) return some;
  const known = new Set(others);
  return some.filter((each) => known.has(each));
};
export const joined = (...all: readonly (readonly string[])[]): readonly string[] => [...new Set(all.flat())];
/** Where each stands in a list: once as long as it stays what it is. */
const placesIn = remembered((uris: readonly string[]) => new Map(uris.map((uri, at) => [uri, at])));
const placeOf = ({ uris }: Context, uri: string): number | undefined => placesIn(uris).get(uri);
const slotOf = (c: Context, uri: string): Slot => slotAt(c.slots, placeOf(c, uri) ?? -1) ?? unread;
/** To be read still. */
export const staleOf = ({ stale, begun }: Context): readonly string[] =>
  begun === 0 ? stale : stale.slice(begun);
export const hasStale = ({ stale, begun }: Context): boolean => stale.length > begun;

/** What is known of what is listed no more is forgotten. */
export function listed(c: Context, { uris }: { readonly uris: readonly string[] }): Partial<Context> {
  const slots = uris.map((uri) => slotOf(c, uri));
  const next = { ...c, uris };
  const isListed = (uri: string): boolean => placeOf(next, uri) !== undefined;
  const [stale, slow] = [staleOf(c).filter(isListed), c.slow.filter(isListed)];
  const known = new Set([...stale, ...slow, ...c.asked, ...c.later]);
  const fresh = uris.filter((uri, at) => slots[at]?.round === 0 && !known.has(uri));
  return {
    uris,
    slots: chunked(slots),
    slow,
    stale: stale.concat(fresh),
    begun: 0,
    changes: c.changes + 1,
    later: c.later.filter(isListed),
    again: c.again.filter(isListed),
    toldMissing: Math.min(c.toldMissing, uris.length),
  };
}
/** One that is being read for nobody: it is listed no more. */
export const unwanted = (c: Context): string | undefined =>
  [...c.asked, ...c.probed].find((uri) => placeOf(c, uri) === undefined);
export const unasked = (c: Context, uri: string): Partial<Context> => ({
  asked: without(c.asked, [uri]),
  probed: without(c.probed, [uri]),
});

/**
 * One that changed while it was read is asked for again, once in a round. One that is slow stays so; one of these that is
 * being read is read again for whoever waits by then or asks next: at once it could go on for ever.
 */
export function invalidated(c: Context, { uris }: { readonly uris: readonly string[] }): Partial<Context> {
  const slow = new Set(c.slow);
  const old = uris.filter((uri) => placeOf(c, uri) !== undefined && !slow.has(uri));
  return {
    stale: joined(staleOf(c), without(old, c.twice)),
    begun: 0,
    later: joined(c.later, both(old, c.twice), both(uris, c.probed)),
    changes: c.changes + 1,
  };
}
/** What was refused the last time is tried again. */
export function refreshing(
  c: Context,
  { n, anew, isFresh }: Extract<CacheOrder, { type: 'cache.refresh' }>,
): Partial<Context> {
  const slow = isFresh ? [] : c.slow;
  const refused = c.uris.filter((_, at) => slotAt(c.slots, at)?.failure);
  return {
    slow,
    probed: isFresh ? [] : c.probed,
    round: c.round + 1,
    twice: [],
    again: [],
    refresh: n,
    nextRefresh: 0,
    later: both(c.later, slow),
    stale: without(joined(staleOf(c), c.later, refused, isFresh ? c.uris : both(anew, c.uris)), slow),
    begun: 0,
  };
}
/**
 * Who comes in the middle of a round takes part in it, but for what was read before he came: what changed since, and what
 * he wants anew.
 */
export function joining(
  c: Context,
  { n, anew, isFresh }: Extract<CacheOrder, { type: 'cache.refresh' }>,
): Partial<Context> {
  const stale = staleOf(c);
  const open = new Set(isFresh ? stale : [...stale, ...c.asked, ...c.slow]);
  const changed = without(c.later, c.slow);
  const again = joined(
    changed,
    (isFresh ? c.uris : both(anew, c.uris)).filter((uri) => !open.has(uri)),
  );
  if (again.length === 0 && c.nextRefresh === 0) return { refresh: n };
  return { nextRefresh: n, again: joined(c.again, again) };
}
/** The next round, of those who came too late for the one before. */
export function following(c: Context): Partial<Context> {
  const [slow, probed] = [without(c.slow, c.again), without(c.probed, c.again)];
  return {
    ...refreshing(
      { ...c, slow, probed },
      { type: 'cache.refresh', n: c.nextRefresh, anew: c.again, isFresh: false },
    ),
    stale: without(joined(staleOf(c), c.later, c.again), slow),
    begun: 0,
  };
}

/** The older question about one that is asked for twice is withdrawn by its id. */
export function asking(c: Context): Partial<Context> {
  const uri = c.stale[c.begun] ?? '';
  const isAgain = c.asked.includes(uri) || slotOf(c, uri).round === c.round;
  return {
    twice: isAgain ? [...c.twice, uri] : c.twice,
    asked: [...without(c.asked, [uri]), uri],
    // It is read after the question of the next round came, so that round need not read it once more.
    again: without(c.again, [uri]),
    begun: c.begun + 1,
  };
}
export function probing(c: Context): Partial<Context> {
  const uri = unprobed(c) ?? '';
  return { probed: [...c.probed, uri], later: without(c.later, [uri]) };
}
/** Of those that are slow the next one to ask for. */
export const unprobed = ({ slow, probed }: Context): string | undefined =>
  probed.length < mostAsked ? slow.find((uri) => !probed.includes(uri)) : undefined;

function took(c: Context, uri: string, given: Omit<Slot, 'round'>): Partial<Context> {
  const isWaited = c.asked.includes(uri) || c.probed.includes(uri);
  const at = placeOf(c, uri);
  if (!isWaited || at === undefined) return unasked(c, uri);
  // One that was slow, and changed while it was read: whoever waits now would be shown what it was.
  const isOld = c.refresh > c.told && c.probed.includes(uri) && c.later.includes(uri);
  return {
    ...unasked(c, uri),
    ...(isOld && { stale: joined(staleOf(c), [uri]), begun: 0, later: without(c.later, [uri]) }),
    slow: c.slow.length > 0 ? without(c.slow, [uri]) : c.slow,
    slots: withSlot(c.slots, at, { ...given, round: c.round }),
  };
}
export const refused = (
  c: Context,
  fact: { readonly id: string; readonly failure: Failure },
): Partial<Context> => took(c, uriOf(fact), { items: [], refused: [], failure: fact.failure });
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
    items.ok ? { ...items.body, failure: null } : { items: [], refused: [], failure: items.failure },
  );
}

/** Its time is over: nobody waits any more for what has not come. Those that were not even asked for are the next. */
export function late(c: Context): Partial<Context> {
  const slow = joined(without(c.slow, c.asked), without(staleOf(c), c.asked), c.asked);
  return { slow, stale: [], begun: 0, asked: [], again: without(c.again, slow) };
}
/** Those of which none came go to the end, so that one that hangs does not keep the others from being read. */
export const probedInVain = (c: Context): Partial<Context> => ({
  slow: [...without(c.slow, c.probed), ...c.probed],
  probed: [],
  tries: c.slow.length < c.slowBefore ? 0 : Math.min(c.tries + 1, 1_000),
});
