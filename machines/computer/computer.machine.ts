/**
 * Root actor that hosts MCP servers: it keeps one client per configured server and the link to the office, knows
 * which server has which tool, and sends each call to its client. Answers go from the client to the caller directly.
 *
 * booting — clients and link are opened; ends when each client has connected or failed once, or after `bootMs`.
 *           Questions about all servers wait for that, at most `toolsMs`
 * serving — whole (every wanted server is ready, with all of its tools) | degraded (some are not, the others serve)
 * closing — all actors are asked to end; those still open after `shutdownMs` are ended by force
 * closed  — final
 *
 * A client or link whose machine failed is reopened a few times, so one bad server never stops another.
 */
import { assign, not, setup } from 'xstate';
import { callKind, type ComputerCall, type ToolApproved } from '../call/call.rules.ts';
import type { CatalogListed, CatalogNews, CatalogRestless } from '../catalog/catalog.machine.ts';
import { emptyTable } from '../catalog/tool-table.ts';
import { clientKind, type ClientChanged } from '../client/client.events.ts';
import {
  type Address,
  effects,
  eventAsParams,
  message,
  post,
  posts,
  postsAll,
  toOwned,
  toOwnersOf,
  type Open,
  type OwnedEnded,
  type Post,
} from '../kernel/effects.ts';
import type { ClientWaits } from '../kernel/ports.ts';
import { linkGivenUp, linkKind } from '../link/link.machine.ts';
import { aggregatorKinds } from '../resources/aggregator.rules.ts';
import type { ResourcesWanted } from '../resources/resource-pages.ts';
import { blobsKind, type BlobWanted } from '../blobs/blobs.rules.ts';
import { skillsKind } from '../skills/skills.rules.ts';
import { uploadKind } from '../uploads/upload.rules.ts';
import * as collections from './computer.collections.ts';
import * as rules from './computer.rules.ts';
import type {
  CallOverdue,
  ComputerContext,
  ComputerNews,
  ComputerEvent,
  ComputerInput,
  ComputerQuestion,
  ServersSet,
  ConnectPermits,
} from './computer.rules.ts';
import * as calls from './computer.calls.ts';
import * as lists from './computer.resources.ts';
import * as skills from './computer.skills.ts';
import * as uploads from './computer.blobs.ts';
import * as blobs from './computer.blobs.ts';

