import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changesOf, differing, contentHash, type Changes } from './changes.ts';
import { emptyHistory, lastChangeOf, remember, type History } from './entries.ts';
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

describe('the history of a list', () => {
  it('knows of each entry what last happened to it, when, and why', () => {
    const first = remember(emptyHistory, { added: ['a', 'b'], removed: [], changed: [] }, 1, 'start');
    const second = remember(first, { added: ['c'], removed: ['a'], changed: ['b'] }, 2, 'notification');
    expect(lastChangeOf(second, 'a')).toEqual({ change: 'removed', revision: 2, why: 'notification' });
    expect(lastChangeOf(second, 'b')).toEqual({ change: 'changed', revision: 2, why: 'notification' });
    expect(lastChangeOf(second, 'c')).toEqual({ change: 'added', revision: 2, why: 'notification' });
    expect(lastChangeOf(second, 'toString')).toBeUndefined();
    const third = remember(second, { added: ['a'], removed: [], changed: [] }, 3, 'poll');
    expect(lastChangeOf(third, 'a')).toEqual({ change: 'added', revision: 3, why: 'poll' });
    expect(third.gone).toEqual([]);
  });

  it('agrees with the list after any sequence of revisions, and is plain data that nobody changes', () => {
    fc.assert(
      fc.property(fc.array(list, { maxLength: 6 }), (revisions) => {
        let history = emptyHistory;
        let held: readonly Entry[] = [];
        for (const [at, next] of revisions.entries()) {
          const [before, text] = [history, JSON.stringify(history)];
          history = remember(history, changesOf(held, next, keyOf), at, 'test');
          expect(JSON.stringify(before)).toBe(text);
          expect(JSON.parse(JSON.stringify(history)) as History).toEqual(history);
          held = next;
        }
        expect(new Set(Object.keys(history.present))).toEqual(new Set(held.map(keyOf)));
        for (const { key } of history.gone) expect(firstOf(held, key)).toBeUndefined();
      }),
    );
  });

  it('is the same object when nothing changed', () => {
    expect(remember(emptyHistory, { added: [], removed: [], changed: [] }, 1, 'poll')).toBe(emptyHistory);
  });

  it('keeps the last 100 that are gone, also where their names are numbers', () => {
    let history = emptyHistory;
    const only = (change: Partial<Changes>): Changes => ({ added: [], removed: [], changed: [], ...change });
    for (let at = 250; at > 0; at--) {
      history = remember(history, only({ added: [String(at)] }), 2 * (250 - at), 'add');
      history = remember(history, only({ removed: [String(at)] }), 2 * (250 - at) + 1, 'remove');
    }
    expect(history.gone.map(({ key }) => key)).toEqual(
      Array.from({ length: 100 }, (_, at) => String(100 - at)),
    );
    expect(lastChangeOf(history, '101')).toBeUndefined();
    const many = Array.from({ length: 300 }, (_, at) => `x${at}`);
    const added = remember(history, only({ added: many }), 1_000, 'all');
    expect(remember(added, only({ removed: many }), 1_001, 'all').gone).toHaveLength(100);
  });

  it('a history of 20,000 entries is written in one go', () => {
    const many = Array.from({ length: 20_000 }, (_, at) => ({ name: `n${at}`, is: at }));
    const changes = changesOf([], many, keyOf);
    const history = remember(emptyHistory, changes, 1, 'start');
    const gone = remember(history, changesOf(many, [], keyOf), 2, 'end');
    expect([Object.keys(history.present).length, gone.gone.length]).toEqual([20_000, 100]);
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
/** Returns an equal value in which every object has its keys in the opposite order. */
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
