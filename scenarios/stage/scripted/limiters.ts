import {
  busy,
  defaultLimits,
  noLimits,
  type CallLimits,
  type CallLimiters,
} from '../../../machines/call/policy/index.ts';
import type { VirtualClock } from '../virtual-clock.ts';

/** One who waits, or runs. */
interface Place {
  isOver: boolean;
  readonly go: () => void;
}
class Limiter {
  readonly #clock: Pick<VirtualClock, 'setTimeout'>;
  readonly #limit: () => number;
  #running = 0;
  #waiting: Place[] = [];
  constructor(clock: Pick<VirtualClock, 'setTimeout'>, limit: () => number) {
    this.#clock = clock;
    this.#limit = limit;
  }
  get waiting(): number {
    return this.#waiting.length;
  }
  get isFull(): boolean {
    return this.#running >= this.#limit() || this.#waiting.length > 0;
  }
  enter(go: () => void): () => void {
    const place = { isOver: false, go };
    const hasRoom = !this.isFull;
    if (hasRoom) {
      this.#running += 1;
      go();
    } else {
      this.#waiting.push(place);
      // More may run than when those before it came.
      if (this.#running < this.#limit()) this.#clock.setTimeout(() => this.#next(), 0);
    }
    return () => {
      if (place.isOver) return;
      place.isOver = true;
      const before = this.#waiting.length;
      this.#waiting = this.#waiting.filter((other) => other !== place);
      if (this.#waiting.length < before) return;
      this.#running -= 1;
      // Not in between: whoever leaves is in the midst of something.
      this.#clock.setTimeout(() => this.#next(), 0);
    };
  }
  #next(): void {
    while (this.#running < this.#limit()) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#running += 1;
      next.go();
    }
  }
}

/** Who runs when, on virtual time: one limiter per server, and one for all. */
export function scriptedLimiters(
  clock: Pick<VirtualClock, 'setTimeout'>,
  {
    limitsOf = () => defaultLimits,
    total = () => noLimits,
  }: Partial<{
    limitsOf: (server: string) => CallLimits;
    total: () => CallLimits;
  }> = {},
): CallLimiters {
  const limiters = new Map<string, Limiter>();
  const all = new Limiter(clock, () => total().concurrency || Infinity);
  return {
    enter(server, entrant) {
      const limits = limitsOf(server);
      const limiter =
        limiters.get(server) ?? new Limiter(clock, () => limitsOf(server).concurrency || Infinity);
      limiters.set(server, limiter);
      let hasWaited = false;
      const waits = (ahead: number): void => {
        if (!hasWaited) entrant.waits(ahead);
        hasWaited = true;
      };
      const it: { isOver: boolean; leave?: () => void } = { isOver: false };
      const refuse = (own: CallLimits, isTotal: boolean): void => entrant.busy(busy(server, own, isTotal));
      const enterAll = (): void => {
        const most = total();
        if (most.concurrency > 0 && all.isFull && all.waiting >= most.queue) return refuse(most, true);
        if (all.isFull) waits(all.waiting);
        it.leave = all.enter(() => entrant.go());
        if (it.isOver) it.leave();
      };
      if (limits.concurrency > 0 && limiter.isFull && limiter.waiting >= limits.queue) {
        refuse(limits, false);
        return () => {};
      }
      if (limiter.isFull) waits(limiter.waiting);
      const leave = limiter.enter(enterAll);
      return () => {
        it.isOver = true;
        it.leave?.();
        leave();
      };
    },
  };
}