const computerSetup = setup({
  types: {
    context: {} as ComputerContext,
    input: {} as ComputerInput,
    events: {} as ComputerEvent,
    tags: {} as 'connecting' | 'ready' | 'closing',
  },
  actions: {
    ...effects,
    noteWaits: assign(({ context }, news: ClientWaits) => calls.afterWaits(context, news)),
    noteListed: assign(({ context }, news: CatalogListed) => ({
      ...collections.afterListed(context, news),
      ...rules.afterWithdrawal(context, news),
    })),
    noteBlobsOpened: assign(({ context }) => blobs.afterBlobsOpened(context)),
    noteOpened: assign(({ context }) => collections.afterOpened(context)),
    noteShows: assign(({ context }, news: Parameters<typeof collections.afterShows>[1]) =>
      collections.afterShows(context, news),
    ),
    noteApproved: assign(({ context }, event: ToolApproved) => rules.approvedBy(context, event)),
    forgetApproved: assign(({ context }, { asker }: { asker: Address }) => ({
      approved: rules.approvedWithout(context, asker),
    })),
    remember: assign((_, { next }: { next: Partial<ComputerContext> }) => next),
    forgetSpent: assign(({ context: c }, { server }: { server: string }) => {
      const plan = c.servers.find((s) => s.rules.server === server);
      return { spent: Object.fromEntries(Object.entries(c.spent).filter(([f]) => f !== plan?.fingerprint)) };
    }),
    forgetLeaving: assign(({ context: c }, ended: OwnedEnded) => ({
      open: c.open - 1 + rules.returning(c, ended).length,
      leaving: c.leaving.filter((name) => name !== rules.serverOf(c, ended)),
      permits: rules.withoutPermit(c.permits, rules.serverOf(c, ended) ?? ''),
    })),
    countEnd: assign({ open: ({ context }) => Math.max(0, context.open - 1) }),
    countReopen: assign({ reopens: ({ context }) => context.reopens + 1 }),
    rememberLink: assign(({ context }, { link }: { link: ComputerContext['link'] }) => ({
      link,
      open: context.open + 1,
    })),
    forgetLink: assign({ link: null }),
    wait: assign(({ context }, order: ComputerCall) => calls.afterKept(context, order)),
    forgetDecided: assign(({ context }) => calls.afterDecided(context)),
    forgetOverdue: assign(({ context }, event: CallOverdue) => calls.afterOverdue(context, event)),
    forgetCancelled: assign(({ context }, event: calls.CallWithdrawal) => calls.afterCancel(context, event)),
    noteDecided: assign(({ context: c }) => calls.recentAfterDecided(c)),
    forgetWaiting: assign({ waiting: [], waited: {} }),
    keepAsked: assign(({ context }, question: ComputerQuestion) =>
      collections.afterQuestion(context, question),
    ),
    forgetAsked: assign({ asked: null }),
    forgetDecidedLists: assign(({ context }) => lists.afterDecidedLists(context)),
  },
  guards: {
    mustKeep: ({ context }, question: ComputerQuestion) => collections.mustKeep(context, question),
    mustWait: ({ context }, order: ComputerCall) => calls.mustWait(context, order),
    hasDecided: ({ context: c }) => c.waiting.length > 0 && calls.decidedCalls(c).length > 0,
    hasDecidedLists: ({ context: c }) => c.listsWanted.length > 0 && lists.decidedLists(c).length > 0,
    mustAwaitList: ({ context }, wanted: ResourcesWanted) => lists.mustAwaitList(context, wanted),
    hasBooted: ({ context }) => context.servers.every((s) => !rules.isTrying(context.stages[s.rules.server])),
    isWhole: ({ context }) => rules.isWhole(context),
    isLast: ({ context }) => context.open <= 1,
    hasNone: ({ context }) => context.open === 0,
    hasLink: ({ context }) => context.link !== null,
    isUpload: (_, ended: OwnedEnded) => uploads.isUpload(ended),
    isCollection: (_, ended: OwnedEnded) => collections.isCollection(ended),
    isLink: (_, ended: OwnedEnded) => ended.kind === 'link',
    isBrokenLink: (_, ended: OwnedEnded) => ended.kind === 'link' && ended.why === 'failed',
    isLeaving: ({ context: c }, ended: OwnedEnded) =>
      ended.kind === 'client' && c.leaving.includes(rules.serverOf(c, ended) ?? ''),
    canReopen: ({ context }, ended: OwnedEnded) =>
      ended.why === 'failed' && context.reopens < rules.maxReopens,
  },
  delays: {
    boot: ({ context }) => context.timing.bootMs,
    tools: ({ context }) => context.timing.toolsMs,
    shutdown: ({ context }) => context.timing.shutdownMs,
  },
});

const tellHost = <E>(news: (c: ComputerContext, event: E) => ComputerNews) =>
  posts((c: ComputerContext, event: E) => post(c.owner, news(c, event)));
const tellStage = (stage: 'whole' | 'degraded' | 'closing') =>
  tellHost(() => ({ type: 'computer.changed', stage }));
const passToHost = tellHost((_, event: ComputerNews) => event);
const tellBroken = tellHost<OwnedEnded>((_, event) => ({
  type: 'machine.failed',
  name: event.name,
  error: event.error ?? '',
}));
const tellLinkGivenUp = tellHost<OwnedEnded>((_, event) => linkGivenUp(event));
const tellRemoved = tellHost<OwnedEnded>((c, event) => ({
  type: 'server.removed',
  server: rules.serverOf(c, event) ?? event.key,
}));

type ServerOrder = { readonly type: 'server.start' | 'server.stop'; readonly server: string };
/** A client given up is reported again, because the host waits for news of its order. */
const passToClient = posts((c: ComputerContext, { type, server }: ServerOrder) =>
  post(
    rules.clientOf(c, server),
    { type },
    { onUndelivered: message(c.owner, rules.crashedNews(server, 'it is not opened again')) },
  ),
);

