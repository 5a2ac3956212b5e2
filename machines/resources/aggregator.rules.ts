import { withoutKey } from '../protocol/json.ts';
import type { ServerHistory } from '../call/history.ts';
import {
  kindOf,
  childOf,
  keyOf,
  type Address,
  type AddressFor,
  open,
  post,
  message,
  type Open,
  type OpenRefused,
  type OwnedEnded,
  type Post,
} from '../kernel/effects.ts';
import { extended, remembered } from '../kernel/objects.ts';
import type { ResourceCollection } from '../kernel/ports.ts';
import { timingOf, type TimingOf } from '../kernel/timing.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';
import type { Missing } from '../protocol/messages/collections.ts';
import {
  cacheKind,
  inBoth,
  type GrantedWish,
  type CacheRefreshed,
  type CacheOrder,
} from './server-cache.rules.ts';
import {
  notShownReason,
  withoutAddresses,
  type AggregateShown,
  type ResourceRead,
  type ResourcesRelist,
  type Listed,
  type Notice,
  type Refused,
  type Standings,
  type ServerPart,
  type CollectionRules,
} from './collections.ts';
import { collections } from './collection-rules.ts';
import { readKind } from './read.machine.ts';
import type { ResourcesWatched } from './watch.machine.ts';

export interface AggregatorStart {
  readonly collection: ResourceCollection;
  readonly timing: TimingOf<'aggregator'>;
}
export interface AggregateWanted {
  readonly type: 'aggregate.wanted';
  readonly collection: ResourceCollection;
  readonly ticket: string;
  readonly reqId: string;
  readonly query: object;
  readonly history: ServerHistory;
  /** Failures then hide addresses and paths of a server's machine, unless its config exposes them. */
  readonly isByAgent?: true;
  readonly replyTo: AddressFor<AggregateShown>;
}
export interface ResourceWanted {
  readonly type: 'resource.wanted';
  readonly collection: ResourceCollection;
  readonly ticket: string;
  readonly reqId: string;
  readonly uri: string;
  /** Absent: any server that has the resource. */
  readonly server?: string;
  /** Actor that opened the session; set for a resource that is neither window nor document. */
  readonly session?: Address;
  /** When set, `uri` is the name of a prompt and no resource is read. */
  readonly prompt?: Readonly<Record<string, string>>;
  readonly history: ServerHistory;
  readonly isByAgent?: true;
  readonly replyTo: AddressFor<ResourceRead>;
}
/** New list of a server's resources; null when the server takes no part or is gone. */
export interface ResourcesListed {
  readonly type: 'resources.listed';
  readonly server: string;
  readonly session: Address;
  readonly resources: readonly { readonly uri: string }[] | null;
  readonly changed: readonly string[];
  /** The session has started but its list has not arrived, so that questions wait for it. */
  readonly isAwaited: boolean;
  readonly failure: string | null;
  /** Failures for agents may contain addresses and paths of the server's machine. */
  readonly isExposed?: true;
  /** Not shown, because the server does not announce changes and its config does not opt in. */
  readonly unheard?: readonly { readonly uri: string }[];
  /** New session, so that changes in between may have been missed. */
  readonly isRenewed?: true;
  /** Number of the last question for which this list was read again, by an order `resources.relist`. */
  readonly upTo?: number;
}
export type AggregatorOrder =
  | AggregateWanted
  | ResourceWanted
  | ResourcesListed
  | { readonly type: 'resource.updated'; readonly server: string; readonly uri: string }
  | ResourcesWatched
  | { readonly type: 'close' };
const aggregatorKind = kindOf<AggregatorStart, AggregatorOrder>;
export const aggregatorKinds = { desktop: aggregatorKind('desktop'), finder: aggregatorKind('finder') };
export interface QuestionLate {
  readonly type: 'question.late';
  readonly n: number;
}
export type AggregatorNews =
  | {
      readonly type: 'aggregate.changed';
      readonly collection: ResourceCollection;
      /** Hash of the listed URIs and of the number of reported updates; equal while neither has changed. */
      readonly signature: string;
    }
  /** For the host, about a problem with what servers show; reported once for each state of the problem. */
  | { readonly type: 'aggregate.noticed'; readonly collection: ResourceCollection; readonly text: string }
  | {
      readonly type: 'resources.watch';
      readonly server: string;
      readonly uris: readonly string[];
      readonly by: ResourceCollection;
    }
  | ResourcesRelist;
