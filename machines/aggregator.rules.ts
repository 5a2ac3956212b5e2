/** Pure rules of an aggregator: what follows from a list, a change, an answer of a shelf, a question. */
import { keyOf, nameOf, type Address } from './address.ts';
import type {
  AggregateShown,
  AggregateWanted,
  AggregatorNews,
  Context,
  ResourcesListed,
  ResourceWanted,
  Shelf,
} from './aggregator.words.ts';
import type { Letter, Open, OwnedEnded, Post } from './effects.ts';
import type { ReadStart, ResourceRead } from './read.machine.ts';
import type { ShelfFilled, ShelfOrder, ShelfStart } from './shelf.machine.ts';
import { systems, type Missing } from './systems/index.ts';
import { timingOf } from './timing.ts';
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
  if (was && isSameList(before, uris)) {
    const { next, opens } = spoilt(c, was, changed);
    const isNews = c.isNews || (isRenewed === true && before.length > 0);
    return { next: { ...next, isNews }, opens, letters: spoilLetters(c, was, changed) };
  }
  if (!was && uris.length === 0) return nothing;
  const news: AggregatorNews = { type: 'resources.watch', server, uris, by: c.system };
  const watch: Post = { to: c.owner, event: news };
  const isNews = c.isNews || !isSameSet(before, uris);
  const others = Object.fromEntries(Object.entries(c.shelves).filter(([name]) => name !== server));
  if (uris.length === 0) {
    const close: Post = { to: shelfOf(c, server), event: { type: 'close' }, ifThere: true };
    const pending = c.pending.filter((each) => each !== server);
    return { next: { shelves: others, pending, isNews }, opens: [], letters: [close, watch] };
  }
  const known = was?.isOpen === true ? was : { items: [], reason: null, changes: 0 };
  const fresh: Shelf = {
    ...{ items: known.items, reason: known.reason, changes: known.changes + 1 },
    ...{ listed: { server, uris }, session, isFresh: false, isOpen: true },
  };
  const spoils = spoilLetters(c, fresh, changed);
  const shelf: Shelf = { ...fresh, changes: fresh.changes + spoils.length };
  return {
    next: { shelves: { ...others, [server]: shelf }, isNews },
    opens: was?.isOpen === true ? [] : [shelfOpen(c, shelf)],
    letters: [listLetter(c, shelf), ...spoils, watch],
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

// ── answers ────────────────────────────────────────────────────────────────────────────────────────────
export const unread = (c: Context): readonly string[] =>
  Object.values(c.shelves).flatMap(({ listed: { server }, isFresh }) => (isFresh ? [] : [server]));
const missingIn = (c: Context): Missing[] =>
  Object.values(c.shelves).flatMap(({ listed: { server }, reason }) =>
    reason === null ? [] : [{ server, reason }],
  );
const bodyOf = (c: Context, { query, history }: AggregateWanted): object =>
  rulesOf(c).answerOf(
    Object.values(c.shelves).flatMap(({ items }) => items),
    query,
    history,
  );
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
  const isFresh = reason === null && news.isFresh && changes === shelf.changes;
  return { pending, shelves: { ...c.shelves, [server]: { ...shelf, items, reason, isFresh } } };
}
/** Its machine broke: its part is missing, and it is opened anew for the next question. */
export function broken(c: Context, ended: OwnedEnded): Partial<Context> {
  const shelf = Object.values(c.shelves).find(({ listed: l }) => ended.key === `shelf:${keyOf(l.server)}`);
  if (!shelf || ended.why !== 'failed') return {};
  const { server } = shelf.listed;
  const reason = `its machine failed: ${ended.error ?? 'no reason was given'}`;
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
  const fill: ShelfOrder = { type: 'shelf.fill' };
  return {
    opens: closed.map((shelf) => shelfOpen(c, shelf)),
    letters: [
      ...closed.map((shelf) => listLetter(c, shelf)),
      ...shelves.map(({ listed: { server } }): Post => ({ to: shelfOf(c, server), event: fill })),
    ],
  };
}
export function pending(c: Context): Partial<Context> {
  const opened = (shelf: Shelf): Shelf => (shelf.isOpen ? shelf : { ...shelf, isOpen: true, changes: 1 });
  const shelves = Object.entries(c.shelves).map(([server, shelf]) => [server, opened(shelf)]);
  return { pending: unread(c), shelves: Object.fromEntries(shelves) as Context['shelves'] };
}

// ── one resource ───────────────────────────────────────────────────────────────────────────────────────
export function reading(c: Context, wanted: ResourceWanted): Pick<Taken, 'opens' | 'letters'> {
  const { ticket, reqId, uri, replyTo } = wanted;
  const shelves = Object.values(c.shelves);
  const route = rulesOf(c).routeOf(
    uri,
    shelves.map((shelf) => shelf.listed),
    wanted.history,
  );
  const refuse = (failure: Failure): Pick<Taken, 'opens' | 'letters'> => {
    const event: ResourceRead = { type: 'resource.read', ticket, reqId, contents: [], failure };
    return { opens: [], letters: [{ to: replyTo, event, ifThere: true }] };
  };
  if (!route.ok) return refuse(route.failure);
  const server = route.body;
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
