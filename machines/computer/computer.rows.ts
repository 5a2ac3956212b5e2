/**
 * What a computer does upon each event, as a table of rows: messages, actors to open, timers, and what it remembers.
 * computer.machine.ts makes its chart of them.
 */
import type { CatalogNews } from '../catalog/catalog.machine.ts';
import { type ClientChanged } from '../client/client.events.ts';
import { message, post, toOwned, type OwnedEnded, type Post } from '../kernel/effects.ts';
import { linkGivenUp, linkKind } from '../link/link.events.ts';
import { uploadKind } from '../uploads/upload.rules.ts';
import * as blobs from './computer.blobs.ts';
import * as calls from './computer.calls.ts';
import * as collections from './computer.collections.ts';
import * as lists from './computer.resources.ts';
import * as absence from './absence.rules.ts';
import * as approvals from './approvals.rules.ts';
import * as rules from './computer.rules.ts';
import type { ComputerContext, ComputerEvent, ComputerNews, Taken } from './computer.events.ts';
import {
  grantedPermits,
  hasAllTokens,
  withoutPermit,
  withToken,
  withWantedPermit,
  type ConnectPermits,
} from './permits.rules.ts';
import * as skills from './computer.skills.ts';

type C = ComputerContext;
type Row<Type extends ComputerEvent['type']> = (
  c: C,
  event: Extract<ComputerEvent, { readonly type: Type }>,
) => Taken;
export type Rows = { readonly [Type in ComputerEvent['type']]?: Row<Type> };

const nothing: Taken = {};
const tellHost = (c: C, news: ComputerNews): Post => post(c.owner, news);
const passToHost = (c: C, news: ComputerNews): Taken => ({ messages: [tellHost(c, news)] });
type Changed = (permits: ConnectPermits) => ConnectPermits;
/** A timer restores the tokens that reconnects have used up. `rest` is sent first. */
function changePermits(c: C, change: Changed, rest: Taken = nothing, isTokenBack = false): Taken {
  const { permits, servers } = grantedPermits(change(c.permits));
  const grants = servers.map((server) =>
    post(rules.clientOf(c, server), { type: 'permit.granted' }, { optional: true }),
  );
  const isDue = !hasAllTokens(permits) && (isTokenBack || hasAllTokens(c.permits));
  return {
    messages: [...(rest.messages ?? []), ...grants],
    ...(isDue && { deadline: { ms: c.timing.permitMs, for: 'permit' } }),
    next: { ...rest.next, permits },
  };
}
const without =
  (server: string): Changed =>
  (permits) =>
    withoutPermit(permits, server);
function newsTaken(c: C, news: ClientChanged): Taken {
  const told = rules.consequencesOf(c, news, rules.afterClientNews(c, news));
  const hidden = collections.afterGone(c, news);
  return {
    messages: [...told.messages, ...absence.messagesOfReadyServer(c, news), ...hidden.messages],
    next: { ...calls.withoutWaits(c, news.server), ...told.next, ...hidden.next },
  };
}
function forgetSpent(c: C, server: string): Partial<C> {
  const plan = c.servers.find((s) => s.rules.server === server);
  return { spent: Object.fromEntries(Object.entries(c.spent).filter(([f]) => f !== plan?.fingerprint)) };
}
/** A client given up is reported again, because the host waits for news of its order. */
const passToClient = (
  c: C,
  { type, server }: { readonly type: 'server.start' | 'server.stop'; readonly server: string },
): Taken => ({
  messages: [
    post(
      rules.clientOf(c, server),
      { type },
      { onUndelivered: message(c.owner, rules.crashedNews(server, 'it is not opened again')) },
    ),
  ],
});
const countEnd = (c: C): Partial<C> => ({ open: Math.max(0, c.open - 1) });
const tellBroken = (c: C, { name, error = '' }: OwnedEnded): Post =>
  tellHost(c, { type: 'machine.failed', name, error });
