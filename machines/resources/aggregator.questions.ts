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
import { extended } from '../kernel/extended.ts';
import { remembered } from '../kernel/remembered.ts';
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

// ── what it waits for ──────────────────────────────────────────────────────────────────────────────────
/** Nobody waits for what has been given for him, or is how it is. */
function isSettled(c: Context, { wanted, owed, refreshes, isLate }: Question, server: string): boolean {
  if (!isLate && (c.awaited.includes(server) || owed?.includes(server) === true)) return false;
  const cache = own(c, server);
  if (!cache || (cache.isFresh && !isFresh(wanted))) return true;
  const refresh = Object.hasOwn(refreshes, server) ? refreshes[server] : undefined;
  return refresh === undefined ? isLate : cache.given >= refresh;
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
/** An order to read all that a server shows: whoever comes before it is answered takes part in it. */
interface Refreshing {
  readonly cache: ServerCache;
  readonly isFresh: boolean;
  /** For some it is the first; for others only what has changed since is read once more. */
  readonly isFirst: boolean;
}
const againOf = ({ again }: Question, server: string): readonly string[] | undefined =>
  again && Object.hasOwn(again, server) ? again[server] : undefined;
const mustRefresh = (c: Context, question: Question): readonly string[] =>
  question.owed === null || question.isLate
    ? []
    : unsettled(c, question).filter((server) => {
        if (c.awaited.includes(server) || question.owed?.includes(server) === true) return false;
        const cache = own(c, server);
        const refresh = Object.hasOwn(question.refreshes, server)
          ? (question.refreshes[server] ?? 0)
          : Infinity;
        return cache !== undefined && (refresh === Infinity || cache.asked < refresh);
      });
/** All that questions wait for and nobody was asked for yet; null: there is none. */
export const asking = remembered((c: Context): Taken | null => {
  const numbered = c.numbered + 1;
  const relists = new Map<Question, readonly string[]>();
  const refreshings = new Map<string, Refreshing>();
  const questions = c.questions.map((question): Question => {
    if (question.owed === null) {
      relists.set(question, listsFor(c, question));
      return { ...question, owed: listsFor(c, question) };
    }
    const servers = mustRefresh(c, question);
    for (const server of servers) {
      const cache = own(c, server);
      if (!cache) continue;
      const before = refreshings.get(server);
      refreshings.set(server, {
        cache,
        isFresh: before?.isFresh === true || isFresh(question.wanted),
        isFirst: before?.isFirst === true || againOf(question, server) === undefined,
      });
    }
    const refreshes = Object.fromEntries(servers.map((server) => [server, numbered]));
    return servers.length === 0
      ? question
      : { ...question, refreshes: { ...question.refreshes, ...refreshes } };
  });
  if (relists.size + refreshings.size === 0) return null;
  const all = [...refreshings.values()];
  const closed = all.flatMap(({ cache }) => (cache.isOpen ? [] : [cache]));
  const asked = all.map(({ cache }) => [cache.listed.server, refreshedWith(cache, numbered)] as const);
  return {
    next: { questions, numbered, caches: { ...c.caches, ...Object.fromEntries(asked) } },
    opens: closed.map((cache) => cacheOpen(c, cache)),
    messages: [
      ...[...relists].flatMap(([{ n }, servers]) => servers.map((server) => relist(c, server, n))),
      ...closed.map((cache) => listMessage(c, cache)),
      ...all.map((refreshing) => refresh(c, refreshing, numbered)),
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
function refresh(c: Context, { cache, isFresh: isAsked, isFirst }: Refreshing, n: number): Post {
  const anew = isFirst ? unwatched(c, cache) : [];
  return post(cacheOf(c, cache.listed.server), { type: 'cache.refresh', n, anew, isFresh: isAsked });
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
    const refresh = Object.hasOwn(question.refreshes, server) ? question.refreshes[server] : undefined;
    return refresh === undefined
      ? []
      : [post(cacheOf(c, server), { type: 'cache.tell', n: refresh }, { optional: true })];
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
/** Of the servers that it needs what is not there, and why. */
function missingIn(c: Context, question: Question): Missing[] {
  return neededBy(c, question, () => true).flatMap((server) => {
    const isOwed = question.isLate && question.owed?.includes(server) === true;
    const cache = own(c, server);
    const reason =
      cache?.reason ??
      (Object.hasOwn(c.unlisted, server) ? c.unlisted[server] : null) ??
      (isOwed ? `its list of resources did not come anew within ${c.timing.aggregateMs} ms` : null);
    return [
      ...(reason === null || reason === undefined ? [] : [{ server, reason }]),
      ...named(server, cache?.refused ?? []),
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
