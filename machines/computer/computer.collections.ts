/** Messages between a computer and its two collections, the Desktop and the Finder. */
import { withoutKey } from '../protocol/json.ts';
import type { CatalogListed, CatalogNews } from '../catalog/catalog.machine.ts';
import type { ClientChanged, ClientNews } from '../client/client.events.ts';
import {
  childOf,
  type AddressFor,
  message,
  open,
  post,
  type CheckedMessage,
  type Open,
  type OwnedEnded,
  type Post,
} from '../kernel/effects.ts';
import { timingOf } from '../kernel/timing.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';
import {
  aggregatorKinds,
  type AggregateWanted,
  type AggregatorNews,
  type AggregatorOrder,
  refusedRead,
  type ResourcesListed,
  type ResourceWanted,
} from '../resources/aggregator.rules.ts';
import { byRecency } from '../call/history.ts';
import { isOtherUri } from '../resources/uri-collection.ts';
import type { BlobWanted } from '../blobs/blobs.rules.ts';
import type { ResourcesWanted } from '../resources/resource-pages.ts';
import type { PartWanted } from '../uploads/upload.rules.ts';
import { blobRefusal, partAtClose } from './computer.blobs.ts';
import { listAtClose, planOf } from './computer.resources.ts';
import type { ResourceCollection } from '../ports/link.ts';
import { takesPart } from '../resources/collections.ts';
import type { ResourcesWatched } from '../resources/watch.machine.ts';
import { mostWaiting } from './computer.calls.ts';
import * as skills from './computer.skills.ts';
import { clientOf, linkOf, isTrying, openedOnce, toolsListed, type Consequences } from './computer.rules.ts';
import type { ComputerContext, ComputerQuestion, Taken } from './computer.events.ts';

const both: readonly ResourceCollection[] = ['desktop', 'finder'];
const collectionOf = (c: ComputerContext, collection: ResourceCollection): AddressFor<AggregatorOrder> =>
  childOf(c.self, aggregatorKinds[collection]);
const openOf = (c: ComputerContext, collection: ResourceCollection): Open =>
  open(aggregatorKinds[collection], { collection, timing: timingOf.aggregator(c.timing) });
const opened = (c: ComputerContext): ReturnType<typeof openedOnce> =>
  openedOnce(
    c,
    'collections',
    both.map((each) => openOf(c, each)),
  );
export const isCollection = ({ kind }: OwnedEnded): boolean =>
  kind === 'desktop' || kind === 'finder' || kind === 'skills';

type Shows = Extract<ClientNews, { type: 'server.shows' }>;
/** Stages in which a server that was ready still has a session or is getting a new one. */
const stays: ReadonlySet<string> = new Set(['ready', 'connecting']);
const planFor = (c: ComputerContext, server: string) =>
  c.servers.find(({ rules }) => rules.server === server);
const isPlanned = (c: ComputerContext, server: string): boolean => planFor(c, server) !== undefined;
const isExposed = (c: ComputerContext, server: string): boolean =>
  planFor(c, server)?.exposesAddresses === true;
const isShowing = (c: ComputerContext, server: string): boolean =>
  isPlanned(c, server) &&
  Object.hasOwn(c.shows, server) &&
  takesPart(c.shows[server] ?? null, planFor(c, server)?.participation);
/** The server does not announce changes and its config does not opt in. */
export const notShownOf = (c: ComputerContext, server: string): readonly { readonly uri: string }[] =>
  Object.hasOwn(c.shows, server) &&
  Object.hasOwn(c.listed, server) &&
  isPlanned(c, server) &&
  !isShowing(c, server)
    ? (c.resources[server] ?? [])
    : [];
