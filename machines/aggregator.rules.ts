/** Pure rules of an aggregator: what follows from a list, a change, an answer of a shelf, a question. */
import { keyOf, nameOf, type Address } from './address.ts';
import type {
  AggregateWanted,
  AggregatorNews,
  Context,
  ResourcesListed,
  ResourceWanted,
  Shelf,
} from './aggregator.words.ts';
import type { Letter, Open, OpenRefused, OwnedEnded, Post } from './effects.ts';
import type { ReadStart } from './read.machine.ts';
import { remembered } from './remembered.ts';
import { both, type ShelfFilled, type ShelfOrder, type ShelfStart } from './shelf.rules.ts';
import {
  systems,
  type AggregateShown,
  type Missing,
  type Notice,
  type ResourceRead,
  type SystemRules,
} from './systems/index.ts';
import { timingOf } from './timing.ts';
import type { ResourcesWatched } from './watch.machine.ts';
import { wireCodes, type Failure } from './wire/failure.ts';

const rulesOf = ({ system }: Pick<Context, 'system'>) => systems[system];
const shelfOf = (c: Context, server: string): Address => `${nameOf(c.self)}/shelf:${keyOf(server)}`;
const own = (c: Context, server: string): Shelf | undefined =>
  Object.hasOwn(c.shelves, server) ? c.shelves[server] : undefined;
const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((uri, n) => uri === b[n]);
const isSameSet = (a: readonly string[], b: readonly string[]): boolean => {
  const known = new Set(a);
  return a.length === b.length && b.every((uri) => known.has(uri));
};
// ── what a server lists ────────────────────────────────────────────────────────────────────────────────
export interface Taken {
  readonly next: Partial<Context>;
  readonly opens: readonly Open[];
  readonly letters: readonly Post[];
}
const nothing: Taken = { next: {}, opens: [], letters: [] };
/** A server without anything of the system has no shelf. Equal lists are no news, whatever else of them has changed. */
export function listed(c: Context, event: ResourcesListed): Taken {
  const { server, session, resources, changed, isRenewed } = event;
  const was = own(c, server);
  const before = was?.listed.uris ?? [];
  const uris = rulesOf(c).urisIn(resources ?? []);
  const standing = standingOf(c, event);
  if (was && isSameList(before, uris)) {
    const { next, opens } = spoilt(c, was, changed);
    const isNews = c.isNews || (isRenewed === true && before.length > 0);
    return { next: { ...next, ...standing, isNews }, opens, letters: spoilLetters(c, was, changed) };
  }
  if (!was && uris.length === 0) return { ...nothing, next: standing };
  const news: AggregatorNews = { type: 'resources.watch', server, uris, by: c.system };
  const watch: Post = { to: c.owner, event: news };
  const isSame = was !== undefined && isSameSet(before, uris);
  const isNews = c.isNews || !isSame;
  const others = Object.fromEntries(Object.entries(c.shelves).filter(([name]) => name !== server));
  if (uris.length === 0) {
    const close: Post = { to: shelfOf(c, server), event: { type: 'close' }, ifThere: true };
    const pending = c.pending.filter((each) => each !== server);
    return { next: { ...standing, shelves: others, pending, isNews }, opens: [], letters: [close, watch] };
  }
  const known = was?.isOpen === true ? was : { items: [], reason: null, changes: 0 };
  const fresh: Shelf = {
    ...{ items: known.items, reason: known.reason, changes: known.changes + 1 },
    ...{
      listed: { server, uris },
      session,
      isFresh: false,
      isOpen: true,
      watched: both(was?.watched ?? [], uris),
    },
  };
  const spoils = spoilLetters(c, fresh, changed);
  const shelf: Shelf = { ...fresh, changes: fresh.changes + spoils.length };
  return {
    next: { ...standing, shelves: { ...others, [server]: shelf }, isNews },
    opens: was?.isOpen === true ? [] : [shelfOpen(c, shelf)],
    letters: [listLetter(c, shelf), ...spoils, ...(isSame ? [] : [watch])],
  };
}
/** Whether its list is waited for, and why it cannot be had. */
function standingOf(c: Context, event: ResourcesListed): Pick<Context, 'awaited' | 'unlisted'> {
  const { server, isAwaited, failure } = event;
  const awaited = c.awaited.filter((each) => each !== server);
  const unlisted = Object.fromEntries(Object.entries(c.unlisted).filter(([name]) => name !== server));
  return {
    awaited: isAwaited ? [...awaited, server] : awaited,
    unlisted: failure === null ? unlisted : { ...unlisted, [server]: failure },
  };
}
const shelfOpen = (c: Context, { listed: { server }, session }: Shelf): Open => ({
  kind: 'shelf',
  key: keyOf(server),
  input: { server, system: c.system, session, timing: timingOf.shelf(c.timing) } satisfies ShelfStart,
});
function listLetter(c: Context, { listed: { server, uris } }: Shelf): Post {
  const list: ShelfOrder = { type: 'shelf.list', uris: rulesOf(c).toRead(uris) };
  return { to: shelfOf(c, server), event: list };
}

