/** Rules of one question for windows or documents: which servers it needs, and how long it waits. */
import {
  addressFor,
  childOf,
  kindOf,
  message,
  post,
  type Address,
  type AddressFor,
  type CheckedMessage,
  type OwnerEnded,
  type Post,
} from '../kernel/effects.ts';
import type { ServerHistory } from '../call/history.ts';
import { extended, remembered } from '../kernel/objects.ts';
import type { ResourceCollection } from '../ports/link.ts';
import type { TimingOf } from '../kernel/timing.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';
import { withoutKey } from '../protocol/json.ts';
import type { Missing } from '../protocol/messages/collections.ts';
import {
  withoutAddresses,
  type AggregateShown,
  type Listed,
  type Refused,
  type Standings,
} from './collections.ts';
import { collections } from './collection-rules.ts';
import { cacheKind, type CacheGiven } from './server-cache.rules.ts';

/** What a server lists of the windows or documents, as a question has to know it. */
export interface ServerList extends Listed {
  readonly session: Address;
  /** Takes part, also with an empty list. */
  readonly isMember: boolean;
  /** The list has not come, or what is in it is still being subscribed to. */
  readonly isAwaited: boolean;
  readonly isWatching: boolean;
  /** Why the list is not there. */
  readonly reason: string | null;
  /** Entries that are not shown, each with its reason. */
  readonly refused: readonly Refused[];
  readonly isExposed: boolean;
  /** Number of the last question for which it was read again. */
  readonly upTo: number;
  /** Its server cache lives. */
  readonly isOpen: boolean;
}
export type ServerLists = Readonly<Record<string, ServerList>>;
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
export interface QuestionStart {
  readonly wanted: AggregateWanted;
  readonly n: number;
  readonly lists: ServerLists;
  /** Servers whose list is read again for this question. */
  readonly owed: readonly string[];
  readonly timing: TimingOf<'question'>;
}
export type QuestionOrder =
  /** Null when the server takes no part or is gone. */
  | { readonly type: 'question.listed'; readonly server: string; readonly list: ServerList | null }
  | CacheGiven;
export const questionKind = kindOf<QuestionStart, QuestionOrder>('question');
/** Lists that did not come in time: later questions do not wait for them. */
export interface QuestionLate {
  readonly type: 'question.late';
  readonly servers: readonly string[];
}
export type QuestionInput = QuestionStart & {
  readonly self: Address;
  readonly owner: AddressFor<QuestionLate>;
};
export interface QuestionContext extends QuestionInput {
  /** Servers that were asked to read; `given` has the answers, by server. */
  readonly asked: readonly string[];
  readonly given: Readonly<Record<string, CacheGiven>>;
}
type Wanted = Pick<QuestionStart, 'wanted' | 'lists'>;

const rulesOf = ({ wanted }: Pick<QuestionStart, 'wanted'>) => collections[wanted.collection];
export const isFresh = ({ query }: AggregateWanted): boolean =>
  (query as { readonly fresh?: unknown }).fresh === true;
const listOf = ({ lists }: Wanted, server: string): ServerList | undefined =>
  Object.hasOwn(lists, server) ? lists[server] : undefined;
const givenBy = ({ given }: QuestionContext, server: string): CacheGiven | undefined =>
  Object.hasOwn(given, server) ? given[server] : undefined;
const placed = remembered((standings: Standings) =>
  remembered((items: readonly object[]): readonly object[] =>
    Object.keys(standings).length === 0
      ? items
      : (items as readonly { readonly uri: string }[]).map((item) =>
          Object.hasOwn(standings, item.uri) ? extended(item, { standing: standings[item.uri] }) : item,
        ),
  ),
);
const itemsOf = (c: QuestionContext, server: string): readonly object[] | null => {
  const given = givenBy(c, server);
  return given ? placed(listOf(c, server)?.standings ?? {})(given.items) : null;
};
const neededBy = (
  c: Wanted,
  servers: readonly string[],
  partOf: (server: string) => { readonly isListed: boolean; readonly items: readonly object[] | null },
): readonly string[] => {
  const parts = servers.map((server) => {
    const { isListed, items } = partOf(server);
    const uris = listOf(c, server)?.uris ?? [];
    return { server, uris: isListed && uris.length > 0 ? uris : null, items };
  });
  return rulesOf(c).neededBy(c.wanted.query, c.wanted.history, parts);
};
/** Whose lists a fresh question wants: for a single window the server that lists it, or all if none does. */
export function listsFor(c: Wanted): readonly string[] {
  const members = Object.keys(c.lists).filter((server) => listOf(c, server)?.isMember);
  const needed = neededBy(c, members, () => ({ isListed: true, items: null }));
  return needed.length > 0 ? needed : neededBy(c, members, () => ({ isListed: false, items: null }));
}
const needed = (c: QuestionContext): readonly string[] =>
  neededBy(c, Object.keys(c.lists), (server) => ({ isListed: true, items: itemsOf(c, server) }));
/** Its list has not come, or not again. */
const isUnlisted = (c: QuestionContext, server: string): boolean => {
  const list = listOf(c, server);
  return list !== undefined && (list.isAwaited || list.isWatching || c.owed.includes(server));
};
const isSettled = (c: QuestionContext, server: string): boolean =>
  !isUnlisted(c, server) && (listOf(c, server)?.uris.length === 0 || givenBy(c, server) !== undefined);
export const canAnswer = (c: QuestionContext): boolean => needed(c).every((server) => isSettled(c, server));
export const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a === b || (a.length === b.length && a.every((uri, n) => uri === b[n]));
const withoutServer = (names: readonly string[], server: string): readonly string[] =>
  names.filter((each) => each !== server);
