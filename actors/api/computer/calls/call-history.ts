import { TransientMap } from '../../../../machines/kernel/transient-map.ts';
import { keyOf, nameOf } from '../../../../machines/kernel/address.ts';
import type { CallPhase, CallSettled, ComputerCall } from '../../../../machines/call/messages.ts';
import {
  withCall,
  type CallHistory,
  type CallStanding,
  type PastCall,
} from '../../../../machines/call/history/index.ts';
import type { DirectoryRecord } from '../../../../machines/trace/index.ts';
import { excessBytes, mostLevels } from '../../../../machines/protocol/size.ts';
import type { Progress } from '../../../../machines/protocol/messages/progress.ts';
import { progressIn } from '../../call-progress.ts';
import { standingOf, type SnapshotOf } from './call-standing.ts';
import type { Observer } from '../../../runtime/observer.ts';

/** Bytes of JSON that are kept of the parameters of one call. */
const parameterBytes = 16 * 1024;
/** Characters of what a tool says when it fails. */
const errorLength = 500;

/** A call that has not ended yet. */
export interface RunningCall extends Omit<CallStanding, 'state' | 'outcome'> {
  /** The id that its caller gave it: what `cancelCall` takes. */
  readonly reqId: string;
  /** The agent that asked; null: the host itself. */
  readonly agent: string | null;
  /** The name in the config of the server that has the tool; empty: none is known yet. */
  readonly server: string;
  /** The server's own name of the tool; the listed one while no server is known. */
  readonly tool: string;
  /** Where it is. */
  readonly phase: CallPhase;
  /** ISO 8601. */
  readonly since: string;
  /** Last progress that the server told, or null. */
  readonly progress: Progress | null;
}
/** A call as it came. */
type Asked = Pick<ComputerCall, 'ticket' | 'reqId' | 'agent' | 'tool' | 'params' | 'timeoutMs'>;
/** State of a call that has not ended. */
interface Ended extends Omit<PastCall, 'timestamp' | 'since'> {
  readonly endedAt: number;
  readonly since: number;
}
interface Running extends Omit<Asked, 'params' | 'tool'> {
  /** Name of the tool as the caller wrote it; once its server is known, the server's own name. */
  tool: string;
  readonly parameters: PastCall['parameters'];
  readonly since: number;
  /** Client of the call, once its server is known. */
  client: string | null;
}
export interface CallHistoryOptions {
  /** How many calls are remembered. */
  readonly most: number;
  /** Milliseconds since 1970: machines know no time of day. */
  readonly now: () => number;
  /** The same without anything that must not be shown. */
  readonly redact: <T>(value: T) => T;
  /** The machine at an address as it is now. */
  readonly snapshotOf: SnapshotOf;
}
const isoOf = (ms: number): string => new Date(ms).toISOString();
const keyOfCall = (asker: string, ticket: string): string => `${asker} ${ticket}`;
const addressOf = ({ client, ticket }: Running): string =>
  client === null ? '' : `${client}/call:${keyOf(ticket)}`;
const isComputer = (address: string): boolean => nameOf(address) === 'computer';

/**
 * The last calls of a computer, whoever asked for them (seed 001, `ToolCallRecord`). It watches the tap, as those who
 * tell of calls do. An entry begins when a call comes to the computer (`#begin`), and ends when its asker is answered (`#end`).
 */
export class CallHistoryWatch implements Observer {
  readonly #options: CallHistoryOptions;
  /** By asker and ticket: those that have not ended. */
  readonly #running = new TransientMap<string, Running>();
  /** By address. */
  readonly #progress = new TransientMap<string, Progress>();
  /** The oldest first. Times are written when somebody reads them. */
  #history: readonly Ended[] = [];

