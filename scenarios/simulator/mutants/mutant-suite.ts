import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Plan } from '../../stage/plan/plan.ts';
import { isIn, type Part } from '../../stage/thoroughness.ts';
import { expand } from '../drawing/expand.ts';
import { divergence, type Mutant } from './mutant.ts';
import { mutants } from './mutants.ts';
import { simulate, type Simulated, type SimulateOptions } from '../simulate.ts';

/** Days in which much goes wrong, and those that find what others seldom do, come first: most mutants do not live long. */
const rich = [51, 11, 10, 53];
const seeds = [...new Set([...rich, ...Array.from({ length: 60 }, (_, n) => n + 1)])];
const drawn = (seed: number): Plan => expand(seed, { forMs: 20_000, among: () => true });

/** As today's system goes through the days of a mutant. */
const known = new Map<string, Simulated>();
function untouched(plan: Plan, weather?: Mutant['weather']): Simulated {
  const key = `${weather ? 'in its weather ' : ''}${JSON.stringify(plan)}`;
  const went = known.get(key) ?? lived(plan, {}, weather);
  known.set(key, went);
  return went;
}
function lived(plan: Plan, options: SimulateOptions, ...changes: readonly Mutant['patch'][]): Simulated {
  const mends = changes.map((change) => change?.());
  try {
    return simulate(plan, options);
  } finally {
    for (const mend of mends.toReversed()) mend?.();
  }
}
const mutated = ({ kinds, patch, weather }: Mutant, plan: Plan): Simulated =>
  lived(plan, kinds ? { kinds } : {}, weather, patch);
function isCaught(mutant: Mutant, plan: Plan): boolean {
  const { breaches, check } = mutated(mutant, plan);
  if (mutant.law === divergence) return mutated(mutant, plan).check !== check;
  return breaches.some(({ law }) => law === mutant.law);
}
/** The days that it takes until its law is broken; all of them when it never is. */
function daysOf(mutant: Mutant): { readonly isFound: boolean; readonly plans: readonly Plan[] } {
  const plans: Plan[] = [];
  for (const seed of seeds) {
    const plan = mutant.days?.(drawn(seed)) ?? drawn(seed);
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
    'is found within few days, and named: $what — $law',
    (mutant) => {
      const { isFound, plans } = daysOf(mutant);
      expect(isFound).toBe(true);
      // The same days break nothing in the system as it is, so it is the mistake that was found.
      expect(plans.flatMap((plan) => untouched(plan, mutant.weather).breaches)).toEqual([]);
    },
  );

  it('leaves nothing behind: the next day goes as it would have gone', () => {
    const [first] = seeds;
    const plan = drawn(first ?? 1);
    expect(simulate(plan).check).toBe(untouched(plan).check);
  });
}
