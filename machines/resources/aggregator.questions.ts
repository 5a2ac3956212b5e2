/** Pure rules of an aggregator: what a question waits for, what is asked for it, and its answer. */
import {
  listMessage,
  own,
  rulesOf,
  cacheOf,
  cacheOpen,
  touched,
  unwatched,
  without,
  type Taken,
} from './aggregator.rules.ts';
import type { AggregateWanted, Context, Question, ServerCache } from './aggregator.events.ts';
import { post, type Post } from '../kernel/effects.ts';
import { extended, remembered } from '../kernel/objects.ts';
import type { Granted } from './cache/server-cache.events.ts';
import { both } from './cache/server-cache.memory.ts';
import {
  withoutAddresses,
  type AggregateShown,
  type Missing,
  type Part,
  type Refused,
} from './collections/index.ts';
import type { Failure } from '../protocol/failure.ts';

/** Who asks wants nothing that was read before. */
const isFresh = ({ query }: AggregateWanted): boolean =>
  (query as { readonly fresh?: unknown }).fresh === true;

export const newQuestion = (c: Context, wanted: AggregateWanted): Question => ({
  n: c.numbered + 1,
  wanted,
  refreshes: {},
  isLate: false,
  owed: isFresh(wanted) ? null : [],
});

const onlyOf = (c: Context, { query }: AggregateWanted): string | null => rulesOf(c).onlyOf(query);
const orderOf = ({ refreshes }: Question, server: string): number | undefined =>
  Object.hasOwn(refreshes, server) ? refreshes[server] : undefined;
const grantOf = (question: Question, server: string): Granted | undefined =>
  question.granted?.find(({ n }) => n === orderOf(question, server));

// ── what it waits for ──────────────────────────────────────────────────────────────────────────────────
/** Nobody waits for what has been given for him, or is how it is. */
function isSettled(c: Context, question: Question, server: string): boolean {
  const { wanted, owed, isLate } = question;
  if (!isLate && (c.awaited.includes(server) || owed?.includes(server) === true)) return false;
  const cache = own(c, server);
  if (!cache || (cache.isFresh && !isFresh(wanted))) return true;
  const order = orderOf(question, server);
  if (order === undefined) return isLate;
  return cache.given >= order || grantOf(question, server) !== undefined;
}
/** What was read of a server, with what its list says of it. */
const placed = remembered(({ items, listed: { standings } }: ServerCache): readonly object[] =>
  Object.keys(standings).length === 0
    ? items
    : (items as readonly { readonly uri: string }[]).map((item) =>
        Object.hasOwn(standings, item.uri) ? extended(item, { standing: standings[item.uri] }) : item,
      ),
);
function partsOf(c: Context, servers: readonly string[], isKnown: (server: string) => boolean): Part[] {
  return servers.map((server) => {
    const cache = own(c, server);
    const items = cache && isKnown(server) ? placed(cache) : null;
    return { server, uris: cache?.listed.uris ?? null, items };
  });
}
/** Those that show something, may show something, or could not say so. */
const candidates = (c: Context, { owed }: Question): readonly string[] => [
  ...new Set([
    ...Object.values(c.caches).map(({ listed: { server } }) => server),
    ...[...c.awaited, ...Object.keys(c.unlisted), ...Object.keys(c.refused), ...(owed ?? [])],
  ]),
];
const neededBy = (
  c: Context,
  question: Question,
  isKnown: (server: string) => boolean,
): readonly string[] => {
  const { query, history } = question.wanted;
  return rulesOf(c).neededBy(query, history, partsOf(c, candidates(c, question), isKnown));
};
const unsettled = (c: Context, question: Question): readonly string[] => {
  const isKnown = (server: string): boolean => isSettled(c, question, server);
  return neededBy(c, question, isKnown).filter((server) => !isKnown(server));
};
/** Whose lists are asked for anew: of one window that of who lists it, or, where nobody does, of all. */
function listsFor(c: Context, { wanted: { query, history } }: Question): readonly string[] {
  const parts = partsOf(c, c.members, () => false);
  const needed = rulesOf(c).neededBy(query, history, parts);
  if (needed.length > 0) return needed;
  const unlisted = parts.map((part) => ({ ...part, uris: null }));
  return rulesOf(c).neededBy(query, history, unlisted);
}
export const isKnown = (c: Context, wanted: AggregateWanted): boolean =>
  !isFresh(wanted) && unsettled(c, newQuestion(c, wanted)).length === 0;
