import type { IncomingMessage } from 'node:http';
import { mayBeEvents, readAnswer } from '../bodies.ts';
import type { Around } from '../transport.ts';
import { type Exchange, Unreached } from './http.ts';
import type { FoundEvents } from './event-stream.ts';
import { retryAfterIn } from './http-failures.ts';

/** How often a stream that brought nothing is opened again, and after how long the first time. */
export interface Reopen {
  readonly most: number;
  readonly firstMs: number;
}
export const reopenDefaults: Reopen = { most: 5, firstMs: 1_000 };
const longestDelayMs = 30_000;
/** No stream is left alone for longer because its server says so. */
const longestAskedMs = 3_600_000;

export interface Reopenable {
  open(lastEventId: string | undefined): Exchange;
  readonly found: Omit<FoundEvents, 'id' | 'retry'>;
  /** Nothing more is expected of it. */
  isDone(): boolean;
  readonly silenceMs: number;
}
/** How it came to its end: `status` as the server refused it, `cause` when it could not be reached any more. */
export type Over =
  | { readonly how: 'done' | 'stopped' | 'exhausted' }
  | { readonly how: 'refused'; readonly status: number; readonly wasOpen: boolean }
  | { readonly how: 'unreachable'; readonly cause: string };

/**
 * One event stream that is taken up where it broke: `Last-Event-ID`, after as long as the server wants or after a
 * growing delay. Whoever brings anything may break again; who brings nothing is asked `most` times.
 */
export class Reopening {
  /** True while the server holds the stream open. */
  isOpen = false;
  readonly #stream: Reopenable;
  readonly #around: Around;
  readonly #reopen: Reopen;
  #lastEventId: string | undefined;
  #retryMs: number | undefined;
  /** Wait that the last refusal asked for. */
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
  /** The words of a stream that somebody else opened, and that may be taken up later. */
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
  /** Never rejects. `afterBreak`: the first time, too, is one after a delay. */
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
      const heard = status === 200 && mayBeEvents(answer) ? await this.#read(answer) : undefined;
      if (heard !== undefined) return { heard };
      answer.destroy();
      // An earlier stream of ours may not have been missed yet (409), and what is overloaded recovers.
      const isPassing = status === 409 || status === 429 || status >= 500;
      if (isPassing) {
        const seconds = retryAfterIn(answer.headers);
        this.#askedMs = typeof seconds === 'number' ? Math.min(seconds * 1_000, longestAskedMs) : 0;
        return { heard: false };
      }
      return { over: { how: 'refused', status, wasOpen: this.#wasOpen } };
    } catch (error) {
      // Cut before it answered: somebody is there.
      const isNobody = error instanceof Unreached && !error.isReached;
      return { heard: false, ...(isNobody && { cause: error.cause }) };
    }
  }
  /** Whether it brought anything; undefined: it was no event stream. */
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
    // One that was held for as long as it may be silent is no failure.
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
