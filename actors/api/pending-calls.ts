import { tellListener } from '../kernel/listeners.ts';
import { newId, systemClock } from '../../adapters/index.ts';
import type { ComputerCall } from '../../machines/call/messages.ts';
import {
  repeated,
  settledBy,
  type CallEnd,
  type CallPhase,
  type CallProgressed,
  type CallSettled,
  type Outcome,
} from '../../machines/call/messages.ts';
import { TransientMap, merging } from '../../machines/kernel/objects.ts';
import type { Failure } from '../../machines/protocol/index.ts';
import {
  progressOf,
  traceIn,
  type Progress,
  type TraceContext,
} from '../../machines/protocol/messages/messages.ts';

/** Options of a call beside its tool and parameters. */
export interface CallOptions {
  /**
   * Default: a new one. The same one while it is in flight is refused with 409. The id that a model gives its call is no `reqId`:
   * models give the same ids in every conversation.
   */
  readonly reqId?: string;
  /** ms; 0 = without limit; default 60,000. */
  readonly timeoutMs?: number;
  /** Cancels the call. */
  readonly signal?: AbortSignal;
  /**
   * Place of the call in a distributed trace: it goes through the office and the computer, into `_meta` of
   * `tools/call`. A value that is no W3C `traceparent` is left out.
   */
  readonly trace?: TraceContext;
}
/** How a call ended. It never rejects: a failure is data. */
export interface CallOutcome {
  /** `unknown`: it was sent and never answered; it may or may not have taken effect. */
  readonly outcome: Outcome;
  /** How it came to its end, more exactly than `outcome`. */
  readonly end: CallEnd;
  /** Stage in which the call ended without success; null: it succeeded. */
  readonly phase: CallPhase | null;
  /** The MCP server that has the tool; empty where that is not known, as of computers of others. */
  readonly server: string;
  /** Name of the computer that was asked, for the call of an agent. */
  readonly computer?: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  /** The id under which it is found on the wire, in logs and in traces. */
  readonly reqId: string;
  /** ms from `callTool` until it was settled. */
  readonly durationMs: number;
  /**
   * The MCP CallToolResult as the server gave it, or null. A computer adds what it found under `meta` (docs/calls.md), which
   * an agent reads as MCP spells it: `_meta`. Of a result that is too large it gives a part, and `a2c_cut.handle` there
   * names the whole for `cachedResult` of that computer.
   */
  readonly result: unknown;
  /** Why it did not succeed; null also where the tool itself says that it failed: then `result` says why. */
  readonly failure: Failure | null;
}
/** A call in flight: the promise of how it ends. */
export interface Call extends Promise<CallOutcome> {
  /** The id under which it is found on the wire, in logs and in traces: that of its options, or a new one. */
  readonly reqId: string;
  /** Also when it is over, or again: that changes nothing. */
  cancel(): void;
  /**
   * Hears how far its server is, as MCP tells it. Of an agent's call at most five times a second, and only from computers
   * and offices of ours. The returned function stops it. What a listener throws becomes a warning of the process, and it
   * hears no more.
   */
  on(name: 'progress', listener: (progress: Progress) => void): () => void;
}
interface Waiting {
  readonly reqId: string;
  readonly startedAt: number;
  readonly resolve: (outcome: CallOutcome) => void;
  readonly listeners: Set<(progress: Progress) => void>;
}

/** The promises of a host's calls, by ticket. */
export class PendingCalls {
  readonly #waiting = new TransientMap<string, Waiting>();
  readonly #tickets = new TransientMap<string, string>();

  /**
   * `send` starts the call under a ticket; `cancel` is asked for when the signal aborts; `refused` hears of one that is never
   * sent.
   */
  start(
    tool: string,
    { reqId = newId(), signal }: CallOptions,
    send: (ticket: string, reqId: string) => void,
    cancel: (ticket: string) => void,
    refused: (settled: CallSettled) => void = () => {},
  ): Call {
    const ticket = `host.${reqId}`;
    const refuse = (end: CallEnd, failure: Failure): Call => {
      const settled = settledBy({ ticket, reqId, server: '', tool }, end, failure);
      refused(settled);
      return neverSent(settled);
    };
    if (this.#tickets.has(reqId)) return refuse('failed', repeated(reqId));
    // A cancel that came after it would be too late for a tool that answers at once.
    if (signal?.aborted)
      return refuse('cancelled', {
        code: 'ToolCallCancelled',
        message: `Call '${reqId}' was not sent: its signal is aborted`,
        details: { req_id: reqId },
      });
    const listeners: Waiting['listeners'] = new Set();
    const startedAt = systemClock.now();
    const promise = new Promise<CallOutcome>((resolve) =>
      this.#waiting.set(ticket, { reqId, startedAt, resolve, listeners }),
    );
    this.#tickets.set(reqId, ticket);
    send(ticket, reqId);
    const over = signal ? withdrawnBy(signal, promise, () => cancel(ticket)) : promise;
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
    waiting.resolve(outcomeOf(settled, durationMs, waiting.reqId));
  }
  ticketOf(reqId: string): string | undefined {
    return this.#tickets.get(reqId);
  }
}

/** The signal is let go of when the call is over: it may be that of many calls. */
function withdrawnBy<T>(signal: AbortSignal, promise: Promise<T>, cancel: () => void): Promise<T> {
  signal.addEventListener('abort', cancel, { once: true });
  return promise.finally(() => signal.removeEventListener('abort', cancel));
}
/** Settles a call that is refused before it begins: it is told to no machine. */
const neverSent = (settled: CallSettled): Call =>
  watched(Promise.resolve(outcomeOf(settled, 0)), settled.reqId, () => {}, new Set());

const outcomeFrom = merging('type', 'ticket');
const outcomeOf = (settled: CallSettled, durationMs: number, reqId = settled.reqId): CallOutcome =>
  outcomeFrom(settled, { reqId, durationMs });

const watched = (
  promise: Promise<CallOutcome>,
  reqId: string,
  cancel: () => void,
  listeners: Waiting['listeners'],
): Call =>
  Object.assign(promise, {
    reqId,
    cancel,
    on: (_: 'progress', listener: (progress: Progress) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  });

/** Calls that the host of a computer makes itself. */
export { closedCall } from '../kernel/errors.ts';

/** Options of a call that a presenter makes for one of its conversations. */
export type InConversation = Pick<ComputerCall, 'conversation'>;
export const hostCall = (
  call: Omit<ComputerCall, 'type' | 'agent' | 'replyTo' | 'trace'>,
  replyTo: ComputerCall['replyTo'],
  { trace: given, conversation }: Pick<CallOptions, 'trace'> & InConversation,
): ComputerCall => {
  const trace = traceIn(given ?? {});
  const { ticket, reqId, tool, params, timeoutMs, isConfirmed } = call;
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
