/** What the chart of agent.machine.ts is made of: its words, and what it opens and says. */
import { assign, setup } from 'xstate';
import { keyOf, nameOf, type Address } from './address.ts';
import type { CallOrder, CallStart } from './call.machine.ts';
import { effects, type DirectoryEvent, type OwnedEnded } from './effects.ts';
import { extended } from './extended.ts';
import type { LinkNews, LinkStart } from './link.machine.ts';
import { linkGivenUp } from './link.parts.ts';
import type { AskFact, LinkFact } from './ports.ts';
import { settledBy } from './settlement.ts';
import { timingOf, type Timing } from './timing.ts';
import type { ViewNews, ViewStart } from './view.machine.ts';
import type { Failure } from './wire/failure.ts';
import { readRoom } from './wire/lists.ts';

export interface AgentStart {
  readonly link: Omit<LinkStart, 'timing' | 'role'>;
  readonly timing: Timing;
}
/** `timeoutMs` is what the computer gets; the agent itself waits a little longer for its answer. */
export interface AgentCall {
  readonly type: 'agent.call';
  readonly ticket: string;
  readonly reqId: string;
  readonly computer: string;
  readonly tool: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
  readonly replyTo: Address;
}
/** Another question of the host: to the office (`server:list_room`) or to a computer. */
export interface AgentQuery {
  readonly type: 'agent.query';
  readonly ticket: string;
  readonly reqId: string;
  readonly method: string;
  /** The payload, without `agent` and `req_id`. */
  readonly request: object;
  readonly replyTo: Address;
}
export type AgentOrder =
  | AgentCall
  | AgentQuery
  | { readonly type: 'call.cancel'; readonly ticket: string; readonly reason: string }
  | { readonly type: 'close' };
export type AgentNews =
  | Extract<LinkNews, { type: 'link.changed' }>
  | Extract<LinkFact, { type: 'computer.entered' | 'computer.left' | 'computer.configChanged' }>
  | ViewNews;
export type Input = AgentStart & { readonly self: Address; readonly owner: Address };
export interface Context extends Input {
  readonly computers: readonly string[];
  readonly asked: number;
  /** How often its link was opened again after its machine had failed. */
  readonly reopens: number;
}
export type Event = AgentOrder | LinkNews | ViewNews | AskFact | DirectoryEvent;

const maxReopens = 5;
export const linkAt = (c: Context): Address => `${nameOf(c.self)}/link`;
export const viewAt = (c: Context, computer: string): Address => `${nameOf(c.self)}/view:${keyOf(computer)}`;
export const reqIdOf = (c: Context): string => `room.${c.link.name}.${c.asked}`;
/** Whose view it was; nobody's, when its computer is forgotten already. */
const viewedBy = (c: Context, { key }: OwnedEnded): string | undefined =>
  c.computers.find((computer) => key === `view:${keyOf(computer)}`);
export const viewOpen = (c: Context, computer: string) => ({
  kind: 'view',
  key: keyOf(computer),
  input: {
    computer,
    agent: c.link.name,
    link: linkAt(c),
    timing: timingOf.view(c.timing),
  } satisfies ViewStart,
});
export const roomOf = (c: Context, result: unknown): string[] => {
  const read = readRoom(result, reqIdOf(c));
  return read.ok ? read.body.filter((s) => s.role === 'computer').map((s) => s.name) : [];
};
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
/** A call that another one runs: limits, confirmation and starting are its computer's business. */
const othersLimits = { totalMs: 0, idleMs: 0, confirmMs: null, isHeld: false } as const;
export const callStart = (c: Context, { type: _, computer, ...call }: AgentCall): CallStart =>
  extended(call, {
    server: computer,
    timeoutMs: patience(c, secondsOf(call.timeoutMs) * 1000),
    ...othersLimits,
    session: linkAt(c),
    method: 'client:tool_call',
    request: {
      agent: c.link.name,
      req_id: call.reqId,
      computer,
      tool_name: call.tool,
      params: call.params,
      timeout: secondsOf(call.timeoutMs),
    },
  });
