import fc from 'fast-check';
import { expect, it } from 'vitest';
import { samples } from '../stage/samples/index.ts';
import { differenceOnWalk } from './driving.ts';

/** All events in all states are tested in charts.lockstep.test.ts. */
it('the charts step as XState does on walks of any events', () => {
  const walk = fc.record({
    kind: fc.constantFrom(...Object.keys(samples)),
    picks: fc.array(fc.nat(), { maxLength: 40, size: 'max' }),
  });
  fc.assert(
    fc.property(walk, (each) => {
      expect(differenceOnWalk(each)).toBeUndefined();
    }),
    { numRuns: 1_500 },
  );
});
