import { kindOf, type Address, type AddressFor } from '../kernel/effects.ts';
import type { ResourceCollection } from '../kernel/ports.ts';
import { remembered } from '../kernel/objects.ts';
import type { TimingOf } from '../kernel/timing.ts';
import type { Failure } from '../protocol/failure.ts';
import { contentsIn, type Refused } from './collections.ts';
import { collections } from './collection-rules.ts';

// ── slots ─────────────────────────────────────────────────────────────────────────────────────────────
export interface Slot {
  readonly items: readonly object[];
  readonly refused: readonly Refused[];
  readonly failure: Failure | null;
  /** Number of the reading round (one read of all items that are wanted) in which the URI was last read; 0 for never. */
  readonly round: number;
  /** `follow`: the subscription; `heard`: the one that had been asked for when the content was read; 0: none. */
  readonly follow: number;
  readonly heard: number;
}
export const unread: Slot = { items: [], refused: [], failure: null, round: 0, follow: 0, heard: 0 };

/** Slots in the order of the URIs, in chunks of 64, so that changing one copies only its chunk. */
export type Slots = readonly (readonly Slot[])[];
const perChunk = 64;

export const chunked = (slots: readonly Slot[]): Slots =>
  Array.from({ length: Math.ceil(slots.length / perChunk) }, (_, n) =>
    slots.slice(n * perChunk, (n + 1) * perChunk),
  );
export const slotAt = (slots: Slots, at: number): Slot | undefined =>
  slots[Math.floor(at / perChunk)]?.[at % perChunk];
export function withSlot(slots: Slots, at: number, slot: Slot): Slots {
  const n = Math.floor(at / perChunk);
  return slots.with(n, (slots[n] ?? []).with(at % perChunk, slot));
}

// ── messages and memory ───────────────────────────────────────────────────────────────────────────────
export interface CacheStart {
  readonly server: string;
  readonly collection: ResourceCollection;
  readonly session: Address;
  readonly timing: TimingOf<'cache'>;
}
export type CacheOrder =
  /** Content of other URIs is forgotten. */
  | { readonly type: 'cache.list'; readonly uris: readonly string[] }
  | { readonly type: 'cache.invalidate'; readonly uris: readonly string[] }
  /** `isUnderWay`: asked for, in addition to earlier ones; otherwise these are in force, and no others. */
  | { readonly type: 'cache.follow'; readonly uris: readonly string[]; readonly isUnderWay: boolean }
  /** `rereads`: also what changes without announcement; `isFresh`: waits also for reads that were too slow. */
  | {
      readonly type: 'cache.refresh';
      readonly n: number;
      readonly rereads: boolean;
      readonly isFresh: boolean;
      /** Read at once; it waits for no other. */
      readonly only?: string;
    }
  /** The asker of this order stops waiting, so known items are reported at once. */
  | { readonly type: 'cache.tell'; readonly n: number }
  /** `isNow`: running questions are cancelled at once, because the server is gone. */
  | { readonly type: 'close'; readonly isNow?: true };
export const cacheKind = kindOf<CacheStart, CacheOrder>('cache');
export interface CacheRefreshed {
  readonly type: 'cache.refreshed';
  readonly server: string;
  readonly items: readonly object[];
  /** Not read in time or not at all, or invalid; the others are not affected. */
  readonly refused: readonly Refused[];
  /** Known at the time of the read; later changes are not included. */
  readonly changes: number;
  /** Complete and subscribed to, and no change was announced since it was read. */
  readonly isFresh: boolean;
  /** Answers the order with this number and all earlier ones. */
  readonly upTo: number;
  readonly alone?: readonly GrantedWish[];
  /** Items have arrived that an earlier report called missing. */
  readonly isNews: boolean;
}
/** `isRead`: it was read or refused; false when no answer has come. */
export interface GrantedWish {
  readonly n: number;
  readonly isRead: boolean;
}
export interface AskedRead {
  readonly uri: string;
  readonly at: number;
  /** No longer counts against the limit of simultaneous reads, but is still awaited. */
  readonly isAside: boolean;
  /** Number of the subscription that had been asked for when the read began; 0 for none. */
  readonly heard: number;
}
export interface ReadWish {
  readonly n: number;
  readonly uri: string;
}
export type CacheInput = CacheStart & { readonly self: Address; readonly owner: AddressFor<CacheRefreshed> };
export interface CacheContext extends CacheInput {
  readonly uris: readonly string[];
  readonly slots: Slots;
  /** In order; the first `begun` ones have already been asked for. */
  readonly stale: readonly string[];
  readonly begun: number;
  /** Oldest first. */
  readonly asked: readonly AskedRead[];
  /** The age of a read is measured in ticks. */
  readonly ticks: number;
  readonly isPinging: boolean;
  readonly wishes: readonly ReadWish[];
  /** Questions do not wait for them, and they are tried again later. */
  readonly slow: readonly string[];
  readonly probed: readonly string[];
  /** `slowBefore`: slow URIs when last tried again; `tries`: attempts in a row in which none arrived. */
  readonly slowBefore: number;
  readonly tries: number;
  /** From 1; a round is one read of all items that are wanted. */
  readonly round: number;
  readonly twice: readonly string[];
  /** Kept changing while they were read; they are read again in the next reading round. */
  readonly later: readonly string[];
  /** Answered after this round; `nextRefresh` after the next, in which the URIs in `again` are read once more. */
  readonly refresh: number;
  readonly nextRefresh: number;
  readonly again: readonly string[];
  /** All earlier orders are answered as well. */
  readonly told: number;
  readonly toldMissing: number;
  readonly changes: number;
  /** The next group of subscriptions gets the next number. */
  readonly follows: number;
}

