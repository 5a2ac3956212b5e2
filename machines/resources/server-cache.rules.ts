/** What a server cache hears, tells and remembers, and its pure rules. */
import { kindOf, type Address, type AddressFor } from '../kernel/address.ts';
import type { ResourceCollection } from '../kernel/ports.ts';
import { remembered } from '../kernel/objects.ts';
import type { TimingOf } from '../kernel/timing.ts';
import type { Failure } from '../protocol/failure.ts';
import { collections } from './collection-rules.ts';
import { contentsIn, type Refused } from './collections.ts';

// ── slots ─────────────────────────────────────────────────────────────────────────────────────────────
/** What is known of one URI. */
export interface Slot {
  readonly items: readonly object[];
  readonly refused: readonly Refused[];
  readonly failure: Failure | null;
  /** The round in which it was read last; 0: never. */
  readonly round: number;
}
export const unread: Slot = { items: [], refused: [], failure: null, round: 0 };

/** In the order of the URIs. */
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
      /** Nothing but this one is wanted: it is read at once, and waits for no other. */
      readonly only?: string;
    }
  /** Whoever wants all of it with this number waits no longer: what is there is told at once. */
  | { readonly type: 'cache.tell'; readonly n: number }
  /** `isNow`: nobody is there any more to answer, so what is asked is given up at once. */
  | { readonly type: 'close'; readonly isNow?: true };
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
  /** Orders for one entry (`only`) that have their answer with it. */
  readonly alone?: readonly GrantedWish[];
  /** There is what was told to be missing. */
  readonly isNews: boolean;
}
/** `isRead`: it is there, or its server refused it; else it has not come. */
export interface GrantedWish {
  readonly n: number;
  readonly isRead: boolean;
}
/** One read on its way. */
export interface AskedRead {
  readonly uri: string;
  /** The tick after which it was asked. */
  readonly at: number;
  /** It holds no place any more: it is waited for, and others are asked beside it. */
  readonly isAside: boolean;
}
/** One order for one entry. */
export interface ReadWish {
  readonly n: number;
  readonly uri: string;
}
export type CacheInput = CacheStart & { readonly self: Address; readonly owner: AddressFor<CacheRefreshed> };
export interface CacheContext extends CacheInput {
  readonly uris: readonly string[];
  readonly slots: Slots;
  /** To be read, in order, but for the first ones, which were asked for: as many as `begun` says. */
  readonly stale: readonly string[];
  readonly begun: number;
  /** Being read, the oldest first. */
  readonly asked: readonly AskedRead[];
  /** Ticks so far: the age of a read is counted in them. */
  readonly ticks: number;
  /** Its server was asked whether it lives while reads hang. */
  readonly isPinging: boolean;
  /** Orders for one entry that wait. */
  readonly wishes: readonly ReadWish[];
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

export const questionOf = (uri: string): string => `read ${uri}`;
export const uriOf = ({ id }: { readonly id: string }): string => id.slice(questionOf('').length);
export const withoutUris = (all: readonly string[], some: readonly string[]): readonly string[] => {
  if (some.length === 0 || all.length === 0) return all;
  const gone = new Set(some);
  return all.filter((each) => !gone.has(each));
};
/** Those of the first that are among the second, too. */
export const inBoth = (some: readonly string[], others: readonly string[]): readonly string[] => {
  if (some.length === 0) return some;
  const known = new Set(others);
  return some.filter((each) => known.has(each));
};
export const unionOf = (...all: readonly (readonly string[])[]): readonly string[] => [
  ...new Set(all.flat()),
];
/** Where each stands in a list: once as long as it stays what it is. */
const placesIn = remembered((uris: readonly string[]) => new Map(uris.map((uri, at) => [uri, at])));
export const placeOf = ({ uris }: CacheContext, uri: string): number | undefined => placesIn(uris).get(uri);
export const slotOf = (c: CacheContext, uri: string): Slot =>
  slotAt(c.slots, placeOf(c, uri) ?? -1) ?? unread;
/** To be read still. */
export const staleOf = ({ stale, begun }: CacheContext): readonly string[] =>
  begun === 0 ? stale : stale.slice(begun);
export const hasStale = ({ stale, begun }: CacheContext): boolean => stale.length > begun;
export const askedUris = ({ asked }: CacheContext): readonly string[] => asked.map(({ uri }) => uri);
export const isAsked = ({ asked }: CacheContext, uri: string): boolean =>
  asked.some((each) => each.uri === uri);
/** Asks its server something that can be cut off. */
export const isAsking = ({ asked, probed }: CacheContext): boolean => asked.length + probed.length > 0;
export const afterAnswerOf = (c: CacheContext, uri: string): Partial<CacheContext> => ({
  asked: c.asked.filter((each) => each.uri !== uri),
  probed: withoutUris(c.probed, [uri]),
});

// ── what it tells ─────────────────────────────────────────────────────────────────────────────────────
/** `missing`: so many have not come in time. */
const reasonOf = ({ uris, timing }: CacheContext, missing: number): string | null =>
  missing > 0 ? `${missing} of ${uris.length} could not be read within ${timing.aggregateMs} ms` : null;
const refusedOf = ({ uris, slots }: CacheContext): readonly Refused[] =>
  uris.flatMap((uri, at) => {
    const { failure, refused } = slotAt(slots, at) ?? unread;
    return failure ? [{ uri, reason: failure.message }] : refused;
  });
/** `isTruncated`: in the middle of a round. */
const missingCount = (c: CacheContext, isTruncated: boolean): number =>
  isTruncated ? unionOf(c.slow, staleOf(c), askedUris(c)).length : c.slow.length;
export function refreshedNews(c: CacheContext, upTo: number, isTruncated: boolean): CacheRefreshed {
  const missing = missingCount(c, isTruncated);
  const slots = c.slots.flat();
  const hasFailed = slots.some(({ failure }) => failure !== null);
  return {
    type: 'cache.refreshed',
    server: c.server,
    items: slots.flatMap(({ items }) => items),
    reason: reasonOf(c, missing),
    refused: refusedOf(c),
    changes: c.changes,
    isFresh: missing + c.later.length + c.asked.length === 0 && !hasStale(c) && !hasFailed,
    upTo: Math.max(upTo, c.told),
    isNews: missing < c.toldMissing,
  };
}
export const afterTelling = (c: CacheContext, upTo: number, isTruncated: boolean): Partial<CacheContext> => ({
  told: Math.max(upTo, c.told),
  toldMissing: missingCount(c, isTruncated),
});
/** The answer to orders for one entry; of the whole it says what is there, and no more. */
export const grantedNews = (c: CacheContext, orders: readonly number[]): CacheRefreshed => ({
  ...refreshedNews(c, c.told, false),
  alone: c.wishes.flatMap(({ n, uri }) =>
    orders.includes(n) ? [{ n, isRead: !isAsked(c, uri) && !c.slow.includes(uri) }] : [],
  ),
  isNews: false,
});

// ── what is asked of the server ───────────────────────────────────────────────────────────────────────
/** Places of one server: so many reads are asked at a time. */
const mostAsked = 4;
/** Reads on their way in all, those that hang included. */
export const mostOnTheWay = 64;
/** A read has had its turn after so many ticks: it has waited for one whole tick at the least. */
const turnTicks = 2;

const ageOf = ({ ticks }: CacheContext, { at }: AskedRead): number => ticks - at;
export const canAsk = (c: CacheContext): boolean =>
  hasStale(c) &&
  c.asked.length < mostOnTheWay &&
  c.asked.filter(({ isAside }) => !isAside).length < mostAsked;

/** A read for nobody: what it reads is listed no more. */
export const unwantedUri = (c: CacheContext): string | undefined =>
  [...askedUris(c), ...c.probed].find((uri) => placeOf(c, uri) === undefined);

/** The older question about one that is asked for twice is withdrawn by its id. */
export function afterAsking(c: CacheContext): Partial<CacheContext> {
  const uri = c.stale[c.begun] ?? '';
  const isAgain = isAsked(c, uri) || slotOf(c, uri).round === c.round;
  return {
    twice: isAgain ? [...c.twice, uri] : c.twice,
    asked: askedWith(c, uri, false),
    // It is read after the question of the next round came, so that round need not read it once more.
    again: withoutUris(c.again, [uri]),
    begun: c.begun + 1,
  };
}
const askedWith = (c: CacheContext, uri: string, isAside: boolean): CacheContext['asked'] => [
  ...c.asked.filter((each) => each.uri !== uri),
  { uri, at: c.ticks, isAside },
];
export function afterProbing(c: CacheContext): Partial<CacheContext> {
  const uri = unprobedUri(c) ?? '';
  return { probed: [...c.probed, uri], later: withoutUris(c.later, [uri]) };
}
/** Of those that are slow the next one to ask for. */
export const unprobedUri = ({ slow, probed }: CacheContext): string | undefined =>
  probed.length < mostAsked ? slow.find((uri) => !probed.includes(uri)) : undefined;
/** Those of which none came go to the end, so that one that hangs does not keep the others from being read. */
export const afterVainProbe = (c: CacheContext): Partial<CacheContext> => ({
  slow: [...withoutUris(c.slow, c.probed), ...c.probed],
  probed: [],
  tries: c.slow.length < c.slowBefore ? 0 : Math.min(c.tries + 1, 1_000),
});

// ── how long they take ─────────────────────────────────────────────────────────────────────────────────
/** Ticks after which the time of a read is over. */
const limitOf = ({ timing }: CacheContext): number => timing.aggregateMs / timing.turnMs;
const olderThan = (c: CacheContext, age: number): readonly string[] =>
  c.asked.flatMap((each) => (ageOf(c, each) >= age ? [each.uri] : []));
/** Reads whose time is over with the tick that comes now. */
export const overdueUris = (c: CacheContext): readonly string[] => olderThan(c, Math.ceil(limitOf(c)) - 1);
export const afterTick = (c: CacheContext): Partial<CacheContext> => ({
  ...afterEnd(c, overdueUris(c)),
  ticks: c.ticks + 1,
});
/** Reads whose time is over with a question that waits no longer: they do not hold up the next one. */
export const overdueWithQuestion = (c: CacheContext): readonly string[] =>
  olderThan(c, Math.floor(limitOf(c)));
/** They are slow from now on: nobody waits for them, and each is asked for again after the others. */
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
/** With the tick that comes now a read hangs: does its server live, or is it busy with what it was asked? */
export const mustPing = (c: CacheContext): boolean => {
  const next = { ...c, ticks: c.ticks + 1 };
  return !c.isPinging && c.asked.some((each) => isHanging(next, each));
};
/** It lives: what hangs gives its place to the next. */
export const afterRelease = (c: CacheContext): Partial<CacheContext> => ({
  isPinging: false,
  asked: c.asked.map((each) => (isHanging(c, each) ? { ...each, isAside: true } : each)),
});

// ── one entry that somebody wants ──────────────────────────────────────────────────────────────────────
type RefreshOrder = Extract<CacheOrder, { type: 'cache.refresh' }>;
/** Nobody waits for one that is slow, unless it is wanted as it is now; one that was refused is tried again. */
function mustRead(c: CacheContext, uri: string, { anew, isFresh }: RefreshOrder): boolean {
  if (placeOf(c, uri) === undefined) return false;
  if (isFresh) return true;
  if (c.slow.includes(uri) || isAsked(c, uri)) return false;
  const { round, failure } = slotOf(c, uri);
  return (
    round === 0 ||
    failure !== null ||
    [...staleOf(c), ...c.later].includes(uri) ||
    inBoth([uri], anew).length > 0
  );
}
export const wantsRead = (c: CacheContext, refresh: RefreshOrder): boolean =>
  mustRead(c, refresh.only ?? '', refresh);
/** It takes no place, so that it waits for no other. */
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
/** Orders for one entry that need not wait any more: it is not being read. */
export const grantedOrders = (c: CacheContext): readonly number[] =>
  c.wishes.flatMap(({ n, uri }) => (isAsked(c, uri) ? [] : [n]));
export const withoutWishes = (c: CacheContext, orders: readonly number[]): Partial<CacheContext> => ({
  wishes: c.wishes.filter(({ n }) => !orders.includes(n)),
});

// ── what it hears ─────────────────────────────────────────────────────────────────────────────────────
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

const rulesOf = ({ collection }: CacheContext) => collections[collection];
/** What is known of what is listed no more is forgotten. */
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
/**
 * One that changed while it was read is asked for again, once in a round. One that is slow stays so; one of these that is
 * being read is read again for whoever waits by then or asks next: at once it could go on for ever.
 */
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
/** What was refused the last time is tried again. */
export function afterRefresh(
  c: CacheContext,
  { n, anew, isFresh }: Extract<CacheOrder, { type: 'cache.refresh' }>,
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
      unionOf(staleOf(c), c.later, afterRefusal, isFresh ? c.uris : inBoth(anew, c.uris)),
      slow,
    ),
    begun: 0,
  };
}
/**
 * Who comes in the middle of a round takes part in it, but for what was read before he came: what changed since, and what
 * he wants anew.
 */