  constructor(options: CallHistoryOptions) {
    this.#options = options;
  }
  /** The newest first: those that have not ended, and those that have. */
  newestFirst(): CallHistory {
    const running = [...this.#running.values()].map((call): PastCall => {
      const { phase, progress: _, ...standing } = this.#standing(call);
      const { parameters, timeoutMs } = call;
      return {
        ...standing,
        timestamp: standing.since,
        parameters,
        timeoutMs: timeoutMs === 0 ? null : timeoutMs,
        success: false,
        error: null,
        state: phase === 'running' ? 'running' : 'waiting',
        outcome: null,
      };
    });
    const ended = this.#history.map(({ endedAt, since, ...call }): PastCall => ({
      timestamp: isoOf(endedAt),
      since: isoOf(since),
      ...call,
    }));
    return [...ended, ...running].toReversed().slice(0, Math.max(0, this.#options.most));
  }
  /** Calls that have not ended, of all callers, the oldest first. */
  running(): readonly RunningCall[] {
    return [...this.#running.values()].map((call) => this.#standing(call));
  }
  #standing(call: Running): RunningCall {
    const { reqId, agent, since } = call;
    const known = standingOf(call, addressOf(call), this.#options.snapshotOf);
    const progress = this.#progress.get(addressOf(call)) ?? null;
    return { ...known, reqId, agent, tool: call.tool, since: isoOf(since), progress };
  }
  /** Under which names those of a `req_id` are asked for. */
  ticketsOf(reqId: string): readonly string[] {
    return [...this.#running.values()].flatMap((call) => (call.reqId === reqId ? [call.ticket] : []));
  }
  /** A call that its host never sends. */
  refused(call: Pick<Asked, 'tool' | 'params' | 'timeoutMs'>, settled: CallSettled): CallSettled {
    const { ticket, reqId } = settled;
    const key = keyOfCall('host, not sent', ticket);
    this.#begin(key, { ...call, ticket, reqId, agent: null });
    this.#end(key, settled);
    return settled;
  }
  record(record: DirectoryRecord): void {
    const told = progressIn(record);
    if (told && record.k === 'in' && record.a.includes('/call:')) this.#progress.set(nameOf(record.a), told);
    if (record.k === 'end' && isComputer(record.a)) this.#endAll();
    if (record.k !== 'post') return;
    if (record.ev.type === 'call.settled') {
      const settled = record.ev as CallSettled;
      this.#end(keyOfCall(record.a, settled.ticket), settled);
    } else if (record.ev.type === 'call.request') {
      const call = record.ev as ComputerCall;
      const key = keyOfCall(call.replyTo, call.ticket);
      if (isComputer(record.a)) this.#begin(key, call);
      else if (record.a.startsWith('computer/client:')) this.#passed(key, call, nameOf(record.a));
    }
  }
  #begin(key: string, { ticket, reqId, agent, tool, params, timeoutMs }: Asked): void {
    const parameters = this.#kept(params);
    const since = this.#options.now();
    this.#running.set(key, { ticket, reqId, agent, tool, parameters, timeoutMs, since, client: null });
  }
  /** Notes the server of a call, and the server's own name of the tool. */
  #passed(key: string, { tool }: Asked, client: string): void {
    const running = this.#running.get(key);
    if (!running) return;
    running.tool = tool;
    running.client = client;
  }
  #end(key: string, settled: Pick<CallSettled, 'server' | 'outcome' | 'failure' | 'result'>): void {
    const running = this.#running.get(key);
    if (!running) return;
    this.#running.delete(key);
    this.#progress.delete(addressOf(running));
    const { reqId, agent, tool, parameters, timeoutMs, since } = running;
    const { most, now, redact } = this.#options;
    const { server, outcome } = settled;
    const error = outcome === 'succeeded' ? null : redact(errorOf(settled)).slice(0, errorLength);
    const call: Ended = {
      endedAt: now(),
      since,
      reqId,
      agent,
      server,
      tool,
      parameters,
      timeoutMs: timeoutMs === 0 ? null : timeoutMs,
      success: outcome === 'succeeded',
      error,
      state: 'ended',
      waitsFor: null,
      outcome,
      reason: error,
    };
    this.#history = withCall(this.#history, call, most);
  }
  /** Ends the open calls of a computer that is gone: nobody answers them any more. */
  #endAll(): void {
    for (const [key, { client }] of this.#running)
      this.#end(key, {
        server: '',
        outcome: client === null ? 'failed' : 'unknown',
        failure: computerGone,
        result: null,
      });
  }
  /** A host may give what throws as it is read: were that thrown here, the tap would let go of all history. */
  #kept(params: Asked['params']): PastCall['parameters'] {
    try {
      const bytes = excessBytes(params, parameterBytes);
      if (bytes === undefined) return this.#options.redact(params);
      const size = bytes === Infinity ? `more than ${mostLevels} levels` : `${bytes} bytes`;
      return { not_kept: `${size} of JSON` };
    } catch {
      return { not_kept: 'cannot be read' };
    }
  }
}
const computerGone = {
  code: 'ServerNotActive',
  message: 'Its computer ended before it was answered',
} as const;

/** Why it failed: our own word for it, or what the tool says. */
function errorOf({ failure, result }: Pick<CallSettled, 'failure' | 'result'>): string {
  if (failure) return failure.message;
  const { content } = (result ?? {}) as { readonly content?: unknown };
  const texts = Array.isArray(content)
    ? content.map((item: { readonly text?: unknown } | null) => item?.text)
    : [];
  return texts.find((text) => typeof text === 'string') ?? 'The tool says that it failed';
}
