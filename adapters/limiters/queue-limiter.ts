import PQueue from 'p-queue';
import type { Limiter } from '../../machines/call/policy/index.ts';

/** A p-queue in which a task is a turn, and lasts until whoever has it leaves. */
export class QueueLimiter implements Limiter {
  readonly #queue: PQueue;
  waiting = 0;
  #running = 0;
  #limit: number;

  constructor(concurrency: number) {
    this.#limit = concurrency;
    this.#queue = new PQueue({ concurrency });
  }
  /** Whoever may begin because of it does so a moment later: the queue would let them begin within this call. */
  limit(concurrency: number): void {
    if (this.#limit === concurrency) return;
    this.#limit = concurrency;
    queueMicrotask(() => (this.#queue.concurrency = this.#limit));
  }
  get isFull(): boolean {
    return this.#running >= this.#limit || this.waiting > 0;
  }
  get isEmpty(): boolean {
    return this.#running === 0 && this.waiting === 0;
  }
  /**
   * `go` is called at once when there is room: also in the moment in which the queue does not know yet that somebody
   * has left. Its task comes behind that one's, and holds the place from then on.
   */
  enter(go: () => void): () => void {
    let isOver = false;
    let hasBegun = false;
    let done = (): void => {};
    const over = new Promise<void>((resolve) => (done = resolve));
    const begin = (): void => {
      hasBegun = true;
      this.#running += 1;
      go();
    };
    const hasRoom = !this.isFull;
    // Whoever leaves while he waits is taken out of the queue, which would keep him until his turn came.
    const left = hasRoom ? undefined : new AbortController();
    if (!hasRoom) this.waiting += 1;
    const entrant = async (): Promise<void> => {
      if (isOver) return;
      if (!hasBegun) {
        this.waiting -= 1;
        begin();
      }
      await over;
    };
    if (hasRoom) begin();
    const added = this.#queue.add(entrant, left && { signal: left.signal });
    if (left) added.catch(() => {});
    return () => {
      if (isOver) return;
      isOver = true;
      if (hasBegun) this.#running -= 1;
      else {
        this.waiting -= 1;
        left?.abort();
      }
      done();
    };
  }
}
