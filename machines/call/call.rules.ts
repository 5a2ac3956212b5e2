/** Rules of a call: its limits, its questions, its answers and failures, and its messages. */
import { largeContents } from '../blobs/blobs.rules.ts';
import { type Address, type AddressFor, kindOf, type DirectoryEvent } from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import { type Failure, wireCodes } from '../protocol/failure.ts';
import type { CallPhase, Outcome } from '../protocol/messages/answers.ts';
import type { Progress } from '../protocol/messages/messages.ts';
import { confirmationLate, type Judgement, type WhyNot, type CallPolicy } from './policy/policy.ts';
import { handleOf, isOverBudget, isRefusedByTool, readResult } from './policy/result.ts';
import type { JudgedCall } from './policy/judge.ts';

export type CallInput = CallStart & { readonly self: Address; readonly owner: AddressFor<ServerWanted> };
export interface CallContext extends CallInput {
  readonly phase: CallPhase;
  readonly result: unknown;
  readonly failure: Failure | null;
  /** Method of the request of the server that this host has not answered yet; empty when it owes none. */
  readonly owes?: string;
  /** Time in ms that the call gets at the end of its limit: its server was heard, or waited for this host. */
  readonly moreMs?: number;
  readonly spentMs?: number;
  /** True when the call was sent a second time, because the server had forgotten the first session and did not read it. */
  readonly isSentAgain?: true;
}
export type CallEvent = RequestFact | CallOrder | CallOverdue | DirectoryEvent;
/** Tells whether the limit of the caller is shorter than the limit of the server; 0 is no limit. */
const isCallers = ({ timeoutMs, totalMs }: CallContext): boolean =>
  timeoutMs > 0 && (totalMs === 0 || timeoutMs < totalMs);
export const limitOf = (c: CallContext): number => (isCallers(c) ? c.timeoutMs : c.totalMs);
/** An agent learns the answer of its computer, which has the same limit, a little later. */
export const wholeLimit = (c: CallContext): number => (limitOf(c) > 0 ? limitOf(c) + (c.graceMs ?? 0) : 0);
/** The limit stands still while a person is asked, unless its caller knows nothing of persons. */
export const isHeld = ({ agent, waitsForPersons }: CallContext): boolean =>
  agent === null || waitsForPersons === true;
export const isHeldAfar = (c: CallContext): boolean => c.agent !== null && isHeld(c);
export const limitAtPerson = (c: CallContext): number | null => (isHeld(c) ? 0 : null);
export const limitAfterPerson = (c: CallContext): number | null => (isHeld(c) ? limitOf(c) : null);
const whoseLimit = (c: CallContext): 'caller' | 'total' => (isCallers(c) ? 'caller' : 'total');
/** Longest time of a call in ms, whatever happens; 0 = no limit. A call of an agent has that of its office. */
const mostOf = (c: CallContext): number =>
  c.totalMs > 0 ? c.totalMs : (c.mostMs ?? (c.agent === null ? 0 : c.timeoutMs));
const spentOf = (c: CallContext): number => c.spentMs ?? limitOf(c);
export const moreOf = (c: CallContext): number => {
  const most = mostOf(c);
  const more = c.owes ? limitOf(c) : (c.moreMs ?? 0);
  return most === 0 ? more : Math.max(0, Math.min(more, most - spentOf(c)));
};
/** What a limit that begins again has used up; what it gives while this host owes an answer is not given once more. */
export const prolonged = (c: CallContext) => ({
  spentMs: spentOf(c) + moreOf(c),
  moreMs: c.owes ? (c.moreMs ?? 0) - moreOf(c) : 0,
});
/** Tells whether the caller gave no limit, so that the default begins again with each progress. */
export const isProlonged = ({ mostMs }: CallContext): boolean => mostMs !== undefined;
export const freed = (c: CallContext, ms: number) => ({
  owes: '',
  moreMs: isProlonged(c) ? limitOf(c) : (c.moreMs ?? 0) + ms,
});
const isWithin = (ms: number, c: CallContext): boolean => limitOf(c) === 0 || ms < limitOf(c);
export const mayNotBeSilent = (c: CallContext): boolean => c.idleMs > 0 && isWithin(c.idleMs, c);
export const isUnjudged = ({ policy, drawn }: CallContext): boolean => policy !== null && !drawn;
export const isJudgedBriefly = (c: CallContext): boolean =>
  isUnjudged(c) && isWithin(c.policy?.confirmMs ?? 0, c);
