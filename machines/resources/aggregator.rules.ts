/** Pure rules of an aggregator: what follows from a list, a change, an answer of a server cache, a question. */
import { childOf, keyOf, type AddressFor } from '../kernel/address.ts';
import type { Context, ResourcesListed, ServerCache } from './aggregator.events.ts';
import { open, post, type Open, type OpenRefused, type OwnedEnded, type Post } from '../kernel/effects.ts';
import { cacheKind, type CacheRefreshed, type CacheOrder } from './cache/server-cache.events.ts';
import { both } from './cache/server-cache.memory.ts';
import {
  collections,
  notShownReason,
  type Notice,
  type Refused,
  type Standings,
} from './collections/index.ts';
import { timingOf } from '../kernel/timing.ts';
import type { ResourcesWatched } from './watch.machine.ts';

export const rulesOf = ({ collection }: Pick<Context, 'collection'>) => collections[collection];
export const cacheOf = (c: Context, server: string): AddressFor<CacheOrder> =>
  childOf(c.self, cacheKind, server);
export const own = (c: Context, server: string): ServerCache | undefined =>
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
export interface Taken {
  readonly next: Partial<Context>;
  readonly opens: readonly Open[];
  readonly messages: readonly Post[];
}
const nothing: Taken = { next: {}, opens: [], messages: [] };
const unread = { items: [], reason: null, refused: [], changes: 0, asked: 0, given: 0 } as const;
/** A server without anything of the system has no server cache. Equal lists are no news, whatever else of them has changed. */
export function listed(c: Context, event: ResourcesListed): Taken {
  const { server, session, resources, changed, isRenewed } = event;
  const was = own(c, server);
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
  if (!was && uris.length === 0) return { ...nothing, next: standing };
  const watch = post(c.owner, { type: 'resources.watch', server, uris, by: c.collection });
  const isSame = was !== undefined && isSameSet(before, uris);
  // What is listed no more is watched no more: when it comes back it may be another, though the list is as it was.
  const now = new Set(uris);
  const hasLost = c.hasLost || before.some((uri) => !now.has(uri));
  const news = { isNews: c.isNews || !isSame, hasLost };
  const others = without(c.caches, server);
  if (uris.length === 0) {
    const close = post(cacheOf(c, server), { type: 'close', isNow: true }, { optional: true });
    return { next: { ...standing, caches: others, ...news }, opens: [], messages: [close, watch] };
  }
  const known = was?.isOpen === true ? was : unread;
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
    watched: both(was?.watched ?? [], uris),
  };
  const invalidations = invalidated(c, fresh, changed).messages;
  const cache: ServerCache = { ...fresh, changes: fresh.changes + invalidations.length };
  return {
    next: { ...standing, caches: { ...others, [server]: cache }, ...news },
    opens: was?.isOpen === true ? [] : [cacheOpen(c, cache)],
    messages: [listMessage(c, cache), ...invalidations, ...(isSame ? [] : [watch])],
  };
}
export const without = <T>(all: Readonly<Record<string, T>>, server: string): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => name !== server));
/** What of a list is not taken in. */
function turnedAway(c: Context, { resources, unheard = [] }: ResourcesListed): readonly Refused[] {
  const count = rulesOf(c).urisIn(unheard).length;
  return count > 0
    ? [{ reason: notShownReason(c.collection, count) }]
    : rulesOf(c).refusedIn(resources ?? []);
}
/** Told to the host once: most servers are written without it, and nothing else says why they show nothing. */
export const notShownNotices = (c: Context, { server, unheard = [] }: ResourcesListed): readonly Notice[] => {
  const count = rulesOf(c).urisIn(unheard).length;
  const text = `Server '${server}': ${notShownReason(c.collection, count)}`;
  return count > 0 ? [{ about: `${server} unheard`, mark: 'unheard', text }] : [];
};
/** Whether its list is waited for, why it cannot be had, and which questions wait for it no more. */
function standingOf(
  c: Context,
  event: ResourcesListed,
): Pick<Context, 'awaited' | 'exposed' | 'isHeard' | 'refused' | 'unlisted' | 'members' | 'questions'> {
  const { server, isAwaited, failure, resources, upTo = 0 } = event;
  const others = (names: readonly string[]): readonly string[] => names.filter((each) => each !== server);
  const unlisted = without(c.unlisted, server);
  const entries = turnedAway(c, event);
  const isGone = resources === null;
  return {
    isHeard: true,
    exposed: event.isExposed ? [...others(c.exposed), server] : others(c.exposed),
    awaited: isAwaited ? [...others(c.awaited), server] : others(c.awaited),
    refused: entries.length > 0 ? { ...c.refused, [server]: entries } : without(c.refused, server),
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
export const cacheOpen = (c: Context, { listed: { server }, session }: ServerCache): Open =>
  open(
    cacheKind,
    { server, collection: c.collection, session, timing: timingOf.cache(c.timing) },
    { key: server },
  );
export const listMessage = (c: Context, { listed: { server, uris } }: ServerCache): Post =>
  post(cacheOf(c, server), { type: 'cache.list', uris: rulesOf(c).toRead(uris) });

// ── a resource that is others now ──────────────────────────────────────────────────────────────────────
export const touched = (c: Context, cache: ServerCache, uris: readonly string[]): readonly string[] => {
  const read = rulesOf(c).toRead(cache.listed.uris);
  return [...new Set(uris.flatMap((uri) => rulesOf(c).touchedBy(uri, read)))];
};
function invalidated(c: Context, cache: ServerCache, uris: readonly string[]): Taken {
  const old = touched(c, cache, uris);
  if (old.length === 0) return nothing;
  const { server } = cache.listed;
  const stale: ServerCache = { ...cache, changes: cache.changes + 1, isFresh: false };
  return {
    next: { caches: { ...c.caches, [server]: stale } },
    opens: [],
    messages: [post(cacheOf(c, server), { type: 'cache.invalidate', uris: old }, { optional: true })],
  };
}
/** Of one that it has not listed the server may show something new: its list is looked at. A catalogue lists nothing. */
export function updated(
  c: Context,
  { server, uri }: { readonly server: string; readonly uri: string },
): Taken {
  const cache = own(c, server);
  const { next, messages } = cache ? invalidated(c, cache, [uri]) : nothing;
  const isTouched = messages.length > 0;
  const isListed = isTouched && cache !== undefined && rulesOf(c).isListed(uri, cache.listed.uris);
  const isOwn = !isListed && rulesOf(c).urisIn([{ uri }]).length > 0 && c.members.includes(server);
  const relist = isOwn ? [post(c.owner, { type: 'resources.relist', server, by: c.collection, n: 0 })] : [];
  const news = isTouched && { isNews: true, updates: c.updates + 1 };
  return { next: { ...next, ...news }, opens: [], messages: [...messages, ...relist] };
}

/** From now on its server says when one of these changes. What was read of them before that may be others by now. */
export function watched(c: Context, { server, uris, isAnew }: ResourcesWatched): Taken {
  const cache = own(c, server);
  if (!cache) return nothing;
  const known = new Set(isAnew ? [] : cache.watched);
  const fresh = uris.filter((uri) => !known.has(uri));
  const next: ServerCache = { ...cache, watched: both(uris, cache.listed.uris) };
  const read = both(rulesOf(c).toRead(cache.listed.uris), fresh);
  if (read.length === 0) return { ...nothing, next: { caches: { ...c.caches, [server]: next } } };
  const old: ServerCache = { ...next, changes: cache.changes + 1, isFresh: false };
  return {
    next: { caches: { ...c.caches, [server]: old } },
    opens: [],
    messages: [post(cacheOf(c, server), { type: 'cache.invalidate', uris: read }, { optional: true })],
  };
}
export const unwatched = (c: Context, { listed, watched }: ServerCache): readonly string[] => {
  const told = new Set(watched);
  return rulesOf(c)
    .toRead(listed.uris)
    .filter((uri) => !told.has(uri));
};

// ── what its server caches say ───────────────────────────────────────────────────────────────────────────────
export function refreshed(c: Context, news: CacheRefreshed): Partial<Context> {
  const { server, items, reason, refused, changes } = news;
  const cache = own(c, server);
  if (!cache) return {};
  // Of one that tells of no change nothing is known the next time.
  const isFresh =
    reason === null && news.isFresh && changes === cache.changes && unwatched(c, cache).length === 0;
  const given = Math.max(cache.given, news.upTo);
  return {
    caches: { ...c.caches, [server]: { ...cache, items, reason, refused, isFresh, given } },
    isNews: c.isNews || news.isNews,
    updates: c.updates + Number(news.isNews),
    questions: granted(c.questions, news),
  };
}

/** Questions for one entry have their answer, whatever else of it is being read. */
const granted = (questions: Context['questions'], { server, alone = [] }: CacheRefreshed) =>
  alone.length === 0
    ? questions
    : questions.map((question) => {
        const order = Object.hasOwn(question.refreshes, server) ? question.refreshes[server] : undefined;
        const own = alone.filter(({ n }) => n === order);
        return own.length === 0 ? question : { ...question, granted: [...(question.granted ?? []), ...own] };
      });

// ── what a host should know ────────────────────────────────────────────────────────────────────────────
/** So many are remembered; who was told of more is told of the first ones again. */
const mostNoticed = 1_000;
const newsIn = (c: Context, notices: readonly Notice[]): readonly Notice[] =>
  notices.filter(
    ({ about, mark }) => !c.noticed.some((known) => known.about === about && known.mark === mark),
  );
export function noticed(c: Context, notices: readonly Notice[]): Partial<Context> {
  const news = newsIn(c, notices);
  if (news.length === 0) return {};
  const told = new Set(news.map(({ about }) => about));
  const others = c.noticed.filter(({ about }) => !told.has(about));
  const now = news.map(({ about, mark }) => ({ about, mark }));
  return { noticed: [...others, ...now].slice(-mostNoticed) };
}
export const noticeMessages = (c: Context, notices: readonly Notice[]): Post[] =>
  newsIn(c, notices).map(({ text }) =>
    post(c.owner, { type: 'aggregate.noticed', collection: c.collection, text }),
  );
export const noticesOf = (c: Context, { items }: CacheRefreshed): readonly Notice[] =>
  rulesOf(c).noticesOf(items);

/** Its machine broke: its part is missing, and it is opened anew for the next question. */
export function broken(c: Context, ended: OwnedEnded): Partial<Context> {
  if (ended.why !== 'failed') return {};
  const { error = 'no reason was given' } = ended;
  return lost(c, ended.key, `its machine failed: ${error}`);
}
/** The one before is on its way down still: it is opened for the next question. */
export const unopened = (c: Context, { name }: OpenRefused): Partial<Context> =>
  lost(c, name.slice(name.lastIndexOf('/') + 1), 'it has just vanished and come back');
function lost(c: Context, key: string, reason: string): Partial<Context> {
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
    // Who waits for it is answered without it.
    given: cache.asked,
  };
  return { caches: { ...c.caches, [server]: gone } };
}
