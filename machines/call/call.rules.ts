/** Rules of a tool call as pure functions: its time limits, the questions it asks, and its answers. */
import type { Address, AddressFor } from '../kernel/address.ts';
import type { DirectoryEvent } from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import { largeContents } from '../blobs/blobs.rules.ts';
import type { Digits } from '../protocol/exact-numbers.ts';
import type { Failure } from '../protocol/failure.ts';
import type {
  CallEnd,
  CallOrder,
  CallOverdue,
  CallPhase,
  CallSettled,
  CallStart,
  ServerWanted,
} from './messages.ts';
import {
  confirmationLate,
  handleOf,
  isOverBudget,
  isRefusedByTool,
  readResult,
  type JudgedCall,
  type Judgement,
  type WhyNot,
} from './policy/index.ts';

export type CallInput = CallStart & { readonly self: Address; readonly owner: AddressFor<ServerWanted> };
export interface CallContext extends CallInput {
  /** Current phase of the call, or the phase in which it ended. A call in `running` was sent. */
  readonly phase: CallPhase;
  readonly result: unknown;
  /** Integers in the result that are kept as text, because a number cannot hold them. */
  readonly digits?: readonly Digits[];
  readonly failure: Failure | null;
  /**
   * Tells that the call was sent a second time, because the server had forgotten the first session and did not read
   * it.
   */
  readonly isSentAgain?: true;
}
export type CallEvent = RequestFact | CallOrder | CallOverdue | DirectoryEvent;

// ── time ───────────────────────────────────────────────────────────────────────────────────────────────
/** Tells whether the limit of the caller is shorter than the limit of the server; 0 is no limit. */
const isCallers = ({ timeoutMs, totalMs }: CallContext): boolean =>
  timeoutMs > 0 && (totalMs === 0 || timeoutMs < totalMs);
/** Time limit of the whole call in ms; 0 = no limit. */
export const limitOf = (c: CallContext): number => (isCallers(c) ? c.timeoutMs : c.totalMs);
const whoseLimit = (c: CallContext): 'caller' | 'total' => (isCallers(c) ? 'caller' : 'total');
const isWithin = (ms: number, c: CallContext): boolean => limitOf(c) === 0 || ms < limitOf(c);
export const mayNotBeSilent = (c: CallContext): boolean => c.idleMs > 0 && isWithin(c.idleMs, c);
/** Tells whether the rule of the host must be asked, because no judgement was known at once. */
export const isUnjudged = ({ policy, drawn }: CallContext): boolean => policy !== null && !drawn;
export const isJudgedBriefly = (c: CallContext): boolean =>
  isUnjudged(c) && isWithin(c.policy?.confirmMs ?? 0, c);

// ── what it asks ───────────────────────────────────────────────────────────────────────────────────────
/** Builds a question about this call to a port of the platform: `policy`, `confirm` or `finish`. */
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
    ...(c.digits && { digits: c.digits }),
    ...(mayHand(c, c.result) && { asker: c.replyTo }),
  });
/** Tells whether a result for an agent has contents that are too large to be given in it. */
export const mayHand = ({ agent }: CallContext, result: unknown): boolean =>
  agent !== null && largeContents(result).length > 0;
/** Builds the request that runs the call, to its server or to the office. Only a server has a limiter. */
export const callRequest = ({ request: { target, method, params }, policy, server }: CallContext) =>
  policy ? { id: 'call', target, method, params, limiter: server } : { id: 'call', target, method, params };
/**
 * Builds the request that withdraws the call from the computer that holds it; that computer then answers the call
 * itself.
 */
export const withdrawalRequest = ({ request: { target }, withdrawal }: CallContext) => ({
  id: 'withdrawal',
  target,
  method: withdrawal?.method ?? '',
  params: withdrawal?.params,
});

// ── answers ────────────────────────────────────────────────────────────────────────────────────────────
export interface CallAnswer {
  readonly result: unknown;
  readonly bytes?: number;
  readonly digits?: readonly Digits[];
}
/**
 * Reads the answer to a call: normalized when it comes from a server, unchanged when it comes from another computer.
 */
export const answerOf = ({
  context,
  event,
}: {
  readonly context: CallContext;
  readonly event: CallAnswer;
}): CallAnswer =>
  context.policy === null ? event : { ...event, result: readResult(event.result, event.digits) };
/** Judgement of our own rule, known when the call started; a call of an agent has none, and counts as allowed. */
export const drawnOf = ({ context }: { readonly context: CallContext }): Partial<Judgement> =>
  context.drawn ?? { decision: 'allow' };
/** Casts the answer of a port of the platform to its expected type. */
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

// ── failures ───────────────────────────────────────────────────────────────────────────────────────────
/** Describes the holder of a call: a server of this computer, or another computer. */
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
    ? `Tool '${c.tool}' of ${holderOf(c)} ${did} ${timeout} ms (call '${c.reqId}'); whether it took effect is unknown`
    : `Tool '${c.tool}' of ${holderOf(c)} was not sent within ${timeout} ms (call '${c.reqId}')${c.isPending ? ': its server is still starting' : ''}`,
  details: {
    timeout,
    which,
    ...holderIn(c),
    tool_name: c.tool,
    ...(c.isPending && !isSent(c) && { state: 'connecting' }),
  },
  remedy: lateRemedies[c.phase] ?? 'Give it more time, or let fewer calls wait at once.',
});
const lateRemedies: Partial<Record<CallPhase, string>> = {
  judging: 'Give it more time, or look at the rule of the host: it gave no answer yet.',
  running: 'Give it more time, or look at the server: it may still be at work.',
};
export const timedOut = (c: CallContext): Failure =>
  lateFailure(c, whoseLimit(c), 'did not answer within', limitOf(c));
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
/** Reason why a person did not confirm a call: the person's own words, or the limit that expired. */
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
