import { fnv, fnvBasis } from '../../machines/kernel/fnv.ts';
import { checkText } from '../../machines/trace/index.ts';
import type { Breach } from '../invariants/index.ts';
import { expand } from './drawing/expand.ts';
import { selectionOf } from './drawing/selection.ts';
import { simulate, type SimulateOptions } from './simulate.ts';

/** What makes a day of a seed; plain data, so that a worker can be told. */
export interface Drawing {
  /** How long things go wrong, in virtual ms. */
  readonly forMs: number;
  /** See selection.ts. */
  readonly faults: string;
}
/** How the day of one seed went. */
export interface Day {
  readonly seed: number;
  readonly breaches: readonly Breach[];
  readonly check: string;
  readonly records: number;
  readonly virtualMs: number;
  readonly faults: readonly string[];
  readonly taken: readonly string[];
}

export function dayOf(seed: number, { forMs, faults }: Drawing, options: SimulateOptions = {}): Day {
  const went = simulate(expand(seed, { forMs, among: selectionOf(faults) }), options);
  return { ...went, seed, faults: [...went.faults], taken: [...went.taken] };
}

/** Many days, added up. */
export class Tally {
  readonly failed: Day[] = [];
  /** In how many of them each word happened. */
  readonly faults = new Map<string, number>();
  readonly taken = new Set<string>();
  readonly #checks = new Map<number, string>();
  records = 0;
  virtualMs = 0;

  get days(): number {
    return this.#checks.size;
  }
  add(day: Day): void {
    if (day.breaches.length > 0) this.failed.push(day);
    this.#checks.set(day.seed, day.check);
    for (const word of day.faults) this.faults.set(word, (this.faults.get(word) ?? 0) + 1);
    for (const transition of day.taken) this.taken.add(transition);
    this.records += day.records;
    this.virtualMs += day.virtualMs;
  }
  /** Over all days in the order of their seeds, whoever lived them: eight hex digits. */
  get digest(): string {
    const ordered = [...this.#checks].toSorted(([a], [b]) => a - b);
    return checkText(ordered.reduce((hash, [seed, check]) => fnv(hash, `${seed} ${check};`), fnvBasis) >>> 0);
  }
}

export const mostSeeds = 2 ** 32;
/** The n-th seed from one on; after the last comes 0. */
export const seedAt = (first: number, n: number): number => (first + n) % mostSeeds;