export const answerable = (c: Context): Question | undefined =>
  c.questions.find((question) => question.owed !== null && unsettled(c, question).length === 0);

// ── what is asked for it ───────────────────────────────────────────────────────────────────────────────
/** An order to read all that a server shows, for all who wait for that; or one entry of it, for one question. */
interface Refreshing {
  readonly cache: ServerCache;
  readonly n: number;
  readonly isFresh: boolean;
  /** For some it is the first; for others only what has changed since is read once more. */
  readonly isFirst: boolean;
  readonly only?: string;
}
const againOf = ({ again }: Question, server: string): readonly string[] | undefined =>
  again && Object.hasOwn(again, server) ? again[server] : undefined;
const mustRefresh = (c: Context, question: Question): readonly string[] =>
  question.owed === null || question.isLate
    ? []
    : unsettled(c, question).filter((server) => {
        if (c.awaited.includes(server) || question.owed?.includes(server) === true) return false;
        const cache = own(c, server);
        const order = orderOf(question, server);
        return cache !== undefined && (order === undefined || cache.asked < order);
      });
/** All that questions wait for and nobody was asked for yet; null: there is none. */
export const asking = remembered((c: Context): Taken | null => {
  const whole = c.numbered + 1;
  const counted = { numbered: whole };
  const relists = new Map<Question, readonly string[]>();
  const orders = new Map<string, Refreshing>();
  const questions = c.questions.map((question): Question => {
    if (question.owed === null) {
      relists.set(question, listsFor(c, question));
      return { ...question, owed: listsFor(c, question) };
    }
    const only = onlyOf(c, question.wanted);
    const refreshes = mustRefresh(c, question).flatMap((server) => {
      const cache = own(c, server);
      if (!cache) return [];
      const n = only === null ? whole : (counted.numbered += 1);
      const before = orders.get(`${n} ${server}`);
      orders.set(`${n} ${server}`, {
        cache,
        n,
        isFresh: before?.isFresh === true || isFresh(question.wanted),
        isFirst: before?.isFirst === true || againOf(question, server) === undefined,
        ...(only !== null && { only }),
      });
      return [[server, n] as const];
    });
    return refreshes.length === 0
      ? question
      : { ...question, refreshes: { ...question.refreshes, ...Object.fromEntries(refreshes) } };
  });
  if (relists.size + orders.size === 0) return null;
  const all = [...orders.values()];
  const caches = new Map(all.map(({ cache, n }) => [cache.listed.server, refreshedWith(cache, n)]));
  const closed = [...new Set(all.map(({ cache }) => cache))].filter(({ isOpen }) => !isOpen);
  return {
    next: {
      questions,
      numbered: counted.numbered,
      caches: { ...c.caches, ...Object.fromEntries(caches) },
    },
    opens: closed.map((cache) => cacheOpen(c, cache)),
    messages: [
      ...[...relists].flatMap(([{ n }, servers]) => servers.map((server) => relist(c, server, n))),
      ...closed.map((cache) => listMessage(c, cache)),
      ...all.map((refreshing) => refresh(c, refreshing)),
    ],
  };
});
const relist = (c: Context, server: string, n: number): Post =>
  post(c.owner, { type: 'resources.relist', server, by: c.collection, n });
const refreshedWith = (cache: ServerCache, asked: number): ServerCache => ({
  ...cache,
  ...(cache.isOpen ? {} : { isOpen: true, changes: 1 }),
  asked,
});
function refresh(c: Context, { cache, n, isFresh: isAsked, isFirst, only }: Refreshing): Post {
  const anew = isFirst ? unwatched(c, cache) : [];
  return post(cacheOf(c, cache.listed.server), {
    type: 'cache.refresh',
    n,
    anew: only === undefined ? anew : both(anew, [only]),
    isFresh: isAsked,
    ...(only !== undefined && { only }),
  });
}
/**
 * What changes while a question waits is read once more for it, also when all of its server has been given already: the
 * order to read it counts no longer. Who wants all of it anew has had it read since he came.
 */
