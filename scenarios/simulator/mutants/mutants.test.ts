/** A few of the mutants; `mutants.long.test.ts` has the rest. */
import { describe, expect, it } from 'vitest';
import { laws } from '../../invariants/index.ts';
import { testMutants } from './mutant-suite.ts';
import { mutants } from './mutants.ts';

describe('one mistake in the machines or in the directory', () => testMutants('few'));

describe('the mistakes', () => {
  it('are many, each with a name of its own', () => {
    expect(mutants.length).toBeGreaterThanOrEqual(40);
    expect(new Set(mutants.map(({ what }) => what)).size).toBe(mutants.length);
  });

  it('prove each law', () => {
    const proven = new Set(mutants.map(({ law }) => law));
    const unproven = laws.filter(({ law }) => !proven.has(law)).map(({ law }) => law);
    expect(unproven).toEqual([]);
  });
});
