import { it } from 'vitest';
import { everyCallSettlesOnce } from './settles-once.ts';

// oxlint-disable-next-line vitest/expect-expect -- the property expects
it('every accepted call settles once, in many more orders', () => {
  everyCallSettlesOnce(5_000);
});
