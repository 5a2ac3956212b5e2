import type { VirtualClock } from '../virtual-clock.ts';
import type { Child } from './script.ts';

/** When a child does something: not while it is stopped, and reads nothing while it is deaf. */
export class ChildTime {
  readonly #clock: VirtualClock;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }
  now(): number {
    return this.#clock.now();
  }
  /** What a child does while it is stopped it does when it goes on; what the kernel does, it does. */
  after(child: Child, ms: number, run: () => void, byKernel = false): void {
    const timer = this.#clock.setTimeout(() => {
      child.timers.delete(timer);
      const rest = byKernel ? 0 : child.stoppedUntil - this.now();
      if (rest > 0) this.after(child, rest, run);
      else run();
    }, ms);
    child.timers.add(timer);
  }
  /** At once, or when it goes on. */
  resumed(child: Child, run: () => void): void {
    const rest = child.stoppedUntil - this.now();
    if (rest > 0) this.after(child, rest, run);
    else run();
  }
  /** Something was written to its input. What came first is read first. */
  read(child: Child, run: () => void): void {
    if (child.isInputClosed) return;
    child.unread.push(run);
    this.#readOne(child);
  }
  #readOne(child: Child): void {
    const rest = child.deafUntil - this.now();
    if (rest <= 0) this.resumed(child, () => child.unread.shift()?.());
    else if (rest < Infinity) this.after(child, rest, () => this.#readOne(child));
  }
  stop(child: Child): void {
    for (const timer of child.timers) this.#clock.clearTimeout(timer);
    child.timers.clear();
  }
}