/** A server whose list is another one is asked again. */
export function afterListed(
  c: QuestionContext,
  { server, list }: Extract<QuestionOrder, { type: 'question.listed' }>,
): Partial<QuestionContext> {
  const isOwed = list?.isMember === true && list.upTo < c.n;
  const isSame = list !== null && isSameList(list.uris, listOf(c, server)?.uris ?? []);
  return {
    lists: list ? { ...c.lists, [server]: list } : withoutKey(c.lists, server),
    owed: isOwed ? c.owed : withoutServer(c.owed, server),
    asked: isSame ? c.asked : withoutServer(c.asked, server),
    given: isSame ? c.given : withoutKey(c.given, server),
  };
}
export const afterGiven = (c: QuestionContext, given: CacheGiven): Partial<QuestionContext> => ({
  given: { ...c.given, [given.server]: given },
});
export const serversToAsk = (c: QuestionContext): readonly string[] =>
  needed(c).filter((server) => !isUnlisted(c, server) && !isSettled(c, server) && !c.asked.includes(server));
const isWaiting = (c: QuestionContext, server: string): boolean =>
  c.asked.includes(server) && givenBy(c, server) === undefined;
export const isTold = (c: QuestionContext): boolean => !c.asked.some((server) => isWaiting(c, server));
function toCache(c: QuestionContext, server: string, type: 'cache.wanted' | 'cache.tell'): Post {
  const replyTo = addressFor<CacheGiven>(c.self);
  const only = rulesOf(c).onlyOf(c.wanted.query);
  const about = { replyTo, ...(only !== null && { only }) };
  const lost = { items: [], refused: [{ reason: 'its contents cannot be read now' }] };
  return post(
    childOf(c.owner, cacheKind, server),
    type === 'cache.tell' ? { type, ...about } : { type, ...about, isFresh: isFresh(c.wanted) },
    { onUndelivered: post(replyTo, { type: 'cache.given', server, ...lost }, { optional: true }) },
  );
}
export const asks = (c: QuestionContext): Post[] =>
  serversToAsk(c).map((server) => toCache(c, server, 'cache.wanted'));
export function messagesAtLimit(c: QuestionContext): Post[] {
  const servers = needed(c).filter((server) => listOf(c, server)?.isAwaited);
  return [
    ...(servers.length > 0 ? [post(c.owner, { type: 'question.late', servers })] : []),
    ...c.asked.filter((server) => isWaiting(c, server)).map((server) => toCache(c, server, 'cache.tell')),
  ];
}
const mostNamed = 20;
function named(server: string, refused: readonly Refused[]): Missing[] {
  const all = refused.slice(0, mostNamed).map((each) => ({ server, ...each }));
  const more = refused.length - all.length;
  return more > 0 ? [...all, { server, reason: `and ${more} more could not be taken in` }] : all;
}
export const notYet = 'its list of resources has not come yet';
function whyUnlisted(c: QuestionContext, server: string): string | null {
  const list = listOf(c, server);
  if (!list || list.isAwaited || list.isWatching) return notYet;
  if (list.reason !== null || !c.owed.includes(server)) return list.reason;
  return `its list of resources did not come again within ${c.timing.aggregateMs} ms`;
}
function missingOf(c: QuestionContext, server: string): Missing[] {
  const reason = whyUnlisted(c, server);
  return [
    ...(reason === null ? [] : [{ server, reason }]),
    ...named(server, givenBy(c, server)?.refused ?? []),
    ...named(server, listOf(c, server)?.refused ?? []),
  ];
}
function forAgents(c: QuestionContext, missing: Missing): Missing {
  if (listOf(c, missing.server)?.isExposed === true) return missing;
  const known = new Set(missing.uri === undefined ? [] : [missing.uri]);
  return { ...missing, reason: withoutAddresses(missing.reason, known) };
}
/** Remembered, so that what was computed from unchanged items is used again. */
const joined = remembered((items: readonly object[]) =>
  remembered((more: readonly object[]): readonly object[] => [...items, ...more]),
);
const none: readonly object[] = [];
const shown = (
  { ticket, reqId }: AggregateWanted,
  given: Pick<AggregateShown, 'body' | 'missing' | 'failure'>,
): AggregateShown => ({ type: 'aggregate.shown', ticket, reqId, ...given });
export function answer(c: QuestionContext): Post {
  const { query, history, isByAgent, replyTo } = c.wanted;
  const all = Object.keys(c.lists).flatMap((server) => [itemsOf(c, server) ?? []]);
  const items = all.filter(({ length }) => length > 0).reduce((some, more) => joined(some)(more), none);
  const missing = needed(c).flatMap((server) => missingOf(c, server));
  const given = {
    body: rulesOf(c).answerOf(items, query, history),
    missing: isByAgent ? missing.map((each) => forAgents(c, each)) : missing,
    failure: null,
  };
  return post(replyTo, shown(c.wanted, given), { optional: true });
}
export const closingFailure: Failure = { code: wireCodes.internal, message: 'The computer is closing' };
const brokenFailure: Failure = { code: wireCodes.internal, message: 'What collects the answer has failed' };
const refusal = (wanted: AggregateWanted, failure: Failure): AggregateShown =>
  shown(wanted, { body: {}, missing: [], failure });
export const lastWill = (wanted: AggregateWanted): CheckedMessage =>
  message(wanted.replyTo, refusal(wanted, brokenFailure));
export function refusedAtEnd({ wanted }: QuestionContext, { why }: OwnerEnded): Post {
  const failure = why === 'failed' ? brokenFailure : closingFailure;
  return post(wanted.replyTo, refusal(wanted, failure), { optional: true });
}
