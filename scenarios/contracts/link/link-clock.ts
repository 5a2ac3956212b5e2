import type { Clock } from '../../stage/scripted/network/network.ts';

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** Timers due at the same time fire in the order in which they were set. */
export class SteppingClock implements Clock {
  readonly #timers = new Set<Timer>();
  #now = 0;

  now(): number {
    return this.#now;
  }
  setTimeout(run: () => void, ms: number): Timer {
    const timer = { at: this.#now + ms, run };
    this.#timers.add(timer);
    return timer;
  }
  clearTimeout(timer: unknown): void {
    this.#timers.delete(timer as Timer);
  }
  /** False: nothing is left to happen until then. */
  step(until = Infinity): boolean {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (timer.at <= until && (!next || timer.at < next.at)) next = timer;
    if (!next) return false;
    this.#timers.delete(next);
    this.#now = next.at;
    next.run();
    return true;
  }
  runTo(at: number): void {
    while (this.step(at));
    this.#now = at;
  }
}