interface RuleResult {
  readonly opens?: readonly Open[];
  readonly messages?: readonly Post[];
  /** 0 stops the running one, absent leaves it. */
  readonly deadlineMs?: number;
  readonly cancels?: readonly string[];
  readonly next: Partial<ComputerContext>;
}
export const actionOf = <E>(rule: (c: ComputerContext, event: E) => RuleResult) =>
  computerSetup.enqueueActions(({ context, event, enqueue }) => {
    const { opens = [], messages = [], deadlineMs, cancels = [], next } = rule(context, event as E);
    if (opens.length > 0) enqueue({ type: 'openAll', params: { opens } });
    if (messages.length > 0) enqueue({ type: 'postAll', params: { messages } });
    if (deadlineMs !== undefined) enqueue({ type: 'setDeadline', params: { ms: deadlineMs, for: 'permit' } });
    for (const id of cancels) enqueue.cancel(id);
    enqueue({ type: 'remember', params: { next } });
  });

/** A timer restores the tokens that reconnects have used up. `rest` is sent first. */
const changePermits = <E>(
  change: (permits: ConnectPermits, event: E, c: ComputerContext) => ConnectPermits,
  isDue: (before: ConnectPermits, after: ConnectPermits) => boolean,
  rest: (c: ComputerContext, event: E) => rules.Consequences = () => ({ messages: [], next: {} }),
) =>
  actionOf<E>((c, event) => {
    const { permits, servers } = rules.grantedPermits(change(c.permits, event, c));
    const { messages, next } = rest(c, event);
    const grants = servers.map((server) =>
      post(rules.clientOf(c, server), { type: 'permit.granted' }, { optional: true }),
    );
    return {
      messages: [...messages, ...grants],
      ...(isDue(c.permits, permits) && { deadlineMs: c.timing.permitMs }),
      next: { ...next, permits },
    };
  });
const hasSpentFirst = (before: ConnectPermits, after: ConnectPermits): boolean =>
  rules.hasAllTokens(before) && !rules.hasAllTokens(after);
const permitWanted = changePermits<{ server: string; again: boolean }>(
  (permits, { server, again }) => rules.withWantedPermit(permits, server, again),
  hasSpentFirst,
);
const permitReleased = changePermits<{ server: string }>(
  (permits, { server }) => rules.withoutPermit(permits, server),
  hasSpentFirst,
);
const tokenBack = changePermits<unknown>(rules.withToken, (_, after) => !rules.hasAllTokens(after));
const clientNewsTaken = (c: ComputerContext, news: ClientChanged): rules.Consequences => {
  const told = rules.consequencesOf(c, news, rules.afterClientNews(c, news));
  const hidden = collections.afterGone(c, news);
  return {
    messages: [...told.messages, ...rules.messagesOfReadyServer(c, news), ...hidden.messages],
    next: { ...calls.withoutWaits(c, news.server), ...told.next, ...hidden.next },
  };
};
/** A client that has connected or failed frees its permit for the next. */
const clientChanged = changePermits<ClientChanged>(
  (permits, { stage, server }) => (stage === 'connecting' ? permits : rules.withoutPermit(permits, server)),
  hasSpentFirst,
  clientNewsTaken,
);
const giveUp = changePermits<OwnedEnded>(
  (permits, ended, c) => rules.withoutPermit(permits, rules.serverOf(c, ended) ?? ''),
  hasSpentFirst,
  (c, ended) => {
    const news = rules.givenUp(c, ended);
    const { messages, next } = clientNewsTaken(c, news);
    return { messages, next: { ...next, givenUp: [...c.givenUp, news.server] } };
  },
);

const keepQuestion = {
  guard: { type: 'mustKeep', params: eventAsParams },
  actions: { type: 'keepAsked', params: eventAsParams },
} as const;
/** Only after the events in the queue, such as the resources of a new server. */
const wakeAsked = computerSetup.enqueueActions(({ context, enqueue }) => {
  if (context.asked !== null && context.asked.length > 0)
    enqueue.raise({ type: 'questions.due' }, { delay: 0, id: 'questions' });
  else enqueue('forgetAsked');
});

export const listTakenIn = (c: ComputerContext, news: CatalogNews): RuleResult & rules.Consequences => {
  const told = rules.consequencesOf(c, news, rules.afterList(c, news));
  const listed = collections.afterResources(c, news);
  return {
    opens: listed.opens ?? [],
    messages: [...told.messages, ...listed.messages],
    next: { ...told.next, ...listed.next },
  };
};
const takeList = actionOf(listTakenIn);
/** While closing no machine of the skills is opened any more. */
const takeLastList = actionOf<CatalogNews>((c, news) => listTakenIn({ ...c, hasSkills: true }, news));
const takeRestless = actionOf<CatalogRestless>(rules.restlessTakenIn);