// ── a resource that is others now ──────────────────────────────────────────────────────────────────────
const touched = (c: Context, shelf: Shelf, uris: readonly string[]): readonly string[] => {
  const read = rulesOf(c).toRead(shelf.listed.uris);
  return [...new Set(uris.flatMap((uri) => rulesOf(c).touchedBy(uri, read)))];
};
function spoilt(c: Context, shelf: Shelf, uris: readonly string[]): Pick<Taken, 'next' | 'opens'> {
  if (touched(c, shelf, uris).length === 0) return nothing;
  const { server } = shelf.listed;
  const old: Shelf = { ...shelf, changes: shelf.changes + 1, isFresh: false };
  return { next: { shelves: { ...c.shelves, [server]: old } }, opens: [] };
}
function spoilLetters(c: Context, shelf: Shelf, uris: readonly string[]): readonly Post[] {
  const order: ShelfOrder = { type: 'shelf.spoil', uris: touched(c, shelf, uris) };
  return order.uris.length === 0
    ? []
    : [{ to: shelfOf(c, shelf.listed.server), event: order, ifThere: true }];
}
/** What is told of one that is not listed is told of nothing that is shown. */
export function updated(
  c: Context,
  { server, uri }: { readonly server: string; readonly uri: string },
): Taken {
  const shelf = own(c, server);
  if (!shelf || touched(c, shelf, [uri]).length === 0) return nothing;
  const { next, opens } = spoilt(c, shelf, [uri]);
  return { next: { ...next, isNews: true }, opens, letters: spoilLetters(c, shelf, [uri]) };
}

/** From now on its server says when one of these changes. What was read of them before that may be others by now. */
export function watched(c: Context, { server, uris, isAnew }: ResourcesWatched): Taken {
  const shelf = own(c, server);
  if (!shelf) return nothing;
  const known = new Set(isAnew ? [] : shelf.watched);
  const fresh = uris.filter((uri) => !known.has(uri));
  const next: Shelf = { ...shelf, watched: both(uris, shelf.listed.uris) };
  const read = both(rulesOf(c).toRead(shelf.listed.uris), fresh);
  if (read.length === 0) return { ...nothing, next: { shelves: { ...c.shelves, [server]: next } } };
  const order: ShelfOrder = { type: 'shelf.spoil', uris: read };
  const old: Shelf = { ...next, changes: shelf.changes + 1, isFresh: false };
  return {
    next: { shelves: { ...c.shelves, [server]: old } },
    opens: [],
    letters: [{ to: shelfOf(c, server), event: order, ifThere: true }],
  };
}
const unwatched = (c: Context, { listed, watched }: Shelf): readonly string[] => {
  const told = new Set(watched);
  return rulesOf(c)
    .toRead(listed.uris)
    .filter((uri) => !told.has(uri));
};

// ── answers ────────────────────────────────────────────────────────────────────────────────────────────
export const unread = (c: Context): readonly string[] =>
  Object.values(c.shelves).flatMap(({ listed: { server }, isFresh }) => (isFresh ? [] : [server]));
const missingIn = (c: Context): Missing[] => [
  ...Object.values(c.shelves).flatMap(({ listed: { server }, reason }) =>
    reason === null ? [] : [{ server, reason }],
  ),
  ...c.awaited.map((server) => ({
    server,
    reason: `its list of resources did not come within ${c.timing.shelfMs} ms`,
  })),
  ...Object.entries(c.unlisted).map(([server, why]) => ({
    server,
    reason: `its list of resources could not be had: ${why}`,
  })),
];
/** The same list for as long as nothing changes, so that what is worked out of it is worked out once. */
const itemsOn = remembered((shelves: Context['shelves']) =>
  Object.values(shelves).flatMap(({ items }) => items),
);
const bodyOf = (c: Context, { query, history }: AggregateWanted): object =>
  rulesOf(c).answerOf(itemsOn(c.shelves), query, history);
