/** Rules of a Desktop or a Finder: lists of servers, updates, questions, and reads of one resource. */
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
  toOwned,
  type Open,
  type OwnedEnded,
  type Post,
  type TellOwned,
} from '../kernel/effects.ts';
import { remembered } from '../kernel/objects.ts';
import type { Taken } from '../kernel/taken.ts';
import type { ResourceCollection } from '../ports/link.ts';
import { timingOf, type TimingOf } from '../kernel/timing.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';
import { collections } from './collection-rules.ts';
import {
  notShownReason,
  signatureOf,
  type CollectionRules,
  type Notice,
  type Refused,
  type ResourceRead,
  type ResourcesRelist,
  type Standings,
} from './collections.ts';
import {
  closingFailure,
  isFresh,
  isSameList,
  lastWill,
  listsFor,
  notYet,
  questionKind,
  type AggregateWanted,
  type QuestionLate,
  type ServerList,
  type ServerLists,
} from './question.rules.ts';
import { readKind } from './read.machine.ts';
import { cacheKind, type CacheOrder } from './server-cache.rules.ts';
import type { ResourcesWatched } from './watch.machine.ts';

export type { AggregateWanted } from './question.rules.ts';

export interface AggregatorStart {
  readonly collection: ResourceCollection;
  readonly timing: TimingOf<'aggregator'>;
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
export interface AggregatorContext extends AggregatorInput {
  /** What each server lists of the windows or documents, or why it lists none. */
  readonly lists: ServerLists;
  readonly numbered: number;
  readonly updates: number;
  /** Something has changed since the last announcement. */
  readonly isNews: boolean;
  readonly pending: readonly ResourceWanted[];
  readonly noticed: readonly Pick<Notice, 'about' | 'mark'>[];
}
export const initialContext = (input: AggregatorInput): AggregatorContext => ({
  ...input,
  lists: {},
  numbered: 0,
  updates: 0,
  isNews: false,
  pending: [],
  noticed: [],
});

const rulesOf = ({ collection }: Pick<AggregatorContext, 'collection'>) => collections[collection];
const toCache = (c: AggregatorContext, server: string, order: CacheOrder): Post =>
  post(childOf(c.self, cacheKind, server), order, { optional: true });
export const listOf = ({ lists }: AggregatorContext, server: string): ServerList | undefined =>
  Object.hasOwn(lists, server) ? lists[server] : undefined;
const isListing = ({ uris }: Pick<ServerList, 'uris'>): boolean => uris.length > 0;
/** Servers with windows or documents. */
const listing = remembered((lists: ServerLists) => Object.values(lists).filter(isListing));
export const isAwaiting = ({ lists }: AggregatorContext): boolean =>
  Object.values(lists).some(({ isAwaited }) => isAwaited);
export const changedMessage = (c: AggregatorContext): Post =>
  post(c.owner, {
    type: 'aggregate.changed',
    collection: c.collection,
    signature: signatureOf(c.self, c.updates, listing(c.lists)),
  });
type Consequences = Taken<AggregatorContext>;
export const afterChange = ({ updates }: AggregatorContext): Consequences => ({
  next: { updates: updates + 1, isNews: true },
});
const tellQuestions = (server: string, list: ServerList | undefined): readonly TellOwned[] => [
  toOwned(questionKind, { type: 'question.listed', server, list: list ?? null }),
];
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
function turnedAway(c: AggregatorContext, { resources, unheard = [] }: ResourcesListed): readonly Refused[] {
  const count = rulesOf(c).urisIn(unheard).length;
  return count > 0
    ? [{ reason: notShownReason(c.collection, count) }]
    : rulesOf(c).refusedIn(resources ?? []);
}
/** Most servers lack the capability, and the host would not see the reason otherwise. */
const notShownNotices = (
  c: AggregatorContext,
  { server, unheard = [] }: ResourcesListed,
): readonly Notice[] => {
  const count = rulesOf(c).urisIn(unheard).length;
  const text = `Server '${server}': ${notShownReason(c.collection, count)}`;
  return count > 0 ? [{ about: `${server} unheard`, mark: 'unheard', text }] : [];
};
/** The same list stays the same object, so that what is remembered of it is used again. */
function listIn(c: AggregatorContext, event: ResourcesListed, was: ServerList | undefined): ServerList {
  const { server, session, resources, isAwaited, failure } = event;
  const before = was?.uris ?? [];
  const uris = rulesOf(c).urisIn(resources ?? []);
  return {
    server,
    session,
    uris: isSameList(before, uris) ? before : uris,
    standings: rulesOf(c).standingsIn(resources ?? []),
    isMember: resources !== null,
    isAwaited,
    isWatching: isListing({ uris }) && (was?.isWatching === true || !isSameSet(before, uris)),
    isOpen: isListing({ uris }),
    isExposed: event.isExposed === true,
    reason: failure === null ? null : `its list of resources could not be had: ${failure}`,
    refused: turnedAway(c, event),
    upTo: Math.max(was?.upTo ?? 0, event.upTo ?? 0),
  };
}
const withList = ({ lists }: AggregatorContext, list: ServerList): ServerLists =>
  list.isMember || list.isAwaited || list.refused.length > 0
    ? { ...lists, [list.server]: list }
    : withoutKey(lists, list.server);
/** A server without items of the collection gets no cache, and an equal list changes nothing. */
export function afterList(c: AggregatorContext, event: ResourcesListed): Consequences {
  const was = listOf(c, event.server);
  const list = listIn(c, event, was);
  const before = was?.uris ?? [];
  const isSame = isSameSet(before, list.uris);
  const isOther = !isSameStandings(was?.standings ?? {}, list.standings) || event.isRenewed === true;
  const isTouched = isSame && isListing(list) && isOther;
  const isNew = isListing(list) && was?.isOpen !== true;
  const lists = withList(c, list);
  const noticed = withNotices(c, notShownNotices(c, event));
  return {
    opens: isNew ? [cacheOpen(c, list)] : [],
    messages: [
      ...(isNew || !isSameList(list.uris, before) ? [listMessage(c, list)] : []),
      ...invalidations(c, list, event.changed),
      ...(isSame ? [] : [watchMessage(c, list)]),
      ...noticed.messages,
    ],
    told: tellQuestions(event.server, listOf({ ...c, lists }, event.server)),
    next: {
      lists,
      updates: c.updates + Number(isTouched),
      isNews: c.isNews || isTouched || !isSame,
      ...noticed.next,
    },
  };
}
const cacheOpen = (c: AggregatorContext, { server, session }: ServerList): Open =>
  open(
    cacheKind,
    { server, collection: c.collection, session, timing: timingOf.cache(c.timing) },
    { key: server },
  );
const listMessage = (c: AggregatorContext, list: ServerList): Post =>
  toCache(
    c,
    list.server,
    isListing(list) ? { type: 'cache.list', uris: rulesOf(c).toRead(list.uris) } : { type: 'close' },
  );
const watchMessage = (c: AggregatorContext, { server, uris }: ServerList): Post =>
  post(c.owner, { type: 'resources.watch', server, uris, by: c.collection });
/** A cache that has failed is opened again for the next question, and told what the first one was told. */
function reopenings(c: AggregatorContext) {
  const closed = listing(c.lists).filter(({ isOpen }) => !isOpen);
  const lists = closed.map((list) => [list.server, { ...list, isOpen: true, isWatching: true }] as const);
  return {
    next: { lists: { ...c.lists, ...Object.fromEntries(lists) } },
    opens: closed.map((list) => cacheOpen(c, list)),
    messages: closed.flatMap((list) => [listMessage(c, list), watchMessage(c, list)]),
  };
}
const isCacheOf = ({ key }: OwnedEnded, { server }: ServerList): boolean => key === `cache:${keyOf(server)}`;
/** Of a server cache that has failed. */
export const brokenList = (c: AggregatorContext, ended: OwnedEnded): ServerList | undefined =>
  ended.why === 'failed' ? listing(c.lists).find((list) => isCacheOf(ended, list)) : undefined;
export function afterBroken(c: AggregatorContext, ended: OwnedEnded): Consequences {
  const list = brokenList(c, ended);
  if (!list) return {};
  const { server } = list;
  const reason = `its machine failed: ${ended.error ?? 'no reason was given'}`;
  return {
    told: [toOwned(questionKind, { type: 'cache.given', server, items: [], refused: [{ reason }] })],
    next: { lists: { ...c.lists, [server]: { ...list, isOpen: false } } },
  };
}
function invalidations(
  c: AggregatorContext,
  { server, uris: listed }: ServerList,
  uris: readonly string[],
): Post[] {
  const read = rulesOf(c).toRead(listed);
  const old = [...new Set(uris.flatMap((uri) => rulesOf(c).touchedBy(uri, read)))];
  return old.length > 0 ? [toCache(c, server, { type: 'cache.invalidate', uris: old })] : [];
}
/** A URI that is not listed may be new, so the list is read again; documents of a catalogue never are in it. */
export function afterUpdate(
  c: AggregatorContext,
  { server, uri }: { readonly server: string; readonly uri: string },
): Consequences {
  const list = listOf(c, server);
  if (!list?.isMember) return {};
  const messages = invalidations(c, list, [uri]);
  const isTouched = messages.length > 0;
  const isListed = isTouched && rulesOf(c).isListed(uri, list.uris);
  const isOwn = !isListed && rulesOf(c).urisIn([{ uri }]).length > 0;
  const relist = isOwn ? [relistMessage(c, server, 0)] : [];
  return { ...(isTouched && afterChange(c)), messages: [...messages, ...relist] };
}
const relistMessage = (c: AggregatorContext, server: string, n: number): Post =>
  post(c.owner, { type: 'resources.relist', server, by: c.collection, n });
export function afterWatched(
  c: AggregatorContext,
  { server, uris, isUnderWay }: ResourcesWatched,
): Consequences {
  const known = listOf(c, server);
  if (!known) return { told: tellQuestions(server, undefined) };
  const list = { ...known, isWatching: false };
  return {
    messages: [toCache(c, server, { type: 'cache.follow', uris, isUnderWay })],
    told: tellQuestions(server, list),
    next: { lists: { ...c.lists, [server]: list } },
  };
}
/** Lists are read again for a fresh one. */
export function afterQuestion(c: AggregatorContext, wanted: AggregateWanted): Consequences {
  const { next, opens, messages } = reopenings(c);
  const n = c.numbered + 1;
  const { lists } = next;
  const owed = isFresh(wanted) ? listsFor({ wanted, lists }) : [];
  const question = open(
    questionKind,
    { wanted, n, lists, owed, timing: timingOf.question(c.timing) },
    { key: `${n}`, lastWill: lastWill(wanted) },
  );
  return {
    next: { ...next, numbered: n },
    opens: [...opens, question],
    messages: [...messages, ...owed.map((server) => relistMessage(c, server, n))],
  };
}
export function afterLate(c: AggregatorContext, { servers }: QuestionLate): Consequences {
  const late = servers.flatMap((server) => {
    const list = listOf(c, server);
    return list?.isAwaited ? [[server, { ...list, isAwaited: false, reason: notYet }] as const] : [];
  });
  return { next: { lists: { ...c.lists, ...Object.fromEntries(late) } } };
}
/** When it is exceeded, the first ones may be reported again. */
const mostNoticed = 1_000;
const newNotices = (c: AggregatorContext, notices: readonly Notice[]): readonly Notice[] =>
  notices.filter(
    ({ about, mark }) => !c.noticed.some((known) => known.about === about && known.mark === mark),
  );
function withNotices(c: AggregatorContext, notices: readonly Notice[]) {
  const news = newNotices(c, notices);
  const told = new Set(news.map(({ about }) => about));
  const others = c.noticed.filter(({ about }) => !told.has(about));
  const now = news.map(({ about, mark }) => ({ about, mark }));
  return {
    messages: news.map(({ text }) =>
      post(c.owner, { type: 'aggregate.noticed', collection: c.collection, text }),
    ),
    next: news.length === 0 ? {} : { noticed: [...others, ...now].slice(-mostNoticed) },
  };
}
export const afterNotices = (
  c: AggregatorContext,
  { notices }: { readonly notices: readonly Notice[] },
): Consequences => withNotices(c, notices);
const routeOf = (
  c: AggregatorContext,
  { uri, server, session, history }: ResourceWanted,
): ReturnType<CollectionRules['routeOf']> =>
  session !== undefined
    ? { ok: true, body: { server: server ?? '', notice: null } }
    : rulesOf(c).routeOf(
        uri,
        listing(c.lists).filter((list) => server === undefined || list.server === server),
        history,
      );
/** In no list, while some lists have not arrived. */
export const mustWaitForLists = (c: AggregatorContext, wanted: ResourceWanted): boolean =>
  isAwaiting(c) && !routeOf(c, wanted).ok;
export const afterEarly = ({ pending }: AggregatorContext, wanted: ResourceWanted): Consequences => ({
  next: { pending: [...pending, wanted] },
});
export function refusedRead(
  { ticket, reqId, replyTo }: Pick<ResourceWanted, 'ticket' | 'reqId' | 'replyTo'>,
  failure: Failure,
): Post {
  return post(replyTo, { type: 'resource.read', ticket, reqId, contents: [], failure }, { optional: true });
}
function readOf(c: AggregatorContext, wanted: ResourceWanted) {
  const { ticket, reqId, uri, replyTo } = wanted;
  const route = routeOf(c, wanted);
  if (!route.ok) return { opens: [], messages: [refusedRead(wanted, route.failure)], notices: [] };
  const { server, notice } = route.body;
  const session = wanted.session ?? listOf(c, server)?.session ?? '';
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
      ...(wanted.isByAgent && listOf(c, server)?.isExposed !== true && { isRedacted: true as const }),
      limitMs: c.timing.readMs,
    },
    { key: ticket, lastWill },
  );
  return { opens: [read], messages: [], notices: notice ? [notice] : [] };
}
function readsOf(c: AggregatorContext, all: readonly ResourceWanted[], next: Partial<AggregatorContext>) {
  const reads = all.map((wanted) => readOf(c, wanted));
  const noticed = withNotices(
    c,
    reads.flatMap(({ notices }) => notices),
  );
  return {
    opens: reads.flatMap(({ opens }) => opens),
    messages: [...noticed.messages, ...reads.flatMap(({ messages }) => messages)],
    next: { ...next, ...noticed.next },
  };
}
export const afterWanted = (c: AggregatorContext, wanted: ResourceWanted): Consequences =>
  readsOf(c, [wanted], {});
export const afterPending = (c: AggregatorContext): Consequences => readsOf(c, c.pending, { pending: [] });
export const refusedPending = (c: AggregatorContext): Post[] =>
  c.pending.map((wanted) => refusedRead(wanted, closingFailure));