export type AggregatorInput = AggregatorStart & {
  readonly self: Address;
  readonly owner: AddressFor<AggregatorNews>;
};
interface ServerCache {
  readonly listed: Listed;
  readonly session: Address;
  readonly items: readonly object[];
  readonly reason: string | null;
  readonly refused: readonly Refused[];
  readonly changes: number;
  readonly isFresh: boolean;
  readonly isOpen: boolean;
  readonly watched: readonly string[];
  /** Until the order to watch the list was answered, so that reads come after their subscriptions. */
  readonly isWatching: boolean;
  /** Number of the last order to read everything (`asked`), and of the last one that was answered (`given`). */
  readonly asked: number;
  readonly given: number;
}
interface WaitingQuestion {
  readonly n: number;
  readonly wanted: AggregateWanted;
  /** Servers whose list is being read again for this question; null before they are asked. */
  readonly owed: readonly string[] | null;
  /** Numbers of the orders to read everything that were given for this question or together with it, by server. */
  readonly refreshes: Readonly<Record<string, number>>;
  /** URIs that changed after the orders in `refreshes` and are read once more for this question, by server. */
  readonly again?: Readonly<Record<string, readonly string[]>>;
  readonly granted?: readonly GrantedWish[];
  readonly isLate: boolean;
}
export interface AggregatorContext extends AggregatorInput {
  readonly caches: Readonly<Record<string, ServerCache>>;
  /** Oldest first. */
  readonly questions: readonly WaitingQuestion[];
  readonly numbered: number;
  /** Servers whose windows or documents are wanted, even if their list is empty. */
  readonly members: readonly string[];
  /** True after a first list has arrived or a first server has started. */
  readonly isHeard: boolean;
  readonly isNews: boolean;
  readonly told: string;
  readonly hasLost: boolean;
  readonly living: number;
  readonly updates: number;
  readonly awaited: readonly string[];
  readonly exposed: readonly string[];
  readonly refused: Readonly<Record<string, readonly Refused[]>>;
  readonly unlisted: Readonly<Record<string, string>>;
  readonly pending: readonly ResourceWanted[];
  readonly noticed: readonly Pick<Notice, 'about' | 'mark'>[];
}

// ── lists and server caches ───────────────────────────────────────────────────────────────────────────
const rulesOf = ({ collection }: Pick<AggregatorContext, 'collection'>) => collections[collection];
const cacheAddress = (c: AggregatorContext, server: string): AddressFor<CacheOrder> =>
  childOf(c.self, cacheKind, server);
const cacheOf = (c: AggregatorContext, server: string): ServerCache | undefined =>
  Object.hasOwn(c.caches, server) ? c.caches[server] : undefined;
