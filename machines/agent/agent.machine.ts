/**
 * The other side: an agent's place in an office, what it knows of the computers there, and its calls.
 *
 * offline — the link is being made, or was lost: calls are refused, what was known is forgotten
 * joined  — asked who is there, follows the notices: per computer a view of its tools, and of its Desktop and its
 *           Finder once it tells of a change there, or from the beginning when the host follows them
 * closing — views, calls and link end
 * closed  — final
 */
import { type ActorRefFrom } from 'xstate';
import { callKind, settledBy, type CallStart } from '../call/messages.ts';
import { childOf } from '../kernel/address.ts';
import { post, toOwned } from '../kernel/effects.ts';
import { linkKind } from '../link/link.setup.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';
import {
  eventAsParams,
  loseCalls,
  openLink,
  tellLinkGivenUp,
  offlineFailure,
  callOpen,
  callStart,
  closingFailure,
  queryStart,
  parts,
  passOn,
  refuseCall,
} from './agent.setup.ts';
import {
  closeViews,
  forgetAll,
  hearNotifications,
  linkAt,
  openComer,
  openFollowed,
  openRoom,
  openViewAgain,
  refreshRefused,
  reqIdOf,
  tellUnknownRoom,
  tellViewGivenUp,
  wakeView,
} from './agent.views.ts';
import type { AgentFollow } from './agent.events.ts';

export type {
  AgentStart,
  AgentCall,
  AgentFollow,
  AgentQuery,
  AgentOrder,
  AgentNews,
} from './agent.events.ts';

const followed = ({ event }: { readonly event: AgentFollow }): AgentFollow => event;
const alreadyFollowed = { guard: { type: 'isFollowed', params: followed } } as const;
const follow = { type: 'rememberFollowed', params: followed } as const;

export const agentMachine = parts.createMachine({
  id: 'agent',
  context: ({ input }) => ({ ...input, computers: [], follows: [], asked: 0, reopens: 0 }),
  entry: openLink,
  initial: 'offline',
  on: {
    'call.cancel': {
      actions: {
        type: 'post',
        params: ({ context, event: { ticket, reason } }) =>
          post(childOf(context.self, callKind, ticket), { type: 'call.cancel', reason }, { optional: true }),
      },
    },
    'open.refused': [
      {
        guard: ({ event }) => event.kind === 'call',
        actions: {
          type: 'post',
          params: ({ event }) => {
            const call = event.input as CallStart;
            const failure: Failure = {
              code: wireCodes.conflict,
              message: `A call '${call.reqId}' is already in flight`,
            };
            return post(call.replyTo, settledBy(call, 'failed', failure));
          },
        },
      },
      { actions: refreshRefused },
    ],
    'agent.follow': [alreadyFollowed, { actions: follow }],
    'owned.ended': [
      {
        guard: { type: 'canReopen', params: eventAsParams },
        target: '.offline',
        actions: ['countReopen', loseCalls, ...forgetAll, openLink],
      },
      { guard: { type: 'isLink', params: eventAsParams }, target: '.closed', actions: tellLinkGivenUp },
      { guard: { type: 'canReopenView', params: eventAsParams }, actions: ['countReopen', openViewAgain] },
      { guard: { type: 'isBrokenView', params: eventAsParams }, actions: tellViewGivenUp },
      /** Views end when they are told to; a call, or its will, has answered whoever asked. */
      {},
    ],
    close: '.closing',
  },
  states: {
    offline: {
      tags: 'connecting',
      on: {
        'link.changed': [
          { guard: { type: 'isJoined', params: ({ event }) => event }, target: 'joined', actions: passOn },
          { actions: passOn },
        ],
        'agent.call': { actions: refuseCall(offlineFailure) },
        'agent.query': { actions: refuseCall(offlineFailure) },
      },
    },
    joined: {
      tags: 'ready',
      /** Whoever was here before us is not announced: ask. */
      entry: [
        'countQuestion',
        {
          type: 'request',
          params: ({ context: c }) => ({
            id: 'room',
            target: linkAt(c),
            method: 'server:list_room',
            params: { agent: c.link.name, req_id: reqIdOf(c), office_id: c.link.office },
          }),
        },
      ],
      exit: { type: 'cancel', params: { id: 'room' } },
      on: {
        'ask.answered': { actions: openRoom },
        'ask.refused': { actions: tellUnknownRoom },
        'computer.entered': { actions: [passOn, ...openComer] },
        'computer.left': { actions: [passOn, ...closeViews] },
        ...hearNotifications,
        'agent.follow': [alreadyFollowed, { actions: [follow, openFollowed] }],
        'view.toolsChanged': { actions: passOn },
        'view.collectionChanged': { actions: passOn },
        'link.changed': [
          {
            guard: { type: 'isOffline', params: ({ event }) => event },
            target: 'offline',
            actions: [passOn, loseCalls, ...forgetAll],
          },
        ],
        'agent.call': {
          actions: {
            type: 'open',
            params: ({ context, event }) => callOpen(event, callStart(context, event)),
          },
        },
        'agent.query': {
          actions: [
            {
              type: 'open',
              params: ({ context, event }) => callOpen(event, queryStart(context, event)),
            },
            wakeView,
          ],
        },
      },
    },
    closing: {
      tags: 'closing',
      entry: [
        {
          type: 'tellOwned',
          params: toOwned(callKind, { type: 'close' }),
        },
        ...forgetAll,
        /** Told like the calls and after them, so that their cancels go out before the leave. */
        { type: 'tellOwned', params: toOwned(linkKind, { type: 'close' }) },
      ],
      on: {
        'owned.ended': { guard: { type: 'isLink', params: eventAsParams }, target: 'closed' },
        'link.changed': { actions: passOn },
        'agent.call': { actions: refuseCall(closingFailure) },
        'agent.query': { actions: refuseCall(closingFailure) },
        close: {},
      },
      after: { shutdown: 'closed' },
    },
    closed: { type: 'final' },
  },
});
export type AgentRef = ActorRefFrom<typeof agentMachine>;
