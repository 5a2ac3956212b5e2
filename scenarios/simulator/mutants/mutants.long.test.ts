/** A few of the mutants; `mutants.full.test.ts` has the rest. */
import '../../stories/all.scenario.ts';
import { describe, expect, it } from 'vitest';
import { invariants } from '../../invariants/index.ts';
import { registered } from '../../stage/plan/index.ts';
import { testMutants } from './mutant-suite.ts';
import { mutants } from './mutants.ts';

describe('a mutant of the machines or of the directory', () => testMutants('few'));

describe('the mutants', () => {
  it('are many, each with a name of its own', () => {
    // Retiring one costs a line in DECISIONS.md.
    expect(mutants).toHaveLength(122);
    expect(new Set(mutants.map(({ what }) => what)).size).toBe(mutants.length);
  });

  it('name a story that there is when a story finds them', () => {
    const titles = new Set(registered.map(({ title }) => title));
    const lost = mutants.filter(({ finder }) => 'story' in finder && !titles.has(finder.story));
    const advice = 'the finder is gone: name another story that fails with this mutant';
    expect(
      lost.map(({ what, finder }) => ({ what, finder })),
      advice,
    ).toEqual([]);
  });

  it('include one for each invariant', () => {
    const proven = new Set(
      mutants.flatMap(({ finder }) => ('invariant' in finder ? [finder.invariant] : [])),
    );
    const unproven = invariants
      .filter(({ invariant }) => !proven.has(invariant))
      .map(({ invariant }) => invariant);
    expect(unproven).toEqual([]);
  });
});
