import type { Entry } from './trace-lines.ts';

/** The newest messages on the wire, in a memory of their own: they never push out what a replay needs. */
export class FrameRing {
  readonly #most: number;
  #kept: Entry[] = [];
  #weights: number[] = [];
  /** Index of the first one that is kept. */
  #first = 0;
  #bytes = 0;

  /** `most`: bytes, roughly. */
  constructor(most: number) {
    this.#most = most;
  }
  get isFull(): boolean {
    return this.#bytes > this.#most;
  }
  push(entry: Entry, weight: number): void {
    this.#kept.push(entry);
    this.#weights.push(weight);
    this.#bytes += weight;
  }
  /** The oldest go until it is no longer full. The newest stays, however large. */
  forget(): void {
    if (!this.isFull) return;
    while (this.isFull && this.#first < this.#kept.length - 1) {
      this.#bytes -= this.#weights[this.#first] ?? 0;
      this.#first += 1;
    }
    // The forgotten half goes at once: one by one would move the rest each time.
    if (this.#first * 2 < this.#kept.length) return;
    this.#kept = this.#kept.slice(this.#first);
    this.#weights = this.#weights.slice(this.#first);
    this.#first = 0;
  }
  clear(): void {
    this.#kept = [];
    this.#weights = [];
    this.#first = 0;
    this.#bytes = 0;
  }
  /** With what else was kept, in order. Those before `from` are left out. */
  among(others: readonly Entry[], from = 0): readonly Entry[] {
    const frames = this.#kept.slice(this.#first).filter(({ s }) => s >= from);
    return frames.length === 0 ? others : [...others, ...frames].toSorted((a, b) => a.s - b.s);
  }
}
