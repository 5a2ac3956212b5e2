import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentHash, frozenJson } from '../index.ts';

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
/** The same value, every object built in the opposite order. */
const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const pairs = Object.entries(value).map(([key, inner]) => [key, reversed(inner)] as const);
  return Object.fromEntries(pairs.toReversed());
};
/** An independent judge of equality: sorted by hand. */
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

  it('is told from 50,000 others of the same length: both halves count, and they disagree in their low bits', () => {
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
