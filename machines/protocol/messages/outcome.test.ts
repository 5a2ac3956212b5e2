import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callPhases, endingIn, endingMeta, outcomes, type Ending } from './outcome.ts';

const ending: fc.Arbitrary<Ending> = fc.record({
  outcome: fc.constantFrom('failed', 'unknown'),
  phase: fc.constantFrom(...callPhases),
});

describe('the end of a call in the meta of its result', () => {
  it('is read as it was written, whatever else stands there', () => {
    fc.assert(
      fc.property(ending, fc.dictionary(fc.string(), fc.jsonValue()), (one, more) => {
        expect(endingIn({ ...more, ...endingMeta(one) })).toEqual(one);
      }),
    );
  });

  it('is nothing where a stranger says nothing, or what is no word of ours', () => {
    for (const meta of [undefined, {}, { a2c_outcome: 'lost', a2c_phase: 7 }, { a2c_outcome: 'succeeded' }])
      expect(endingIn(meta)).toEqual({});
    expect(outcomes).toContain('succeeded');
  });
});
