import fc from 'fast-check';
import { expect, it } from 'vitest';
import { contextAfter, isSameOutside } from './record.ts';

it('what a machine remembers after a step is what it did before, with what changed and without what is gone', () => {
  expect(contextAfter(undefined, { ctx: { a: 1, b: 2 } })).toEqual({ a: 1, b: 2 });
  expect(contextAfter({ a: 1, b: 2 }, { ctx: { b: 3, c: 4 }, gone: ['a'] })).toEqual({ b: 3, c: 4 });
  expect(contextAfter({ a: 1 }, {})).toEqual({ a: 1 });
  // A trace file from elsewhere may have other types in these fields.
  expect(contextAfter({ a: 1 }, { ctx: 'x', gone: 'a' })).toMatchObject({ a: 1 });
});
it('what a machine remembers is the same however many steps it took', () => {
  const memory = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.integer());
  fc.assert(
    fc.property(fc.array(memory, { minLength: 1 }), (memories) => {
      let [known, last]: unknown[] = [undefined, {}];
      for (const next of memories) {
        const before = last as Record<string, number>;
        const ctx = Object.fromEntries(Object.entries(next).filter(([key, value]) => before[key] !== value));
        known = contextAfter(known, { ctx, gone: Object.keys(before).filter((key) => !(key in next)) });
        last = next;
      }
      expect(known).toEqual(last);
    }),
  );
});
it.each([
  [{ connected: { ready: { health: 'steady', lists: 'known' } } }, true],
  [{ connected: { ready: { health: 'pinging', lists: 'refreshing' } } }, true],
  [{ connected: 'listing' }, false],
  [{ connected: { draining: 'serving' } }, false],
  ['waiting', false],
  [undefined, false],
])('a server that is ready is the same outside of its parallel regions in %j: %s', (state, isSame) => {
  const ready = { connected: { ready: { health: 'steady', lists: 'known' } } };
  expect([isSameOutside(ready, state), isSameOutside(state, ready)]).toEqual([isSame, isSame]);
});
