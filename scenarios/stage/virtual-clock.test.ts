import { expect, test } from 'vitest';
import { VirtualClock } from './virtual-clock.ts';

test('a timer of no delay that is set by the last timer still fires within the same advance', () => {
  const clock = new VirtualClock();
  let fired = false;
  clock.setTimeout(() => clock.setTimeout(() => (fired = true), 0), 10);
  clock.advance(10);
  expect(fired).toBe(true);
});

test('timers of one instant fire in the order in which they were set, without a seed', () => {
  const clock = new VirtualClock();
  const seen: number[] = [];
  for (let i = 0; i < 50; i++) clock.setTimeout(() => seen.push(i), 5);
  clock.advance(5);
  expect(seen).toEqual([...Array(50).keys()]);
});

test('the order of one instant is another one with a seed, and the same each time', () => {
  const order = (seed: number): number[] => {
    const clock = new VirtualClock(seed);
    const seen: number[] = [];
    for (let i = 0; i < 50; i++) clock.setTimeout(() => seen.push(i), 5);
    clock.advance(5);
    return seen;
  };
  expect(order(7)).toEqual(order(7));
  expect(order(7)).not.toEqual(order(8));
});

test('a timer that throws leaves the clock usable', () => {
  const clock = new VirtualClock();
  let after = false;
  clock.setTimeout(() => {
    throw new Error('bad timer');
  }, 1);
  clock.setTimeout(() => (after = true), 2);
  expect(() => clock.advance(5)).toThrow('bad timer');
  clock.advance(5);
  expect(after).toBe(true);
});