const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((uri, n) => uri === b[n]);
const isSameSet = (a: readonly string[], b: readonly string[]): boolean => {
  const known = new Set(a);
  return a.length === b.length && b.every((uri) => known.has(uri));
};
const isSameStandings = (a: Standings, b: Standings): boolean => {
  const uris = Object.keys(a);
  return (
    uris.length === Object.keys(b).length &&
    uris.every((uri) => a[uri]?.priority === b[uri]?.priority && a[uri]?.fullscreen === b[uri]?.fullscreen)
  );
};
// ── what a server lists ────────────────────────────────────────────────────────────────────────────────
export interface Consequences {
  readonly next: Partial<AggregatorContext>;
  readonly opens: readonly Open[];
  readonly messages: readonly Post[];
}
const noConsequences: Consequences = { next: {}, opens: [], messages: [] };
const unreadCache = { items: [], reason: null, refused: [], changes: 0, asked: 0, given: 0 } as const;
/** A server without items of the collection gets no cache, and an equal list changes nothing. */
export function afterList(c: AggregatorContext, event: ResourcesListed): Consequences {
  const { server, session, resources, changed, isRenewed } = event;
  const was = cacheOf(c, server);
  const before = was?.listed.uris ?? [];
  const uris = rulesOf(c).urisIn(resources ?? []);
  const standings = rulesOf(c).standingsIn(resources ?? []);
  const standing = standingOf(c, event);
  if (was && isSameList(before, uris)) {
    const isSame = isSameStandings(was.listed.standings, standings);
    const cache = isSame ? was : { ...was, listed: { server, uris, standings } };
    const { next, opens, messages } = invalidated(c, cache, changed);
    const caches = next.caches ?? (isSame ? c.caches : { ...c.caches, [server]: cache });
    const isOther = !isSame || (isRenewed === true && before.length > 0);
    const news = { isNews: c.isNews || isOther, updates: c.updates + Number(isOther) };
    return { next: { caches, ...standing, ...news }, opens, messages };
  }
  if (!was && uris.length === 0) return { ...noConsequences, next: standing };
  const watch = post(c.owner, { type: 'resources.watch', server, uris, by: c.collection });
  const isSame = was !== undefined && isSameSet(before, uris);
  // A removed URI that comes back may have other content even if the list is the same.
  const now = new Set(uris);
  const hasLost = c.hasLost || before.some((uri) => !now.has(uri));
  const news = { isNews: c.isNews || !isSame, hasLost };
  const others = withoutKey(c.caches, server);
  if (uris.length === 0) {
    const close = post(cacheAddress(c, server), { type: 'close', isNow: true }, { optional: true });
    return { next: { ...standing, caches: others, ...news }, opens: [], messages: [close, watch] };
  }
  const known = was?.isOpen === true ? was : unreadCache;
  const fresh: ServerCache = {
    items: known.items,
    reason: known.reason,
    refused: known.refused,
    changes: known.changes + 1,
    asked: known.asked,
    given: known.given,
    listed: { server, uris, standings },
    session,
    isFresh: false,
    isOpen: true,
    watched: inBoth(was?.watched ?? [], uris),
    isWatching: !isSame || was.isWatching,
  };
  const invalidations = invalidated(c, fresh, changed).messages;
  const cache: ServerCache = { ...fresh, changes: fresh.changes + invalidations.length };
  return {
    next: { ...standing, caches: { ...others, [server]: cache }, ...news },
    opens: was?.isOpen === true ? [] : [cacheOpen(c, cache)],
    messages: [listMessage(c, cache), ...invalidations, ...(isSame ? [] : [watch])],
  };
}
function turnedAway(c: AggregatorContext, { resources, unheard = [] }: ResourcesListed): readonly Refused[] {
  const count = rulesOf(c).urisIn(unheard).length;
  return count > 0
    ? [{ reason: notShownReason(c.collection, count) }]
    : rulesOf(c).refusedIn(resources ?? []);
}
/** Most servers lack the capability, and the host would not see the reason otherwise. */
export const notShownNotices = (
  c: AggregatorContext,
  { server, unheard = [] }: ResourcesListed,
): readonly Notice[] => {
  const count = rulesOf(c).urisIn(unheard).length;
  const text = `Server '${server}': ${notShownReason(c.collection, count)}`;
  return count > 0 ? [{ about: `${server} unheard`, mark: 'unheard', text }] : [];
};
function standingOf(
  c: AggregatorContext,
  event: ResourcesListed,
): Pick<
  AggregatorContext,
  'awaited' | 'exposed' | 'isHeard' | 'refused' | 'unlisted' | 'members' | 'questions'
> {
  const { server, isAwaited, failure, resources, upTo = 0 } = event;
  const others = (names: readonly string[]): readonly string[] => names.filter((each) => each !== server);
  const unlisted = withoutKey(c.unlisted, server);
  const entries = turnedAway(c, event);
  const isGone = resources === null;
  return {
    isHeard: true,
    exposed: event.isExposed ? [...others(c.exposed), server] : others(c.exposed),
    awaited: isAwaited ? [...others(c.awaited), server] : others(c.awaited),
    refused: entries.length > 0 ? { ...c.refused, [server]: entries } : withoutKey(c.refused, server),
    unlisted:
      failure === null
        ? unlisted
        : { ...unlisted, [server]: `its list of resources could not be had: ${failure}` },
    members: isGone ? others(c.members) : [...others(c.members), server],
    questions: c.questions.map((question) =>
      question.owed?.includes(server) === true && (isGone || question.n <= upTo)
        ? { ...question, owed: others(question.owed) }
        : question,
    ),
  };
}
const cacheOpen = (c: AggregatorContext, { listed: { server }, session }: ServerCache): Open =>
  open(
    cacheKind,
    { server, collection: c.collection, session, timing: timingOf.cache(c.timing) },
    { key: server },
  );
