import type { Timers } from '../../machines/office/rooms/pending.ts';

/** Time in ms without a response after which a connection counts as dead; short, because a peer waits only 10 s for its join. */
const probeMs = 2_000;

/** Checks whether connections are still alive. `close` ends all checks without a result. */
export class Probes {
  readonly #timers: Timers;
  readonly #ask: (socket: string, onAlive: () => void) => void;
  readonly #running = new Set<unknown>();

  constructor(timers: Timers, ask: (socket: string, onAlive: () => void) => void) {
    this.#timers = timers;
    this.#ask = ask;
  }
  /** Checks one connection and calls back once with the result. */
  ask(socket: string, then: (isAlive: boolean) => void): void {
    const timer: unknown = this.#timers.setTimer(() => told(false), probeMs);
    const told = (isAlive: boolean): void => {
      if (!this.#running.delete(timer)) return;
      this.#timers.clearTimer(timer);
      then(isAlive);
    };
    this.#running.add(timer);
    this.#ask(socket, () => told(true));
  }
  close(): void {
    for (const timer of this.#running) this.#timers.clearTimer(timer);
    this.#running.clear();
  }
}
