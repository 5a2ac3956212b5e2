import type { Timers } from '../../machines/office/rooms/pending.ts';

/** So long may a connection be silent before it counts as hanging: a peer waits 10 s for its join. */
const probeMs = 2_000;

/** Asks connections whether they still live. `close` forgets all of it. */
export class Probes {
  readonly #timers: Timers;
  readonly #ask: (socket: string, onAlive: () => void) => void;
  readonly #running = new Set<unknown>();

  constructor(timers: Timers, ask: (socket: string, onAlive: () => void) => void) {
    this.#timers = timers;
    this.#ask = ask;
  }
  /** Calls back once: whether it answered in time. */
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
