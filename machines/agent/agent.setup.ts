/** What the chart of agent.machine.ts is made of: its memory, its calls and its link. Its views are in agent.views.ts. */
import { assign, setup } from 'xstate';
import { addressFor } from '../kernel/address.ts';
import type { AgentCall, AgentNews, AgentQuery, Context, Event, Input } from './agent.events.ts';
import { linkAt, viewedBy } from './agent.views.ts';
import { callKind, settledBy, type CallStart } from '../call/messages.ts';
import {
  effects,
  message,
  open,
  post,
  toOwned,
  type CheckedMessage,
  type Open,
  type OwnedEnded,
} from '../kernel/effects.ts';
import { extended } from '../kernel/extended.ts';
import { linkGivenUp, linkKind, type LinkNews } from '../link/link.setup.ts';
import type { ResourceCollection } from '../resources/collections/index.ts';
import { timingOf } from '../kernel/timing.ts';
import { events } from '../protocol/events.ts';
import type { Failure } from '../protocol/failure.ts';

const maxReopens = 5;
const linkLost = (reason: string | null): Failure => ({
  code: 'LinkLost',
  message: `The connection to the office was lost${reason === null ? '' : `: ${reason}`}; whether the call took effect is unknown`,
  remedy: 'It is made again by itself; look at what the call did before you repeat it.',
});
export const offlineFailure: Failure = {
  code: 'LinkLost',
  message: 'Not connected to an office: the call was not sent',
  remedy: 'Wait until the link is joined again.',
};
export const closingFailure: Failure = { code: 'LinkLost', message: 'The agent is closing' };
/** The wire has whole seconds. */
const secondsOf = (ms: number): number => Math.ceil(ms / 1000);
/** The office waits the call's time-out and a margin, then answers; we wait a little longer than that. */
const patience = (c: Context, timeoutMs: number): number =>
  timeoutMs === 0 ? 0 : timeoutMs + c.timing.agentMarginMs;
/** A call that another one runs: limits, policy and starting are its computer's business. */
const othersLimits = {
  agent: null,
  totalMs: 0,
  idleMs: 0,
  policy: null,
  keeper: addressFor(''),
  isPending: false,
} as const;
export const callStart = (c: Context, { type: _, computer, trace, ...call }: AgentCall): CallStart =>
  extended(call, {
    server: '',
    computer,
    withdrawal: {
      method: events.cancelToolCall,
      params: { agent: c.link.name, req_id: call.reqId },
      ms: c.timing.cancelMs,
    },
    timeoutMs: patience(c, secondsOf(call.timeoutMs) * 1000),
    ...othersLimits,
    request: {
      target: linkAt(c),
      method: 'client:tool_call',
      params: {
        agent: c.link.name,
        req_id: call.reqId,
        computer,
        tool_name: call.tool,
        params: call.params,
        timeout: secondsOf(call.timeoutMs),
        ...(call.wantsProgress === true && { progress: true }),
        ...trace,
      },
    },
  });
export const queryStart = (
  c: Context,
  { type: _, method, request, timeoutMs = c.timing.queryMs + c.timing.agentMarginMs, ...query }: AgentQuery,
): CallStart =>
  extended(query, {
    server: '',
    tool: method,
    params: {},
    timeoutMs,
    ...othersLimits,
    request: {
      target: linkAt(c),
      method,
      params: { agent: c.link.name, req_id: query.reqId, ...request },
    },
  });
export const callOf = (call: AgentCall | AgentQuery) =>
  call.type === 'agent.call'
    ? extended(call, { server: '' })
    : extended(call, { server: '', tool: call.method });
/** What is said when the machine of a call breaks. */
const lastWill = (call: AgentCall | AgentQuery): CheckedMessage =>
  message(
    call.replyTo,
    settledBy(
      callOf(call),
      'unknown',
      { code: 'Crashed', message: 'The machine of this call failed; its effect is unknown' },
      'unknown',
    ),
  );
export const callOpen = (call: AgentCall | AgentQuery, input: CallStart): Open =>
  open(callKind, input, { key: call.ticket, lastWill: lastWill(call) });

export const parts = setup({
  types: {
    context: {} as Context,
    input: {} as Input,
    events: {} as Event,
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
    rememberFollowed: assign(({ context }, { collection }: { collection: ResourceCollection }) => ({
      follows: [...context.follows, collection],
    })),
    countReopen: assign({ reopens: ({ context }) => context.reopens + 1 }),
  },
  guards: {
    isJoined: (_, { stage }: { stage: string }) => stage === 'joined',
    isOffline: (_, { stage }: { stage: string }) => stage === 'waiting' || stage === 'closed',
    isFollowed: ({ context }, { collection }: { collection: ResourceCollection }) =>
      context.follows.includes(collection),
    isLink: (_, ended: OwnedEnded) => ended.kind === 'link',
    canReopen: ({ context }, ended: OwnedEnded) =>
      ended.kind === 'link' && ended.why === 'failed' && context.reopens < maxReopens,
    canReopenView: ({ context }, ended: OwnedEnded) =>
      ended.why === 'failed' && context.reopens < maxReopens && viewedBy(context, ended) !== undefined,
    isBrokenView: ({ context }, ended: OwnedEnded) =>
      ended.why === 'failed' && viewedBy(context, ended) !== undefined,
  },
  delays: { shutdown: ({ context }) => context.timing.shutdownMs },
});

export const passOn = {
  type: 'post',
  params: ({ context, event }: { context: Context; event: AgentNews }) => post(context.owner, event),
} as const;
export const refuseCall = (failure: Failure) =>
  ({
    type: 'post',
    params: ({ event }: { event: AgentCall | AgentQuery }) =>
      post(event.replyTo, settledBy(callOf(event), 'failed', failure)),
  }) as const;
export const openLink = {
  type: 'open',
  params: ({ context: c }: { context: Context }) =>
    open(linkKind, { ...c.link, role: 'agent', timing: timingOf.link(c.timing) }),
} as const;
export const loseCalls = {
  type: 'tellOwned',
  params: ({ event }: { event: OwnedEnded | Extract<LinkNews, { type: 'link.changed' }> }) =>
    toOwned(callKind, {
      type: 'server.lost',
      failure: linkLost(event.type === 'link.changed' ? event.reason : null),
    }),
} as const;
/** Its link failed too often: without one there is nothing left to do. */
export const tellLinkGivenUp = {
  type: 'post',
  params: ({ context, event }: { context: Context; event: OwnedEnded }) =>
    post(context.owner, linkGivenUp(event)),
} as const;
export const eventAsParams = ({ event }: { event: OwnedEnded }): OwnedEnded => event;
