import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changesOf, differing, contentHash } from './changes.ts';
import { frozenJson } from './tool.ts';

interface Entry {
  readonly name: string;
  readonly is: number;
}
const names = ['a', 'b', '1', '0', '__proto__', 'constructor'];
const list = fc.array(fc.record({ name: fc.constantFrom(...names), is: fc.nat(2) }), { maxLength: 8 });
const keyOf = ({ name }: Entry): string => name;
const firstOf = (entries: readonly Entry[], name: string): Entry | undefined =>
  entries.find((entry) => entry.name === name);

describe('what became of a list', () => {
  it('is for each key of either: added, removed, changed, or nothing when its first entry is equal', () => {
    fc.assert(
      fc.property(list, list, (before, after) => {
        const changes = changesOf(before, after, keyOf);
        for (const name of names) {
          const [old, current] = [firstOf(before, name), firstOf(after, name)];
          expect(changes.added.includes(name)).toBe(!old && current !== undefined);
          expect(changes.removed.includes(name)).toBe(old !== undefined && !current);
          expect(changes.changed.includes(name)).toBe(
            old !== undefined && current !== undefined && old.is !== current.is,
          );
        }
        const all = [...changes.added, ...changes.removed, ...changes.changed];
        expect(new Set(all).size).toBe(all.length);
      }),
    );
  });

  it('is the same for what is left of both without their common ends, where no key is there twice', () => {
    const pool = [0, 1, 2].flatMap((is) => names.map((name) => ({ name, is })));
    const some = fc.uniqueArray(fc.constantFrom(...pool), { selector: keyOf });
    fc.assert(
      fc.property(some, some, (before, after) => {
        const [was, is] = differing(before, after);
        expect(changesOf(was, is, keyOf)).toEqual(changesOf(before, after, keyOf));
      }),
    );
    const entry = { name: 'new', is: 0 };
    expect(differing(pool, [...pool.slice(0, 9), entry, ...pool.slice(9)])).toEqual([[], [entry]]);
  });

  it('is nothing where only the order of entries and of their keys is another', () => {
    const before = [{ name: 'a', is: { x: 1, y: [2] } }, { name: 'b' }];
    const after = [{ name: 'b' }, { is: { y: [2], x: 1 }, name: 'a' }];
    expect(changesOf(before, after, ({ name }) => name)).toEqual({ added: [], removed: [], changed: [] });
  });
});

const letter = fc.constantFrom('a', 'b', '"', ',', ':', '{', '}', '\\', '0');
const json = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, false, 0, 1, 10, '', '0', 'null'),
    fc.string({ unit: letter, maxLength: 3 }),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(fc.string({ unit: letter, maxLength: 2 }), tie('tree'), { maxKeys: 3 }),
  ),
})).tree;
const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const pairs = Object.entries(value).map(([key, inner]) => [key, reversed(inner)] as const);
  return Object.fromEntries(pairs.toReversed());
};
/** Form of a value with sorted keys, an independent way to compare two values. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const pairs = Object.entries(value).map(([key, inner]) => [key, sorted(inner)] as const);
  return { keys: pairs.toSorted(([a], [b]) => (a < b ? -1 : 1)) };
};

describe('the content of an entry', () => {
  it('has one hash, in whatever order its keys stand, at any depth', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(contentHash(reversed(value))).toBe(contentHash(value));
      }),
    );
  });

  it('has the hash of another exactly when both are equal', () => {
    fc.assert(
      fc.property(json, json, (one, other) => {
        const isSame = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
        expect(contentHash(one) === contentHash(other)).toBe(isSame);
      }),
      { numRuns: 1_000 },
    );
  });

  it('differs from that of 50,000 others of the same length: both halves count, and they disagree in their low bits', () => {
    const hashes = Array.from({ length: 50_000 }, (_, at) => contentHash(100_000 + at));
    expect(new Set(hashes).size).toBe(hashes.length);
    const lowest = (hash: string, lane: number) => Number.parseInt(hash[lane * 8 + 7] ?? '', 16) & 1;
    const agreeing = hashes.filter((hash) => lowest(hash, 0) === lowest(hash, 1)).length;
    expect(agreeing / hashes.length).toBeGreaterThan(0.4);
    expect(agreeing / hashes.length).toBeLessThan(0.6);
  });

  it('is 16 digits and the length of its canonical text, pinned, so that what holds one today knows it tomorrow', () => {
    expect(contentHash({ b: [1, 'x'], a: null })).toMatchInlineSnapshot(`"b6a0f69c5df4b308-m"`);
    expect(contentHash('')).toMatch(/^[0-9a-f]{16}-2$/);
  });

  it('has a hash also where it is wide or deep without measure', () => {
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, '\\"'.repeat(5)]));
    expect(contentHash(wide)).toBe(contentHash(reversed(wide)));
    let deep: unknown = 1;
    for (let at = 0; at < 100_000; at++) deep = { deep };
    expect(contentHash(deep)).toBe(contentHash(deep));
  });
});

describe('frozen JSON', () => {
  it('says the same as what it was made from, and shares nothing with it', () => {
    fc.assert(
      fc.property(json, (value) => {
        const copy = frozenJson(value);
        expect(contentHash(copy)).toBe(contentHash(value));
        if (typeof value === 'object' && value !== null) {
          expect(copy).not.toBe(value);
          expect(Object.isFrozen(copy)).toBe(true);
          expect(Object.isFrozen(value)).toBe(false);
        }
      }),
    );
  });

  it('keeps a key that is called __proto__, and is none at 200 levels', () => {
    const hostile: unknown = JSON.parse('{"__proto__":{"isAdmin":true}}');
    expect(Object.keys(frozenJson(hostile) as object)).toEqual(['__proto__']);
    expect((frozenJson(hostile) as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
    expect(frozenJson(nested(200))).toBeDefined();
    expect(frozenJson(nested(201))).toBeUndefined();
    expect(frozenJson(nested(100_000))).toBeUndefined();
  });
});