const listMessage = (c: AggregatorContext, { listed: { server, uris } }: ServerCache): Post =>
  post(cacheAddress(c, server), { type: 'cache.list', uris: rulesOf(c).toRead(uris) });

// ── updates of one resource ────────────────────────────────────────────────────────────────────────────
const touchedUris = (
  c: AggregatorContext,
  cache: ServerCache,
  uris: readonly string[],
): readonly string[] => {
  const read = rulesOf(c).toRead(cache.listed.uris);
  return [...new Set(uris.flatMap((uri) => rulesOf(c).touchedBy(uri, read)))];
};
function invalidated(c: AggregatorContext, cache: ServerCache, uris: readonly string[]): Consequences {
  const old = touchedUris(c, cache, uris);
  if (old.length === 0) return noConsequences;
  const { server } = cache.listed;
  const stale: ServerCache = { ...cache, changes: cache.changes + 1, isFresh: false };
  return {
    next: { caches: { ...c.caches, [server]: stale } },
    opens: [],
    messages: [post(cacheAddress(c, server), { type: 'cache.invalidate', uris: old }, { optional: true })],
  };
}
/** A URI that is not listed may be new, so the list is read again; documents of a catalogue never are in it. */
export function afterUpdate(
  c: AggregatorContext,
  { server, uri }: { readonly server: string; readonly uri: string },
): Consequences {
  const cache = cacheOf(c, server);
  const { next, messages } = cache ? invalidated(c, cache, [uri]) : noConsequences;
  const isTouched = messages.length > 0;
  const isListed = isTouched && cache !== undefined && rulesOf(c).isListed(uri, cache.listed.uris);
  const isOwn = !isListed && rulesOf(c).urisIn([{ uri }]).length > 0 && c.members.includes(server);
  const relist = isOwn ? [post(c.owner, { type: 'resources.relist', server, by: c.collection, n: 0 })] : [];
  const news = isTouched && { isNews: true, updates: c.updates + 1 };
  return { next: { ...next, ...news }, opens: [], messages: [...messages, ...relist] };
}

export function afterWatched(
  c: AggregatorContext,
  { server, uris, isUnderWay }: ResourcesWatched,
): Consequences {
  const cache = cacheOf(c, server);
  if (!cache) return noConsequences;
  const isSame = isUnderWay ? uris.length === 0 : isSameSet(cache.watched, inBoth(uris, cache.listed.uris));
  const next: ServerCache = { ...cache, isWatching: false };
  if (isSame) return { ...noConsequences, next: { caches: { ...c.caches, [server]: next } } };
  const watched = isUnderWay ? cache.watched.concat(uris) : inBoth(uris, cache.listed.uris);
  const changed: ServerCache = { ...next, watched, changes: cache.changes + 1, isFresh: false };
  return {
    next: { caches: { ...c.caches, [server]: changed } },
    opens: [],
    messages: [followMessage(c, server, uris, isUnderWay)],
  };
}
const followMessage = (
  c: AggregatorContext,
  server: string,
  uris: readonly string[],
  isUnderWay: boolean,
): Post => post(cacheAddress(c, server), { type: 'cache.follow', uris, isUnderWay }, { optional: true });

// ── reports of server caches ─────────────────────────────────────────────────────────────────────────────────
export function afterRefresh(c: AggregatorContext, news: CacheRefreshed): Partial<AggregatorContext> {
  const { server, items, refused, changes } = news;
  const cache = cacheOf(c, server);
  if (!cache) return {};
  const isFresh = news.isFresh && changes === cache.changes;
  const given = Math.max(cache.given, news.upTo);
  return {
    caches: { ...c.caches, [server]: { ...cache, items, reason: null, refused, isFresh, given } },
    isNews: c.isNews || news.isNews,
    updates: c.updates + Number(news.isNews),
    questions: withGrants(c.questions, news),
  };
}

