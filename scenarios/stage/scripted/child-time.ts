import type { VirtualClock } from '../virtual-clock.ts';
import type { Child, Session } from './script.ts';

/** A broken pipe is told so late, because an answer may still be on its way. */
const brokenInputMs = 50;

/** When a child does something: not while it is stopped, and reads nothing while it is deaf. */
export class ChildTime {
  readonly #clock: VirtualClock;
  readonly #broken: (session: Session) => void;

  /** `broken`: something was written to an input that is closed. */
  constructor(clock: VirtualClock, broken: (session: Session) => void) {
    this.#clock = clock;
    this.#broken = broken;
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
  /** Something was written to its input. */
  read(child: Child, run: () => void): void {
    const { session } = child;
    const rest = child.deafUntil - this.now();
    if (child.isInputClosed) {
      if (session) this.after(child, brokenInputMs, () => this.#broken(session), true);
    } else if (rest <= 0) this.resumed(child, run);
    else if (rest < Infinity) this.after(child, rest, () => this.read(child, run));
  }
  stop(child: Child): void {
    for (const timer of child.timers) this.#clock.clearTimeout(timer);
    child.timers.clear();
  }
}
