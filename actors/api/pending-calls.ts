import type { A2cError } from '../kernel/errors.ts';
import { tellListener } from '../kernel/listeners.ts';
import { mustBeEvent } from '../kernel/options.ts';
import { onAbort, reasonOf } from '../kernel/signals.ts';
import { newId, systemClock } from '../../adapters/index.ts';
import { outcomeOf, type CallOutcome, type ToldOutcome } from './call-outcome.ts';
import {
  type ComputerCall,
  repeated,
  settledBy,
  type CallEnd,
  type CallProgressed,
  type CallSettled,
} from '../../machines/call/call.rules.ts';
import { TransientMap, merging } from '../../machines/kernel/objects.ts';
import type { Failure } from '../../machines/protocol/index.ts';
import {
  progressOf,
  traceIn,
  type Progress,
  type TraceContext,
} from '../../machines/protocol/messages/messages.ts';

/** Options of a call, beside its tool and parameters. */
export interface CallOptions {
  /**
   * Id of the call on the wire, in logs and in traces; a new one by default. The id of a call that is still in
   * flight is refused with 409. Do not give the id that a model gave its tool call: models repeat ids from one
   * conversation to the next.
   */
  readonly reqId?: string | undefined;
  /**
   * Time limit of the call in ms, 60,000 by default; 0 means no limit. The wire has whole seconds, so the limit of a call
   * of an agent is rounded up to the next one; a signal such as `AbortSignal.timeout(1500)` is exact.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Signal that cancels the call when it aborts. The text of its reason is in the failure of the call, as message
   * and as `details.cancel_reason`.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Place of the call in a distributed trace. The office and the computer pass it on, into `_meta` of
   * `tools/call`. A value that is no W3C `traceparent` is left out.
   */
  readonly trace?: TraceContext | undefined;
  /**
   * Anything by which the host knows whose call this is, such as a user, a socket or a conversation. It comes back
   * as it is: in the outcome, and on a computer also in questions, permissions, events and the history. It is never
   * on the wire, never passed to a server, and never in a trace.
   */
  readonly context?: unknown;
}
/** Options of a call that an agent makes. */
export interface AgentCallOptions extends CallOptions {
  /**
   * Puts files of the arguments on the computer first: `{ $blob: path }` or `{ $blob: bytes, name }` anywhere in them is
   * replaced by the path of the landed file. The time limit of the call begins after that. Default false, because
   * arguments that a model wrote could name any file of this host.
   */
  readonly putBlobs?: boolean | undefined;
}
/** Options of a call that the host of a computer makes. */
export interface ComputerCallOptions extends CallOptions {
  /**
   * Caller for whom `allowForSession` holds: a text of the host's own, such as the id of a conversation. Default:
   * calls with an equal `context` are one caller, and all calls without one are another (docs/calls.md).
   */
  readonly sessionKey?: string | undefined;
  /** Tells that the person behind the request has already confirmed this one call. */
  readonly confirmed?: boolean | undefined;
}
/** Call in flight: a promise of its outcome. */
export interface Call<Ended = CallOutcome> extends Promise<Ended> {
  /** Id of the call on the wire, in logs and in traces: the one from its options, or a new one. */
  readonly reqId: string;
  /** Cancels the call. Does nothing when the call has ended or was cancelled before. */
  cancel(): void;
  /**
   * Listens to the progress that the server reports over MCP. For a call of an agent the listener is called at
   * most five times a second, and only when its computer and office are of this implementation. The returned
   * function removes the listener. A listener that throws causes a warning of the process and is removed.
   */
  on(name: 'progress', listener: (progress: Progress) => void): () => void;
}
interface Waiting {
  readonly reqId: string;
  readonly context: unknown;
  readonly startedAt: number;
  readonly resolve: (outcome: ToldOutcome) => void;
  readonly listeners: Set<(progress: Progress) => void>;
}

/** Promises of the calls that a host has made, by ticket. */
export class PendingCalls {
  readonly #waiting = new TransientMap<string, Waiting>();
  readonly #tickets = new TransientMap<string, string>();

