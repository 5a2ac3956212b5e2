/**
 * What a computer does upon each event, as a table of rows: messages, actors to open, timers, and what it remembers.
 * computer.machine.ts makes its chart of them.
 */
import type { ComputerCall } from '../call/call.rules.ts';
import { callKind } from '../call/call.rules.ts';
import type { CatalogNews } from '../catalog/catalog.machine.ts';
import { clientKind, type ClientChanged } from '../client/client.events.ts';
import { message, post, toOwned, toOwnersOf, type OwnedEnded, type Post } from '../kernel/effects.ts';
import type { Taken as Consequences } from '../kernel/taken.ts';
import { linkGivenUp, linkKind } from '../link/link.machine.ts';
import { uploadKind } from '../uploads/upload.rules.ts';
import * as blobs from './computer.blobs.ts';
import * as calls from './computer.calls.ts';
import * as collections from './computer.collections.ts';
import * as lists from './computer.resources.ts';
import * as absence from './absence.rules.ts';
import { withoutKey } from '../protocol/json.ts';
import * as approvals from './approvals.rules.ts';
import * as rules from './computer.rules.ts';
import type { ComputerContext, ComputerEvent, ComputerNews, ComputerQuestion } from './computer.events.ts';
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
export type Taken = Consequences<C, ComputerEvent>;
type Row<Type extends ComputerEvent['type']> = (
  c: C,
  event: Extract<ComputerEvent, { readonly type: Type }>,
) => Taken;
export type Rows = { readonly [Type in ComputerEvent['type']]?: Row<Type> };

const nothing: Taken = {};
const tellHost = (c: C, news: ComputerNews): Post => post(c.owner, news);
const passToHost = (c: C, news: ComputerNews): Taken => ({ messages: [tellHost(c, news)] });

// ── permits ───────────────────────────────────────────────────────────────────────────────────────────
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

// ── clients ───────────────────────────────────────────────────────────────────────────────────────────
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

// ── what has ended ────────────────────────────────────────────────────────────────────────────────────
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

// ── Desktop, Finder, lists ────────────────────────────────────────────────────────────────────────────
type Wanted = Extract<ComputerEvent, { readonly type: 'aggregate.wanted' | 'resource.wanted' }>;
/** While the computer boots, a question about all servers waits for them. */
const kept = (c: C, question: ComputerQuestion): Taken | undefined =>
  collections.mustKeep(c, question) ? { next: collections.afterQuestion(c, question) } : undefined;
const passWanted = (c: C, wanted: Wanted): Taken =>
  kept(c, wanted) ?? {
    opens: collections.openings(c),
    messages: [collections.passWanted(c, wanted)],
    next: collections.afterOpened(c),
  };
export function listTakenIn(c: C, news: CatalogNews): Taken {
  const told = rules.consequencesOf(c, news, rules.afterList(c, news));
  const listed = collections.afterResources(c, news);
  return {
    opens: listed.opens ?? [],
    messages: [...told.messages, ...listed.messages],
    next: { ...told.next, ...listed.next },
  };
}

// ── calls ─────────────────────────────────────────────────────────────────────────────────────────────
/** A call of an unknown tool waits for servers that start; its limit runs from its arrival. */
function called(c: C, order: ComputerCall): Taken {
  if (c.isDraining) return { messages: [calls.refuseDraining(order)] };
  const id = calls.patienceTimer(order.ticket);
  if (!calls.mustWait(c, order))
    return { ...calls.callTaken(c, order), ...(Object.hasOwn(c.waited, order.ticket) && { cancels: [id] }) };
  const delay = calls.patienceOf(order);
  const event = { type: 'call.overdue', ticket: order.ticket } as const;
  return {
    messages: calls.messagesOfFull(c, order),
    timers: delay > 0 && !calls.isWaitingFull(c) ? [{ id, delay, event }] : [],
    next: calls.afterKept(c, order),
  };
}
const withdrawn = (c: C, event: calls.CallWithdrawal): Taken => ({
  messages: calls.messagesOfCancel(c, event),
  cancels: calls.withdrawnCalls(c, event).map(({ ticket }) => calls.patienceTimer(ticket)),
  // The loss of a caller goes to all clients, because its calls are not known here.
  told: [
    event.type === 'call.cancel'
      ? toOwnersOf(clientKind, [callKind, event.ticket], event)
      : toOwned(clientKind, event),
  ],
  next: calls.afterCancel(c, event),
});
/** Calls that waited for a server whose tools are known now. */
export function decidedCalls(c: C): Taken {
  const next = { ...calls.recentAfterDecided(c), ...calls.afterDecided(c) };
  const { waited } = next;
  return {
    messages: calls.messagesOfDecided(c),
    cancels: calls
      .decidedCalls(c)
      .filter(({ ticket }) => waited === undefined || !Object.hasOwn(waited, ticket))
      .map(({ ticket }) => calls.patienceTimer(ticket)),
    next,
  };
}
export const decidedLists = (c: C): Taken => ({
  messages: lists.messagesOfDecidedLists(c),
  cancels: lists.decidedLists(c).map(({ ticket }) => lists.listTimer(ticket)),
  next: lists.afterDecidedLists(c),
});