function listedMessages(
  c: ComputerContext,
  server: string,
  more: Partial<Pick<ResourcesListed, 'changed' | 'isRenewed'>> = {},
  upTo: Readonly<Record<string, number>> = {},
): Post[] {
  const isListed = Object.hasOwn(c.listed, server);
  /** Those listed before the session was lost may be gone. */
  const resources = isShowing(c, server) ? (isListed && c.resources[server]) || [] : null;
  const unheard = notShownOf(c, server);
  const event: ResourcesListed = {
    type: 'resources.listed',
    server,
    session: clientOf(c, server),
    resources,
    // Waits for the list even of a server that does not announce changes, to name the resources that are not shown.
    isAwaited: !isListed && Object.hasOwn(c.shows, server) && isPlanned(c, server),
    failure: resources === null ? null : (c.listed[server] ?? null),
    changed: [],
    ...(isExposed(c, server) && { isExposed: true }),
    ...(unheard.length > 0 && { unheard }),
    ...more,
  };
  return [
    ...both.map((collection) => {
      const asked = upTo[collection];
      const told = asked === undefined ? event : { ...event, upTo: asked };
      return post(collectionOf(c, collection), told, { optional: true });
    }),
    ...(skills.hasSkills(c) ? [skills.offerMessage(c, server)] : []),
  ];
}
const withShows = (c: ComputerContext, { server, resources }: Shows): ComputerContext => ({
  ...c,
  shows: { ...c.shows, [server]: resources },
});
/** A server known before has a new session, and all of its resources may have changed. */
export function shown(c: ComputerContext, news: Shows): Taken {
  const { server } = news;
  const known = (Object.hasOwn(c.resources, server) && c.resources[server]) || [];
  const renewed = { changed: known.map(({ uri }) => uri), isRenewed: true } as const;
  const after = withShows(c, news);
  const { opens, next } = opened(c);
  return {
    opens,
    messages: listedMessages(after, server, Object.hasOwn(c.shows, server) ? renewed : {}),
    next: { ...next, shows: after.shows },
  };
}

const nothing = { messages: [], next: {} } as const;
export function afterGone(c: ComputerContext, { server, stage }: ClientChanged): Consequences {
  const isKnown = Object.hasOwn(c.shows, server) || Object.hasOwn(c.listed, server);
  if (stays.has(stage) || !isKnown) return nothing;
  const next = { shows: withoutKey(c.shows, server), listed: withoutKey(c.listed, server) };
  return { messages: listedMessages({ ...c, ...next }, server), next };
}

const listing = (
  c: ComputerContext,
  { server, entries }: Pick<CatalogListed, 'server' | 'entries'>,
  whyNot: string | null,
): Pick<ComputerContext, 'resources' | 'listed'> => ({
  resources: { ...c.resources, [server]: entries as ComputerContext['resources'][string] },
  listed: { ...c.listed, [server]: whyNot },
});
const whyWithdrawnList = ({ isWithdrawn, why }: CatalogNews): string | null => (isWithdrawn ? why : null);
export function afterResources(
  c: ComputerContext,
  news: CatalogNews,
): Consequences & { readonly opens?: readonly Open[] } {
  if (news.list !== 'resources') return nothing;
  const next = listing(c, news, whyWithdrawnList(news));
  const after = { ...c, ...next };
  if (!Object.hasOwn(c.shows, news.server)) return { messages: [], next };
  const opened = skills.openedForList(after, news.server);
  return {
    opens: opened?.opens ?? [],
    messages: [...listedMessages(after, news.server, { changed: news.changed }), ...(opened?.messages ?? [])],
    next: { ...next, ...opened?.next },
  };
}

export function resourcesListedIn(c: ComputerContext, news: CatalogListed): Consequences {
  if (news.list !== 'resources') return nothing;
  const next = listing(c, news, news.failure?.message ?? null);
  const isShown = Object.hasOwn(c.shows, news.server);
  return {
    messages: isShown ? listedMessages({ ...c, ...next }, news.server, {}, news.upTo) : [],
    next,
  };
}
export function messagesOfPlans(c: ComputerContext, next: Partial<ComputerContext>): Post[] {
  const after = { ...c, ...next };
  return Object.keys(c.shows).flatMap((server) =>
    isShowing(c, server) === isShowing(after, server) && isExposed(c, server) === isExposed(after, server)
      ? []
      : listedMessages(after, server),
  );
}

type Changed = Extract<AggregatorNews, { type: 'aggregate.changed' }>;
type Wanted = Omit<AggregateWanted, 'history'> | Omit<ResourceWanted, 'history'>;
const isOfNoSystem = (wanted: Wanted): wanted is Extract<Wanted, { type: 'resource.wanted' }> =>
  wanted.type === 'resource.wanted' && (wanted.prompt !== undefined || isOtherUri(wanted.uri));