  /**
   * Starts a call under a new ticket. `send` sends the call, `cancel` is called when the signal aborts, and
   * `refused` is called when the call is refused and never sent.
   */
  start(
    tool: string,
    { reqId = newId(), signal, context }: CallOptions,
    send: (ticket: string, reqId: string) => void,
    cancel: (ticket: string, reason?: string) => void,
    refused: (settled: CallSettled) => void = () => {},
  ): Call<ToldOutcome> {
    const ticket = `host.${reqId}`;
    const refuse = (end: CallEnd, failure: Failure): Call<ToldOutcome> => {
      const settled = settledBy({ ticket, reqId, server: '', tool }, end, failure);
      refused(settled);
      return neverSent(settled, context);
    };
    if (this.#tickets.has(reqId)) return refuse('failed', repeated(reqId));
    // Refuses the call before it is sent: a cancel sent after it would be too late for a tool that answers at
    // once.
    if (signal?.aborted)
      return refuse('cancelled', {
        code: 'ToolCallCancelled',
        message: `Call '${reqId}' was not sent: its signal is aborted: ${reasonOf(signal)}`,
        details: { req_id: reqId, cancel_reason: reasonOf(signal) },
      });
    const listeners: Waiting['listeners'] = new Set();
    const startedAt = systemClock.now();
    const promise = new Promise<ToldOutcome>((resolve) =>
      this.#waiting.set(ticket, { reqId, context, startedAt, resolve, listeners }),
    );
    this.#tickets.set(reqId, ticket);
    send(ticket, reqId);
    const over = signal ? promise.finally(onAbort(signal, () => cancel(ticket, reasonOf(signal)))) : promise;
    return watched(over, reqId, () => this.#waiting.has(ticket) && cancel(ticket), listeners);
  }
  progressed(told: CallProgressed): void {
    const listeners = this.#waiting.get(told.ticket)?.listeners;
    for (const listener of listeners ?? [])
      tellListener('progress', listener, progressOf(told), () => listeners?.delete(listener));
  }
  settle(settled: CallSettled): void {
    const waiting = this.#waiting.get(settled.ticket);
    if (!waiting) return;
    this.#waiting.delete(settled.ticket);
    this.#tickets.delete(waiting.reqId);
    const durationMs = Math.round(systemClock.now() - waiting.startedAt);
    waiting.resolve(inContext(toldOf(settled, durationMs, waiting.reqId), waiting.context));
  }
  ticketOf(reqId: string): string | undefined {
    return this.#tickets.get(reqId);
  }
}

const callEvents = { progress: true } as const;
/** Settles a call that is refused before it begins; no machine hears of it. */
const neverSent = (settled: CallSettled, context: unknown): Call<ToldOutcome> =>
  watched(Promise.resolve(inContext(toldOf(settled, 0), context)), settled.reqId, () => {}, new Set());
const inContext = (told: ToldOutcome, context: unknown): ToldOutcome =>
  context === undefined ? told : { ...told, context };
/**
 * Answers a call whose arguments or options are wrong. It is a failure like any other, because `callTool` never
 * rejects, and no machine and no history hears of it.
 */
export const misusedCall = (tool: unknown, { code, message, details, remedy }: A2cError): Call => {
  const failure: Failure = { code, message, details, ...(remedy !== undefined && { remedy }) };
  const call = { ticket: '', reqId: newId(), server: '', tool: typeof tool === 'string' ? tool : '' };
  return readAs(neverSent(settledBy(call, 'failed', failure), undefined), outcomeOf);
};

const toldFrom = merging('type', 'ticket');
const toldOf = (settled: CallSettled, durationMs: number, reqId = settled.reqId): ToldOutcome =>
  toldFrom(settled, { reqId, durationMs });

const watched = (
  promise: Promise<ToldOutcome>,
  reqId: string,
  cancel: () => void,
  listeners: Waiting['listeners'],
): Call<ToldOutcome> =>
  Object.assign(promise, {
    reqId,
    cancel,
    on: (name: 'progress', listener: (progress: Progress) => void) => {
      mustBeEvent(name, callEvents);
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  });

/** Returns the same call with its outcome as a host reads it. */
export const readAs = (call: Call<ToldOutcome>, read: (told: ToldOutcome) => CallOutcome): Call => {
  const { reqId, cancel, on } = call;
  return Object.assign(call.then(read), { reqId, cancel, on });
};

export { closedCall } from '../kernel/errors.ts';

export const hostCall = (
  call: Omit<ComputerCall, 'type' | 'agent' | 'replyTo' | 'trace'>,
  replyTo: ComputerCall['replyTo'],
  given: TraceContext | undefined,
): ComputerCall => {
  const trace = traceIn(given ?? {});
  const { ticket, reqId, tool, params, timeoutMs, isConfirmed, conversation } = call;
  const type = 'call.request';
  const event = {
    type,
    ticket,
    reqId,
    tool,
    params,
    timeoutMs,
    isConfirmed,
    agent: null,
    wantsProgress: true,
    replyTo,
  } as const;
  if (conversation === undefined && !trace) return event;
  return { ...event, ...(conversation !== undefined && { conversation }), ...(trace && { trace }) };
};