const reconcile = actionOf<ServersSet>((c, event) => {
  const { opens, messages, next } = rules.reconciledServers(c, event);
  return { opens, messages: [...messages, ...collections.messagesOfPlans(c, next)], next };
});

// ── Desktop and Finder ─────────────────────────────────────────────────────────────────────────────────
const openCollections = [
  {
    type: 'openAll',
    params: ({ context }: { context: ComputerContext }) => ({ opens: collections.openings(context) }),
  },
  'noteOpened',
] as const;

const passWanted = [...openCollections, posts(collections.passWanted)] as const;

// ── calls ─────────────────────────────────────────────────────────────────────────────────────────────
const callMessages = <E>(of: (c: ComputerContext, event: E) => ReturnType<typeof calls.messagesOfDecided>) =>
  postsAll(of);

/** On arrival, before its server is known. */
const startPatience = computerSetup.enqueueActions(({ context, event, enqueue }) => {
  const order = event as ComputerCall;
  const delay = calls.patienceOf(order);
  const { ticket } = order;
  if (delay > 0 && !calls.isWaitingFull(context))
    enqueue.raise({ type: 'call.overdue', ticket }, { delay, id: calls.patienceTimer(ticket) });
});
/** Stops the timer of an earlier call with the same ticket. */
const sendAtOnce = actionOf<ComputerCall>((c, order) => {
  const { ticket } = order;
  const told = calls.callTaken(c, order);
  return Object.hasOwn(c.waited, ticket) ? { ...told, cancels: [calls.patienceTimer(ticket)] } : told;
});
const stopDecided = computerSetup.enqueueActions(({ context, enqueue }) => {
  const { waited } = calls.afterDecided(context);
  for (const call of calls.decidedCalls(context))
    if (!Object.hasOwn(waited, call.ticket)) enqueue.cancel(calls.patienceTimer(call.ticket));
});
const stopWithdrawn = computerSetup.enqueueActions(({ context, event, enqueue }) => {
  for (const call of calls.withdrawnCalls(context, event as calls.CallWithdrawal))
    enqueue.cancel(calls.patienceTimer(call.ticket));
});

const withdrawCall = {
  actions: [
    callMessages<calls.CallWithdrawal>((c, event) => calls.messagesOfCancel(c, event)),
    stopWithdrawn,
    { type: 'forgetCancelled', params: eventAsParams<calls.CallWithdrawal> },
    // The loss of a caller goes to all clients, because its calls are not known here.
    {
      type: 'tellOwned',
      params: ({ event }: { event: calls.CallWithdrawal }) =>
        event.type === 'call.cancel'
          ? toOwnersOf(clientKind, [callKind, event.ticket], event)
          : toOwned(clientKind, event),
    },
  ],
} as const;

// ── resources of one server ───────────────────────────────────────────────────────────────────────────
/** Until the server has listed them, or for `toolsMs`. */
const awaitList = computerSetup.enqueueActions(({ context, event, enqueue }) => {
  const wanted = event as ResourcesWanted;
  const { ticket } = wanted;
  enqueue({ type: 'remember', params: { next: lists.withListWanted(context, wanted) } });
  const wait = { delay: context.timing.toolsMs, id: lists.listTimer(ticket) };
  enqueue.raise({ type: 'resources.overdue', ticket }, wait);
});
const answerDecidedLists = computerSetup.enqueueActions(({ context, enqueue }) => {
  enqueue({ type: 'postAll', params: { messages: lists.messagesOfDecidedLists(context) } });
  for (const { ticket } of lists.decidedLists(context)) enqueue.cancel(lists.listTimer(ticket));
  enqueue('forgetDecidedLists');
});

// ── skills ────────────────────────────────────────────────────────────────────────────────────────────
type SkillsEvent = Extract<ComputerEvent, { type: 'skills.look' | 'skills.wanted' | 'skill.wanted' }>;
const passToSkills = actionOf<SkillsEvent>((c, event) => {
  const { opens, messages, next } = skills.openedSkills(c);
  return { opens, messages: [...messages, skills.toSkills(c, event)], next };
});
const tellSkills = postsAll(skills.messagesOfSkills);