export function shown(c: Context, wanted: AggregateWanted, failure: Failure | null): Post {
  const event: AggregateShown = {
    type: 'aggregate.shown',
    ...{ ticket: wanted.ticket, reqId: wanted.reqId, failure },
    body: failure ? {} : bodyOf(c, wanted),
    missing: failure ? [] : missingIn(c),
  };
  return { to: wanted.replyTo, event, ifThere: true };
}
export function filled(c: Context, news: ShelfFilled): Partial<Context> {
  const { server, items, reason, changes } = news;
  const shelf = own(c, server);
  const pending = c.pending.filter((each) => each !== server);
  if (!shelf) return { pending };
  // Of one that tells of no change nothing is known the next time.
  const isFresh =
    reason === null && news.isFresh && changes === shelf.changes && unwatched(c, shelf).length === 0;
  return { pending, shelves: { ...c.shelves, [server]: { ...shelf, items, reason, isFresh } } };
}

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
export const noticeLetters = (c: Context, notices: readonly Notice[]): Post[] =>
  newsIn(c, notices).map(({ text }) => ({
    to: c.owner,
    event: { type: 'aggregate.noticed', system: c.system, text } satisfies AggregatorNews,
  }));
export const noticesOf = (c: Context, { items }: ShelfFilled): readonly Notice[] =>
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
  const shelf = Object.values(c.shelves).find(({ listed: l }) => key === `shelf:${keyOf(l.server)}`);
  if (!shelf) return {};
  const { server } = shelf.listed;
  const gone: Shelf = { ...shelf, items: [], reason, isFresh: false, changes: 0, isOpen: false };
  return {
    pending: c.pending.filter((each) => each !== server),
    shelves: { ...c.shelves, [server]: gone },
  };
}
/** All that is not known is asked for; who has no machine any more gets one. */
export function filling(c: Context): Pick<Taken, 'opens' | 'letters'> {
  const shelves = unread(c).flatMap((server) => own(c, server) ?? []);
  const closed = shelves.filter(({ isOpen }) => !isOpen);
  const fill = (shelf: Shelf): ShelfOrder => ({ type: 'shelf.fill', anew: unwatched(c, shelf) });
  return {
    opens: closed.map((shelf) => shelfOpen(c, shelf)),
    letters: [
      ...closed.map((shelf) => listLetter(c, shelf)),
      ...shelves.map((shelf): Post => ({ to: shelfOf(c, shelf.listed.server), event: fill(shelf) })),
    ],
  };
}
export function pending(c: Context): Partial<Context> {
  const opened = (shelf: Shelf): Shelf => (shelf.isOpen ? shelf : { ...shelf, isOpen: true, changes: 1 });
  const shelves = Object.entries(c.shelves).map(([server, shelf]) => [server, opened(shelf)]);
  return { pending: unread(c), shelves: Object.fromEntries(shelves) as Context['shelves'] };
}

// ── one resource ───────────────────────────────────────────────────────────────────────────────────────
const routeOf = (c: Context, { uri, history }: ResourceWanted): ReturnType<SystemRules['routeOf']> =>
  rulesOf(c).routeOf(
    uri,
    Object.values(c.shelves).map((shelf) => shelf.listed),
    history,
  );
/** Nobody lists it, and not all lists have come. */
export const mustWait = (c: Context, wanted: ResourceWanted): boolean =>
  c.awaited.length > 0 && !routeOf(c, wanted).ok;
export function routeNotices(c: Context, wanted: ResourceWanted): readonly Notice[] {
  const route = routeOf(c, wanted);
  return route.ok && route.body.notice ? [route.body.notice] : [];
}
export function refused(
  { ticket, reqId, replyTo }: Pick<ResourceWanted, 'ticket' | 'reqId' | 'replyTo'>,
  failure: Failure,
): Post {
  const event: ResourceRead = { type: 'resource.read', ticket, reqId, contents: [], failure };
  return { to: replyTo, event, ifThere: true };
}
export function reading(c: Context, wanted: ResourceWanted): Pick<Taken, 'opens' | 'letters'> {
  const { ticket, reqId, uri, replyTo } = wanted;
  const route = routeOf(c, wanted);
  if (!route.ok) return { opens: [], letters: [refused(wanted, route.failure)] };
  const { server } = route.body;
  const session = own(c, server)?.session ?? '';
  const input: ReadStart = {
    ...{ ticket, reqId, system: c.system, server, uri, session, replyTo },
    timing: timingOf.read(c.timing),
  };
  const gone: ResourceRead = {
    type: 'resource.read',
    ...{ ticket, reqId, contents: [] },
    failure: { code: wireCodes.internal, message: `'${uri}' is not read any more: its computer is closing` },
  };
  const will: Letter = { to: replyTo, event: gone };
  return { opens: [{ kind: 'read', key: keyOf(ticket), input, will }], letters: [] };
}
