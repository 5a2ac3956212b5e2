import {
  callLimiters,
  defaultLimits,
  noLimits,
  type CallLimiters,
  type CallLimitersOptions,
  type Limiter,
} from '../../../machines/call/policy/call-limiters.ts';
import type { VirtualClock } from '../virtual-clock.ts';

interface Place {
  isOver: boolean;
  readonly go: () => void;
}
/** Not p-queue: virtual time would pass before its promises go on. The choice is made by the real code. */
class ScriptedLimiter implements Limiter {
  readonly #clock: Pick<VirtualClock, 'setTimeout'>;
  #limit: number;
  #running = 0;
  #waiting: Place[] = [];
  constructor(clock: Pick<VirtualClock, 'setTimeout'>, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }
  limit(concurrency: number): void {
    if (this.#limit === concurrency) return;
    this.#limit = concurrency;
    this.#clock.setTimeout(() => this.#next(), 0);
  }
  get waiting(): number {
    return this.#waiting.length;
  }
  get isFull(): boolean {
    return this.#running >= this.#limit || this.#waiting.length > 0;
  }
  get isEmpty(): boolean {
    return this.#running === 0 && this.waiting === 0;
  }
  enter(go: () => void): () => void {
    const place = { isOver: false, go };
    const hasRoom = !this.isFull;
    if (hasRoom) {
      this.#running += 1;
      go();
    } else this.#waiting.push(place);
    return () => {
      if (place.isOver) return;
      place.isOver = true;
      const before = this.#waiting.length;
      this.#waiting = this.#waiting.filter((other) => other !== place);
      if (this.#waiting.length < before) return;
      this.#running -= 1;
      // The next call starts later, because the leaving one is still in the middle of its work.
      this.#clock.setTimeout(() => this.#next(), 0);
    };
  }
  #next(): void {
    while (this.#running < this.#limit) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#running += 1;
      next.go();
    }
  }
}

export const scriptedLimiters = (
  clock: Pick<VirtualClock, 'setTimeout'>,
  { limitsOf = () => defaultLimits, total = () => noLimits }: Partial<CallLimitersOptions> = {},
): CallLimiters =>
  callLimiters({ limitsOf, total }, (concurrency) => new ScriptedLimiter(clock, concurrency));