export const questionOf = (uri: string): string => `read ${uri}`;
export const uriOf = ({ id }: { readonly id: string }): string => id.slice(questionOf('').length);
export const withoutUris = (all: readonly string[], some: readonly string[]): readonly string[] => {
  if (some.length === 0 || all.length === 0) return all;
  const gone = new Set(some);
  return all.filter((each) => !gone.has(each));
};
export const inBoth = (some: readonly string[], others: readonly string[]): readonly string[] => {
  if (some.length === 0) return some;
  const known = new Set(others);
  return some.filter((each) => known.has(each));
};
export const unionOf = (...all: readonly (readonly string[])[]): readonly string[] => [
  ...new Set(all.flat()),
];
const placesIn = remembered((uris: readonly string[]) => new Map(uris.map((uri, at) => [uri, at])));
export const placeOf = ({ uris }: CacheContext, uri: string): number | undefined => placesIn(uris).get(uri);
export const slotOf = (c: CacheContext, uri: string): Slot =>
  slotAt(c.slots, placeOf(c, uri) ?? -1) ?? unread;
/** Read without the current subscription, so that later changes may be unknown. */
const isUnheard = ({ round, follow, heard }: Slot): boolean => round > 0 && (heard === 0 || heard !== follow);
const unheardUris = ({ uris, slots }: CacheContext): readonly string[] =>
  uris.filter((_, at) => isUnheard(slotAt(slots, at) ?? unread));
export const staleOf = ({ stale, begun }: CacheContext): readonly string[] =>
  begun === 0 ? stale : stale.slice(begun);
export const hasStale = ({ stale, begun }: CacheContext): boolean => stale.length > begun;
export const askedUris = ({ asked }: CacheContext): readonly string[] => asked.map(({ uri }) => uri);
export const isAsked = ({ asked }: CacheContext, uri: string): boolean =>
  asked.some((each) => each.uri === uri);
export const isAsking = ({ asked, probed }: CacheContext): boolean => asked.length + probed.length > 0;
export const afterAnswerOf = (c: CacheContext, uri: string): Partial<CacheContext> => ({
  asked: c.asked.filter((each) => each.uri !== uri),
  probed: withoutUris(c.probed, [uri]),
});

// ── reports to the owner ──────────────────────────────────────────────────────────────────────────────
const refusedOf = ({ uris, slots, timing }: CacheContext, late: readonly string[]): readonly Refused[] => {
  const isLate = new Set(late);
  const reason = `it could not be read within ${timing.aggregateMs} ms`;
  return uris.flatMap((uri, at) => {
    const { failure, refused } = slotAt(slots, at) ?? unread;
    if (isLate.has(uri)) return [{ uri, reason }];
    return failure ? [{ uri, reason: failure.message }] : refused;
  });
};
/** `isTruncated` is true in the middle of a reading round. */
const lateUris = (c: CacheContext, isTruncated: boolean): readonly string[] =>
  isTruncated ? unionOf(c.slow, staleOf(c), askedUris(c)) : c.slow;