const portRequest = (c: CallContext, port: string, method: string, more: object = {}) => {
  const call: JudgedCall = {
    reqId: c.reqId,
    agent: c.agent,
    server: c.server,
    tool: c.tool,
    params: c.params,
    meta: c.policy?.meta ?? null,
  };
  return { id: port, target: port, method, params: { ...call, ...more } };
};
export const policyRequest = (c: CallContext) => portRequest(c, 'policy', 'judge');
export const confirmRequest = (c: CallContext) => portRequest(c, 'confirm', 'confirm');
export const finishRequest = (c: CallContext) =>
  portRequest(c, 'finish', 'finish', {
    result: c.result,
    keepAs: isOverBudget(c, c.result) ? handleOf(c) : null,
    isError: isRefusedByTool(c.result),
    ...(mayHand(c, c.result) && { asker: c.replyTo }),
  });
export const mayHand = ({ agent }: CallContext, result: unknown): boolean =>
  agent !== null && largeContents(result).length > 0;
/** Only a server has a limiter. */
export const callRequest = ({ request: { target, method, params }, policy, server }: CallContext) =>
  policy ? { id: 'call', target, method, params, limiter: server } : { id: 'call', target, method, params };
/** The computer that holds the call then answers it itself. */
export const withdrawalRequest = ({ request: { target }, withdrawal }: CallContext) => ({
  id: 'withdrawal',
  target,
  method: withdrawal?.method ?? '',
  params: withdrawal?.params,
});
export interface CallAnswer {
  readonly result: unknown;
  readonly bytes?: number;
}
/** Normalized when it comes from a server, unchanged when it comes from another computer. */
export const answerOf = ({
  context,
  event,
}: {
  readonly context: CallContext;
  readonly event: CallAnswer;
}): CallAnswer => (context.policy === null ? event : { ...event, result: readResult(event.result) });
/** A call of an agent has no judgement, and counts as allowed. */
export const drawnOf = ({ context }: { readonly context: CallContext }): Partial<Judgement> =>
  context.drawn ?? { decision: 'allow' };
export const answeredIn = <T>({ event }: { readonly event: { readonly result: unknown } }): Partial<T> =>
  event.result ?? {};

const isSent = ({ phase }: CallContext): boolean => phase === 'running';
export const settledAs = (c: CallContext, end: CallEnd): CallSettled => ({
  type: 'call.settled',
  ticket: c.ticket,
  reqId: c.reqId,
  server: c.server,
  tool: c.tool,
  end,
  outcome: end === 'succeeded' ? 'succeeded' : isSent(c) && end !== 'failed' ? 'unknown' : 'failed',
  phase: end === 'succeeded' ? null : c.phase,
  result: c.result,
  failure: c.failure,
});
const holderOf = ({ computer, server }: CallContext): string =>
  computer === undefined ? `server '${server}'` : `computer '${computer}'`;
const holderIn = ({ computer, server }: CallContext): Record<string, string> =>
  computer === undefined ? { server_name: server } : { computer };
const lateFailure = (
  c: CallContext,
  which: 'caller' | 'total' | 'idle',
  did: string,
  timeout: number,
): Failure => ({
  code: 'ToolExecutionTimeout',
  message: isSent(c)
    ? `Tool '${c.tool}' of ${holderOf(c)} ${did} ${timeout} ms (call '${c.reqId}')${c.owes ? `: it waits for the answer of its host to ${c.owes}` : ''}; whether it took effect is unknown`
    : `Tool '${c.tool}' of ${holderOf(c)} was not sent within ${timeout} ms (call '${c.reqId}')${c.isPending ? ': its server is still starting' : ''}`,
  details: {
    timeout,
    which,
    ...holderIn(c),
    tool_name: c.tool,
    ...(c.isPending && !isSent(c) && { state: 'connecting' }),
  },
  remedy:
    (c.owes ? owedRemedy : lateRemedies[c.phase]) ?? 'Give it more time, or let fewer calls wait at once.',
});
const owedRemedy =
  'Give it more time, or answer the question of the server: a person or its host has not done so.';
const lateRemedies: Partial<Record<CallPhase, string>> = {
  judging: 'Give it more time, or look at the rule of the host: it gave no answer yet.',
  running: 'Give it more time, or look at the server: it may still be at work.',
};
export const timedOut = (c: CallContext): Failure =>
  lateFailure(
    c,
    c.totalMs > 0 && spentOf(c) >= c.totalMs ? 'total' : whoseLimit(c),
    'did not answer within',
    spentOf(c),
  );
