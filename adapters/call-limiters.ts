import PQueue from 'p-queue';
import {
  callLimiters,
  type CallLimiters,
  type CallLimitersOptions,
  type Limiter,
} from '../machines/call/policy/call-limiters.ts';

export const createCallLimiters = (options: CallLimitersOptions): CallLimiters =>
  callLimiters(options, (concurrency) => new QueueLimiter(concurrency));

/** A call that finds a free place is only counted; any other is a task of a p-queue until it leaves. */
export class QueueLimiter implements Limiter {
  waiting = 0;
  #limit: number;
  #running = 0;
  #counted = 0;
  #line: PQueue | undefined;
  #isDue = false;

  constructor(concurrency: number) {
    this.#limit = concurrency;
  }
  limit(concurrency: number): void {
    if (this.#limit === concurrency) return;
    this.#limit = concurrency;
    this.#goOn();
  }
  get isFull(): boolean {
    return this.#running >= this.#limit || this.waiting > 0;
  }
  get isEmpty(): boolean {
    return this.#running === 0 && this.waiting === 0;
  }
  enter(go: () => void): () => void {
    return this.isFull ? this.#wait(go) : this.#begin(go);
  }
  #begin(go: () => void): () => void {
    let isOver = false;
    this.#running += 1;
    this.#counted += 1;
    go();
    return () => {
      if (isOver) return;
      isOver = true;
      this.#running -= 1;
      this.#counted -= 1;
      this.#goOn();
    };
  }
  #wait(go: () => void): () => void {
    const line = (this.#line ??= new PQueue());
    // Set before the first waiting call is added, so that it starts no call.
    if (this.waiting === 0) this.#share(line);
    this.waiting += 1;
    let state: 'waits' | 'runs' | 'over' = 'waits';
    let done = (): void => {};
    const over = new Promise<void>((resolve) => (done = resolve));
    // The queue would otherwise keep a removed call until its turn came.
    const left = new AbortController();
    const turn = async (): Promise<void> => {
      if (state === 'over') return;
      state = 'runs';
      this.waiting -= 1;
      this.#running += 1;
      go();
      await over;
    };
    line.add(turn, { signal: left.signal }).catch(() => {});
    return () => {
      if (state === 'over') return;
      if (state === 'runs') this.#running -= 1;
      else {
        this.waiting -= 1;
        left.abort();
      }
      state = 'over';
      done();
    };
  }
  /** In a microtask: the queue starts tasks immediately, and the caller is still changing the counts. */
  #goOn(): void {
    if (this.waiting === 0 || this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      if (this.#line) this.#share(this.#line);
    });
  }
  #share(line: PQueue): void {
    const places = this.#limit - this.#counted;
    if (places < 1) return line.pause();
    line.concurrency = places;
    line.start();
  }
}