export function refreshedNews(c: CacheContext, upTo: number, isTruncated: boolean): CacheRefreshed {
  const late = lateUris(c, isTruncated);
  const missing = late.length;
  const slots = c.slots.flat();
  const hasFailed = slots.some(({ failure }) => failure !== null);
  return {
    type: 'cache.refreshed',
    server: c.server,
    items: slots.flatMap(({ items }) => items),
    refused: refusedOf(c, late),
    changes: c.changes,
    isFresh:
      missing + c.later.length + c.asked.length === 0 && !hasStale(c) && !hasFailed && !slots.some(isUnheard),
    upTo: Math.max(upTo, c.told),
    isNews: missing < c.toldMissing,
  };
}
export const afterTelling = (c: CacheContext, upTo: number, isTruncated: boolean): Partial<CacheContext> => ({
  told: Math.max(upTo, c.told),
  toldMissing: lateUris(c, isTruncated).length,
});
/** About all other entries it only repeats what is known. */
export const grantedNews = (c: CacheContext, orders: readonly number[]): CacheRefreshed => ({
  ...refreshedNews(c, c.told, false),
  alone: c.wishes.flatMap(({ n, uri }) =>
    orders.includes(n) ? [{ n, isRead: !isAsked(c, uri) && !c.slow.includes(uri) }] : [],
  ),
  isNews: false,
});

// ── reads from the server ─────────────────────────────────────────────────────────────────────────────
/** Without those that hang. */
const mostAsked = 4;
/** Includes those that hang. */
export const mostOnTheWay = 64;
/** Two, so that a whole interval between ticks has passed. */
const turnTicks = 2;

const ageOf = ({ ticks }: CacheContext, { at }: AskedRead): number => ticks - at;
export const canAsk = (c: CacheContext): boolean =>
  hasStale(c) &&
  c.asked.length < mostOnTheWay &&
  c.asked.filter(({ isAside }) => !isAside).length < mostAsked;

export const unwantedUri = (c: CacheContext): string | undefined =>
  [...askedUris(c), ...c.probed].find((uri) => placeOf(c, uri) === undefined);

/** An older read of the same URI is cancelled by its id. */
export function afterAsking(c: CacheContext): Partial<CacheContext> {
  const uri = c.stale[c.begun] ?? '';
  const isAgain = isAsked(c, uri) || slotOf(c, uri).round === c.round;
  return {
    twice: isAgain ? [...c.twice, uri] : c.twice,
    asked: askedWith(c, uri, false),
    // Removes the URI from the next reading round, because this read began after that round was requested.
    again: withoutUris(c.again, [uri]),
    begun: c.begun + 1,
  };
}
const askedWith = (c: CacheContext, uri: string, isAside: boolean): CacheContext['asked'] => [
  ...c.asked.filter((each) => each.uri !== uri),
  { uri, at: c.ticks, isAside, heard: slotOf(c, uri).follow },
];
export function afterProbing(c: CacheContext): Partial<CacheContext> {
  const uri = unprobedUri(c) ?? '';
  return { probed: [...c.probed, uri], later: withoutUris(c.later, [uri]) };
}
export const unprobedUri = ({ slow, probed }: CacheContext): string | undefined =>
  probed.length < mostAsked ? slow.find((uri) => !probed.includes(uri)) : undefined;
/** To the end of the list, so that one that hangs does not block the others. */
export const afterVainProbe = (c: CacheContext): Partial<CacheContext> => ({
  slow: [...withoutUris(c.slow, c.probed), ...c.probed],
  probed: [],
  tries: c.slow.length < c.slowBefore ? 0 : Math.min(c.tries + 1, 1_000),
});

// ── durations of reads ────────────────────────────────────────────────────────────────────────────────
/** In ticks. */
const limitOf = ({ timing }: CacheContext): number => timing.aggregateMs / timing.turnMs;
const olderThan = (c: CacheContext, age: number): readonly string[] =>
  c.asked.flatMap((each) => (ageOf(c, each) >= age ? [each.uri] : []));
export const overdueUris = (c: CacheContext): readonly string[] => olderThan(c, Math.ceil(limitOf(c)) - 1);
export const afterTick = (c: CacheContext): Partial<CacheContext> => ({
  ...afterEnd(c, overdueUris(c)),
  ticks: c.ticks + 1,
});
/** They count as slow when the question is over, so that the next one does not wait for them. */
export const overdueWithQuestion = (c: CacheContext): readonly string[] =>
  olderThan(c, Math.floor(limitOf(c)));
