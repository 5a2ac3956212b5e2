import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Plan } from '../stage/plan/plan.ts';
import { broken, runsFrom } from './known-runs.ts';
import { simulate } from './simulate.ts';

/** Plans that violated an invariant once, shrunk, one a line: a seed gives another run whenever the generator changes. */
const regressions = readFileSync(new URL('./regressions.ndjson', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as { readonly because: string; readonly plan: Plan });

describe('every invariant', () => {
  it.each(regressions)('holds again: $because', async ({ plan }) => {
    expect((await simulate(plan)).violations).toEqual([]);
  });

  it('holds in the first of the runs that docs/simulator.md shows; corpus.long.test.ts has all', async () => {
    expect((await runsFrom(1, 8)).flatMap(broken)).toEqual([]);
  });
});
