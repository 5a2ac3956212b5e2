/** Outcome of a call for its program: succeeded, failed or unknown, and its promise. */
import { newId, systemClock } from '../../adapters/clock.ts';
import {
  type CallEnd,
  type CallPhase,
  type CallSettled,
  type Outcome,
  type ComputerCall,
  repeated,
  settledBy,
  type CallProgressed,
} from '../../machines/call/call.rules.ts';
import { TransientMap, extended } from '../../machines/kernel/objects.ts';
import { mostLimits, type Timing } from '../../machines/kernel/timing.ts';
import {
  fromWireError,
  hostFailure,
  wireCodes,
  type CodeName,
  type Failure,
  type HostFailure,
} from '../../machines/protocol/failure.ts';
import { type CallToolResult, toolResult } from '../../machines/protocol/tool-result.ts';
import {
  failureIn,
  readToolResult,
  mayHaveRun,
  reportIn,
  toolErrorText,
} from '../../machines/protocol/reading.ts';
import { progressOf, type Progress, type TraceContext } from '../../machines/protocol/messages/messages.ts';
import { A2cError, failureOf } from '../kernel/errors.ts';
import { queued, IdleWaits, isTimeOut, tellListener, onAbort, reasonOf } from '../kernel/listeners.ts';
import { mustBeEvent } from '../kernel/options.ts';
import type { AgentBlob } from './downloads.ts';

/** Call that the tool has done. */
export interface CallSucceeded {
  /** Effect of the call: the server answered without an error. */
  readonly outcome: 'succeeded';
  /** Always false: the tool reported no error. */
  readonly toolError: false;
  /** Always null: the call went through all of its stages. */
  readonly phase: null;
  /**
   * Result as MCP defines it. A computer adds its own facts under `_meta` (docs/calls.md). A result that is too large
   * is cut to a part, and its `_meta.a2c_cut.handle` names the whole for `cachedResult` of that computer.
   */
  readonly result: CallToolResult;
  /** Always null: the call succeeded. */
  readonly failure: null;
}
/** Call that reached the tool, which reported an error of its own (`isError`). */
export interface CallToolError {
  /** Effect of the call: the server answered with an error. */
  readonly outcome: 'failed';
  /** Always true: the tool itself reported the error. */
  readonly toolError: true;
  /** Stage in which the call ended. */
  readonly phase: CallPhase;
  /** Result with `isError`, whose contents say what went wrong. */
  readonly result: CallToolResult;
  /** Failure with the code `ToolFailed`, and the first text of the result as its message. */
  readonly failure: HostFailure;
}
/** Call without an answer of the tool: refused, cancelled, too late, or lost with its server. */
export interface CallFailed {
  /** Effect of the call. `failed`: it was not carried out. `unknown`: it was sent and never answered. */
  readonly outcome: 'failed' | 'unknown';
  /** Always false: the call got no answer of the tool. */
  readonly toolError: false;
  /** Stage in which the call ended. */
  readonly phase: CallPhase;
  /**
   * Result that came with the failure, such as a text for a model from a computer of another implementation; else null.
   */
  readonly result: CallToolResult | null;
  /** Reason why the call did not succeed. */
  readonly failure: HostFailure;
}
/** Ways in which a call ends; `outcome` and then `toolError` tell them apart. */
export type CallEnding = CallSucceeded | CallToolError | CallFailed;

/** Facts of every call that has ended. */
export interface CallFacts {
  /** Way in which the call ended, more exact than `outcome`; the same for a computer and an agent. */
  readonly end: CallEnd;
  /**
   * Name of the MCP server that has the tool; empty where it is not known, as for computers of other
   * implementations.
   */
  readonly server: string;
  /** Name of the computer that was asked; only in calls of an agent. */
  readonly computer?: string;
  /** Name of the tool on its own server, without a prefix or an alias. */
  readonly tool: string;
  /** Id of the call on the wire, in logs and in traces. */
  readonly reqId: string;
  /** Duration of the call in ms, from `callTool` to its end. */
  readonly durationMs: number;
  /**
   * Contents that are not in the result because they are too large, as streams; absent when all are in it. Only in calls
   * of an agent, where the contents of a result count up to 7 MiB of base64 together.
   */
  readonly blobs?: readonly AgentBlob[];
  /** Context that the host gave the call; absent when it gave none. */
  readonly context?: unknown;
}
/** End of a call. The promise of a call never rejects: a failure is data here. */
export type CallOutcome = CallFacts & CallEnding;