export function afterJoining(
  c: CacheContext,
  { n, anew, isFresh }: Extract<CacheOrder, { type: 'cache.refresh' }>,
): Partial<CacheContext> {
  const stale = staleOf(c);
  const open = new Set(isFresh ? stale : [...stale, ...askedUris(c), ...c.slow]);
  const changed = withoutUris(c.later, c.slow);
  const again = unionOf(
    changed,
    (isFresh ? c.uris : inBoth(anew, c.uris)).filter((uri) => !open.has(uri)),
  );
  if (again.length === 0 && c.nextRefresh === 0) return { refresh: n };
  return { nextRefresh: n, again: unionOf(c.again, again) };
}
/** The next round, of those who came too late for the one before. */
export function afterRound(c: CacheContext): Partial<CacheContext> {
  const [slow, probed] = [withoutUris(c.slow, c.again), withoutUris(c.probed, c.again)];
  return {
    ...afterRefresh(
      { ...c, slow, probed },
      { type: 'cache.refresh', n: c.nextRefresh, anew: c.again, isFresh: false },
    ),
    stale: withoutUris(unionOf(staleOf(c), c.later, c.again), slow),
    begun: 0,
  };
}

function withSlotOf(c: CacheContext, uri: string, given: Omit<Slot, 'round'>): Partial<CacheContext> {
  const isWaited = isAsked(c, uri) || c.probed.includes(uri);
  const at = placeOf(c, uri);
  if (!isWaited || at === undefined) return afterAnswerOf(c, uri);
  // One that was slow, and changed while it was read: whoever waits now would be shown what it was.
  const isOld = c.refresh > c.told && c.probed.includes(uri) && c.later.includes(uri);
  return {
    ...afterAnswerOf(c, uri),
    ...(isOld && { stale: unionOf(staleOf(c), [uri]), begun: 0, later: withoutUris(c.later, [uri]) }),
    slow: c.slow.length > 0 ? withoutUris(c.slow, [uri]) : c.slow,
    slots: withSlot(c.slots, at, { ...given, round: c.round }),
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
