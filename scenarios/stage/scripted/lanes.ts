import {
  busy,
  defaultLimits,
  noLimits,
  type LaneLimits,
  type Lanes,
} from '../../../machines/call/policy/index.ts';
import type { VirtualClock } from '../virtual-clock.ts';

/** One who waits, or runs. */
interface Place {
  isOver: boolean;
  readonly go: () => void;
}
class Lane {
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

/** Who runs when, on virtual time: one lane per server, and one for all. */
export function scriptedLanes(
  clock: Pick<VirtualClock, 'setTimeout'>,
  {
    limitsOf = () => defaultLimits,
    total = () => noLimits,
  }: Partial<{
    limitsOf: (server: string) => LaneLimits;
    total: () => LaneLimits;
  }> = {},
): Lanes {
  const lanes = new Map<string, Lane>();
  const all = new Lane(clock, () => total().concurrency || Infinity);
  return {
    enter(server, turn) {
      const limits = limitsOf(server);
      const lane = lanes.get(server) ?? new Lane(clock, () => limitsOf(server).concurrency || Infinity);
      lanes.set(server, lane);
      let hasWaited = false;
      const waits = (ahead: number): void => {
        if (!hasWaited) turn.waits(ahead);
        hasWaited = true;
      };
      const it: { isOver: boolean; leave?: () => void } = { isOver: false };
      const refuse = (own: LaneLimits, isTotal: boolean): void => turn.busy(busy(server, own, isTotal));
      const enterAll = (): void => {
        const most = total();
        if (most.concurrency > 0 && all.isFull && all.waiting >= most.queue) return refuse(most, true);
        if (all.isFull) waits(all.waiting);
        it.leave = all.enter(() => turn.go());
        if (it.isOver) it.leave();
      };
      if (limits.concurrency > 0 && lane.isFull && lane.waiting >= limits.queue) {
        refuse(limits, false);
        return () => {};
      }
      if (lane.isFull) waits(lane.waiting);
      const leave = lane.enter(enterAll);
      return () => {
        it.isOver = true;
        it.leave?.();
        leave();
      };
    },
  };
}
