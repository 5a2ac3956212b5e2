/**
 * Pure rules for the reads of a server cache that are on their way: which is next, which holds a place, which is over.
 *
 * A server is asked a few at a time. A read that hangs gives its place to the next one as soon as its server has shown, by
 * answering a ping, that it lives and is not just busy. It is waited for beside them until its own time is over; then it is
 * cancelled and goes to the end, to be asked for again after a pause.
 */
import type { Asked, CacheOrder, Context } from './server-cache.events.ts';
import {
  askedUris,
  both,
  hasStale,
  isAsked,
  placeOf,
  slotOf,
  staleOf,
  without,
} from './server-cache.memory.ts';

/** Places of one server: so many reads are asked at a time. */
const mostAsked = 4;
/** Reads on their way in all, those that hang included. */
export const mostOnTheWay = 64;
/** A read has had its turn after so many ticks: it has waited for one whole tick at the least. */
const turnTicks = 2;

const ageOf = ({ ticks }: Context, { at }: Asked): number => ticks - at;
export const canAsk = (c: Context): boolean =>
  hasStale(c) &&
  c.asked.length < mostOnTheWay &&
  c.asked.filter(({ isAside }) => !isAside).length < mostAsked;

/** A read for nobody: what it reads is listed no more. */
export const unwanted = (c: Context): string | undefined =>
  [...askedUris(c), ...c.probed].find((uri) => placeOf(c, uri) === undefined);

/** The older question about one that is asked for twice is withdrawn by its id. */
export function asking(c: Context): Partial<Context> {
  const uri = c.stale[c.begun] ?? '';
  const isAgain = isAsked(c, uri) || slotOf(c, uri).round === c.round;
  return {
    twice: isAgain ? [...c.twice, uri] : c.twice,
    asked: askedWith(c, uri, false),
    // It is read after the question of the next round came, so that round need not read it once more.
    again: without(c.again, [uri]),
    begun: c.begun + 1,
  };
}
const askedWith = (c: Context, uri: string, isAside: boolean): Context['asked'] => [
  ...c.asked.filter((each) => each.uri !== uri),
  { uri, at: c.ticks, isAside },
];
export function probing(c: Context): Partial<Context> {
  const uri = unprobed(c) ?? '';
  return { probed: [...c.probed, uri], later: without(c.later, [uri]) };
}
/** Of those that are slow the next one to ask for. */
export const unprobed = ({ slow, probed }: Context): string | undefined =>
  probed.length < mostAsked ? slow.find((uri) => !probed.includes(uri)) : undefined;
/** Those of which none came go to the end, so that one that hangs does not keep the others from being read. */
export const probedInVain = (c: Context): Partial<Context> => ({
  slow: [...without(c.slow, c.probed), ...c.probed],
  probed: [],
  tries: c.slow.length < c.slowBefore ? 0 : Math.min(c.tries + 1, 1_000),
});

// ── how long they take ─────────────────────────────────────────────────────────────────────────────────
/** Ticks after which the time of a read is over. */
const limitOf = ({ timing }: Context): number => timing.aggregateMs / timing.turnMs;
const olderThan = (c: Context, age: number): readonly string[] =>
  c.asked.flatMap((each) => (ageOf(c, each) >= age ? [each.uri] : []));
/** Reads whose time is over with the tick that comes now. */
export const over = (c: Context): readonly string[] => olderThan(c, Math.ceil(limitOf(c)) - 1);
export const ticked = (c: Context): Partial<Context> => ({ ...ended(c, over(c)), ticks: c.ticks + 1 });
/** Reads whose time is over with a question that waits no longer: they do not hold up the next one. */
export const overWithQuestion = (c: Context): readonly string[] => olderThan(c, Math.floor(limitOf(c)));
/** They are slow from now on: nobody waits for them, and each is asked for again after the others. */
export const ended = (c: Context, uris: readonly string[]): Partial<Context> =>
  uris.length === 0
    ? {}
    : {
        asked: c.asked.filter(({ uri }) => !uris.includes(uri)),
        slow: [...without(c.slow, uris), ...uris],
        stale: without(staleOf(c), uris),
        begun: 0,
        again: without(c.again, uris),
      };
const isHanging = (c: Context, each: Asked): boolean => !each.isAside && ageOf(c, each) >= turnTicks;
/** With the tick that comes now a read hangs: does its server live, or is it busy with what it was asked? */
export const mustPing = (c: Context): boolean => {
  const next = { ...c, ticks: c.ticks + 1 };
  return !c.isPinging && c.asked.some((each) => isHanging(next, each));
};
/** It lives: what hangs gives its place to the next. */
export const released = (c: Context): Partial<Context> => ({
  isPinging: false,
  asked: c.asked.map((each) => (isHanging(c, each) ? { ...each, isAside: true } : each)),
});

// ── one entry that somebody wants ──────────────────────────────────────────────────────────────────────
type Refresh = Extract<CacheOrder, { type: 'cache.refresh' }>;
/** Nobody waits for one that is slow, unless it is wanted as it is now; one that was refused is tried again. */
function mustRead(c: Context, uri: string, { anew, isFresh }: Refresh): boolean {
  if (placeOf(c, uri) === undefined) return false;
  if (isFresh) return true;
  if (c.slow.includes(uri) || isAsked(c, uri)) return false;
  const { round, failure } = slotOf(c, uri);
  return (
    round === 0 ||
    failure !== null ||
    [...staleOf(c), ...c.later].includes(uri) ||
    both([uri], anew).length > 0
  );
}
export const wantsRead = (c: Context, refresh: Refresh): boolean => mustRead(c, refresh.only ?? '', refresh);
/** It takes no place, so that it waits for no other. */
export function wishing(c: Context, refresh: Refresh): Partial<Context> {
  const { n, only: uri = '' } = refresh;
  const wishes = [...c.wishes, { n, uri }];
  if (!mustRead(c, uri, refresh)) return { wishes };
  const one = [uri];
  return {
    wishes,
    asked: askedWith(c, uri, true),
    stale: without(staleOf(c), one),
    begun: 0,
    later: without(c.later, one),
    slow: without(c.slow, one),
    probed: without(c.probed, one),
    again: without(c.again, one),
  };
}
/** Orders for one entry that need not wait any more: it is not being read. */
export const granted = (c: Context): readonly number[] =>
  c.wishes.flatMap(({ n, uri }) => (isAsked(c, uri) ? [] : [n]));
export const withoutWishes = (c: Context, orders: readonly number[]): Partial<Context> => ({
  wishes: c.wishes.filter(({ n }) => !orders.includes(n)),
});
