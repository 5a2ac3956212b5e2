import { it } from 'vitest';
import { everyCallSettlesOnce } from './settles-once.ts';

// oxlint-disable-next-line vitest/expect-expect -- the property expects
it('every accepted call settles once, under any order of answer, error, progress, cancel, time-out, death and close', () => {
  everyCallSettlesOnce(30);
});
