import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Plan } from '../stage/plan/plan.ts';
import { broken, daysFrom, portion } from './mutants/known-days.ts';
import { simulate } from './simulate.ts';

/** Plans that broke a law once, as small as they got, one a line; a seed draws another day whenever the drawing changes. */
const regressions = readFileSync(new URL('./regressions.ndjson', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as { readonly because: string; readonly plan: Plan });

describe('every law holds', () => {
  it.each(regressions)('again: $because', ({ plan }) => {
    expect(simulate(plan).breaches).toEqual([]);
  });

  it(`in the first ${portion} of the days that docs/simulator.md shows; corpus.long.test.ts lives all`, () => {
    expect(daysFrom(1).flatMap(broken)).toEqual([]);
  });
});