export function changed(
  c: Context,
  { server, uri }: { readonly server: string; readonly uri: string },
): readonly Question[] {
  const cache = own(c, server);
  const uris = cache ? touched(c, cache, [uri]) : [];
  const again = (question: Question): Question => {
    const only = onlyOf(c, question.wanted);
    if (only !== null && !uris.includes(only)) return question;
    if (question.isLate || isFresh(question.wanted) || !Object.hasOwn(question.refreshes, server))
      return question;
    const known = againOf(question, server) ?? [];
    const all = [...new Set([...known, ...uris])];
    if (all.length === known.length) return question;
    const [refreshes, others] = [without(question.refreshes, server), question.again];
    return { ...question, refreshes, again: { ...others, [server]: all } };
  };
  return uris.length === 0 ? c.questions : c.questions.map(again);
}
const notYet = 'its list of resources has not come yet';
/** Its time is over: lists that have not come are missing from now on, server caches tell what they have. */
export function late(c: Context, { n }: { readonly n: number }): Taken {
  const question = c.questions.find((each) => each.n === n);
  if (!question) return { next: {}, opens: [], messages: [] };
  const tardy = unsettled(c, question);
  const unheard = tardy.filter((server) => c.awaited.includes(server));
  const messages = tardy.flatMap((server): Post[] => {
    const n = orderOf(question, server);
    return n === undefined ? [] : [post(cacheOf(c, server), { type: 'cache.tell', n }, { optional: true })];
  });
  return {
    next: {
      questions: c.questions.map((each) => (each === question ? { ...each, isLate: true } : each)),
      // Whoever asks next does not wait for these again.
      awaited: c.awaited.filter((server) => !unheard.includes(server)),
      unlisted: { ...c.unlisted, ...Object.fromEntries(unheard.map((server) => [server, notYet])) },
    },
    opens: [],
    messages,
  };
}

// ── its answer ─────────────────────────────────────────────────────────────────────────────────────────
/** The same list for as long as nothing changes, so that what is worked out of it is worked out once. */
const itemsOn = remembered((caches: Context['caches']) => Object.values(caches).flatMap(placed));
/** So many of one server are named; the rest is counted. */
const mostNamed = 20;
function named(server: string, refused: readonly Refused[]): Missing[] {
  const all = refused.slice(0, mostNamed).map((each) => ({ server, ...each }));
  const more = refused.length - all.length;
  return more > 0 ? [...all, { server, reason: `and ${more} more could not be taken in` }] : all;
}
/** Entries of a server cache that are not there, and why: all, or the one that is wanted. */
function missingOf(c: Context, question: Question, server: string): Missing[] {
  const cache = own(c, server);
  if (!cache) return [];
  const only = onlyOf(c, question.wanted);
  const grant = grantOf(question, server);
  const { refused } = cache;
  if (only === null || !grant)
    return [...(cache.reason === null ? [] : [{ server, reason: cache.reason }]), ...named(server, refused)];
  const reason = `it could not be read within ${c.timing.aggregateMs} ms`;
  return grant.isRead
    ? refused.filter(({ uri }) => uri === only).map((each) => ({ server, ...each }))
    : [{ server, uri: only, reason }];
}
/** Parts of the servers that it needs which are not there, and why. */
function missingIn(c: Context, question: Question): Missing[] {
  return neededBy(c, question, () => true).flatMap((server) => {
    const isOwed = question.isLate && question.owed?.includes(server) === true;
    const missing = missingOf(c, question, server);
    const reason =
      (Object.hasOwn(c.unlisted, server) ? c.unlisted[server] : null) ??
      (isOwed ? `its list of resources did not come anew within ${c.timing.aggregateMs} ms` : null);
    const isSaid = reason === null || reason === undefined || missing.some(({ uri }) => uri === undefined);
    return [
      ...(isSaid ? [] : [{ server, reason }]),
      ...missing,
      ...named(server, Object.hasOwn(c.refused, server) ? (c.refused[server] ?? []) : []),
    ];
  });
}
/** As agents are told it. */
const redacted = (c: Context, missing: Missing): Missing => {
  if (c.exposed.includes(missing.server)) return missing;
  const known = new Set(missing.uri === undefined ? [] : [missing.uri]);
  return { ...missing, reason: withoutAddresses(missing.reason, known) };
};
const shownOf = (
  { ticket, reqId, replyTo }: AggregateWanted,
  given: Pick<AggregateShown, 'body' | 'missing' | 'failure'>,
): Post => post(replyTo, { type: 'aggregate.shown', ticket, reqId, ...given }, { optional: true });
export const refusedWith = (wanted: AggregateWanted, failure: Failure): Post =>
  shownOf(wanted, { body: {}, missing: [], failure });
export function shown(c: Context, question: Question): Post {
  const { wanted } = question;
  const { query, history } = wanted;
  const body = rulesOf(c).answerOf(itemsOn(c.caches), query, history);
  const all = missingIn(c, question);
  const missing = wanted.isByAgent ? all.map((each) => redacted(c, each)) : all;
  return shownOf(wanted, { body, missing, failure: null });
}