// ── skills, blobs ─────────────────────────────────────────────────────────────────────────────────────
type SkillsEvent = Extract<ComputerEvent, { type: 'skills.look' | 'skills.wanted' | 'skill.wanted' }>;
function passToSkills(c: C, event: SkillsEvent): Taken {
  const asked = event.type === 'skills.look' ? undefined : kept(c, event);
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
  'server.shows': (c, news) => ({
    opens: collections.openings(c),
    messages: collections.messagesOfShows(c, news),
    next: { ...collections.afterOpened(c), ...collections.afterShows(c, news) },
  }),
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
  'catalog.listed': (c, news) => ({
    messages: [...collections.messagesOfStanding(c, news), ...absence.messagesOfWithdrawal(c, news)],
    next: { ...collections.afterListed(c, news), ...absence.afterWithdrawal(c, news) },
  }),
  'catalog.restless': absence.restlessTakenIn,
  'call.request': called,
  'calls.refuse': () => ({ next: { isDraining: true } }),
  'call.overdue': (c, event) => ({
    messages: calls.messagesOfOverdue(c, event),
    next: calls.afterOverdue(c, event),
  }),
  'call.cancel': withdrawn,
  'asker.lost': (c, event) => {
    const taken = withdrawn(c, event);
    return { ...taken, next: { ...taken.next, approved: approvals.approvedWithout(c, event.asker) } };
  },
  'tool.approved': (c, event) => ({ next: approvals.approvedBy(c, event) }),
  'call.asked': (c, { ticket }) =>
    Object.hasOwn(c.waited, ticket)
      ? { cancels: [calls.patienceTimer(ticket)], next: { waited: withoutKey(c.waited, ticket) } }
      : nothing,
  'tools.wanted': (c, event) => kept(c, event) ?? { messages: [rules.toolsListed(c, event)] },
  'config.wanted': (c, { ticket, replyTo }) => ({
    messages: [post(replyTo, { type: 'config.shown', ticket, config: c.shown }, { optional: true })],
  }),
  'resources.wanted': (c, wanted) => {
    if (!lists.mustAwaitList(c, wanted)) return { messages: [lists.answerNow(c, wanted)] };
    const { ticket } = wanted;
    const event = { type: 'resources.overdue', ticket } as const;
    return {
      timers: [{ id: lists.listTimer(ticket), delay: c.timing.toolsMs, event }],
      next: lists.withListWanted(c, wanted),
    };
  },
  'resources.overdue': (c, event) => ({
    messages: lists.messagesOfOverdueList(c, event),
    next: lists.afterOverdueList(c, event),
  }),
  'questions.due': (c) => ({
    timers: (c.asked ?? []).map((event, n) => ({ id: `questions.${n}`, delay: 0, event })),
    next: { asked: null },
  }),
  'skills.look': passToSkills,
  'skills.wanted': passToSkills,
  'skill.wanted': passToSkills,
  'skills.changed': tellSkills,
  'skills.noticed': tellSkills,
  'blob.wanted': (c, wanted) => ({
    opens: blobs.blobsOpenings(c),
    messages: [blobs.toBlobs(c, wanted)],
    next: blobs.afterBlobsOpened(c),
  }),
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
  'catalog.changed': (c, news) => listTakenIn({ ...c, hasSkills: true }, news),
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
