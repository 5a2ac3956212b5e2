import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Plan } from '../stage/plan/plan.ts';
import { expand } from '../simulator/drawing/expand.ts';
import { divergence, type InvariantMutant, type Mutant, type StoryMutant } from './mutant.ts';
import { mutants } from './mutants.ts';
import { simulate, type Simulated } from '../simulator/simulate.ts';
import type { HarnessOptions } from '../stage/harness.ts';
import { registered } from '../stage/plan/index.ts';
import { enact } from '../stage/plan/virtual/play-virtual.ts';
import { VirtualWorld } from '../stage/plan/virtual/virtual-world.ts';

/** Empty: it passes. No invariant is judged, and nothing but an expectation counts as a failure. */
async function missed(title: string, kinds?: HarnessOptions['kinds']): Promise<string> {
  const plan = registered.find((story) => story.title === title);
  if (!plan) throw new Error(`there is no story "${title}"`);
  if (kinds && plan.stage?.kinds) throw new Error(`"${title}" has machines of its own`);
  const own = { ...plan, steps: plan.steps.filter((step) => step.do !== 'quiescent') };
  try {
    return (await enact(own, new VirtualWorld(own, kinds && { kinds }))).join('\n');
  } catch (error) {
    if (error instanceof Error && error.name === 'AssertionError') return error.message;
    throw error;
  }
}

/** Much goes wrong in them; those that find what others seldom do come first. */
const rich = [51, 11, 10, 53];
const seeds = [...new Set([...rich, ...Array.from({ length: 60 }, (_, n) => n + 1)])];
const drawn = (seed: number): Plan => expand(seed, { forMs: 20_000, among: () => true });

const known = new Map<string, Simulated>();
async function untouched(plan: Plan): Promise<Simulated> {
  const key = JSON.stringify(plan);
  const went = known.get(key) ?? (await simulate(plan));
  known.set(key, went);
  return went;
}
async function mutated<T>({ patch }: Mutant, act: () => Promise<T>): Promise<T> {
  const mend = patch?.();
  try {
    return await act();
  } finally {
    mend?.();
  }
}
const simulated = (mutant: InvariantMutant, plan: Plan): Promise<Simulated> =>
  mutated(mutant, () => simulate(plan, mutant.kinds ? { kinds: mutant.kinds } : {}));
async function isCaught(mutant: InvariantMutant, plan: Plan): Promise<boolean> {
  const { violations, rollingHash } = await simulated(mutant, plan);
  if (mutant.finder.invariant === divergence)
    return (await simulated(mutant, plan)).rollingHash !== rollingHash;
  return violations.some(({ invariant }) => invariant === mutant.finder.invariant);
}
/** Until its invariant is violated; all of them when it never is. */
async function runsOf(
  mutant: InvariantMutant,
): Promise<{ readonly isFound: boolean; readonly plans: readonly Plan[] }> {
  const plans: Plan[] = [];
  for (const seed of seeds) {
    const plan = mutant.runs?.(drawn(seed)) ?? drawn(seed);
    plans.push(plan);
    if (await isCaught(mutant, plan)) return { isFound: true, plans };
  }
  return { isFound: false, plans };
}

const isJudged = (mutant: Mutant): mutant is InvariantMutant => 'invariant' in mutant.finder;
const isTold = (mutant: Mutant): mutant is StoryMutant => 'story' in mutant.finder;

export function testMutants(): void {
  // XState warns of what a stopped actor is sent: that is the mistake of some.
  beforeAll(() => void vi.spyOn(console, 'warn').mockReturnValue());
  afterAll(() => void vi.restoreAllMocks());

  it.each(mutants.filter(isJudged))(
    'is detected within few runs by its invariant: $what — $finder.invariant',
    async (mutant) => {
      const { isFound, plans } = await runsOf(mutant);
      expect(isFound).toBe(true);
      // The same runs violate nothing in the system without the mutation, so it is the mutation that was detected.
      for (const plan of plans) expect((await untouched(plan)).violations).toEqual([]);
    },
  );

  it.each(mutants.filter(isTold))(
    'fails the story that is to find it: $what — $finder.story',
    async (mutant) => {
      const { finder, kinds } = mutant;
      expect(await mutated(mutant, () => missed(finder.story, kinds))).not.toBe('');
      // With the machines as they are it passes, so it is the mutation that was detected.
      expect(await missed(finder.story)).toBe('');
    },
  );

  it('leaves nothing behind: the next run goes as without it', async () => {
    const [first] = seeds;
    const plan = drawn(first ?? 1);
    expect((await simulate(plan)).rollingHash).toBe((await untouched(plan)).rollingHash);
  });
}