const withGrants = (questions: AggregatorContext['questions'], { server, alone = [] }: CacheRefreshed) =>
  alone.length === 0
    ? questions
    : questions.map((question) => {
        const order = Object.hasOwn(question.refreshes, server) ? question.refreshes[server] : undefined;
        const cacheOf = alone.filter(({ n }) => n === order);
        return cacheOf.length === 0
          ? question
          : { ...question, granted: [...(question.granted ?? []), ...cacheOf] };
      });

// ── notices for the host ───────────────────────────────────────────────────────────────────────────────
/** When it is exceeded, the first ones may be reported again. */
const mostNoticed = 1_000;
const newNotices = (c: AggregatorContext, notices: readonly Notice[]): readonly Notice[] =>
  notices.filter(
    ({ about, mark }) => !c.noticed.some((known) => known.about === about && known.mark === mark),
  );
export function afterNotices(c: AggregatorContext, notices: readonly Notice[]): Partial<AggregatorContext> {
  const news = newNotices(c, notices);
  if (news.length === 0) return {};
  const told = new Set(news.map(({ about }) => about));
  const others = c.noticed.filter(({ about }) => !told.has(about));
  const now = news.map(({ about, mark }) => ({ about, mark }));
  return { noticed: [...others, ...now].slice(-mostNoticed) };
}
export const noticeMessages = (c: AggregatorContext, notices: readonly Notice[]): Post[] =>
  newNotices(c, notices).map(({ text }) =>
    post(c.owner, { type: 'aggregate.noticed', collection: c.collection, text }),
  );
export const refreshNotices = (c: AggregatorContext, { items }: CacheRefreshed): readonly Notice[] =>
  rulesOf(c).noticesOf(items);

/** Its items are missing, and it is opened again for the next question. */
export function afterBroken(c: AggregatorContext, ended: OwnedEnded): Partial<AggregatorContext> {
  if (ended.why !== 'failed') return {};
  const { error = 'no reason was given' } = ended;
  return afterLoss(c, ended.key, `its machine failed: ${error}`);
}
/** The previous cache is still closing; the next question opens it. */
export const afterUnopened = (c: AggregatorContext, { name }: OpenRefused): Partial<AggregatorContext> =>
  afterLoss(c, name.slice(name.lastIndexOf('/') + 1), 'it has just vanished and come back');
function afterLoss(c: AggregatorContext, key: string, reason: string): Partial<AggregatorContext> {
  const cache = Object.values(c.caches).find(({ listed: l }) => key === `cache:${keyOf(l.server)}`);
  if (!cache) return {};
  const { server } = cache.listed;
  const gone: ServerCache = {
    ...cache,
    items: [],
    reason,
    refused: [],
    isFresh: false,
    changes: 0,
    isOpen: false,
    // Counts all orders to the failed cache as answered, so that waiting questions are answered without it.
    given: cache.asked,
  };
  return { caches: { ...c.caches, [server]: gone } };
}

// ── questions ─────────────────────────────────────────────────────────────────────────────────────────
const isFresh = ({ query }: AggregateWanted): boolean =>
  (query as { readonly fresh?: unknown }).fresh === true;

export const newQuestion = (c: AggregatorContext, wanted: AggregateWanted): WaitingQuestion => ({
  n: c.numbered + 1,
  wanted,
  refreshes: {},
  isLate: false,
  owed: isFresh(wanted) ? null : [],
});

const onlyOf = (c: AggregatorContext, { query }: AggregateWanted): string | null => rulesOf(c).onlyOf(query);
const orderOf = ({ refreshes }: WaitingQuestion, server: string): number | undefined =>
  Object.hasOwn(refreshes, server) ? refreshes[server] : undefined;
const grantOf = (question: WaitingQuestion, server: string): GrantedWish | undefined =>
  question.granted?.find(({ n }) => n === orderOf(question, server));

