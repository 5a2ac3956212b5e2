import { runOf, type Run } from './batch.ts';

/** Runs that docs/simulator.md shows and that are always tested, and runs per test. */
export const [count, portion] = [200, 25];
const drawing = { forMs: 60_000, faults: 'all' };
export async function runsFrom(seed: number, most = portion): Promise<Run[]> {
  const runs: Run[] = [];
  for (let n = 0; n < most; n += 1) runs.push(await runOf(seed + n, drawing));
  return runs;
}
export const broken = ({ seed, violations }: Run): string[] =>
  violations.map(({ invariant, what }) => `a2c sim --seed ${seed} --shrink: ${invariant}: ${what}`);