function leftServer(c: C, ended: OwnedEnded, server: string): Taken {
  const opens = rules.returning(c, ended);
  return {
    opens,
    messages: [tellHost(c, { type: 'server.removed', server })],
    next: {
      open: c.open - 1 + opens.length,
      leaving: c.leaving.filter((name) => name !== server),
      permits: withoutPermit(c.permits, server),
    },
  };
}
function reopened(c: C, ended: OwnedEnded): Taken {
  const collection = collections.reopenedCollection(c, ended);
  return {
    opens: [
      ...rules.opensOf(c, c.spent).filter((open) => rules.isOpenOf(open, ended)),
      ...(ended.kind === 'blobs' ? [blobs.blobsOpen(c)] : []),
      ...collection.opens,
    ],
    messages: [tellBroken(c, ended), ...collection.messages],
    next: { reopens: c.reopens + 1 },
  };
}
function givenUp(c: C, ended: OwnedEnded): Taken {
  const news = rules.givenUp(c, ended);
  const { messages = [], next } = newsTaken(c, news);
  return changePermits(c, without(news.server), {
    messages: [tellBroken(c, ended), ...messages],
    next: { ...countEnd(c), ...next, givenUp: [...c.givenUp, news.server] },
  });
}
function ended(c: C, end: OwnedEnded): Taken {
  const isBroken = end.why === 'failed';
  if (blobs.isUpload(end))
    return { messages: isBroken ? [tellBroken(c, end)] : [], next: blobs.afterUpload(c, end) };
  const server = rules.serverOf(c, end);
  if (end.kind === 'client' && server !== undefined && c.leaving.includes(server))
    return leftServer(c, end, server);
  if (isBroken && c.reopens < rules.maxReopens) return reopened(c, end);
  if (end.kind === 'link')
    return {
      messages: isBroken ? [tellBroken(c, end), tellHost(c, linkGivenUp(end))] : [],
      next: { ...countEnd(c), link: null },
    };
  if (collections.isCollection(end)) return { messages: [tellBroken(c, end)], next: countEnd(c) };
  return givenUp(c, end);
}
type Wanted = Extract<ComputerEvent, { readonly type: 'aggregate.wanted' | 'resource.wanted' }>;
const passWanted = (c: C, wanted: Wanted): Taken =>
  collections.kept(c, wanted) ?? collections.passWanted(c, wanted);
export function listTakenIn(c: C, news: CatalogNews): Taken {
  const told = rules.consequencesOf(c, news, rules.afterList(c, news));
  const listed = collections.afterResources(c, news);
  return {
    opens: listed.opens ?? [],
    messages: [...told.messages, ...listed.messages],
    next: { ...told.next, ...listed.next },
  };
}
type SkillsEvent = Extract<ComputerEvent, { type: 'skills.look' | 'skills.wanted' | 'skill.wanted' }>;
function passToSkills(c: C, event: SkillsEvent): Taken {
  const asked = event.type === 'skills.look' ? undefined : collections.kept(c, event);
  if (asked) return asked;
  const { opens, messages, next } = skills.openedSkills(c);
  return { opens, messages: [...messages, skills.toSkills(c, event)], next };
}
const tellSkills = (c: C, news: Parameters<typeof skills.messagesOfSkills>[1]): Taken => ({
  messages: skills.messagesOfSkills(c, news),
});

