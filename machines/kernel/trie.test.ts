import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dropFrom, entriesOf, getIn, putIn, type Trie } from './trie.ts';

const key = fc.oneof(fc.constantFrom('__proto__', 'constructor', '0', '63', '', 'a', 'b'), fc.string());
const step = fc.record({ key, value: fc.option(fc.nat()) });

it('a trie is what a Map is after any puts and drops, and nothing changes what was there before', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const map = new Map<string, number>();
      let trie: Trie<number> = {};
      for (const { key: at, value } of steps) {
        const before = JSON.stringify(trie);
        const next = value === null ? dropFrom(trie, at) : putIn(trie, at, value);
        expect(JSON.stringify(trie)).toBe(before);
        trie = next;
        if (value === null) map.delete(at);
        else map.set(at, value);
        expect(getIn(trie, at)).toBe(map.get(at));
      }
      expect(new Map(entriesOf(trie))).toEqual(map);
      for (const at of map.keys()) trie = dropFrom(trie, at);
      expect(trie).toEqual({});
    }),
  );
});
it('a trie copies a bounded part of many entries when one changes', () => {
  let trie: Trie<number> = {};
  for (let n = 0; n < 10_000; n += 1) trie = putIn(trie, `key ${n}`, n);
  const next = putIn(trie, 'another', 1);
  const leaves = (of: Trie<number>): object[] => Object.values(of).flatMap((branch) => Object.values(branch));
  const known = new Set(leaves(trie));
  const fresh = leaves(next).filter((leaf) => !known.has(leaf));
  expect([fresh.length, Object.keys(fresh[0] ?? {}).length < 30]).toEqual([1, true]);
});