// ── uploads ───────────────────────────────────────────────────────────────────────────────────────────
const endUploadsOfNoFolder = computerSetup.enqueueActions(({ context: { landing }, enqueue }) => {
  if (landing === null) enqueue({ type: 'tellOwned', params: toOwned(uploadKind, { type: 'close' }) });
});
const tellBrokenUpload = postsAll((c: ComputerContext, { why, name, error = '' }: OwnedEnded) =>
  why === 'failed' ? [post(c.owner, { type: 'machine.failed', name, error })] : [],
);
// ── blobs ─────────────────────────────────────────────────────────────────────────────────────────────
const passToBlobs = [
  {
    type: 'openAll',
    params: ({ context }: { context: ComputerContext }) => ({ opens: blobs.blobsOpenings(context) }),
  },
  'noteBlobsOpened',
  posts((c: ComputerContext, wanted: BlobWanted) => blobs.toBlobs(c, wanted)),
] as const;
const answerAtClose = { actions: posts(collections.answerAtClose) } as const;

// ── the chart ─────────────────────────────────────────────────────────────────────────────────────────
export type {
  ComputerContext,
  ComputerNews,
  ComputerOrder,
  ComputerStart,
  ServerPlan,
  ServersSet,
} from './computer.rules.ts';

export const computerMachine = computerSetup.createMachine({
  id: 'computer',
  context: ({ input }) => ({
    ...input,
    ...rules.aggregateOf(input),
    stages: Object.fromEntries(input.servers.map((s) => [s.rules.server, 'connecting' as const])),
    configRevision: 0,
    withdrawn: {},
    restless: {},
    reasons: {},
    approved: {},
    recent: [],
    shows: {},
    resources: {},
    listed: {},
    hasCollections: false,
    hasSkills: false,
    landing: null,
    uploads: {},
    hasBlobs: false,
    permits: rules.noPermits,
    spent: {},
    leaving: [],
    givenUp: [],
    waiting: [],
    waited: {},
    asked: [],
    listsWanted: [],
    open: rules.opensOf(input).length,
    reopens: 0,
  }),
  entry: [
    { type: 'openAll', params: ({ context }) => ({ opens: rules.opensOf(context) }) },
    /** At once, because lists of the last run are known before the servers start. */
    {
      type: 'postAll',
      params: ({ context }) => ({ messages: rules.refusedNews(context, emptyTable, context.table) }),
    },
  ],
  initial: 'booting',
  always: [
    {
      guard: 'hasDecided',
      actions: [callMessages((c) => calls.messagesOfDecided(c)), stopDecided, 'noteDecided', 'forgetDecided'],
    },
    { guard: 'hasDecidedLists', actions: answerDecidedLists },
  ],
  on: {
    'client.changed': { actions: clientChanged },
    'client.waits': { actions: { type: 'noteWaits', params: ({ event }) => event } },
    'permit.wanted': { actions: permitWanted },
    'permit.released': { actions: permitReleased },
    'deadline.passed': { actions: tokenBack },
    'server.proven': { actions: { type: 'forgetSpent', params: ({ event }) => event } },
    'server.rolledBack': { actions: passToHost },
    'resource.updated': {
      actions: [
        passToHost,
        {
          type: 'postAll',
          params: ({ context, event }) => ({
            messages: collections.messagesOfUpdate(context, event),
          }),
        },
      ],
    },
    'resources.watched': {
      actions: {
        type: 'postAll',
        params: ({ context, event }) => ({
          messages: collections.messagesOfWatched(context, event),
        }),
      },
    },
    'server.shows': {
      actions: [
        ...openCollections,
        {
          type: 'postAll',
          params: ({ context, event }) => ({ messages: collections.messagesOfShows(context, event) }),
        },
        { type: 'noteShows', params: ({ event }) => event },
      ],
    },
    'aggregate.wanted': { actions: passWanted },
    'resource.wanted': { actions: passWanted },
    'aggregate.changed': {
      actions: {
        type: 'postAll',
        params: ({ context, event }) => ({
          messages: collections.messagesOfChange(context, event),
        }),
      },
    },
    'aggregate.noticed': { actions: passToHost },
    'catalog.changed': { actions: takeList },
    'catalog.listed': {
      actions: [
        {
          type: 'postAll',
          params: ({ context, event }) => ({
            messages: [
              ...collections.messagesOfStanding(context, event),
              ...rules.messagesOfWithdrawal(context, event),
            ],
          }),
        },
        { type: 'noteListed', params: ({ event }) => event },
      ],
    },
    'catalog.restless': { actions: takeRestless },
    'link.changed': { actions: passToHost },
    'call.request': [
      {
        guard: { type: 'mustWait', params: ({ event }) => event },
        actions: [
          callMessages<ComputerCall>((c, order) => calls.messagesOfFull(c, order)),
          startPatience,
          { type: 'wait', params: ({ event }) => event },
        ],
      },
      { actions: sendAtOnce },
    ],
    'call.overdue': {
      actions: [
        callMessages<CallOverdue>((c, event) => calls.messagesOfOverdue(c, event)),
        { type: 'forgetOverdue', params: ({ event }) => event },
      ],
    },
    'tool.approved': { actions: { type: 'noteApproved', params: ({ event }) => event } },
    'tools.wanted': {
      actions: {
        type: 'post',
        params: ({ context, event }) => rules.toolsListed(context, event),
      },
    },
    'config.wanted': {
      actions: {
        type: 'post',
        params: ({ context, event: { ticket, replyTo } }) =>
          post(replyTo, { type: 'config.shown', ticket, config: context.shown }, { optional: true }),
      },
    },
    'resources.wanted': [
      { guard: { type: 'mustAwaitList', params: ({ event }) => event }, actions: awaitList },
      {
        actions: { type: 'post', params: ({ context, event }) => lists.answerNow(context, event) },
      },
    ],
    'resources.overdue': {
      actions: actionOf<Extract<ComputerEvent, { type: 'resources.overdue' }>>((c, event) => ({
        messages: lists.messagesOfOverdueList(c, event),
        next: lists.afterOverdueList(c, event),
      })),
    },
    'skills.look': { actions: passToSkills },
    'skills.wanted': { actions: passToSkills },
    'skill.wanted': { actions: passToSkills },
    'blob.wanted': { actions: passToBlobs },
    'skills.changed': { actions: tellSkills },
    'skills.noticed': { actions: tellSkills },
    'landing.set': {
      actions: [
        { type: 'remember', params: ({ event: { landing } }) => ({ next: { landing } }) },
        endUploadsOfNoFolder,
      ],
    },
    'part.wanted': { actions: actionOf(uploads.partTaken) },
    'questions.due': {
      actions: [
        computerSetup.enqueueActions(({ context, enqueue }) => {
          for (const question of context.asked ?? []) enqueue.raise(question);
        }),
        'forgetAsked',
      ],
    },
    'call.cancel': withdrawCall,
    'asker.lost': {
      actions: [...withdrawCall.actions, { type: 'forgetApproved', params: ({ event }) => event }],
    },
    'server.start': { actions: passToClient },
    'server.stop': { actions: passToClient },
    'servers.set': { actions: reconcile },
    'resources.watch': {
      actions: {
        type: 'post',
        params: ({ context, event }) =>
          post(
            rules.clientOf(context, event.server),
            { type: 'resources.watch', uris: event.uris, by: event.by },
            { optional: true },
          ),
      },
    },
    'resources.relist': {
      actions: {
        type: 'post',
        params: ({ context, event }) =>
          post(rules.clientOf(context, event.server), event, { optional: true }),
      },
    },
    'owned.ended': [
      {
        guard: { type: 'isUpload', params: ({ event }) => event },
        actions: [
          tellBrokenUpload,
          {
            type: 'remember',
            params: ({ context, event }) => ({ next: uploads.afterUpload(context, event) }),
          },
        ],
      },
      {
        guard: { type: 'isLeaving', params: ({ event }) => event },
        actions: [
          tellRemoved,
          {
            type: 'openAll',
            params: ({ context, event }) => ({ opens: rules.returning(context, event) }),
          },
          { type: 'forgetLeaving', params: ({ event }) => event },
        ],
      },
      {
        guard: { type: 'canReopen', params: ({ event }) => event },
        actions: [
          'countReopen',
          tellBroken,
          {
            type: 'openAll',
            params: ({ context: c, event }) => ({
              opens: rules.opensOf(c, c.spent).filter((open) => rules.isOpenOf(open, event)),
            }),
          },
          {
            type: 'openAll',
            params: ({ context, event }) => ({
              opens: event.kind === 'blobs' ? [blobs.blobsOpen(context)] : [],
            }),
          },
          {
            type: 'openAll',
            params: ({ context, event }) => ({
              opens: collections.reopenedCollection(context, event).opens,
            }),
          },
          {
            type: 'postAll',
            params: ({ context, event }) => ({
              messages: collections.reopenedCollection(context, event).messages,
            }),
          },
        ],
      },
      {
        guard: { type: 'isBrokenLink', params: ({ event }) => event },
        actions: ['countEnd', 'forgetLink', tellBroken, tellLinkGivenUp],
      },
      { guard: { type: 'isCollection', params: ({ event }) => event }, actions: ['countEnd', tellBroken] },
      { guard: { type: 'isLink', params: ({ event }) => event }, actions: ['countEnd', 'forgetLink'] },
      { actions: ['countEnd', tellBroken, giveUp] },
    ],
    'office.join': [
      {
        guard: not('hasLink'),
        actions: [
          { type: 'rememberLink', params: ({ event }) => event },
          { type: 'openAll', params: ({ context }) => ({ opens: rules.linkOpens(context) }) },
          {
            type: 'postAll',
            params: ({ context: c }) => ({
              messages: [rules.signatureNews(c.signature), rules.configNews(c)].map((event) =>
                post(rules.linkOf(c), event),
              ),
            }),
          },
        ],
      },
      // A computer has only one seat.
      {},
    ],
    'office.leave': {
      actions: { type: 'tellOwned', params: toOwned(linkKind, { type: 'close' }) },
    },
    close: '.closing',
  },
  states: {
    booting: {
      tags: 'connecting',
      on: {
        'tools.wanted': keepQuestion,
        'aggregate.wanted': keepQuestion,
        'resource.wanted': keepQuestion,
        'skills.wanted': keepQuestion,
        'skill.wanted': keepQuestion,
      },
      always: { guard: 'hasBooted', target: 'serving' },
      after: { boot: 'serving', tools: { actions: wakeAsked } },
      exit: wakeAsked,
    },
    serving: {
      tags: 'ready',
      initial: 'judging',
      states: {
        judging: { always: [{ guard: 'isWhole', target: 'whole' }, { target: 'degraded' }] },
        whole: { entry: tellStage('whole'), always: { guard: not('isWhole'), target: 'degraded' } },
        degraded: { entry: tellStage('degraded'), always: { guard: 'isWhole', target: 'whole' } },
      },
    },
    closing: {
      tags: 'closing',
      entry: [
        tellStage('closing'),
        callMessages((c) => calls.messagesOfClosing(c)),
        'forgetWaiting',
        { type: 'postAll', params: ({ context }) => ({ messages: collections.answersAtClose(context) }) },
        'forgetAsked',
        { type: 'remember', params: { next: { listsWanted: [] } } },
        { type: 'tellOwned', params: toOwned(clientKind, { type: 'close' }) },
        { type: 'tellOwned', params: toOwned(linkKind, { type: 'close' }) },
        { type: 'tellOwned', params: toOwned(aggregatorKinds.desktop, { type: 'close' }) },
        { type: 'tellOwned', params: toOwned(aggregatorKinds.finder, { type: 'close' }) },
        { type: 'tellOwned', params: toOwned(skillsKind, { type: 'close' }) },
        { type: 'tellOwned', params: toOwned(uploadKind, { type: 'close' }) },
        { type: 'tellOwned', params: toOwned(blobsKind, { type: 'close' }) },
      ],
      on: {
        'owned.ended': [{ guard: 'isLast', target: 'closed' }, { actions: 'countEnd' }],
        // Nothing would order a link to close.
        'office.join': {},
        'call.request': {
          actions: {
            type: 'post',
            params: ({ context, event }) => calls.messageOfCall(context, event),
          },
        },
        'server.start': {},
        'server.stop': {},
        'servers.set': {},
        'server.shows': {},
        'catalog.changed': { actions: takeLastList },
        'skills.look': {},
        'landing.set': {},
        'aggregate.wanted': answerAtClose,
        'resource.wanted': answerAtClose,
        'resources.wanted': answerAtClose,
        'skills.wanted': answerAtClose,
        'skill.wanted': answerAtClose,
        'part.wanted': answerAtClose,
        'blob.wanted': answerAtClose,
        close: {},
      },
      always: { guard: 'hasNone', target: 'closed' },
      after: { shutdown: 'closed' },
    },
    closed: { type: 'final' },
  },
});
