import type { Entry } from './trace-lines.ts';

/** The newest entries, in order, with a column for each field: objects would take twice the memory for each record of a host. */
export class EntryRing {
  #numbers: number[] = [];
  #times: number[] = [];
  #walls: number[] = [];
  #whats: Entry['what'][] = [];
  #weights: number[] = [];
  /** Index of the first one that is kept. */
  #first = 0;
  #weight = 0;

  /** Bytes held, roughly. */
  get weight(): number {
    return this.#weight;
  }
  get size(): number {
    return this.#whats.length - this.#first;
  }
  push({ s, t, w, what }: Entry, weight: number): void {
    this.#numbers.push(s);
    this.#times.push(t);
    this.#walls.push(w);
    this.#whats.push(what);
    this.#weights.push(weight);
    this.#weight += weight;
  }
  /** The oldest entry that is kept. */
  get oldest(): Entry | undefined {
    return this.#whats.length > this.#first ? this.#at(this.#first) : undefined;
  }
  /** Forgets the oldest. */
  shift(): void {
    this.#weight -= this.#weights[this.#first] ?? 0;
    this.#first += 1;
    // The forgotten half goes at once: one by one would move the rest each time.
    if (this.#first * 2 < this.#whats.length) return;
    this.#numbers = this.#numbers.slice(this.#first);
    this.#times = this.#times.slice(this.#first);
    this.#walls = this.#walls.slice(this.#first);
    this.#whats = this.#whats.slice(this.#first);
    this.#weights = this.#weights.slice(this.#first);
    this.#first = 0;
  }
  /** Forgets all. Returns them. */
  take(): readonly Entry[] {
    const all = this.entries();
    for (const column of [this.#numbers, this.#times, this.#walls, this.#whats, this.#weights])
      column.length = 0;
    this.#first = 0;
    this.#weight = 0;
    return all;
  }
  entries(): readonly Entry[] {
    return Array.from({ length: this.size }, (_, n) => this.#at(this.#first + n));
  }
  #at(n: number): Entry {
    return {
      s: this.#numbers[n] as number,
      t: this.#times[n] as number,
      w: this.#walls[n] as number,
      what: this.#whats[n] as Entry['what'],
    };
  }
}
/** Merges two lists of entries in the order of their numbers. */
export const inOrder = (some: readonly Entry[], others: readonly Entry[]): readonly Entry[] =>
  others.length === 0 ? some : [...some, ...others].toSorted((a, b) => a.s - b.s);
