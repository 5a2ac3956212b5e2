import { expect, it } from 'vitest';
import { unsleepingClock } from './cluster.ts';

it('the time that a lease is counted by goes on while a machine sleeps, and never back', () => {
  let [forward, wall] = [100, 1_000_000];
  const now = unsleepingClock([() => forward, () => wall]);
  const began = now();
  const passed: number[] = [];
  for (const [more, ofWall] of [
    [50, 50],
    // The machine slept: the wall clock moved 60 s, the monotonic clock 1 ms.
    [1, 60_000],
    // The wall clock was set back by an hour, and forward again in the next step.
    [10, -3_600_000],
    [10, 3_600_000],
  ] as const) {
    forward += more;
    wall += ofWall;
    passed.push(now() - began);
  }
  expect(passed).toEqual([50, 60_050, 60_060, 3_660_060]);
});
