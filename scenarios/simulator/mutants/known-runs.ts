import { runOf, type Run } from '../batch.ts';

/** Number of runs that docs/simulator.md shows and that are always tested, and number of runs per test. */
export const [count, portion] = [200, 25];
const drawing = { forMs: 60_000, faults: 'all' };
export const runsFrom = (seed: number, most = portion): Run[] =>
  Array.from({ length: most }, (_, n) => runOf(seed + n, drawing));
/** Violations of a run, each with the command that shows it again. */
export const broken = ({ seed, violations }: Run): string[] =>
  violations.map(({ invariant, what }) => `a2c sim --seed ${seed} --shrink: ${invariant}: ${what}`);
