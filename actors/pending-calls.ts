import { newId, systemClock } from '../adapters/index.ts';
import type { CallEnd, CallSettled, Outcome } from '../machines/settlement.ts';
import { wireCodes, type Failure } from '../machines/wire/index.ts';
import { deferred } from './deferred.ts';

export interface CallOptions {
  /** Default: a new one. The same one while it is in flight is refused with 409. */
  readonly reqId?: string;
  /** ms; 0 = without limit; default 60,000. */
  readonly timeoutMs?: number;
  /** Cancels the call. */
  readonly signal?: AbortSignal;
}
/** How a call ended. It never rejects: a failure is data. */
export interface CallOutcome {
  /** `unknown`: it was sent and never answered; it may or may not have taken effect. */
  readonly outcome: Outcome;
  readonly end: CallEnd;
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  readonly reqId: string;
  readonly durationMs: number;
  /** The MCP CallToolResult as the server gave it, or null. */
  readonly result: unknown;
  readonly failure: Failure | null;
}
interface Waiting {
  readonly reqId: string;
  readonly startedAt: number;
  readonly resolve: (outcome: CallOutcome) => void;
}

/** The promises of a host's calls, by ticket. */
export class PendingCalls {
  readonly #waiting = new Map<string, Waiting>();
  readonly #tickets = new Map<string, string>();

  /** `send` starts the call under a ticket; `cancel` is asked for when the signal aborts. */
  start(
    tool: string,
    { reqId = newId(), signal }: CallOptions,
    send: (ticket: string, reqId: string) => void,
    cancel: (ticket: string) => void,
  ): Promise<CallOutcome> {
    if (this.#tickets.has(reqId)) {
      const failure: Failure = {
        code: wireCodes.conflict,
        message: `A call '${reqId}' is already in flight`,
        details: { req_id: reqId },
      };
      return Promise.resolve({
        ...{
          outcome: 'failed',
          end: 'failed',
          server: '',
          tool,
          reqId,
          durationMs: 0,
          result: null,
          failure,
        },
      });
    }
    const ticket = `host.${reqId}`;
    const { promise, resolve } = deferred<CallOutcome>();
    this.#waiting.set(ticket, { reqId, startedAt: systemClock.now(), resolve });
    this.#tickets.set(reqId, ticket);
    const abort = (): void => cancel(ticket);
    send(ticket, reqId);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
    return promise.finally(() => signal?.removeEventListener('abort', abort));
  }
  settle({ ticket, server, tool, end, outcome, result, failure }: CallSettled): void {
    const waiting = this.#waiting.get(ticket);
    if (!waiting) return;
    this.#waiting.delete(ticket);
    this.#tickets.delete(waiting.reqId);
    const durationMs = Math.round(systemClock.now() - waiting.startedAt);
    waiting.resolve({ outcome, end, server, tool, reqId: waiting.reqId, durationMs, result, failure });
  }
  ticketOf(reqId: string): string | undefined {
    return this.#tickets.get(reqId);
  }
}