/** Questions no longer wait for them, and they are tried again after the others. */
export const afterEnd = (c: CacheContext, uris: readonly string[]): Partial<CacheContext> =>
  uris.length === 0
    ? {}
    : {
        asked: c.asked.filter(({ uri }) => !uris.includes(uri)),
        slow: [...withoutUris(c.slow, uris), ...uris],
        stale: withoutUris(staleOf(c), uris),
        begun: 0,
        again: withoutUris(c.again, uris),
      };
const isHanging = (c: CacheContext, each: AskedRead): boolean => !each.isAside && ageOf(c, each) >= turnTicks;
/** A read hangs, and the server may be dead or busy. */
export const mustPing = (c: CacheContext): boolean => {
  const next = { ...c, ticks: c.ticks + 1 };
  return !c.isPinging && c.asked.some((each) => isHanging(next, each));
};
/** The server is alive: reads that hang stay awaited, but no longer keep others from starting. */
export const afterRelease = (c: CacheContext): Partial<CacheContext> => ({
  isPinging: false,
  asked: c.asked.map((each) => (isHanging(c, each) ? { ...each, isAside: true } : each)),
});

// ── orders for one entry ───────────────────────────────────────────────────────────────────────────────
type RefreshOrder = Extract<CacheOrder, { type: 'cache.refresh' }>;
/** A slow one is not awaited unless fresh content is wanted; a refused one is tried again. */
function mustRead(c: CacheContext, uri: string, { rereads, isFresh }: RefreshOrder): boolean {
  if (placeOf(c, uri) === undefined) return false;
  if (isFresh) return true;
  if (c.slow.includes(uri) || isAsked(c, uri)) return false;
  const slot = slotOf(c, uri);
  return (
    slot.round === 0 ||
    slot.failure !== null ||
    [...staleOf(c), ...c.later].includes(uri) ||
    (rereads && isUnheard(slot))
  );
}
export const wantsRead = (c: CacheContext, refresh: RefreshOrder): boolean =>
  mustRead(c, refresh.only ?? '', refresh);
/** Outside the limit of simultaneous reads, so that it waits for no other. */
export function afterWish(c: CacheContext, refresh: RefreshOrder): Partial<CacheContext> {
  const { n, only: uri = '' } = refresh;
  const wishes = [...c.wishes, { n, uri }];
  if (!mustRead(c, uri, refresh)) return { wishes };
  const one = [uri];
  return {
    wishes,
    asked: askedWith(c, uri, true),
    stale: withoutUris(staleOf(c), one),
    begun: 0,
    later: withoutUris(c.later, one),
    slow: withoutUris(c.slow, one),
    probed: withoutUris(c.probed, one),
    again: withoutUris(c.again, one),
  };
}
export const grantedOrders = (c: CacheContext): readonly number[] =>
  c.wishes.flatMap(({ n, uri }) => (isAsked(c, uri) ? [] : [n]));
export const withoutWishes = (c: CacheContext, orders: readonly number[]): Partial<CacheContext> => ({
  wishes: c.wishes.filter(({ n }) => !orders.includes(n)),
});

// ── messages of others ────────────────────────────────────────────────────────────────────────────────
export const initialContext = (input: CacheInput): CacheContext => ({
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
  // Numbers reading rounds from 1, because 0 in a slot means that it was never read.
  round: 1,
  twice: [],
  later: [],
  refresh: 0,
  nextRefresh: 0,
  again: [],
  told: 0,
  toldMissing: 0,
  changes: 0,
  follows: 0,
});

