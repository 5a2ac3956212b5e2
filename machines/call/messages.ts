/** Messages of a tool call: the request, the orders to its machine, its reports, and its one answer. */
import { kindOf, type Address, type AddressFor } from '../kernel/address.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';
import type { CallPhase, Outcome } from '../protocol/messages/answers.ts';
import type { Progress, TraceContext } from '../protocol/messages/messages.ts';
import type { CallPolicy, Judgement } from './policy/index.ts';

export type { CallPhase, Outcome } from '../protocol/messages/answers.ts';

/**
 * Request to call a tool. It keeps its name and fields on the way through agent, computer and client to the machine
 * of the call; each adds its own data. A computer replaces the listed name of the tool by the server's own name.
 */
export interface CallRequest {
  readonly type: 'call.request';
  /** Id of the caller's pending answer; unique among the calls in flight of one client. */
  readonly ticket: string;
  readonly reqId: string;
  /** Name of the agent that calls, shown to the person who confirms; null when the host itself calls. */
  readonly agent: string | null;
  /** Conversation of the caller that the call belongs to, when the caller has several. */
  readonly conversation?: string;
  readonly tool: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Time limit set by the caller in ms; 0 = none. */
  readonly timeoutMs: number;
  readonly trace?: TraceContext;
  readonly wantsProgress?: boolean;
  readonly replyTo: AddressFor<CallSettled | CallProgressed>;
}
/** Caller of a tool. A permission for the session is valid for this caller only. */
export type Caller = Pick<CallRequest, 'replyTo' | 'agent' | 'conversation'>;
export const callerOf = ({ replyTo, agent, conversation }: Caller): Caller => ({
  replyTo,
  agent,
  ...(conversation !== undefined && { conversation }),
});
export const isSameCaller = (one: Caller, other: Caller): boolean =>
  one.replyTo === other.replyTo && one.agent === other.agent && one.conversation === other.conversation;
/** Call by the listed name of a tool, as a computer receives it. */
export interface ComputerCall extends CallRequest {
  /** Tells that the call was made by the person who would have to confirm it, so it counts as confirmed. */
  readonly isConfirmed: boolean;
  /** Failure with which the link already refused the call; the computer answers with it, and asks no server. */
  readonly refused?: Failure;
}
export type CallOrder =
  | { readonly type: 'call.cancel'; readonly reason: string }
  | { readonly type: 'call.go' }
  /** Holds calls that were not sent yet until `call.go`, because their session is being reopened. */
  | { readonly type: 'call.hold' }
  | { readonly type: 'close' }
  /** Ends the calls of a caller that is gone, because nobody would receive the results. */
  | { readonly type: 'asker.lost'; readonly asker: Address; readonly reason?: string }
  | { readonly type: 'server.lost'; readonly failure: Failure };

export interface CallStart extends Omit<CallRequest, 'type' | 'trace'> {
  /** Name of the server; empty when another computer holds the call and knows the server. */
  readonly server: string;
  /** Name of the other computer that holds the call. */
  readonly computer?: string;
  /**
   * Request that withdraws the call, and the time in ms to wait for a report of how the call ended. Without it the
   * call simply ends.
   */
  readonly withdrawal?: { readonly method: string; readonly params: object; readonly ms: number };
  /** Limit in ms of every call of this server; 0 = no limit. */
  readonly totalMs: number;
  /** Longest time in ms that the server may send neither answer nor progress; 0 = no limit. */
  readonly idleMs: number;
  /** Policy that the call must pass; null: the call is sent unchecked, and its answer is passed on unchanged. */
  readonly policy: CallPolicy | null;
  /** Judgement that was known at once; null when the rule of the host has to be asked. */
  readonly drawn?: Judgement | null;
  /** Address to notify when a person has allowed the tool for the session. */
  readonly keeper: AddressFor<ToolApproved>;
  /** Request that runs the tool, and the session that receives it. */
  readonly request: { readonly target: Address; readonly method: string; readonly params: object };
  /** Tells whether the server is still starting; the call then waits for `call.go`. */
  readonly isPending: boolean;
  /** True when the call came after its server was lost: the news of that loss, which follows, does not end it. */
  readonly outlivesLoss?: boolean;
}
/**
 * Expired deadline of a call: sent by its own timer, or by a computer that kept the call until its server was known.
 */
export type CallOverdue = { readonly type: 'deadline.passed' };
export const callKind = kindOf<CallStart, CallOrder | CallOverdue>('call');
/** Message to the client of the server: the call is permitted, and waits for the server to start. */
export interface ServerWanted {
  readonly type: 'server.wanted';
}
/** Permission by a person: this tool may run without confirmation for this caller from now on. */
export interface ToolApproved {
  readonly type: 'tool.approved';
  readonly server: string;
  readonly tool: string;
  /** Number of the server's launch config at the time of the permission. */
  readonly generation: number;
  readonly caller: Caller;
}

/** Final state of the machine of a call. */
export type CallEnd = 'succeeded' | 'failed' | 'timedOut' | 'cancelled' | 'refused' | 'unknown';

/** Answer to a call, sent exactly once to its caller. */
export interface CallSettled {
  readonly type: 'call.settled';
  /** Id of the caller's pending answer. */
  readonly ticket: string;
  /** Id that the caller gave the call. */
  readonly reqId: string;
  /** Name of the server in the config. */
  readonly server: string;
  /** Server's own name of the tool. */
  readonly tool: string;
  /** Final state of the machine of the call. */
  readonly end: CallEnd;
  /** Known effect of the call. */
  readonly outcome: Outcome;
  /** Phase in which the call ended; null when it succeeded. */
  readonly phase: CallPhase | null;
  /** Result of the server, unchanged. */
  readonly result: unknown;
  /** Reason why the call did not succeed; null after success, and when the tool itself reported the failure. */
  readonly failure: Failure | null;
}

/** Progress of a call as its server reports it (MCP `notifications/progress`), sent to a caller that requested it. */
export interface CallProgressed extends Progress {
  readonly type: 'call.progressed';
  /** Id of the caller's pending answer. */
  readonly ticket: string;
}
/** Builds the answer of a call that could not be started, or whose machine crashed. */
export const settledBy = (
  call: Pick<CallSettled, 'ticket' | 'reqId' | 'server' | 'tool'>,
  end: CallEnd,
  failure: Failure,
  outcome: Outcome = 'failed',
  phase: CallPhase = outcome === 'unknown' ? 'running' : 'resolving',
): CallSettled => ({
  type: 'call.settled',
  ticket: call.ticket,
  reqId: call.reqId,
  server: call.server,
  tool: call.tool,
  end,
  outcome,
  phase,
  result: null,
  failure,
});
/** Failure of a call whose `req_id` is already used by a call in flight. */
export const repeated = (reqId: string): Failure => ({
  code: wireCodes.conflict,
  message: `A call '${reqId}' is already in flight`,
  details: { req_id: reqId },
});
/** Failure of a call that arrives while its computer is closing. */
export const leaving = (reqId: string): Failure => ({
  code: wireCodes.notFound,
  message: `Call '${reqId}' was not sent: the computer is leaving the office`,
  details: { reason: 'leaving' },
});
