/** Messages of a tool call: the call, the orders to its machine, what that tells, and the one answer. */
import { kindOf, type Address, type AddressFor } from '../kernel/address.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';
import type { CallPhase, Outcome } from '../protocol/messages/answers.ts';
import type { Progress, TraceContext } from '../protocol/messages/messages.ts';
import type { CallPolicy, Judgement } from './policy/index.ts';

export type { CallPhase, Outcome } from '../protocol/messages/answers.ts';

/**
 * A call. It keeps this name and these fields on its way through the agent, the computer and the client to
 * its own machine; each of them adds what it knows. A computer puts the server's own name of the tool in place of the listed one.
 */
export interface CallRequest {
  readonly type: 'call.request';
  /** Names the asker's pending answer; unique among the calls in flight of one client. */
  readonly ticket: string;
  readonly reqId: string;
  /** The agent that calls, for the person who is asked; null: the host itself. */
  readonly agent: string | null;
  /** Conversation of its asker that it is for, where that has several. */
  readonly conversation?: string;
  readonly tool: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Limit that the caller gives; 0 = none. */
  readonly timeoutMs: number;
  /** Place in a distributed trace, where the caller has given one. */
  readonly trace?: TraceContext;
  /** Whether the asker wants to hear how far the call is. */
  readonly wantsProgress?: boolean;
  readonly replyTo: AddressFor<CallSettled | CallProgressed>;
}
/** Caller of a call. What a person allows for the session is allowed to this caller alone. */
export type Caller = Pick<CallRequest, 'replyTo' | 'agent' | 'conversation'>;
export const callerOf = ({ replyTo, agent, conversation }: Caller): Caller => ({
  replyTo,
  agent,
  ...(conversation !== undefined && { conversation }),
});
export const isSameCaller = (one: Caller, other: Caller): boolean =>
  one.replyTo === other.replyTo && one.agent === other.agent && one.conversation === other.conversation;
/** Call by the listed name of its tool, as a computer takes it. */
export interface ComputerCall extends CallRequest {
  /** The person who asks has thereby confirmed it. */
  readonly isConfirmed: boolean;
  /** Reason why the link has refused it already: it is answered with this, and goes to no server. */
  readonly refused?: Failure;
}
export type CallOrder =
  | { readonly type: 'call.cancel'; readonly reason: string }
  | { readonly type: 'call.go' }
  /** Holds calls that were not sent yet until `call.go`: their session is opened again. */
  | { readonly type: 'call.hold' }
  | { readonly type: 'close' }
  /** Ends the calls of an asker that is gone: their results would go nowhere. */
  | { readonly type: 'asker.lost'; readonly asker: Address; readonly reason?: string }
  | { readonly type: 'server.lost'; readonly failure: Failure };

export interface CallStart extends Omit<CallRequest, 'type' | 'trace'> {
  /** Empty: a computer has the call, and knows it. */
  readonly server: string;
  /** Name of the other computer that has the call. */
  readonly computer?: string;
  /** Request that takes the call back; its answer, how the call stood, is waited for so long. Without it the call just ends. */
  readonly withdrawal?: { readonly method: string; readonly params: object; readonly ms: number };
  /** No call of its server takes longer; 0 = without limit. */
  readonly totalMs: number;
  /** Longest silence of its server, without answer and progress; 0 = without limit. */
  readonly idleMs: number;
  /** `null`: it is sent as it is, and its answer is given as it came. */
  readonly policy: CallPolicy | null;
  /** Judgement that was known at once; null: the rule of the host is asked. */
  readonly drawn?: Judgement | null;
  /** Address that is told when a person has allowed the tool for the session. */
  readonly keeper: AddressFor<ToolApproved>;
  /** Request that has the tool run, and the session that is asked. */
  readonly request: { readonly target: Address; readonly method: string; readonly params: object };
  /** Whether its server is being started: then the call waits for `call.go`. */
  readonly isPending: boolean;
}
/** Said by its own clock, and by a computer that has kept the call until its server was known. */
export type CallOverdue = { readonly type: 'deadline.passed' };
export const callKind = kindOf<CallStart, CallOrder | CallOverdue>('call');
/** Said to its client: it may run, and waits for its server. */
export interface ServerWanted {
  readonly type: 'server.wanted';
}
/** A person has said that this tool may run unasked from now on, for this caller. */
export interface ToolApproved {
  readonly type: 'tool.approved';
  readonly server: string;
  readonly tool: string;
  /** The launch config with which its server was there then. */
  readonly generation: number;
  readonly caller: Caller;
}

/** How the machine of a call ended. */
export type CallEnd = 'succeeded' | 'failed' | 'timedOut' | 'cancelled' | 'refused' | 'unknown';

/** The one answer to a call, posted to its asker. */
export interface CallSettled {
  readonly type: 'call.settled';
  /** Names the asker's pending answer. */
  readonly ticket: string;
  /** The id that its caller gave it. */
  readonly reqId: string;
  /** Name of the server in the config. */
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  /** How its machine ended. */
  readonly end: CallEnd;
  /** Known effect. */
  readonly outcome: Outcome;
  /** Null: it succeeded. */
  readonly phase: CallPhase | null;
  /** Answer of the server, as it came. */
  readonly result: unknown;
  /** Why it did not succeed; null also where the tool itself says so. */
  readonly failure: Failure | null;
}

/** How far a call is, as its server tells it (MCP `notifications/progress`), posted to an asker that wants to know. */
export interface CallProgressed extends Progress {
  readonly type: 'call.progressed';
  /** Names the asker's pending answer. */
  readonly ticket: string;
}
/** The answer of a call that could not be opened, or whose machine broke. */
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
/** Failure of a call whose `req_id` is that of one in flight. */
export const repeated = (reqId: string): Failure => ({
  code: wireCodes.conflict,
  message: `A call '${reqId}' is already in flight`,
  details: { req_id: reqId },
});
/** Failure of a call that comes when its computer is closing. */
export const leaving = (reqId: string): Failure => ({
  code: wireCodes.notFound,
  message: `Call '${reqId}' was not sent: the computer is leaving the office`,
  details: { reason: 'leaving' },
});