export interface ToldOutcome extends Omit<CallFacts, 'end'> {
  readonly end: CallEnd;
  /** Time limit of the whole call in ms, when it is over. */
  readonly overdueMs?: number;
  readonly outcome: Outcome;
  readonly phase: CallPhase | null;
  readonly result: unknown;
  /** Null also where the tool itself reported an error. */
  readonly failure: Failure | null;
}

export function endingOf(told: Pick<CallSettled, 'outcome' | 'phase' | 'result' | 'failure'>): CallEnding {
  const { outcome, result } = told;
  if (outcome === 'succeeded')
    return { outcome, toolError: false, phase: null, result: toolResult(result), failure: null };
  const phase = told.phase ?? 'running';
  const failure = hostFailure(told.failure ?? { code: wireCodes.toolFailed, message: toolErrorText(result) });
  if (outcome === 'failed' && told.failure === null)
    return { outcome, toolError: true, phase, result: toolResult(result), failure };
  const given = result === null || result === undefined ? null : toolResult(result);
  return { outcome, toolError: false, phase, result: given, failure };
}
/** By the kind of failure, so that a call of an agent ends as that of its computer. */
const ends: Partial<Record<CodeName, CallEnd>> = {
  ToolTimeout: 'timedOut',
  NoAnswer: 'timedOut',
  ToolCallCancelled: 'cancelled',
  NotConfirmed: 'refused',
  NotPermitted: 'refused',
  ArgumentsInvalid: 'refused',
  Busy: 'refused',
  TooMany: 'refused',
};
export const endOf = ({ outcome, toolError, failure }: CallEnding): CallEnd =>
  (failure && !toolError && ends[failure.code]) || outcome;
const overdue = (told: ToldOutcome): ToldOutcome => {
  const { overdueMs: timeout, failure, reqId, outcome } = told;
  if (timeout === undefined || failure?.code !== 'ToolCallCancelled') return told;
  const message =
    `Call '${reqId}' did not end within ${timeout} ms` +
    (outcome === 'unknown' ? '; whether it took effect is unknown' : ' and was not sent');
  const details = { ...failure.details, timeout, which: 'total' };
  return { ...told, failure: { code: 'ToolExecutionTimeout', message, details } };
};
export const outcomeOf = (given: ToldOutcome): CallOutcome => {
  const told = overdue(given);
  const ending = endingOf(told);
  const { server, computer, tool, reqId, durationMs, context, blobs } = told;
  const passed = context !== undefined && { context };
  const about = { ...(blobs && { blobs }), ...passed, ...(computer !== undefined && { computer }) };
  return { end: endOf(ending), server, tool, reqId, durationMs, ...about, ...ending };
};

const nameIn = (fields: Readonly<Record<string, unknown>> | undefined, key: string): string | undefined => {
  const name = fields?.[key];
  return typeof name === 'string' ? name : undefined;
};
/** As far as the computer says; else an empty text. */
const serverOf = (meta: CallToolResult['_meta'], failure: Failure | null): string =>
  nameIn(meta, 'a2c_server') ?? nameIn(failure?.details, 'server_name') ?? nameIn(meta, 'mcp_server') ?? '';
/** Tells whether a computer reports that a call was cancelled at the agent's request. */
const isTakenBack = ({ code, details }: Failure): boolean =>
  code === 'ToolCallCancelled' && details?.cancel_reason === 'agent_requested';

/** `wasThere` tells whether the computer sat in the office when the call was made. */
export function interpreted(outcome: ToldOutcome, wasThere = false): ToldOutcome {
  if (outcome.failure !== null) return outcome;
  const read = readToolResult(outcome.result);
  const said = (read.ok ? failureIn(read.result) : read.failure) ?? null;
  const result = read.ok ? read.result : null;
  const report = read.ok ? reportIn(read.result) : {};
  const meta = result?._meta;
  const known = { ...outcome, server: serverOf(meta, said), result };
  if (!report && !said) return known;
  const { outcome: end = said && mayHaveRun(said, wasThere) ? 'unknown' : 'failed', phase = 'running' } =
    report ?? {};
  const ended = { ...known, outcome: end, phase };
  const failure = said && fromWireError(said);
  return { ...ended, end: failure && isTakenBack(failure) ? 'cancelled' : end, failure };
}
/** `there` returns the computers that are in the office. */
export function placedAt(
  computer: string,
  outcome: ToldOutcome,
  there: () => readonly string[],
): ToldOutcome {
  const { failure, server } = outcome;
  if (!failure) return { ...outcome, computer };
  const details = { ...failure.details, ...(server !== '' && { server_name: server }), computer };
  return {
    ...outcome,
    computer,
    failure: { ...atComputer(computer, withPresent(computer, failure, there)), details },
  };
}
const mostNamed = 20;
export function withPresent(computer: string, failure: Failure, there: () => readonly string[]): Failure {
  if (failure.code !== wireCodes.notFound || failure.remedy !== undefined) return failure;
  const names = there();
  if (names.includes(computer)) return failure;
  const named = names.slice(0, mostNamed).map((name) => `'${name}'`);
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  return { ...failure, remedy: `In this office: ${named.join(', ') || 'no computer'}${more}.` };
}
/** Only the host of that computer can follow the remedy for an unconfirmed call. */
const atComputer = (computer: string, failure: Failure): Failure =>
  failure.code === wireCodes.notConfirmed && failure.remedy !== undefined
    ? { ...failure, remedy: `On computer '${computer}': ${failure.remedy}` }
    : failure;

