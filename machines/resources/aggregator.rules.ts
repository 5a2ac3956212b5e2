/** Pure rules of an aggregator: what follows from a list, a change, an answer of a shelf, a question. */
import { keyOf, nameOf, type Address } from '../kernel/address.ts';
import type { AggregatorNews, Context, ResourcesListed, Shelf } from './aggregator.events.ts';
import type { Open, OpenRefused, OwnedEnded, Post } from '../kernel/effects.ts';
import { both, type ShelfFilled, type ShelfOrder, type ShelfStart } from './shelf.rules.ts';
import { systems, unheardReason, type Notice, type Refused } from './systems/index.ts';
import { timingOf } from '../kernel/timing.ts';
import type { ResourcesWatched } from './watch.machine.ts';

export const rulesOf = ({ system }: Pick<Context, 'system'>) => systems[system];
export const shelfOf = (c: Context, server: string): Address => `${nameOf(c.self)}/shelf:${keyOf(server)}`;
export const own = (c: Context, server: string): Shelf | undefined =>
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
const unread = { items: [], reason: null, refused: [], changes: 0, asked: 0, given: 0 } as const;
/** A server without anything of the system has no shelf. Equal lists are no news, whatever else of them has changed. */
export function listed(c: Context, event: ResourcesListed): Taken {
  const { server, session, resources, changed, isRenewed } = event;
  const was = own(c, server);
  const before = was?.listed.uris ?? [];
  const uris = rulesOf(c).urisIn(resources ?? []);
  const standing = standingOf(c, event);
  if (was && isSameList(before, uris)) {
    const { next, opens } = spoilt(c, was, changed);
    const isOther = isRenewed === true && before.length > 0;
    const news = { isNews: c.isNews || isOther, updates: c.updates + Number(isOther) };
    return { next: { ...next, ...standing, ...news }, opens, letters: spoilLetters(c, was, changed) };
  }
  if (!was && uris.length === 0) return { ...nothing, next: standing };
  const news: AggregatorNews = { type: 'resources.watch', server, uris, by: c.system };
  const watch: Post = { to: c.owner, event: news };
  const isSame = was !== undefined && isSameSet(before, uris);
  const isNews = c.isNews || !isSame;
  const others = without(c.shelves, server);
  if (uris.length === 0) {
    const close: Post = { to: shelfOf(c, server), event: { type: 'close' }, ifThere: true };
    return { next: { ...standing, shelves: others, isNews }, opens: [], letters: [close, watch] };
  }
  const known = was?.isOpen === true ? was : unread;
  const fresh: Shelf = {
    ...{ items: known.items, reason: known.reason, refused: known.refused, changes: known.changes + 1 },
    ...{ asked: known.asked, given: known.given },
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
export const without = <T>(all: Readonly<Record<string, T>>, server: string): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => name !== server));
/** What of a list is not taken in. */
function turnedAway(c: Context, { resources, unheard = [] }: ResourcesListed): readonly Refused[] {
  const count = rulesOf(c).urisIn(unheard).length;
  return count > 0 ? [{ reason: unheardReason(c.system, count) }] : rulesOf(c).refusedIn(resources ?? []);
}
/** Told to the host once: most servers are written without it, and nothing else says why they show nothing. */
export const unheardNotices = (c: Context, { server, unheard = [] }: ResourcesListed): readonly Notice[] => {
  const count = rulesOf(c).urisIn(unheard).length;
  const text = `Server '${server}': ${unheardReason(c.system, count)}`;
  return count > 0 ? [{ about: `${server} unheard`, mark: 'unheard', text }] : [];
};
/** Whether its list is waited for, why it cannot be had, and which questions wait for it no more. */
function standingOf(
  c: Context,
  event: ResourcesListed,
): Pick<Context, 'awaited' | 'exposed' | 'refused' | 'unlisted' | 'members' | 'questions'> {
  const { server, isAwaited, failure, resources, upTo = 0 } = event;
  const others = (names: readonly string[]): readonly string[] => names.filter((each) => each !== server);
  const unlisted = without(c.unlisted, server);
  const entries = turnedAway(c, event);
  const isGone = resources === null;
  return {
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
export const shelfOpen = (c: Context, { listed: { server }, session }: Shelf): Open => ({
  kind: 'shelf',
  key: keyOf(server),
  input: { server, system: c.system, session, timing: timingOf.shelf(c.timing) } satisfies ShelfStart,
});
export function listLetter(c: Context, { listed: { server, uris } }: Shelf): Post {
  const list: ShelfOrder = { type: 'shelf.list', uris: rulesOf(c).toRead(uris) };
  return { to: shelfOf(c, server), event: list };
}

// ── a resource that is others now ──────────────────────────────────────────────────────────────────────
export const touched = (c: Context, shelf: Shelf, uris: readonly string[]): readonly string[] => {
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
/** Of one that it has not listed the server may show something new: its list is looked at. A catalogue lists nothing. */
export function updated(
  c: Context,
  { server, uri }: { readonly server: string; readonly uri: string },
): Taken {
  const shelf = own(c, server);
  const isTouched = shelf !== undefined && touched(c, shelf, [uri]).length > 0;
  const isListed = isTouched && rulesOf(c).isListed(uri, shelf.listed.uris);
  const isOwn = !isListed && rulesOf(c).urisIn([{ uri }]).length > 0 && c.members.includes(server);
  const event: AggregatorNews = { type: 'resources.relist', server, by: c.system, n: 0 };
  const relist: readonly Post[] = isOwn ? [{ to: c.owner, event }] : [];
  if (!isTouched) return { ...nothing, letters: relist };
  const { next, opens } = spoilt(c, shelf, [uri]);
  const news = { isNews: true, updates: c.updates + 1 };
  return { next: { ...next, ...news }, opens, letters: [...spoilLetters(c, shelf, [uri]), ...relist] };
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
export const unwatched = (c: Context, { listed, watched }: Shelf): readonly string[] => {
  const told = new Set(watched);
  return rulesOf(c)
    .toRead(listed.uris)
    .filter((uri) => !told.has(uri));
};

// ── what its shelves say ───────────────────────────────────────────────────────────────────────────────
export function filled(c: Context, news: ShelfFilled): Partial<Context> {
  const { server, items, reason, refused, changes } = news;
  const shelf = own(c, server);
  if (!shelf) return {};
  // Of one that tells of no change nothing is known the next time.
  const isFresh =
    reason === null && news.isFresh && changes === shelf.changes && unwatched(c, shelf).length === 0;
  const given = Math.max(shelf.given, news.upTo);
  return {
    shelves: { ...c.shelves, [server]: { ...shelf, items, reason, refused, isFresh, given } },
    isNews: c.isNews || news.isNews,
    updates: c.updates + Number(news.isNews),
  };
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
  const gone: Shelf = {
    ...{ ...shelf, items: [], reason, refused: [], isFresh: false, changes: 0, isOpen: false },
    // Who waits for it is answered without it.
    given: shelf.asked,
  };
  return { shelves: { ...c.shelves, [server]: gone } };
}
