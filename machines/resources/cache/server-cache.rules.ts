/** Pure rules of a server cache: what it remembers, and what follows from a list, a change, an answer, an order to read all. */
import type { Failure } from '../../protocol/failure.ts';
import { collections, contentsIn } from '../collections/index.ts';
import type { CacheOrder, Context, Input } from './server-cache.events.ts';
import {
  askedUris,
  both,
  isAsked,
  joined,
  placeOf,
  slotOf,
  staleOf,
  unasked,
  uriOf,
  without,
} from './server-cache.memory.ts';
import { chunked, slotAt, withSlot, type Slot } from './server-cache.slots.ts';

export const initialContext = (input: Input): Context => ({
  ...input,
  uris: [],
  slots: [],
  stale: [],
  begun: 0,
  asked: [],
  ticks: 0,
  isPinging: false,
  wishes: [],
  slow: [],
  probed: [],
  slowBefore: 0,
  tries: 0,
  // A slot that was never read has 0.
  round: 1,
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
/** What is known of what is listed no more is forgotten. */
export function listed(c: Context, { uris }: { readonly uris: readonly string[] }): Partial<Context> {
  const slots = uris.map((uri) => slotOf(c, uri));
  const next = { ...c, uris };
  const isListed = (uri: string): boolean => placeOf(next, uri) !== undefined;
  const [stale, slow] = [staleOf(c).filter(isListed), c.slow.filter(isListed)];
  const known = new Set([...stale, ...slow, ...askedUris(c), ...c.later]);
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
  const open = new Set(isFresh ? stale : [...stale, ...askedUris(c), ...c.slow]);
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

function took(c: Context, uri: string, given: Omit<Slot, 'round'>): Partial<Context> {
  const isWaited = isAsked(c, uri) || c.probed.includes(uri);
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
