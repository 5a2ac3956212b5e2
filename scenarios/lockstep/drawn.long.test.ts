import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { drawn, differenceOnChart } from './drawn.ts';

// XState warns of events to ended actors, and of unknown targets.
beforeAll(() => void vi.spyOn(console, 'warn').mockImplementation(() => {}));
afterAll(() => void vi.restoreAllMocks());

it('charts that were drawn by lot step as XState steps them', () => {
  fc.assert(
    fc.property(drawn, (each) => {
      expect(differenceOnChart(each)).toBeUndefined();
    }),
    { numRuns: 100 },
  );
});