export const rows: Rows = {
  'client.changed': (c, news) =>
    // A client that has connected or failed frees its permit for the next.
    changePermits(
      c,
      news.stage === 'connecting' ? (permits) => permits : without(news.server),
      newsTaken(c, news),
    ),
  'client.waits': (c, news) => ({ next: calls.afterWaits(c, news) }),
  'permit.wanted': (c, { server, again }) =>
    changePermits(c, (permits) => withWantedPermit(permits, server, again)),
  'permit.released': (c, { server }) => changePermits(c, without(server)),
  'deadline.passed': (c) => changePermits(c, withToken, nothing, true),
  'server.proven': (c, { server }) => ({ next: forgetSpent(c, server) }),
  'server.rolledBack': passToHost,
  'server.start': passToClient,
  'server.stop': passToClient,
  'servers.set': (c, event) => {
    const { opens, messages, next } = rules.reconciledServers(c, event);
    return { opens, messages: [...messages, ...collections.messagesOfPlans(c, next)], next };
  },
  'server.shows': collections.shown,
  'resource.updated': (c, news) => ({
    messages: [tellHost(c, news), ...collections.messagesOfUpdate(c, news)],
  }),
  'resources.watched': (c, news) => ({ messages: collections.messagesOfWatched(c, news) }),
  'resources.watch': (c, { server, uris, by }) => ({
    messages: [post(rules.clientOf(c, server), { type: 'resources.watch', uris, by }, { optional: true })],
  }),
  'resources.relist': (c, order) => ({
    messages: [post(rules.clientOf(c, order.server), order, { optional: true })],
  }),
  'aggregate.wanted': passWanted,
  'resource.wanted': passWanted,
  'aggregate.changed': (c, news) => ({ messages: collections.messagesOfChange(c, news) }),
  'aggregate.noticed': passToHost,
  'catalog.changed': listTakenIn,
  'catalog.listed': (c, news) =>
    news.list === 'resources' ? collections.resourcesListedIn(c, news) : absence.toolsListedIn(c, news),
  'catalog.restless': absence.restlessTakenIn,
  'call.request': calls.called,
  'calls.refuse': () => ({ next: { isDraining: true } }),
  'call.overdue': calls.callOverdue,
  'call.cancel': calls.withdrawn,
  'asker.lost': (c, event) => {
    const taken = calls.withdrawn(c, event);
    return { ...taken, next: { ...taken.next, approved: approvals.approvedWithout(c, event.asker) } };
  },
  'tool.approved': (c, event) => ({ next: approvals.approvedBy(c, event) }),
  'call.asked': calls.callAsked,
  'tools.wanted': (c, event) => collections.kept(c, event) ?? { messages: [rules.toolsListed(c, event)] },
  'config.wanted': (c, { ticket, replyTo }) => ({
    messages: [post(replyTo, { type: 'config.shown', ticket, config: c.shown }, { optional: true })],
  }),
  'resources.wanted': lists.listWanted,
  'resources.overdue': lists.listOverdue,
  'questions.due': (c) => ({
    timers: (c.asked ?? []).map((event, n) => ({ id: `questions.${n}`, delay: 0, event })),
    next: { asked: null },
  }),
  'skills.look': passToSkills,
  'skills.wanted': passToSkills,
  'skill.wanted': passToSkills,
  'skills.changed': tellSkills,
  'skills.noticed': tellSkills,
  'blob.wanted': blobs.blobWanted,
  'landing.set': (_, { landing }) => ({
    told: landing === null ? [toOwned(uploadKind, { type: 'close' })] : [],
    next: { landing },
  }),
  'part.wanted': blobs.partTaken,
  'link.changed': passToHost,
  // A computer has only one seat.
  'office.join': (c, { link }) =>
    c.link !== null
      ? nothing
      : {
          opens: rules.linkOpens({ ...c, link }),
          messages: [rules.signatureNews(c.signature), rules.configNews(c)].map((event) =>
            post(rules.linkOf(c), event),
          ),
          next: { link, open: c.open + 1 },
        },
  'office.leave': () => ({ told: [toOwned(linkKind, { type: 'close' })] }),
  'owned.ended': ended,
};

const atClose = (c: C, asked: collections.AgentQuestion): Taken => ({
  messages: [collections.answerAtClose(c, asked)],
});
const ignore = (): Taken => nothing;
/** In place of the rows above while the computer closes. */
export const closingRows: Rows = {
  // Nothing would order a link to close.
  'office.join': ignore,
  'call.request': (c, order) => ({ messages: [calls.messageOfCall(c, order)] }),
  'server.start': ignore,
  'server.stop': ignore,
  'servers.set': ignore,
  'server.shows': ignore,
  // No machine of the skills is opened any more.
  'catalog.changed': (c, news) => listTakenIn({ ...c, opened: [...c.opened, 'skills'] }, news),
  'skills.look': ignore,
  'landing.set': ignore,
  'aggregate.wanted': atClose,
  'resource.wanted': atClose,
  'resources.wanted': atClose,
  'skills.wanted': atClose,
  'skill.wanted': atClose,
  'part.wanted': atClose,
  'blob.wanted': atClose,
};
export const closing = (c: C): Taken => ({
  messages: [
    tellHost(c, { type: 'computer.changed', stage: 'closing' }),
    ...calls.messagesOfClosing(c),
    ...collections.answersAtClose(c),
  ],
  next: { waiting: [], waited: {}, asked: null, listsWanted: [] },
});