/** The most recently called; its host may also read what a server does not list, an agent may not. */
function ownerOf(c: ComputerContext, wanted: Omit<ResourceWanted, 'history'>): string | undefined {
  const { uri, isByAgent } = wanted;
  const asked = wanted.server === undefined ? undefined : planOf(c, wanted.server)?.rules.server;
  if (asked !== undefined && !isByAgent) return asked;
  const listing = Object.keys(c.listed).filter((server) => {
    const isAsked = wanted.server === undefined || server === asked;
    return isAsked && c.resources[server]?.some((resource) => resource.uri === uri) === true;
  });
  return byRecency(listing, c.recent)[0];
}
const notListed = (uri: string): Failure => ({
  code: wireCodes.notFound,
  message: `No server lists the resource '${uri}'`,
  details: { uri },
  remedy: 'See which resources a server lists: getResources of an agent, resources() of a computer',
});
/** With the servers of the last calls: the most recently called is shown first. */
export const passWanted = (c: ComputerContext, wanted: Wanted): Taken => ({
  ...opened(c),
  messages: [passedTo(c, wanted)],
});
function passedTo(c: ComputerContext, wanted: Wanted): Post {
  const of = { ...wanted, history: c.recent };
  const to = collectionOf(c, wanted.collection);
  if (!isOfNoSystem(wanted)) return post(to, of, { onUndelivered: refusal(wanted) });
  const server = ownerOf(c, wanted);
  if (server === undefined) return refusedRead(wanted, notListed(wanted.uri));
  const at = { server, session: clientOf(c, server) };
  return post(to, { ...wanted, history: c.recent, ...at }, { onUndelivered: refusal(wanted) });
}
const notShownFailure = (collection: ResourceCollection): Failure => ({
  code: wireCodes.internal,
  message: `The computer does not show its ${collection} any more: it is closing, or what keeps it has failed too often`,
});
/** Refuses a question about a collection that no longer exists. */
export function refusal(wanted: Wanted): CheckedMessage {
  const { collection, ticket, reqId } = wanted;
  const about = { ticket, reqId, failure: notShownFailure(collection) };
  return wanted.type === 'aggregate.wanted'
    ? message(wanted.replyTo, { type: 'aggregate.shown', ...about, body: {}, missing: [] })
    : message(wanted.replyTo, { type: 'resource.read', ...about, contents: [] });
}
export const messagesOfChange = (c: ComputerContext, event: Changed): Post[] => [
  post(c.owner, event),
  ...(c.link ? [post(linkOf(c), event, { optional: true })] : []),
];
export const messagesOfUpdate = (
  c: ComputerContext,
  { server, uri }: { readonly server: string; readonly uri: string },
): Post[] => [
  ...both.map((collection) =>
    post(collectionOf(c, collection), { type: 'resource.updated', server, uri }, { optional: true }),
  ),
  ...skills.updateOfSkill(c, { server, uri }),
];
/** The host watches directly and needs no message. */
export const messagesOfWatched = (c: ComputerContext, event: ResourcesWatched): Post[] =>
  both
    .filter((collection) => collection === event.by)
    .map((collection) => post(collectionOf(c, collection), event, { optional: true }));
export const reopenedCollection = (
  c: ComputerContext,
  ended: OwnedEnded,
): { opens: Open[]; messages: Post[] } => {
  if (ended.kind === 'skills') return { opens: [skills.skillsOpen(c)], messages: skills.offersOfAll(c) };
  const collection = both.find((each) => each === ended.kind);
  if (collection === undefined) return { opens: [], messages: [] };
  const to = collectionOf(c, collection);
  return {
    opens: [openOf(c, collection)],
    messages: Object.keys(c.shows).flatMap((server) =>
      listedMessages(c, server).filter((message) => message.to === to),
    ),
  };
};

/** Then the question need not wait for other servers. */
const isOfKnownServer = (c: ComputerContext, { uri, server }: Omit<ResourceWanted, 'history'>): boolean =>
  server === undefined
    ? Object.values(c.resources).some((listed) => listed.some((resource) => resource.uri === uri))
    : !isTrying(c.stages[server]);
/** While the computer boots, a question about all servers waits for them. */
export const kept = (c: ComputerContext, question: ComputerQuestion): Taken | undefined =>
  c.asked !== null &&
  c.asked.length < mostWaiting &&
  !(question.type === 'resource.wanted' && isOfKnownServer(c, question))
    ? { next: { asked: [...c.asked, question] } }
    : undefined;
export type AgentQuestion = ComputerQuestion | ResourcesWanted | PartWanted | BlobWanted;
/** While the computer closes, or what would answer is gone. */
export function answerAtClose(c: ComputerContext, asked: AgentQuestion): Post {
  switch (asked.type) {
    case 'tools.wanted':
      return toolsListed(c, asked);
    case 'resources.wanted':
      return listAtClose(c, asked);
    case 'skills.wanted':
    case 'skill.wanted':
      return skills.skillsRefusal(asked);
    case 'part.wanted':
      return partAtClose(asked);
    case 'blob.wanted':
      return blobRefusal(asked);
    case 'aggregate.wanted':
    case 'resource.wanted':
      return refusal(asked);
  }
}
export const answersAtClose = (c: ComputerContext): Post[] =>
  [...(c.asked ?? []), ...c.listsWanted].map((asked) => answerAtClose(c, asked));
