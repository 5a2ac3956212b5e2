import type { IncomingMessage } from 'node:http';
import { isEvents, readAnswer } from '../bodies.ts';
import type { Around } from '../transport.ts';
import { type Exchange, Unreached } from './http.ts';
import type { FoundEvents } from './event-stream.ts';
import { retryAfterIn } from './http-failures.ts';

/** Limits for a broken event stream that brings no data: number of tries to open it again, and delay in ms before the first. */
export interface Reopen {
  readonly most: number;
  readonly firstMs: number;
}
export const reopenDefaults: Reopen = { most: 5, firstMs: 1_000 };
const longestDelayMs = 30_000;
/** Longest delay in ms that a server can request before its stream is opened again. */
const longestAskedMs = 3_600_000;

export interface Reopenable {
  open(lastEventId: string | undefined): Exchange;
  readonly found: Omit<FoundEvents, 'id' | 'retry'>;
  isDone(): boolean;
  readonly silenceMs: number;
}
export type Over =
  | { readonly how: 'done' | 'stopped' | 'exhausted' }
  | { readonly how: 'refused'; readonly status: number; readonly wasOpen: boolean }
  | { readonly how: 'unreachable'; readonly cause: string };

/** Opened again with `Last-Event-ID`. Only a stream that brings no data is limited to `most` tries. */
export class Reopening {
  isOpen = false;
  readonly #stream: Reopenable;
  readonly #around: Around;
  readonly #reopen: Reopen;
  #lastEventId: string | undefined;
  #retryMs: number | undefined;
  #askedMs = 0;
  #wasOpen = false;
  #isStopped = false;
  #exchange: Exchange | undefined;
  #stopWaiting = (): void => {};

  constructor(stream: Reopenable, around: Around, reopen: Reopen) {
    this.#stream = stream;
    this.#around = around;
    this.#reopen = reopen;
  }
  get canResume(): boolean {
    return this.#lastEventId !== undefined;
  }
  /** Callbacks for reading a stream that was opened by another request and may be resumed here later. */
  get found(): FoundEvents {
    return {
      ...this.#stream.found,
      id: (id) => (this.#lastEventId = id === '' ? undefined : id),
      retry: (ms) => (this.#retryMs = ms),
    };
  }
  stop(): void {
    this.#isStopped = true;
    this.#exchange?.abort();
    this.#stopWaiting();
  }
  /** Never rejects. With `afterBreak` the first opening also waits for a delay. */
  async run(afterBreak = false): Promise<Over> {
    let failures = afterBreak ? 1 : 0;
    for (;;) {
      if (failures > 0) await this.#delay(failures);
      if (this.#isStopped) return { how: 'stopped' };
      if (this.#stream.isDone()) return { how: 'done' };
      const { over, heard, cause } = await this.#once();
      if (over) return over;
      failures = heard ? 1 : failures + 1;
      if (failures <= this.#reopen.most) continue;
      return cause === undefined ? { how: 'exhausted' } : { how: 'unreachable', cause };
    }
  }

  async #once(): Promise<{ over?: Over; heard?: boolean; cause?: string }> {
    const exchange = this.#stream.open(this.#lastEventId);
    this.#exchange = exchange;
    try {
      const answer = await exchange.answer;
      const { statusCode: status = 0 } = answer;
      const heard = status === 200 && isEvents(answer) ? await this.#read(answer) : undefined;
      if (heard !== undefined) return { heard };
      answer.destroy();
      // The server has not noticed the end of the previous stream yet (409), or is overloaded.
      const isPassing = status === 409 || status === 429 || status >= 500;
      if (isPassing) {
        this.#askedMs = Math.min((retryAfterIn(answer.headers) ?? 0) * 1_000, longestAskedMs);
        return { heard: false };
      }
      return { over: { how: 'refused', status, wasOpen: this.#wasOpen } };
    } catch (error) {
      // Counts a connection that was cut before an answer as a sign that the server is there.
      const isNobody = error instanceof Unreached && !error.isReached;
      return { heard: false, ...(isNobody && { cause: error.cause }) };
    }
  }
  /** Tells whether it brought data; undefined when the answer was no event stream. */
  async #read(answer: IncomingMessage): Promise<boolean | undefined> {
    let heard = false;
    this.isOpen = true;
    this.#wasOpen = true;
    answer.once('data', () => (heard = true));
    const { timers, messageBytes } = this.#around;
    const { silenceMs } = this.#stream;
    const ended = await readAnswer(answer, this.found, { timers, silenceMs, limit: messageBytes });
    this.isOpen = false;
    if (!('stream' in ended)) return undefined;
    // Counts a stream that was cut only because it was silent for the allowed time as no failure.
    return heard || ended.stream.how === 'silent';
  }
  #delay(failures: number): Promise<void> {
    const { timers } = this.#around;
    const grown = Math.min(this.#reopen.firstMs * 1.5 ** (failures - 1), longestDelayMs);
    const ms = Math.max(this.#askedMs, Math.min(this.#retryMs ?? grown, longestDelayMs));
    this.#askedMs = 0;
    return new Promise((resolve) => {
      const timer = timers.setTimeout(resolve, ms);
      this.#stopWaiting = () => {
        timers.clearTimeout(timer);
        resolve();
      };
    });
  }
}
