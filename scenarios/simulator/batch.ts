import { fnv, fnvBasis } from '../../machines/kernel/fnv.ts';
import { rollingHashText } from './rolling-hash.ts';
import type { Violation } from '../invariants/index.ts';
import { expand } from './drawing/expand.ts';
import { selectionOf } from './drawing/selection.ts';
import { NodesRun } from './nodes-run.ts';
import { simulate, type SimulateOptions } from './simulate.ts';

/** Plain data, so that they can be sent to a worker thread. */
export interface Drawing {
  readonly forMs: number;
  /** In the syntax of selection.ts. */
  readonly faults: string;
  /** An office on several nodes instead of a computer with servers; the other settings do not apply. */
  readonly nodes?: boolean | undefined;
}
export interface Run {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly rollingHash: string;
  readonly records: number;
  readonly virtualMs: number;
  readonly faults: readonly string[];
  readonly taken: readonly string[];
}

export async function runOf(
  seed: number,
  { forMs, faults, nodes = false }: Drawing,
  options: SimulateOptions = {},
): Promise<Run> {
  if (nodes) return nodesRunOf(seed);
  const went = await simulate(expand(seed, { forMs, among: selectionOf(faults) }), options);
  return { ...went, seed, faults: [...went.faults], taken: [...went.taken] };
}

const brokenRule = 'an office on several nodes keeps its rules';
async function nodesRunOf(seed: number): Promise<Run> {
  const { wrong, rollingHash, records, virtualMs } = await new NodesRun(seed).play();
  const violations = wrong.map((what): Violation => {
    return { invariant: brokenRule, kind: 'safety', at: 'nodes', what };
  });
  return { seed, violations, rollingHash, records, virtualMs, faults: [], taken: [] };
}

export class Tally {
  readonly failed: Run[] = [];
  readonly faults = new Map<string, number>();
  readonly taken = new Set<string>();
  readonly #hashes = new Map<number, string>();
  records = 0;
  virtualMs = 0;

  get runs(): number {
    return this.#hashes.size;
  }
  add(run: Run): void {
    if (run.violations.length > 0) this.failed.push(run);
    this.#hashes.set(run.seed, run.rollingHash);
    for (const word of run.faults) this.faults.set(word, (this.faults.get(word) ?? 0) + 1);
    for (const transition of run.taken) this.taken.add(transition);
    this.records += run.records;
    this.virtualMs += run.virtualMs;
  }
  /** In the order of the seeds, whatever thread executed them. */
  get digest(): string {
    const ordered = [...this.#hashes].toSorted(([a], [b]) => a - b);
    return rollingHashText(
      ordered.reduce((hash, [seed, rollingHash]) => fnv(hash, `${seed} ${rollingHash};`), fnvBasis) >>> 0,
    );
  }
}

export const mostSeeds = 2 ** 32;
/** 0 follows the largest. */
export const seedAt = (first: number, n: number): number => (first + n) % mostSeeds;