export const questionError = (failure: Failure, reqId: string): A2cError => {
  const read = fromWireError(failure);
  return new A2cError({ ...read, details: { ...read.details, req_id: reqId } });
};

/** A timeout gets a text of its own, because the machine's text speaks of tool calls. */
export function unanswered({ end, failure, reqId }: ToldOutcome, method: string): A2cError | undefined {
  if (!failure) return undefined;
  if (end !== 'timedOut') return questionError(failure, reqId);
  const message = `There was no answer to ${method} within ${String(failure.details?.['timeout'])} ms`;
  return questionError({ code: wireCodes.noAnswer, message }, reqId);
}

/** Options of a call, beside its tool and parameters. */
export interface CallOptions {
  /**
   * Id of the call on the wire, in logs and in traces; a new one by default. The id of a call that is still in
   * flight is refused with `Conflict`. Do not give the id that a model gave its tool call: models repeat ids from one
   * conversation to the next.
   */
  readonly reqId?: string | undefined;
  /**
   * Time limit of the call in ms; 0 means no limit. It stands still while a person is asked, for at most `confirmMs`
   * (2 min). Without it 60,000, which begin again while the server reports progress or waits for an answer of its host,
   * up to 600,000 in all.
   */
  readonly timeoutMs?: number | undefined;
  /** Time limit in ms of everything together, the time of a person included. Default: none. */
  readonly totalMs?: number | undefined;
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
  /**
   * Members for `_meta` of the request to the server, beside the `trace`. The server finds `reqId` there, too, as
   * `a2c/req_id`, by which it may know a call that is repeated.
   */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
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
/** Call in flight, with how its host follows it. */
export interface WatchedCall<Ended> extends Promise<Ended> {
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
/** Step of a call: a progress of its server, or its end. */
export type CallStep =
  | (Progress & { readonly type: 'progress' })
  | { readonly type: 'ended'; readonly outcome: CallOutcome };
/**
 * Call in flight: a promise of its outcome, which never rejects. `for await (const step of call)` goes through its progress
 * to its end; leaving the loop does not cancel the call.
 */
export interface Call extends WatchedCall<CallOutcome>, AsyncIterable<CallStep> {
  /**
   * Resolves when the call has succeeded. Rejects otherwise with an `A2cError` of its failure, whose `cause` is the whole
   * outcome.
   */
  orThrow(): Promise<CallFacts & CallSucceeded>;
}
interface Waiting {
  readonly reqId: string;
  readonly context: unknown;
  readonly startedAt: number;
  readonly overdueMs?: number;
  readonly resolve: (outcome: ToldOutcome) => void;
  readonly listeners: Set<(progress: Progress) => void>;
}

export class PendingCalls {
  readonly #waiting = new TransientMap<string, Waiting>();
  readonly #tickets = new TransientMap<string, string>();
  readonly #idle = new IdleWaits();

