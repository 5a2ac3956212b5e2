import PQueue from 'p-queue';
import { busy, type CallLimits, type CallLimiters, type Entrant } from '../../machines/call/policy/index.ts';

export interface CallLimitersOptions {
  /** Of one server; asked anew with each call, so that a changed config counts from the next call on. */
  readonly limitsOf: (server: string) => CallLimits;
  /** Of all servers together. */
  readonly total: () => CallLimits;
}

/** One limiter: a p-queue in which a task is a turn, and lasts until whoever has it leaves. */
class Limiter {
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

/**
 * The limiters of one computer: one per server, and one for all. A call takes its turn with its server first, so that
 * one busy server never keeps another's calls from theirs. Nothing of it outlives the calls: no timer, no handle.
 */
export function createCallLimiters({ limitsOf, total }: CallLimitersOptions): CallLimiters {
  const limiters = new Map<string, Limiter>();
  const all = { limiter: undefined as Limiter | undefined };
  /** Without a limit nobody needs one, unless some wait in it still. */
  const limiterOf = (server: string, { concurrency }: CallLimits): Limiter | undefined => {
    const limiter = limiters.get(server) ?? (concurrency === 0 ? undefined : new Limiter(concurrency));
    if (limiter) limiters.set(server, limiter);
    limiter?.limit(concurrency || Infinity);
    return limiter;
  };
  const isRefused = (limiter: Limiter, { concurrency, queue }: CallLimits): boolean =>
    concurrency > 0 && limiter.isFull && limiter.waiting >= queue;
  const enterAll = (server: string, entrant: Entrant, waits: () => void): (() => void) => {
    const limits = total();
    if (limits.concurrency > 0) all.limiter ??= new Limiter(limits.concurrency);
    const { limiter } = all;
    if (!limiter) {
      entrant.go();
      return () => {};
    }
    limiter.limit(limits.concurrency || Infinity);
    if (isRefused(limiter, limits)) {
      entrant.busy(busy(server, limits, true));
      return () => {};
    }
    if (limiter.isFull) waits();
    return limiter.enter(() => entrant.go());
  };
  return {
    enter(server, entrant) {
      const limits = limitsOf(server);
      let hasWaited = false;
      const waits = (ahead: number): void => {
        if (!hasWaited) entrant.waits(ahead);
        hasWaited = true;
      };
      const limiter = limiterOf(server, limits);
      if (!limiter) return enterAll(server, entrant, () => waits(all.limiter?.waiting ?? 0));
      if (isRefused(limiter, limits)) {
        entrant.busy(busy(server, limits, false));
        return () => {};
      }
      if (limiter.isFull) waits(limiter.waiting);
      const inner: { leave?: () => void; isOver: boolean } = { isOver: false };
      const leave = limiter.enter(() => {
        inner.leave = enterAll(server, entrant, () => waits(all.limiter?.waiting ?? 0));
        if (inner.isOver) inner.leave();
      });
      return () => {
        inner.isOver = true;
        inner.leave?.();
        leave();
        if (limiter.isEmpty && limiters.get(server) === limiter) limiters.delete(server);
      };
    },
  };
}