export const wasSilent = (c: CallContext): Failure => lateFailure(c, 'idle', 'said nothing for', c.idleMs);
export const cancelledBecause = (c: CallContext, reason: string): Failure => ({
  code: 'ToolCallCancelled',
  message: `Call '${c.reqId}' was cancelled: ${reason}`,
  details: { cancel_reason: reason, ...holderIn(c) },
});
export const clientCrashed = (c: CallContext): Failure => ({
  code: 'Crashed',
  message: `Call '${c.reqId}' was not sent: the machine of server '${c.server}' failed`,
});
export type Unconfirmed = WhyNot & { readonly text: string };
export const callersTime = ({ context: c }: { readonly context: CallContext }): Unconfirmed => ({
  text: confirmationLate,
  which: whoseLimit(c),
  timeout: limitOf(c),
});
export const personsTime = ({ context: c }: { readonly context: CallContext }): Unconfirmed => ({
  text: confirmationLate,
  which: 'confirm',
  timeout: c.policy?.confirmMs ?? 0,
});
export type { CallPhase, Outcome } from '../protocol/messages/answers.ts';

/** Keeps its fields from the agent to the call; a computer replaces the listed name by the server's own. */
export interface CallRequest {
  readonly type: 'call.request';
  /** Unique among the calls in flight of one client. */
  readonly ticket: string;
  readonly reqId: string;
  /** Shown to the person who confirms; null when the host itself calls. */
  readonly agent: string | null;
  readonly conversation?: string;
  readonly tool: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Time limit set by the caller in ms; 0 = none. */
  readonly timeoutMs: number;
  /** Set when `timeoutMs` is the default, which begins again while the server is heard or waits for its host. */
  readonly mostMs?: number;
  /** Members for `_meta` of the request: the place in a distributed trace, and those of the host. */
  readonly trace?: Readonly<Record<string, unknown>>;
  readonly wantsProgress?: boolean;
  /** True for a caller from afar whose own limit stands still while a person is asked. */
  readonly waitsForPersons?: boolean;
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
  readonly computer?: string;
  /** Time in ms after its limit in which the answer of that computer may still come. */
  readonly graceMs?: number;
  /** `ms`: time to wait for a report of how the call ended. Without withdrawal the call simply ends. */
  readonly withdrawal?: { readonly method: string; readonly params: object; readonly ms: number };
  /** Limit in ms of every call of this server; 0 = no limit. */
  readonly totalMs: number;
  /** Longest time in ms that the server may send neither answer nor progress; 0 = no limit. */
  readonly idleMs: number;
  /** Policy that the call must pass; null: the call is sent unchecked, and its answer is passed on unchanged. */
  readonly policy: CallPolicy | null;
  /** Judgement that was known at once; null when the rule of the host has to be asked. */
  readonly drawn?: Judgement | null;
  readonly keeper: AddressFor<ToolApproved | CallAsked>;
  readonly request: { readonly target: Address; readonly method: string; readonly params: object };
  readonly isPending: boolean;
  /** True when the call came after its server was lost: the news of that loss, which follows, does not end it. */
  readonly outlivesLoss?: boolean;
}
/** Sent by its own timer, or by a computer that kept the call until its server was known. */
export type CallOverdue = { readonly type: 'deadline.passed' };
export const callKind = kindOf<CallStart, CallOrder | CallOverdue>('call');
export interface ServerWanted {
  readonly type: 'server.wanted';
}
/** Its limit stands still: a person is asked. */
export interface CallAsked {
  readonly type: 'call.asked';
  readonly ticket: string;
}
export interface ToolApproved {
  readonly type: 'tool.approved';
  readonly server: string;
  readonly tool: string;
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
  readonly ticket: string;
  /** Set when the time of a person begins (true) or ends, in which the limit of the call stands still. */
  readonly held?: boolean;
}
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
export const repeated = (reqId: string): Failure => ({
  code: wireCodes.conflict,
  message: `A call '${reqId}' is already in flight`,
  details: { req_id: reqId },
});
export const leaving = (reqId: string): Failure => ({
  code: wireCodes.notFound,
  message: `Call '${reqId}' was not sent: the computer is leaving the office`,
  details: { reason: 'leaving' },
});
