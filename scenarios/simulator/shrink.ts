import type * as FastCheck from 'fast-check';
import type { Plan } from '../stage/plan/plan.ts';
import { shrinkCandidatesOf, planWith, planWithNumbers, slotsOf } from './shrink-candidates.ts';
import { simulate, type SimulateOptions } from './simulate.ts';

export interface ShrinkOptions extends Pick<SimulateOptions, 'kinds'> {
  /** Invariant that the smaller plan has to violate too. */
  readonly invariant: string;
  /** Limit in ms of real time, 60,000 by default. */
  readonly budgetMs?: number;
  readonly signal?: AbortSignal | undefined;
}
export interface Shrunk {
  readonly plan: Plan;
  /** Number of runs that were executed. */
  readonly tries: number;
  /** Tells whether shrinking ended early, by its time limit or the signal. */
  readonly isCutShort: boolean;
}

/** Loads fast-check, a development dependency that a host which only simulates does not need. */
async function fastCheck(): Promise<typeof FastCheck> {
  try {
    return await import('fast-check');
  } catch {
    throw new Error('shrinking needs fast-check — npm install --save-dev fast-check');
  }
}

/**
 * Finds a small plan that violates the same invariant, with fast-check: first by leaving parts out, then with smaller numbers,
 * repeated until nothing more can be left out.
 */
export async function shrink(
  plan: Plan,
  { invariant, kinds, budgetMs = 60_000, signal }: ShrinkOptions,
): Promise<Shrunk> {
  const fc = await fastCheck();
  const others = kinds ? { kinds } : {};
  const until = performance.now() + budgetMs;
  /**
   * Limits the number of records, because a plan with fewer parts whose run has more records, as with a ping every millisecond,
   * is not smaller.
   */
  const most = (await simulate(plan, others)).records;
  const state = { tries: 0, isCutShort: false };
  const breaks = async (smaller: Plan): Promise<boolean> => {
    state.isCutShort ||= performance.now() > until || signal?.aborted === true;
    if (state.isCutShort) return false;
    state.tries += 1;
    const { violations, records } = await simulate(smaller, others);
    return records <= most && violations.some((violation) => violation.invariant === invariant);
  };
  /** Shrinks an example for as long as the property fails. */
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
