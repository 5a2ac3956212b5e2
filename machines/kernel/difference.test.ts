import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differenceOf, isNoDifference } from './difference.ts';

interface Item {
  readonly key: string;
  readonly is: number;
}
const items = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c', '__proto__'), is: fc.nat(2) }), {
  maxLength: 10,
});
const of = (before: readonly Item[], after: readonly Item[]) =>
  differenceOf(
    before,
    after,
    ({ key }) => key,
    (a, b) => a.is === b.is,
  );
const count = (list: readonly Item[], { key, is }: Item): number =>
  list.filter((each) => each.key === key && each.is === is).length;

describe('the difference of two states', () => {
  it('is nothing where both have the same items, in whatever order', () => {
    fc.assert(
      fc.property(items, (list) => {
        expect(isNoDifference(of(list, list.toReversed()))).toBe(true);
      }),
    );
  });
  it('is all that is needed to come from one to the other', () => {
    fc.assert(
      fc.property(items, items, (before, after) => {
        const { added, removed, changed } = of(before, after);
        for (const key of ['a', 'b', 'c', '__proto__']) {
          const own = (list: readonly Item[]): readonly Item[] => list.filter((each) => each.key === key);
          expect(own(after).length - own(before).length).toBe(own(added).length - own(removed).length);
          // One key must not be reported as both removed and added.
          expect(own(added).length > 0 && own(removed).length > 0).toBe(false);
        }
        const fresh = [...added, ...changed];
        for (const item of after)
          expect(count(fresh, item)).toBe(Math.max(0, count(after, item) - count(before, item)));
      }),
    );
  });
  it('tells each item as it is in the state that has it, in that order', () => {
    const [b1, c1, d1] = [
      { key: 'b', is: 1 },
      { key: 'c', is: 1 },
      { key: 'd', is: 1 },
    ];
    const [a2, c2, e2] = [
      { key: 'a', is: 2 },
      { key: 'c', is: 2 },
      { key: 'e', is: 2 },
    ];
    expect(of([d1, c1, b1], [e2, c2, a2])).toEqual({ added: [e2, a2], removed: [d1, b1], changed: [c2] });
  });
  it('takes equal ones of one key together before others', () => {
    const [one, two] = [
      { key: 'a', is: 1 },
      { key: 'a', is: 2 },
    ];
    expect(of([one, two], [two])).toEqual({ added: [], removed: [one], changed: [] });
    expect(of([one], [two, one])).toEqual({ added: [two], removed: [], changed: [] });
  });
});
