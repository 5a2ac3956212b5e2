import type * as FastCheck from 'fast-check';
import type { Plan } from '../stage/plan/plan.ts';
import { shrinkCandidatesOf, planWith, planWithNumbers, slotsOf } from './shrink-candidates.ts';
import { simulate, type SimulateOptions } from './simulate.ts';

export interface ShrinkOptions extends Pick<SimulateOptions, 'kinds'> {
  readonly invariant: string;
  /** Of real time, 60,000 by default. */
  readonly budgetMs?: number;
  readonly signal?: AbortSignal | undefined;
}
export interface Shrunk {
  readonly plan: Plan;
  readonly tries: number;
  readonly isCutShort: boolean;
}

/** A development dependency that a host which only simulates does not need. */
async function fastCheck(): Promise<typeof FastCheck> {
  try {
    return await import('fast-check');
  } catch {
    throw new Error('shrinking needs fast-check — npm install --save-dev fast-check');
  }
}

/** First leaves parts out, then makes numbers smaller, until nothing more can be left out. */
export async function shrink(
  plan: Plan,
  { invariant, kinds, budgetMs = 60_000, signal }: ShrinkOptions,
): Promise<Shrunk> {
  const fc = await fastCheck();
  const others = kinds ? { kinds } : {};
  const until = performance.now() + budgetMs;
  /** A plan with fewer parts and more records, as with a ping every millisecond, is not smaller. */
  const most = (await simulate(plan, others)).records;
  const state = { tries: 0, isCutShort: false };
  const breaks = async (smaller: Plan): Promise<boolean> => {
    state.isCutShort ||= performance.now() > until || signal?.aborted === true;
    if (state.isCutShort) return false;
    state.tries += 1;
    const { violations, records } = await simulate(smaller, others);
    return records <= most && violations.some((violation) => violation.invariant === invariant);
  };
  const smallest = async <T>(
    all: FastCheck.Arbitrary<T>,
    example: T,
    made: (value: T) => Plan,
  ): Promise<Plan> => {
    const property = fc.asyncProperty(all, async (value) => !(await breaks(made(value))));
    const { counterexample } = await fc.check(property, { examples: [[example]], numRuns: 1 });
    return made(counterexample?.[0] ?? example);
  };
  let best = plan;
  for (let size = Infinity; !state.isCutShort && JSON.stringify(best).length < size;) {
    size = JSON.stringify(best).length;
    const whole = best;
    const candidates = shrinkCandidatesOf(whole);
    best = await smallest(fc.subarray(candidates), candidates, (kept) => planWith(whole, kept));
    const lean = best;
    const slots = slotsOf(lean);
    const numbers = fc.tuple(...slots.map(({ least, value }) => fc.integer({ min: least, max: value })));
    best = await smallest(
      numbers,
      slots.map(({ value }) => value),
      (values) => planWithNumbers(lean, slots, values),
    );
  }
  return { plan: best, ...state };
}
