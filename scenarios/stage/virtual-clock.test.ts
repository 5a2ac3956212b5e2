import { expect, test } from 'vitest';
import { randomOf, VirtualClock } from './virtual-clock.ts';

test('a chain of timers fires each at its own due time, also within one long advance', () => {
  const clock = new VirtualClock();
  const seen: number[] = [];
  const again = (left: number): void => {
    seen.push(clock.now());
    if (left > 0) clock.setTimeout(() => again(left - 1), 1000);
  };
  clock.setTimeout(() => again(2), 1000);
  clock.advance(5000);
  expect(seen).toEqual([1000, 2000, 3000]);
  expect(clock.now()).toBe(5000);
});

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

test('a cleared timer never fires and is not pending', () => {
  const clock = new VirtualClock();
  const id = clock.setTimeout(() => expect.unreachable(), 10);
  clock.clearTimeout(id);
  expect(clock.pending).toBe(0);
  clock.advance(100);
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

test('a thousand random timers fire in the order of their due times', () => {
  const random = randomOf(1);
  const clock = new VirtualClock();
  const seen: number[] = [];
  for (let i = 0; i < 1000; i++) clock.setTimeout(() => seen.push(clock.now()), Math.floor(random() * 500));
  while (clock.step());
  expect(seen).toHaveLength(1000);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
});
