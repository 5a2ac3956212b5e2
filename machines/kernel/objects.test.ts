import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { TransientMap, remembered } from './objects.ts';

it('a memo computes a value once for an object, and again for an equal one', () => {
  const asked: object[] = [];
  const sizeOf = remembered((list: readonly number[]) => {
    asked.push(list);
    return list.length;
  });
  const [one, equal] = [
    [1, 2],
    [1, 2],
  ];
  expect([sizeOf(one), sizeOf(one), sizeOf(equal)]).toEqual([2, 2, 2]);
  expect(asked).toEqual([one, equal]);
});

it('a memo keeps an answer of nothing, too', () => {
  let times = 0;
  const nothing = remembered((_: object) => void (times += 1));
  const key = {};
  expect([nothing(key), nothing(key), times]).toEqual([undefined, undefined, 1]);
});

test('a table holds what a Map holds, in the same order, over any number of entries that come and go', () => {
  const step = fc.record({ is: fc.constantFrom('set', 'delete', 'delete', 'clear'), key: fc.nat(80) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const [ours, theirs] = [new TransientMap<number, number>(), new Map<number, number>()];
      for (const [n, { is, key }] of steps.entries()) {
        if (is === 'set') expect(ours.set(key, n).get(key)).toBe(theirs.set(key, n).get(key));
        else if (is === 'delete') expect(ours.delete(key)).toBe(theirs.delete(key));
        else if (n % 50 === 0) [ours, theirs].forEach((map) => map.clear());
        expect([ours.size, ours.has(key)]).toEqual([theirs.size, theirs.has(key)]);
      }
      expect([[...ours], ours.keys(), ours.values()]).toEqual([
        [...theirs],
        [...theirs.keys()],
        [...theirs.values()],
      ]);
    }),
  );
});

test('what is taken out of a table and put in while it is walked over changes nothing of that walk', () => {
  const map = new TransientMap<number, string>();
  for (let n = 0; n < 100; n += 1) map.set(n, 'x');
  const seen: number[] = [];
  for (const [key] of map) {
    seen.push(key);
    map.delete(key);
    map.set(key + 1_000, 'y');
  }
  expect(seen).toHaveLength(100);
  expect(map.size).toBe(100);
});
