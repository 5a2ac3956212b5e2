import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Plan } from '../../stage/plan/plan.ts';
import { isIn, type Part } from '../../stage/thoroughness.ts';
import { expand } from '../drawing/expand.ts';
import { divergence, type Mutant } from './mutant.ts';
import { mutants } from './mutants.ts';
import { simulate, type Simulated, type SimulateOptions } from '../simulate.ts';

/** Runs in which much goes wrong, and those that find what others seldom do, come first: most mutants are detected early. */
const rich = [51, 11, 10, 53];
const seeds = [...new Set([...rich, ...Array.from({ length: 60 }, (_, n) => n + 1)])];
const drawn = (seed: number): Plan => expand(seed, { forMs: 20_000, among: () => true });

/** How the system without the mutation executes the runs of a mutant. */
const known = new Map<string, Simulated>();
function untouched(plan: Plan, environment?: Mutant['environment']): Simulated {
  const key = `${environment ? 'in its environment ' : ''}${JSON.stringify(plan)}`;
  const went = known.get(key) ?? simulated(plan, {}, environment);
  known.set(key, went);
  return went;
}
function simulated(plan: Plan, options: SimulateOptions, ...changes: readonly Mutant['patch'][]): Simulated {
  const mends = changes.map((change) => change?.());
  try {
    return simulate(plan, options);
  } finally {
    for (const mend of mends.toReversed()) mend?.();
  }
}
const mutated = ({ kinds, patch, environment }: Mutant, plan: Plan): Simulated =>
  simulated(plan, kinds ? { kinds } : {}, environment, patch);
function isCaught(mutant: Mutant, plan: Plan): boolean {
  const { violations, rollingHash } = mutated(mutant, plan);
  if (mutant.invariant === divergence) return mutated(mutant, plan).rollingHash !== rollingHash;
  return violations.some(({ invariant }) => invariant === mutant.invariant);
}
/** The runs that it takes until its invariant is violated; all of them when it never is. */
function runsOf(mutant: Mutant): { readonly isFound: boolean; readonly plans: readonly Plan[] } {
  const plans: Plan[] = [];
  for (const seed of seeds) {
    const plan = mutant.runs?.(drawn(seed)) ?? drawn(seed);
    plans.push(plan);
    if (isCaught(mutant, plan)) return { isFound: true, plans };
  }
  return { isFound: false, plans };
}

/** A test for each mutant of this part. */
export function testMutants(part: Part): void {
  // XState warns of what a stopped actor is sent: that is the mistake of some.
  beforeAll(() => void vi.spyOn(console, 'warn').mockReturnValue());
  afterAll(() => void vi.restoreAllMocks());

  it.each(mutants.filter((_, n) => isIn(part, 'mutants', n)))(
    'is detected within few runs by its invariant: $what — $invariant',
    (mutant) => {
      const { isFound, plans } = runsOf(mutant);
      expect(isFound).toBe(true);
      // The same runs violate nothing in the system without the mutation, so it is the mutation that was detected.
      expect(plans.flatMap((plan) => untouched(plan, mutant.environment).violations)).toEqual([]);
    },
  );

  it('leaves nothing behind: the next run goes as without it', () => {
    const [first] = seeds;
    const plan = drawn(first ?? 1);
    expect(simulate(plan).rollingHash).toBe(untouched(plan).rollingHash);
  });
}
