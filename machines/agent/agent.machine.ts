/**
 * State machine of an agent: its seat in an office, its knowledge of the computers there, and its calls. States:
 *
 * offline — the link is being opened, or was lost: calls are refused, and all knowledge of computers is dropped
 * joined  — asked for the members and follows notices: for each computer a view of its tools, and of its Desktop and
 *           Finder once the computer announces a change there, or from the start when the host follows them
 * closing — views, calls and link are being closed
 * closed  — final
 */
import { assign, setup } from 'xstate';
import { downloadKind } from '../blobs/download.rules.ts';
import { callKind, repeated, settledBy, type CallStart } from '../call/call.rules.ts';
import {
  addressFor,
  childOf,
  effects,
  open,
  opens,
  opensAll,
  post,
  posts,
  postsAll,
  requests,
  tellsOwned,
  toOwned,
  type OpenRefused,
  type OwnedEnded,
  withEvent,
} from '../kernel/effects.ts';
import { timingOf } from '../kernel/timing.ts';
import { linkGivenUp, linkKind, type LinkNews } from '../link/link.events.ts';
import type { Failure } from '../protocol/failure.ts';
import { rows, type NotificationFact } from '../protocol/notifications.ts';
import type { Followed } from './collections.ts';
import type {
  AgentCall,
  AgentContext,
  AgentDownload,
  AgentEvent,
  AgentFollow,
  AgentInput,
  AgentNews,
  AgentQuery,
} from './agent.rules.ts';
import * as rules from './agent.rules.ts';
import type { ViewOrder } from './view.machine.ts';

export type {
  AgentDownload,
  AgentStart,
  AgentCall,
  AgentFollow,
  AgentQuery,
  AgentOrder,
  AgentNews,
} from './agent.rules.ts';

/** Number of crashes of the link or a view after which it is still reopened. */
const maxReopens = 5;

const parts = setup({
  types: {
    context: {} as AgentContext,
    input: {} as AgentInput,
    events: {} as AgentEvent,
    tags: {} as 'connecting' | 'ready' | 'closing',
  },
  actions: {
    ...effects,
    countQuestion: assign({ asked: ({ context }) => context.asked + 1 }),
    add: assign(({ context }, { names }: { names: readonly string[] }) => ({
      computers: [...new Set([...context.computers, ...names])],
    })),
    drop: assign(({ context }, { computer }: { computer: string }) => ({
      computers: context.computers.filter((c) => c !== computer),
    })),
    forgetComputers: assign({ computers: [] }),
    rememberFollowed: assign(({ context }, { collection }: { collection: Followed }) => ({
      follows: [...context.follows, collection],
    })),
    countReopen: assign({ reopens: ({ context }) => context.reopens + 1 }),
  },
  guards: {
    isJoined: (_, { stage }: { stage: string }) => stage === 'joined',
    isOffline: (_, { stage }: { stage: string }) => stage === 'waiting' || stage === 'closed',
    isFollowed: ({ context }, { collection }: { collection: Followed }) =>
      context.follows.includes(collection),
    isLink: (_, ended: OwnedEnded) => ended.kind === 'link',
    canReopen: ({ context }, ended: OwnedEnded) =>
      ended.kind === 'link' && ended.why === 'failed' && context.reopens < maxReopens,
    canReopenView: ({ context }, ended: OwnedEnded) =>
      ended.why === 'failed' && context.reopens < maxReopens && rules.viewedBy(context, ended) !== undefined,
    isBrokenView: ({ context }, ended: OwnedEnded) =>
      ended.why === 'failed' && rules.viewedBy(context, ended) !== undefined,
  },
  delays: { shutdown: ({ context }) => context.timing.shutdownMs },
});

const passOn = posts((c: AgentContext, news: AgentNews) => post(c.owner, news));
const refuseCall = (failure: Failure) =>
  posts((_: AgentContext, call: AgentCall | AgentQuery) =>
    post(call.replyTo, settledBy(rules.callOf(call), 'failed', failure)),
  );
const openLink = opens((c: AgentContext) =>
  open(linkKind, { ...c.link, role: 'agent', timing: timingOf.link(c.timing) }),
);
const loseCalls = tellsOwned(
  (_: AgentContext, event: OwnedEnded | Extract<LinkNews, { type: 'link.changed' }>) =>
    toOwned(callKind, {
      type: 'server.lost',
      failure: rules.linkLost(event.type === 'link.changed' ? event.reason : null),
    }),
);
const forgetAll = [
  ...rules.allViewsClosed.map((params) => ({ type: 'tellOwned' as const, params })),
  'forgetComputers' as const,
];
const hearNotification = {
  actions: [postsAll(rules.postsAfter), opensAll(rules.opensAfter)],
} as const;
const hearNotifications = Object.fromEntries(
  rows.map(({ fact }) => [fact.type, hearNotification]),
) as Readonly<Record<NotificationFact['type'], typeof hearNotification>>;
type OfComputer = { readonly computer: string };