const rulesOf = ({ collection }: CacheContext) => collections[collection];
export function afterList(
  c: CacheContext,
  { uris }: { readonly uris: readonly string[] },
): Partial<CacheContext> {
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
/** Read again once in a round; further changes wait for the next question, as they could go on for ever. */
export function afterInvalidation(
  c: CacheContext,
  { uris }: { readonly uris: readonly string[] },
): Partial<CacheContext> {
  const slow = new Set(c.slow);
  const old = uris.filter((uri) => placeOf(c, uri) !== undefined && !slow.has(uri));
  return {
    stale: unionOf(staleOf(c), withoutUris(old, c.twice)),
    begun: 0,
    later: unionOf(c.later, inBoth(old, c.twice), inBoth(uris, c.probed)),
    changes: c.changes + 1,
  };
}
/** Content that was asked for before its subscription counts as read without one. */
export function afterFollow(
  c: CacheContext,
  { uris, isUnderWay }: Extract<CacheOrder, { type: 'cache.follow' }>,
): Partial<CacheContext> {
  const follows = c.follows + 1;
  const counted = { follows, changes: c.changes + 1 };
  if (!isUnderWay) {
    const now = new Set(uris);
    const followed = (slot: Slot, uri: string): Slot => ({
      ...slot,
      follow: now.has(uri) ? slot.follow || follows : 0,
    });
    return {
      ...counted,
      slots: chunked(c.uris.map((uri, at) => followed(slotAt(c.slots, at) ?? unread, uri))),
    };
  }
  const slots = uris.reduce((all, uri) => {
    const at = placeOf(c, uri);
    return at === undefined ? all : withSlot(all, at, { ...(slotAt(all, at) ?? unread), follow: follows });
  }, c.slots);
  return { ...counted, slots, later: unionOf(c.later, inBoth(uris, c.probed)) };
}
/** All outdated items, also those whose last read was refused. */
export function afterRefresh(
  c: CacheContext,
  { n, rereads, isFresh }: Omit<RefreshOrder, 'type'>,
): Partial<CacheContext> {
  const slow = isFresh ? [] : c.slow;
  const afterRefusal = c.uris.filter((_, at) => slotAt(c.slots, at)?.failure);
  return {
    slow,
    probed: isFresh ? [] : c.probed,
    round: c.round + 1,
    twice: [],
    again: [],
    refresh: n,
    nextRefresh: 0,
    later: inBoth(c.later, slow),
    stale: withoutUris(
      unionOf(staleOf(c), c.later, afterRefusal, isFresh ? c.uris : rereads ? unheardUris(c) : []),
      slow,
    ),
    begun: 0,
  };
}
/** Items read before the order that have changed or are wanted fresh are read again in the next round. */
export function afterJoining(c: CacheContext, { n, rereads, isFresh }: RefreshOrder): Partial<CacheContext> {
  const stale = staleOf(c);
  const open = new Set(isFresh ? stale : [...stale, ...askedUris(c), ...c.slow]);
  const changed = withoutUris(c.later, c.slow);
  const again = unionOf(
    changed,
    (isFresh ? c.uris : rereads ? unheardUris(c) : []).filter((uri) => !open.has(uri)),
  );
  if (again.length === 0 && c.nextRefresh === 0) return { refresh: n };
  return { nextRefresh: n, again: unionOf(c.again, again) };
}
/** For orders that came too late for the last round. */
export function afterRound(c: CacheContext): Partial<CacheContext> {
  const [slow, probed] = [withoutUris(c.slow, c.again), withoutUris(c.probed, c.again)];
  return {
    ...afterRefresh({ ...c, slow, probed }, { n: c.nextRefresh, rereads: false, isFresh: false }),
    stale: withoutUris(unionOf(staleOf(c), c.later, c.again), slow),
    begun: 0,
  };
}

function withSlotOf(
  c: CacheContext,
  uri: string,
  given: Omit<Slot, 'round' | 'follow' | 'heard'>,
): Partial<CacheContext> {
  const asked = c.asked.find((each) => each.uri === uri);
  const isWaited = asked !== undefined || c.probed.includes(uri);
  const at = placeOf(c, uri);
  const { follow } = slotOf(c, uri);
  if (!isWaited || at === undefined) return afterAnswerOf(c, uri);
  // Reads the item again for the waiting order when it changed before a slow read of it arrived.
  const isOld = c.refresh > c.told && c.probed.includes(uri) && c.later.includes(uri);
  return {
    ...afterAnswerOf(c, uri),
    ...(isOld && { stale: unionOf(staleOf(c), [uri]), begun: 0, later: withoutUris(c.later, [uri]) }),
    slow: c.slow.length > 0 ? withoutUris(c.slow, [uri]) : c.slow,
    slots: withSlot(c.slots, at, { ...given, round: c.round, follow, heard: asked?.heard ?? follow }),
  };
}
export const afterRefusal = (
  c: CacheContext,
  fact: { readonly id: string; readonly failure: Failure },
): Partial<CacheContext> => withSlotOf(c, uriOf(fact), { items: [], refused: [], failure: fact.failure });
export function afterAnswer(
  c: CacheContext,
  fact: { readonly id: string; readonly result: unknown },
): Partial<CacheContext> {
  const uri = uriOf(fact);
  const given = contentsIn(fact.result);
  const items = given.ok ? rulesOf(c).itemsOf(given.body, uri, c.server) : given;
  return withSlotOf(
    c,
    uri,
    items.ok ? { ...items.body, failure: null } : { items: [], refused: [], failure: items.failure },
  );
}
