import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { drawn, differenceOnChart } from './drawn.ts';

it('thousands of charts that were drawn by lot step as XState steps them', () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  fc.assert(
    fc.property(drawn, (each) => {
      expect(differenceOnChart(each)).toBeUndefined();
    }),
    { numRuns: 4_000 },
  );
});
