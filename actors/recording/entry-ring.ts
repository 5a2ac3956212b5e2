import type { TraceEntry } from './trace-lines.ts';
import type { Frame } from '../../machines/trace/index.ts';

const deepest = 32;
/** Largest number of objects that are visited in one value; a value that contains itself would never end. */
const mostVisits = 50_000;

let visits = 0;
function weigh(each: unknown, depth: number): number {
  if (typeof each === 'string') return 16 + each.length;
  if (typeof each !== 'object' || each === null) return 8;
  if (ArrayBuffer.isView(each)) return 48 + each.byteLength;
  visits += 1;
  if (depth > deepest || visits > mostVisits) return 48;
  let sum = 48;
  if (Array.isArray(each)) for (const one of each) sum += 8 + weigh(one, depth + 1);
  else for (const key in each) sum += 8 + weigh((each as Record<string, unknown>)[key], depth + 1);
  return sum;
}
/** Estimates the bytes of memory that a value holds. */
export function weightOf(value: unknown): number {
  visits = 0;
  try {
    return weigh(value, 0);
  } catch {
    // Counts a value whose foreign getter throws as one small object.
    return 48;
  }
}
/** Estimates the bytes of memory that a message on the wire holds. */
export const weightOfFrame = ({ json }: Frame): number => 120 + weightOf(json);

/**
 * Latest entries in order, stored in one column for each field: an object for each record would take twice the
 * memory.
 */
export class EntryRing {
  #numbers: number[] = [];
  #times: number[] = [];
  #walls: number[] = [];
  #whats: (TraceEntry['what'] | undefined)[] = [];
  #weights: number[] = [];
  /** Index of the first entry that is kept. */
  #first = 0;
  #weight = 0;

  /** Estimated bytes of memory that the entries take. */
  get weight(): number {
    return this.#weight;
  }
  get size(): number {
    return this.#whats.length - this.#first;
  }
  push({ s, t, w, what }: TraceEntry, weight: number): void {
    this.#numbers.push(s);
    this.#times.push(t);
    this.#walls.push(w);
    this.#whats.push(what);
    this.#weights.push(weight);
    this.#weight += weight;
  }
  /** Oldest entry that is kept; undefined when there is none. */
  get oldest(): TraceEntry | undefined {
    return this.#whats.length > this.#first ? this.#at(this.#first) : undefined;
  }
  /** Drops the oldest entry. */
  shift(): void {
    this.#weight -= this.#weights[this.#first] ?? 0;
    this.#whats[this.#first] = undefined;
    this.#first += 1;
    // Removes dropped entries only once they are half of all: removing one by one would move the rest each time.
    if (this.#first * 2 < this.#whats.length) return;
    this.#numbers = this.#numbers.slice(this.#first);
    this.#times = this.#times.slice(this.#first);
    this.#walls = this.#walls.slice(this.#first);
    this.#whats = this.#whats.slice(this.#first);
    this.#weights = this.#weights.slice(this.#first);
    this.#first = 0;
  }
  /** Removes and returns all entries. */
  take(): readonly TraceEntry[] {
    const all = this.entries();
    for (const column of [this.#numbers, this.#times, this.#walls, this.#whats, this.#weights])
      column.length = 0;
    this.#first = 0;
    this.#weight = 0;
    return all;
  }
  entries(): readonly TraceEntry[] {
    return Array.from({ length: this.size }, (_, n) => this.#at(this.#first + n));
  }
  #at(n: number): TraceEntry {
    return {
      s: this.#numbers[n] as number,
      t: this.#times[n] as number,
      w: this.#walls[n] as number,
      what: this.#whats[n] as TraceEntry['what'],
    };
  }
}
