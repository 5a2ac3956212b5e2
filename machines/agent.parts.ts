/** What the chart of agent.machine.ts is made of: its words, and what it opens and says. */
import { assign, setup } from 'xstate';
import { keyOf, nameOf, type Address } from './address.ts';
import type { CallStart } from './call.machine.ts';
import { effects, type DirectoryEvent, type OwnedEnded } from './effects.ts';
import type { LinkNews, LinkStart } from './link.machine.ts';
import type { AskFact, LinkFact } from './ports.ts';
import { settledBy } from './settlement.ts';
import type { Timing } from './timing.ts';
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
export type AgentOrder =
  | AgentCall
  | { readonly type: 'call.cancel'; readonly ticket: string; readonly reason: string }
  | { readonly type: 'close' };
export type AgentNews =
  | Extract<LinkNews, { type: 'link.changed' }>
  | Extract<LinkFact, { type: 'computer.entered' | 'computer.left' }>
  | ViewNews;
export type Input = AgentStart & { readonly self: Address; readonly owner: Address };
export interface Context extends Input {
  readonly computers: readonly string[];
  readonly asked: number;
  readonly open: number;
}
export type Event = AgentOrder | LinkNews | ViewNews | AskFact | DirectoryEvent;

export const linkAt = (c: Context): Address => `${nameOf(c.self)}/link`;
export const viewAt = (c: Context, computer: string): Address => `${nameOf(c.self)}/view:${keyOf(computer)}`;
export const reqIdOf = (c: Context): string => `room.${c.link.name}.${c.asked}`;
export const viewOpen = (c: Context, computer: string) => ({
  kind: 'view',
  key: keyOf(computer),
  input: { computer, agent: c.link.name, link: linkAt(c), timing: c.timing } satisfies ViewStart,
});
export const roomOf = (c: Context, result: unknown): string[] => {
  const read = readRoom(result, reqIdOf(c));
  return read.ok ? read.body.filter((s) => s.role === 'computer').map((s) => s.name) : [];
};
export const linkLost = (reason: string | null): Failure => ({
  code: 'LinkLost',
  message: `The connection to the office was lost${reason === null ? '' : `: ${reason}`}; whether the call took effect is unknown`,
  remedy: 'It is made again by itself; look at what the call did before you repeat it.',
});
export const offlineFailure: Failure = {
  code: 'LinkLost',
  message: 'Not connected to an office: the call was not sent',
  remedy: 'Wait until the link is joined again.',
};
/** The office waits the call's time-out and a margin, then answers; we wait a little longer than that. */
const patience = (c: Context, timeoutMs: number): number =>
  timeoutMs === 0 ? 0 : timeoutMs + c.timing.agentMarginMs;
export const callStart = (c: Context, { type: _, computer, ...call }: AgentCall): CallStart => ({
  ...call,
  server: computer,
  timeoutMs: patience(c, call.timeoutMs),
  confirmMs: null,
  session: linkAt(c),
  method: 'client:tool_call',
  request: {
    agent: c.link.name,
    req_id: call.reqId,
    computer,
    tool_name: call.tool,
    params: call.params,
    timeout: Math.ceil(call.timeoutMs / 1000),
  },
});
export const callOf = (call: AgentCall) => ({ ...call, server: call.computer });

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
    countOpen: assign(({ context }, { n }: { n: number }) => ({ open: context.open + n })),
  },
  guards: {
    isJoined: (_, { stage }: { stage: string }) => stage === 'joined',
    isOffline: (_, { stage }: { stage: string }) => stage === 'waiting' || stage === 'closed',
    isKnown: ({ context }, { computer }: { computer: string }) => context.computers.includes(computer),
    isLink: (_, ended: OwnedEnded) => ended.kind === 'link',
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
    params: ({ event }: { event: AgentCall }) => ({
      to: event.replyTo,
      event: settledBy(callOf(event), 'failed', failure),
    }),
  }) as const;
export const forgetAll = [
  { type: 'tellOwned', params: { kind: 'view', event: { type: 'close' } } },
  'forgetComputers',
] as const;