export const agentMachine = parts.createMachine({
  id: 'agent',
  context: ({ input }) => ({ ...input, computers: [], follows: [], asked: 0, reopens: 0 }),
  entry: openLink,
  initial: 'offline',
  on: {
    'call.cancel': {
      actions: posts(
        (c: AgentContext, { ticket, reason }: { readonly ticket: string; readonly reason: string }) =>
          post(childOf(c.self, callKind, ticket), { type: 'call.cancel', reason }, { optional: true }),
      ),
    },
    'open.refused': [
      {
        guard: ({ event }) => event.kind === 'call',
        actions: posts((_: AgentContext, { input }: OpenRefused) => {
          const call = input as CallStart;
          const { code, message } = repeated(call.reqId);
          return post(call.replyTo, settledBy(call, 'failed', { code, message }));
        }),
      },
      {
        actions: posts((_: AgentContext, { name }: OpenRefused) =>
          post(addressFor<ViewOrder>(name), { type: 'view.refresh' }),
        ),
      },
    ],
    /** Opens a download even without a link, because a download waits for its computer. */
    'agent.download': { actions: opens(rules.downloadStart) },
    'download.told': { actions: posts(rules.downloadTold) },
    'agent.follow': [
      { guard: withEvent('isFollowed') },
      {
        actions: [
          withEvent('rememberFollowed'),
          opensAll((c: AgentContext, { collection }: AgentFollow) =>
            c.computers.map((computer) => rules.viewOpen(c, computer, collection)),
          ),
        ],
      },
    ],
    'link.changed': { actions: passOn },
    'owned.ended': [
      {
        guard: withEvent('canReopen'),
        target: '.offline',
        actions: ['countReopen', loseCalls, ...forgetAll, openLink],
      },
      {
        guard: withEvent('isLink'),
        target: '.closed',
        actions: posts((c: AgentContext, event: OwnedEnded) => post(c.owner, linkGivenUp(event))),
      },
      { guard: withEvent('canReopenView'), actions: ['countReopen', opensAll(rules.viewAgain)] },
      {
        guard: withEvent('isBrokenView'),
        actions: postsAll((c: AgentContext, event: OwnedEnded) =>
          rules.viewGivenUp(c, event).map((news) => post(c.owner, news)),
        ),
      },
      /** Ignores the end of a view that was asked to close, and of a call whose caller has already been answered. */
      {},
    ],
    close: '.closing',
  },
  states: {
    offline: {
      tags: 'connecting',
      on: {
        'link.changed': { guard: withEvent('isJoined'), target: 'joined', actions: passOn },
        'agent.call': { actions: refuseCall(rules.offlineFailure) },
        'agent.query': { actions: refuseCall(rules.offlineFailure) },
      },
    },
    joined: {
      tags: 'ready',
      /** Asks the office for its members, because computers that joined earlier are not announced. */
      entry: [
        'countQuestion',
        requests((c: AgentContext) => ({
          id: 'room',
          target: rules.linkAt(c),
          method: 'server:list_room',
          params: { agent: c.link.name, req_id: rules.reqIdOf(c), office_id: c.link.office },
        })),
      ],
      exit: { type: 'cancel', params: { id: 'room' } },
      on: {
        'ask.answered': {
          actions: [
            opensAll((c: AgentContext, { result }: { readonly result: unknown }) =>
              rules.viewsOfComers(c, rules.computersIn(c, result)),
            ),
            {
              type: 'add',
              params: ({ context, event }) => ({ names: rules.computersIn(context, event.result) }),
            },
            posts((c: AgentContext, { result }: { readonly result: unknown }) =>
              post(c.owner, { type: 'room.known', computers: rules.computersIn(c, result) }),
            ),
          ],
        },
        /** Transition for an office that cannot list its members; later arrivals are still announced. */
        'ask.refused': {
          actions: posts((c: AgentContext) => post(c.owner, { type: 'room.known', computers: [] })),
        },
        'computer.entered': {
          actions: [
            passOn,
            opensAll((c: AgentContext, { computer }: OfComputer) => rules.viewsOfComers(c, [computer])),
            { type: 'add', params: ({ event }) => ({ names: [event.computer] }) },
          ],
        },
        'computer.left': {
          actions: [
            passOn,
            postsAll((c: AgentContext, { computer }: OfComputer) => rules.viewsClosed(c, computer)),
            withEvent('drop'),
          ],
        },
        ...hearNotifications,
        'view.toolsChanged': { actions: passOn },
        'view.collectionChanged': { actions: passOn },
        'link.changed': {
          guard: withEvent('isOffline'),
          target: 'offline',
          actions: [passOn, loseCalls, ...forgetAll],
        },
        'agent.call': {
          actions: opens((c: AgentContext, call: AgentCall) =>
            rules.callOpen(call, rules.callStart(c, call)),
          ),
        },
        'agent.query': {
          actions: [
            opens((c: AgentContext, query: AgentQuery) => rules.callOpen(query, rules.queryStart(c, query))),
            postsAll(rules.viewWoken),
          ],
        },
      },
    },
    closing: {
      tags: 'closing',
      entry: [
        { type: 'tellOwned', params: toOwned(callKind, { type: 'close' }) },
        { type: 'tellOwned', params: toOwned(downloadKind, { type: 'close' }) },
        ...forgetAll,
        /** Closes the link after the calls, so that their cancellations are sent before the leave. */
        { type: 'tellOwned', params: toOwned(linkKind, { type: 'close' }) },
      ],
      on: {
        'owned.ended': { guard: withEvent('isLink'), target: 'closed' },
        'agent.call': { actions: refuseCall(rules.closingFailure) },
        'agent.query': { actions: refuseCall(rules.closingFailure) },
        'agent.download': { actions: posts((_: AgentContext, e: AgentDownload) => rules.downloadRefused(e)) },
        close: {},
      },
      after: { shutdown: 'closed' },
    },
    closed: { type: 'final' },
  },
});
