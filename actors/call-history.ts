import type { CallRequest } from '../machines/client.machine.ts';
import { withCall, type CallHistory, type PastCall } from '../machines/history/index.ts';
import type { CallSettled } from '../machines/settlement.ts';
import type { DirectoryRecord } from '../machines/trace/index.ts';
import { excessBytes } from '../machines/wire/size.ts';
import type { Observer } from './observer.ts';

/** Bytes of JSON that are kept of the parameters of one call. */
const parameterBytes = 16 * 1024;
/** Characters of what a tool says when it fails. */
const errorLength = 500;

interface Asked {
  readonly tool: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number | null;
}
export interface CallHistoryOptions {
  /** How many calls are remembered. */
  readonly most: number;
  /** Milliseconds since 1970: machines know no time of day. */
  readonly now: () => number;
  /** The same without anything that must not be shown. */
  readonly discreet: <T>(value: T) => T;
}

/**
 * The last calls of a computer, whoever asked for them (seed 001, `ToolCallRecord`). It watches the tap, as those who
 * tell of calls do. A call that no server has the tool of is none of any server, and is not kept.
 */
export class CallHistoryWatch implements Observer {
  readonly #options: CallHistoryOptions;
  /** By ticket: passed on to their servers, and not settled yet. */
  readonly #running = new Map<string, Asked>();
  #history: CallHistory = [];

  constructor(options: CallHistoryOptions) {
    this.#options = options;
  }
  /** The newest first. */
  newestFirst(): CallHistory {
    return this.#history.toReversed();
  }
  record(record: DirectoryRecord): void {
    if (record.k !== 'post') return;
    if (record.ev.type === 'call.request' && isOurs(record.from)) this.#asked(record.ev as CallRequest);
    else if (record.ev.type === 'call.settled' && isOurs(record.from))
      this.#settled(record.ev as CallSettled);
  }
  #asked({ ticket, tool, params, timeoutMs }: CallRequest): void {
    const bytes = excessBytes(params, parameterBytes);
    const parameters =
      bytes === undefined ? this.#options.discreet(params) : { not_kept: `${bytes} bytes of JSON` };
    this.#running.set(ticket, { tool, parameters, timeoutMs: timeoutMs === 0 ? null : timeoutMs });
  }
  #settled(settled: CallSettled): void {
    const { ticket, reqId, server, outcome } = settled;
    const asked = this.#running.get(ticket);
    if (!asked) return;
    this.#running.delete(ticket);
    const { most, now, discreet } = this.#options;
    const call: PastCall = {
      timestamp: new Date(now()).toISOString(),
      ...{ reqId, server, ...asked, success: outcome === 'succeeded' },
      error: outcome === 'succeeded' ? null : discreet(errorOf(settled)).slice(0, errorLength),
    };
    this.#history = withCall(this.#history, call, most);
  }
}

/** Its own address, and those of all below it. */
const isOurs = (address: string): boolean => /^computer[#/]/.test(address);

/** Why it failed: our own word for it, or what the tool says. */
function errorOf({ failure, result }: CallSettled): string {
  if (failure) return failure.message;
  const { content } = (result ?? {}) as { readonly content?: unknown };
  const texts = Array.isArray(content)
    ? content.map((item: { readonly text?: unknown } | null) => item?.text)
    : [];
  return texts.find((text) => typeof text === 'string') ?? 'The tool says that it failed';
}
