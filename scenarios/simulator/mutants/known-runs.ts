import { runOf, type Run } from '../batch.ts';

/** The runs of every run: those that docs/simulator.md shows, a portion a test. */
export const [count, portion] = [200, 25];
const drawing = { forMs: 60_000, faults: 'all' };
export const runsFrom = (seed: number, most = portion): Run[] =>
  Array.from({ length: most }, (_, n) => runOf(seed + n, drawing));
/** Violations of a run, and the command that shows them again. */
export const broken = ({ seed, violations }: Run): string[] =>
  violations.map(({ invariant, what }) => `a2c sim --seed ${seed} --shrink: ${invariant}: ${what}`);
