import { keyOf, nameOf } from '../../../machines/kernel/address.ts';
import type { CallRequest } from '../../../machines/call/call.machine.ts';
import { withCall, type CallHistory, type PastCall } from '../../../machines/call/history/index.ts';
import type { CallPhase, CallSettled } from '../../../machines/call/settlement.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import { excessBytes, mostLevels } from '../../../machines/protocol/size.ts';
import type { Progress } from '../../../machines/protocol/messages/progress.ts';
import { progressIn } from '../call-progress.ts';
import type { Observer } from '../../runtime/observer.ts';

/** Bytes of JSON that are kept of the parameters of one call. */
const parameterBytes = 16 * 1024;
/** Characters of what a tool says when it fails. */
const errorLength = 500;

/** A call that has not ended yet. */
export interface RunningCall {
  /** The id that its caller gave it: what `cancelCall` takes. */
  readonly reqId: string;
  /** The name in the config of the server that has the tool. */
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  /** Where it is. */
  readonly phase: CallPhase;
  /** ISO 8601. */
  readonly since: string;
  /** What its server told last, or null. */
  readonly progress: Progress | null;
}
interface Asked {
  readonly tool: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number | null;
}
/** Of one that runs, what its history does not keep. */
interface Running extends Asked {
  readonly reqId: string;
  /** Where its machine lives. */
  readonly address: string;
  readonly since: number;
}
export interface CallHistoryOptions {
  /** How many calls are remembered. */
  readonly most: number;
  /** Milliseconds since 1970: machines know no time of day. */
  readonly now: () => number;
  /** The same without anything that must not be shown. */
  readonly redact: <T>(value: T) => T;
  /** What the machine at an address remembers. */
  readonly contextOf: (address: string) => unknown;
}

/**
 * The last calls of a computer, whoever asked for them (seed 001, `ToolCallRecord`). It watches the tap, as those who
 * tell of calls do. A call that no server has the tool of is none of any server, and is not kept.
 */
export class CallHistoryWatch implements Observer {
  readonly #options: CallHistoryOptions;
  /** By ticket: passed on to their servers, and not settled yet. */
  readonly #running = new Map<string, Running>();
  /** By address. */
  readonly #progress = new Map<string, Progress>();
  #history: CallHistory = [];

  constructor(options: CallHistoryOptions) {
    this.#options = options;
  }
  /** The newest first. */
  newestFirst(): CallHistory {
    return this.#history.toReversed();
  }
  /** Those that have not ended, whoever asked, the oldest first. */
  running(): readonly RunningCall[] {
    return [...this.#running.values()].flatMap(({ reqId, address, since, tool }) => {
      const known = this.#options.contextOf(address) as Pick<RunningCall, 'server' | 'phase'> | undefined;
      const progress = this.#progress.get(address) ?? null;
      const { server, phase } = known ?? {};
      return server !== undefined && phase !== undefined
        ? [{ reqId, server, tool, phase, since: new Date(since).toISOString(), progress }]
        : [];
    });
  }
  /** Under which names those of a `req_id` are asked for. */
  ticketsOf(reqId: string): readonly string[] {
    return [...this.#running].flatMap(([ticket, call]) => (call.reqId === reqId ? [ticket] : []));
  }
  record(record: DirectoryRecord): void {
    const told = progressIn(record);
    if (told && record.k === 'in' && record.a.includes('/call:')) this.#progress.set(nameOf(record.a), told);
    if (record.k !== 'post') return;
    // A call that comes to a client has found its server.
    if (record.ev.type === 'call.request' && record.a.includes('/client:'))
      this.#asked(record.ev as CallRequest, record.a);
    else if (record.ev.type === 'call.settled' && isOurs(record.from))
      this.#settled(record.ev as CallSettled);
  }
  #asked({ ticket, reqId, tool, params, timeoutMs }: CallRequest, client: string): void {
    this.#running.set(ticket, {
      reqId,
      tool,
      parameters: this.#kept(params),
      timeoutMs: timeoutMs === 0 ? null : timeoutMs,
      address: `${nameOf(client)}/call:${keyOf(ticket)}`,
      since: this.#options.now(),
    });
  }
  /** A host may give what throws as it is read: were that thrown here, the tap would let go of all history. */
  #kept(params: CallRequest['params']): Asked['parameters'] {
    try {
      const bytes = excessBytes(params, parameterBytes);
      if (bytes === undefined) return this.#options.redact(params);
      const size = bytes === Infinity ? `more than ${mostLevels} levels` : `${bytes} bytes`;
      return { not_kept: `${size} of JSON` };
    } catch {
      return { not_kept: 'cannot be read' };
    }
  }
  #settled(settled: CallSettled): void {
    const { ticket, reqId, server, outcome } = settled;
    const running = this.#running.get(ticket);
    if (!running) return;
    this.#running.delete(ticket);
    this.#progress.delete(running.address);
    const { tool, parameters, timeoutMs } = running;
    const { most, now, redact } = this.#options;
    const call: PastCall = {
      timestamp: new Date(now()).toISOString(),
      reqId,
      server,
      tool,
      parameters,
      timeoutMs,
      success: outcome === 'succeeded',
      error: outcome === 'succeeded' ? null : redact(errorOf(settled)).slice(0, errorLength),
    };
    this.#history = withCall(this.#history, call, most);
  }
}

/** Its own address, and those of all below it. */
const isOurs = (address: string): boolean =>
  address.startsWith('computer/') || address.startsWith('computer#');

/** Why it failed: our own word for it, or what the tool says. */
function errorOf({ failure, result }: CallSettled): string {
  if (failure) return failure.message;
  const { content } = (result ?? {}) as { readonly content?: unknown };
  const texts = Array.isArray(content)
    ? content.map((item: { readonly text?: unknown } | null) => item?.text)
    : [];
  return texts.find((text) => typeof text === 'string') ?? 'The tool says that it failed';
}