export const queryStart = (c: Context, { type: _, request, ...query }: AgentQuery): CallStart =>
  extended(query, {
    server: '',
    tool: query.method,
    params: {},
    timeoutMs: c.timing.queryMs + c.timing.agentMarginMs,
    ...othersLimits,
    session: linkAt(c),
    request: { agent: c.link.name, req_id: query.reqId, ...request },
  });
export const callOf = (call: AgentCall | AgentQuery) =>
  call.type === 'agent.call'
    ? extended(call, { server: call.computer })
    : extended(call, { server: '', tool: call.method });
/** What is said when the machine of a call breaks. */
const will = (call: AgentCall | AgentQuery) => ({
  to: call.replyTo,
  event: settledBy(
    callOf(call),
    'unknown',
    { code: 'Crashed', message: 'The machine of this call failed; its effect is unknown' },
    'unknown',
  ),
});
export const callOpen = (call: AgentCall | AgentQuery, input: CallStart) => ({
  kind: 'call',
  key: keyOf(call.ticket),
  input,
  will: will(call),
});

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
    countReopen: assign({ reopens: ({ context }) => context.reopens + 1 }),
  },
  guards: {
    isJoined: (_, { stage }: { stage: string }) => stage === 'joined',
    isOffline: (_, { stage }: { stage: string }) => stage === 'waiting' || stage === 'closed',
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
  params: ({ context, event }: { context: Context; event: AgentNews }) => ({ to: context.owner, event }),
} as const;
export const refuseCall = (failure: Failure) =>
  ({
    type: 'post',
    params: ({ event }: { event: AgentCall | AgentQuery }) => ({
      to: event.replyTo,
      event: settledBy(callOf(event), 'failed', failure),
    }),
  }) as const;
export const openLink = {
  type: 'open',
  params: ({ context: c }: { context: Context }) => ({
    kind: 'link',
    input: { ...c.link, role: 'agent', timing: timingOf.link(c.timing) } satisfies LinkStart,
  }),
} as const;
export const loseCalls = {
  type: 'tellOwned',
  params: ({ event }: { event: OwnedEnded | Extract<LinkNews, { type: 'link.changed' }> }) => ({
    kind: 'call',
    event: {
      type: 'server.lost',
      failure: linkLost(event.type === 'link.changed' ? event.reason : null),
    } satisfies CallOrder,
  }),
} as const;
/** Its link failed too often: without one there is nothing left to do. */
export const tellLinkGivenUp = {
  type: 'post',
  params: ({ context, event }: { context: Context; event: OwnedEnded }) => ({
    to: context.owner,
    event: linkGivenUp(event) satisfies AgentNews,
  }),
} as const;
export const refreshView = {
  type: 'post',
  params: ({ context, event }: { context: Context; event: { readonly computer: string } }) => ({
    to: viewAt(context, event.computer),
    event: { type: 'view.refresh' },
    ifThere: true as const,
  }),
} as const;
export const openViewAgain = {
  type: 'open',
  params: ({ context, event }: { context: Context; event: OwnedEnded }) =>
    viewOpen(context, viewedBy(context, event) ?? event.key),
} as const;
/** Its tools are not asked for any more before that computer enters again. */
export const tellViewGivenUp = {
  type: 'post',
  params: ({ context, event }: { context: Context; event: OwnedEnded }) => ({
    to: context.owner,
    event: {
      type: 'view.changed',
      computer: viewedBy(context, event) ?? event.key,
      tools: null,
      failure: { code: 'Crashed', message: `Its view failed too often: ${event.error ?? event.why}` },
    } satisfies AgentNews,
  }),
} as const;
export const itself = ({ event }: { event: OwnedEnded }): OwnedEnded => event;
export const forgetAll = [
  { type: 'tellOwned', params: { kind: 'view', event: { type: 'close' } } },
  'forgetComputers',
] as const;