// ── servers a question waits for ───────────────────────────────────────────────────────────────────────
function isSettled(c: AggregatorContext, question: WaitingQuestion, server: string): boolean {
  const { wanted, owed, isLate } = question;
  if (!isLate && (c.awaited.includes(server) || owed?.includes(server) === true)) return false;
  const cache = cacheOf(c, server);
  if (!cache || (cache.isFresh && !isFresh(wanted))) return true;
  const order = orderOf(question, server);
  if (order === undefined) return isLate;
  return cache.given >= order || grantOf(question, server) !== undefined;
}
const itemsInPlace = remembered(({ items, listed: { standings } }: ServerCache): readonly object[] =>
  Object.keys(standings).length === 0
    ? items
    : (items as readonly { readonly uri: string }[]).map((item) =>
        Object.hasOwn(standings, item.uri) ? extended(item, { standing: standings[item.uri] }) : item,
      ),
);
function knownParts(
  c: AggregatorContext,
  servers: readonly string[],
  isKnown: (server: string) => boolean,
): ServerPart[] {
  return servers.map((server) => {
    const cache = cacheOf(c, server);
    const items = cache && isKnown(server) ? itemsInPlace(cache) : null;
    return { server, uris: cache?.listed.uris ?? null, items };
  });
}
const candidates = (c: AggregatorContext, { owed }: WaitingQuestion): readonly string[] => [
  ...new Set([
    ...Object.values(c.caches).map(({ listed: { server } }) => server),
    ...[...c.awaited, ...Object.keys(c.unlisted), ...Object.keys(c.refused), ...(owed ?? [])],
  ]),
];
const neededBy = (
  c: AggregatorContext,
  question: WaitingQuestion,
  isKnown: (server: string) => boolean,
): readonly string[] => {
  const { query, history } = question.wanted;
  return rulesOf(c).neededBy(query, history, knownParts(c, candidates(c, question), isKnown));
};
const unsettled = (c: AggregatorContext, question: WaitingQuestion): readonly string[] => {
  const isKnown = (server: string): boolean => isSettled(c, question, server);
  return neededBy(c, question, isKnown).filter((server) => !isKnown(server));
};
/** For a single window the server that lists it, or all if none does. */
function listsFor(c: AggregatorContext, { wanted: { query, history } }: WaitingQuestion): readonly string[] {
  const parts = knownParts(c, c.members, () => false);
  const needed = rulesOf(c).neededBy(query, history, parts);
  if (needed.length > 0) return needed;
  const unlisted = parts.map((part) => ({ ...part, uris: null }));
  return rulesOf(c).neededBy(query, history, unlisted);
}
export const isKnown = (c: AggregatorContext, wanted: AggregateWanted): boolean =>
  !isFresh(wanted) && unsettled(c, newQuestion(c, wanted)).length === 0;
export const answerableQuestion = (c: AggregatorContext): WaitingQuestion | undefined =>
  c.questions.find((question) => question.owed !== null && unsettled(c, question).length === 0);

// ── read orders for questions ──────────────────────────────────────────────────────────────────────────
interface Refreshing {
  readonly cache: ServerCache;
  readonly n: number;
  readonly isFresh: boolean;
  /** Later orders read only what has changed since then. */
  readonly isFirst: boolean;
  readonly only?: string;
}
const againOf = ({ again }: WaitingQuestion, server: string): readonly string[] | undefined =>
  again && Object.hasOwn(again, server) ? again[server] : undefined;
const mustRefresh = (c: AggregatorContext, question: WaitingQuestion): readonly string[] =>
  question.owed === null || question.isLate
    ? []
    : unsettled(c, question).filter((server) => {
        if (c.awaited.includes(server) || question.owed?.includes(server) === true) return false;
        const cache = cacheOf(c, server);
        const order = orderOf(question, server);
        return cache !== undefined && !cache.isWatching && (order === undefined || cache.asked < order);
      });