  /** `timedOut`: aborted by a time limit. `refused` is called when the call is refused and never sent. */
  start(
    tool: string,
    { reqId = newId(), signal, context, totalMs = 0 }: CallOptions,
    send: (ticket: string, reqId: string) => void,
    cancel: (ticket: string, reason?: string, timedOut?: boolean) => void,
    refused: (settled: CallSettled) => void = () => {},
  ): WatchedCall<ToldOutcome> {
    const ticket = `host.${reqId}`;
    const refuse = (end: CallEnd, failure: Failure): WatchedCall<ToldOutcome> => {
      const settled = settledBy({ ticket, reqId, server: '', tool }, end, failure);
      refused(settled);
      return neverSent(settled, context);
    };
    if (this.#tickets.has(reqId)) return refuse('failed', repeated(reqId));
    // Refuses the call before it is sent, because a cancel afterwards would be too late for a tool that answers at once.
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
    const aborted = (by: AbortSignal): void => cancel(ticket, reasonOf(by), isTimeOut(by));
    const heard = signal ? promise.finally(onAbort(signal, () => aborted(signal))) : promise;
    const over = totalMs > 0 ? heard.finally(this.#limited(ticket, totalMs, cancel)) : heard;
    return watched(over, reqId, () => this.#waiting.has(ticket) && cancel(ticket), listeners);
  }
  #limited(ticket: string, ms: number, cancel: (ticket: string, why: string) => void): () => void {
    const timer = systemClock.setTimeout(() => {
      const waiting = this.#waiting.get(ticket);
      if (waiting) this.#waiting.set(ticket, { ...waiting, overdueMs: ms });
      cancel(ticket, `its time, ${ms} ms, is over`);
    }, ms);
    return () => systemClock.clearTimeout(timer);
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
    if (this.#waiting.size === 0) this.#idle.reached();
    const told = toldOf(settled, durationMs, waiting.reqId);
    const { overdueMs } = waiting;
    waiting.resolve(inContext(overdueMs === undefined ? told : { ...told, overdueMs }, waiting.context));
  }
  /** Resolves when no call runs, at the latest after this time in ms. */
  async idle(mostMs: number): Promise<void> {
    if (this.#waiting.size > 0) await this.#idle.wait(mostMs);
  }
  ticketOf(reqId: string): string | undefined {
    return this.#tickets.get(reqId);
  }
}

const callEvents = { progress: true } as const;
/** No machine learns of the call. */
const neverSent = (settled: CallSettled, context: unknown): WatchedCall<ToldOutcome> =>
  watched(Promise.resolve(inContext(toldOf(settled, 0), context)), settled.reqId, () => {}, new Set());
const inContext = (told: ToldOutcome, context: unknown): ToldOutcome =>
  context === undefined ? told : { ...told, context };
/** A failure, because `callTool` never rejects. The call is in no history, and no machine learns of it. */
export const misusedCall = (tool: unknown, error: A2cError): Call => {
  const call = { ticket: '', reqId: newId(), server: '', tool: typeof tool === 'string' ? tool : '' };
  return readAs(neverSent(settledBy(call, 'failed', failureOf(error)), undefined), outcomeOf);
};

const toldOf = (
  { type: _, ticket: __, ...told }: CallSettled,
  durationMs: number,
  reqId = told.reqId,
): ToldOutcome => extended(told, { reqId, durationMs });

const watched = (
  promise: Promise<ToldOutcome>,
  reqId: string,
  cancel: () => void,
  listeners: Waiting['listeners'],
): WatchedCall<ToldOutcome> =>
  Object.assign(promise, {
    reqId,
    cancel,
    on: (name: 'progress', listener: (progress: Progress) => void) => {
      mustBeEvent(name, callEvents, listener);
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  });

async function* stepsOf(call: WatchedCall<CallOutcome>): AsyncGenerator<CallStep> {
  const steps = queued<CallStep>((tell) => {
    void call.then((outcome) => tell({ type: 'ended', outcome }));
    return call.on('progress', (progress) => tell({ type: 'progress', ...progress }));
  });
  for await (const step of steps) {
    yield step;
    if (step.type === 'ended') return;
  }
}
export const readAs = (call: WatchedCall<ToldOutcome>, read: (told: ToldOutcome) => CallOutcome): Call => {
  const { reqId, cancel, on } = call;
  const outcome = Object.assign(call.then(read), { reqId, cancel, on });
  return Object.assign(outcome, {
    orThrow: async () => {
      const ended = await outcome;
      if (ended.outcome === 'succeeded') return ended;
      throw new A2cError(ended.failure, { cause: ended });
    },
    [Symbol.asyncIterator]: () => stepsOf(outcome),
  });
};

export const limitOf = (
  { timeoutMs }: Pick<CallOptions, 'timeoutMs'>,
  { callTotalMs }: Pick<Timing, 'callTotalMs'>,
): Pick<ComputerCall, 'timeoutMs' | 'mostMs'> =>
  timeoutMs === undefined && callTotalMs > 0
    ? { timeoutMs: callTotalMs, mostMs: mostLimits * callTotalMs }
    : { timeoutMs: timeoutMs ?? 0 };