export const refreshesFor = remembered((c: AggregatorContext): Consequences | null => {
  const whole = c.numbered + 1;
  const counted = { numbered: whole };
  const relists = new Map<WaitingQuestion, readonly string[]>();
  const orders = new Map<string, Refreshing>();
  const questions = c.questions.map((question): WaitingQuestion => {
    if (question.owed === null) {
      relists.set(question, listsFor(c, question));
      return { ...question, owed: listsFor(c, question) };
    }
    const only = onlyOf(c, question.wanted);
    const refreshes = mustRefresh(c, question).flatMap((server) => {
      const cache = cacheOf(c, server);
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
      ...[...relists].flatMap(([{ n }, servers]) => servers.map((server) => relistMessage(c, server, n))),
      ...closed.flatMap((cache) => [
        listMessage(c, cache),
        followMessage(c, cache.listed.server, cache.watched, false),
      ]),
      ...all.map((refreshing) => refreshMessage(c, refreshing)),
    ],
  };
});
const relistMessage = (c: AggregatorContext, server: string, n: number): Post =>
  post(c.owner, { type: 'resources.relist', server, by: c.collection, n });
const refreshedWith = (cache: ServerCache, asked: number): ServerCache => ({
  ...cache,
  ...(cache.isOpen ? {} : { isOpen: true, changes: 2 }),
  asked,
});
function refreshMessage(
  c: AggregatorContext,
  { cache, n, isFresh: isAsked, isFirst, only }: Refreshing,
): Post {
  return post(cacheAddress(c, cache.listed.server), {
    type: 'cache.refresh',
    n,
    rereads: isFirst,
    isFresh: isAsked,
    ...(only !== undefined && { only }),
  });
}
/** Once more, even if the server was already answered; questions that want everything read need no mark. */
export function questionsAfterUpdate(
  c: AggregatorContext,
  { server, uri }: { readonly server: string; readonly uri: string },
): readonly WaitingQuestion[] {
  const cache = cacheOf(c, server);
  const uris = cache ? touchedUris(c, cache, [uri]) : [];
  const again = (question: WaitingQuestion): WaitingQuestion => {
    const only = onlyOf(c, question.wanted);
    if (only !== null && !uris.includes(only)) return question;
    if (question.isLate || isFresh(question.wanted) || !Object.hasOwn(question.refreshes, server))
      return question;
    const known = againOf(question, server) ?? [];
    const all = [...new Set([...known, ...uris])];
    if (all.length === known.length) return question;
    const [refreshes, others] = [withoutKey(question.refreshes, server), question.again];
    return { ...question, refreshes, again: { ...others, [server]: all } };
  };
  return uris.length === 0 ? c.questions : c.questions.map(again);
}
const notYet = 'its list of resources has not come yet';
/** Lists that have not arrived count as missing, and caches report what they have. */
export function afterLate(c: AggregatorContext, { n }: { readonly n: number }): Consequences {
  const question = c.questions.find((each) => each.n === n);
  if (!question) return { next: {}, opens: [], messages: [] };
  const tardy = unsettled(c, question);
  const unheard = tardy.filter((server) => c.awaited.includes(server));
  const messages = tardy.flatMap((server): Post[] => {
    const n = orderOf(question, server);
    return n === undefined
      ? []
      : [post(cacheAddress(c, server), { type: 'cache.tell', n }, { optional: true })];
  });
  return {
    next: {
      questions: c.questions.map((each) => (each === question ? { ...each, isLate: true } : each)),
      // Lets no later question wait again for servers whose list has not arrived in time.
      awaited: c.awaited.filter((server) => !unheard.includes(server)),
      unlisted: { ...c.unlisted, ...Object.fromEntries(unheard.map((server) => [server, notYet])) },
    },
    opens: [],
    messages,
  };
}

// ── answers to questions ───────────────────────────────────────────────────────────────────────────────
/** Remembered, so that results computed from an unchanged list are reused. */
const itemsOn = remembered((caches: AggregatorContext['caches']) =>
  Object.values(caches).flatMap(itemsInPlace),
);
const mostNamed = 20;
function namedMissing(server: string, refused: readonly Refused[]): Missing[] {
  const all = refused.slice(0, mostNamed).map((each) => ({ server, ...each }));
  const more = refused.length - all.length;
  return more > 0 ? [...all, { server, reason: `and ${more} more could not be taken in` }] : all;
}
function missingOf(c: AggregatorContext, question: WaitingQuestion, server: string): Missing[] {
  const cache = cacheOf(c, server);
  if (!cache) return [];
  const only = onlyOf(c, question.wanted);
  const grant = grantOf(question, server);
  const { refused } = cache;
  if (only === null || !grant)
    return [
      ...(cache.reason === null ? [] : [{ server, reason: cache.reason }]),
      ...namedMissing(server, refused),
    ];
  const reason = `it could not be read within ${c.timing.aggregateMs} ms`;
  return grant.isRead
    ? refused.filter(({ uri }) => uri === only).map((each) => ({ server, ...each }))
    : [{ server, uri: only, reason }];
}
function missingIn(c: AggregatorContext, question: WaitingQuestion): Missing[] {
  return neededBy(c, question, () => true).flatMap((server) => {
    const isOwed = question.isLate && question.owed?.includes(server) === true;
    const missing = missingOf(c, question, server);
    const reason =
      (Object.hasOwn(c.unlisted, server) ? c.unlisted[server] : null) ??
      (isOwed ? `its list of resources did not come again within ${c.timing.aggregateMs} ms` : null);
    const isSaid = reason === null || reason === undefined || missing.some(({ uri }) => uri === undefined);
    return [
      ...(isSaid ? [] : [{ server, reason }]),
      ...missing,
      ...namedMissing(server, Object.hasOwn(c.refused, server) ? (c.refused[server] ?? []) : []),
    ];
  });
}
const withoutAddressesFor = (c: AggregatorContext, missing: Missing): Missing => {
  if (c.exposed.includes(missing.server)) return missing;
  const known = new Set(missing.uri === undefined ? [] : [missing.uri]);
  return { ...missing, reason: withoutAddresses(missing.reason, known) };
};
const shownMessage = (
  { ticket, reqId, replyTo }: AggregateWanted,
  given: Pick<AggregateShown, 'body' | 'missing' | 'failure'>,
): Post => post(replyTo, { type: 'aggregate.shown', ticket, reqId, ...given }, { optional: true });
export const refusedAnswer = (wanted: AggregateWanted, failure: Failure): Post =>
  shownMessage(wanted, { body: {}, missing: [], failure });
export function answerTo(c: AggregatorContext, question: WaitingQuestion): Post {
  const { wanted } = question;
  const { query, history } = wanted;
  const body = rulesOf(c).answerOf(itemsOn(c.caches), query, history);
  const all = missingIn(c, question);
  const missing = wanted.isByAgent ? all.map((each) => withoutAddressesFor(c, each)) : all;
  return shownMessage(wanted, { body, missing, failure: null });
}

// ── one resource ──────────────────────────────────────────────────────────────────────────────────────
const routeOf = (
  c: AggregatorContext,
  { uri, server, session, history }: ResourceWanted,
): ReturnType<CollectionRules['routeOf']> =>
  session !== undefined
    ? { ok: true, body: { server: server ?? '', notice: null } }
    : rulesOf(c).routeOf(
        uri,
        Object.values(c.caches)
          .map((cache) => cache.listed)
          .filter((listed) => server === undefined || listed.server === server),
        history,
      );
/** In no list, while some lists have not arrived. */
export const mustWaitForLists = (c: AggregatorContext, wanted: ResourceWanted): boolean =>
  c.awaited.length > 0 && !routeOf(c, wanted).ok;
export function routeNotices(c: AggregatorContext, wanted: ResourceWanted): readonly Notice[] {
  const route = routeOf(c, wanted);
  return route.ok && route.body.notice ? [route.body.notice] : [];
}
export function refusedRead(
  { ticket, reqId, replyTo }: Pick<ResourceWanted, 'ticket' | 'reqId' | 'replyTo'>,
  failure: Failure,
): Post {
  return post(replyTo, { type: 'resource.read', ticket, reqId, contents: [], failure }, { optional: true });
}
export function readOpens(
  c: AggregatorContext,
  wanted: ResourceWanted,
): Pick<Consequences, 'opens' | 'messages'> {
  const { ticket, reqId, uri, replyTo } = wanted;
  const route = routeOf(c, wanted);
  if (!route.ok) return { opens: [], messages: [refusedRead(wanted, route.failure)] };
  const { server } = route.body;
  const session = wanted.session ?? cacheOf(c, server)?.session ?? '';
  const lastWill = message(replyTo, {
    type: 'resource.read',
    ticket,
    reqId,
    contents: [],
    failure: { code: wireCodes.internal, message: `'${uri}' is not read any more: its computer is closing` },
  });
  const read = open(
    readKind,
    {
      ticket,
      reqId,
      collection: c.collection,
      server,
      uri,
      session,
      replyTo,
      ...(wanted.prompt && { prompt: wanted.prompt }),
      ...(wanted.isByAgent && !c.exposed.includes(server) && { isRedacted: true as const }),
      timing: timingOf.read(c.timing),
    },
    { key: ticket, lastWill },
  );
  return { opens: [read], messages: [] };
}
