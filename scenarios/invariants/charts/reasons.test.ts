import { describe, expect, it } from 'vitest';
import { complaintsOf, keptOf, type Entry } from './reasons.ts';

const list = { name: 'untaken', of: 'transition', atMost: 2 };
const entry = (transition: string, because = 'nobody can'): Entry => ({ transition, because });
const two = [entry('a'), entry('b')];

describe('a list of what is let through', () => {
  it('is content when it says exactly what is so', () => {
    expect(complaintsOf(list, two, ['b', 'a', 'a'])).toEqual([]);
  });
  it('names what is so and not listed', () => {
    expect(complaintsOf(list, two, ['a', 'b', 'c'])).toEqual(['c: is not in untaken.json']);
  });
  it('names what is listed and so no more', () => {
    const dropped = 'b: is so no more; A2C_UPDATE_UNTAKEN=1 drops it from untaken.json';
    expect(complaintsOf(list, two, ['a'])).toEqual([dropped]);
  });
  it('takes nothing without a reason', () => {
    expect(complaintsOf(list, [entry('a'), entry('b', ' ')], ['a', 'b'])).toEqual(['b: has no reason']);
    expect(complaintsOf(list, [entry('a'), { transition: 'b' }], ['a', 'b'])).toEqual(['b: has no reason']);
  });
  it('stands in order, each entry once', () => {
    expect(complaintsOf(list, two.toReversed(), ['a', 'b'])).toEqual(['a: stands out of order']);
    expect(complaintsOf(list, [entry('a'), entry('a')], ['a'])).toEqual(['a: stands out of order']);
  });
  it('never grows, and asks for a lower limit when it has shrunk', () => {
    const three = [...two, entry('c')];
    expect(complaintsOf(list, three, ['a', 'b', 'c'])).toEqual(['untaken.json has grown from 2 to 3']);
    expect(complaintsOf(list, [entry('a')], ['a'])).toEqual(['untaken: lower atMost to 1 in reasons.ts']);
  });
});

describe('an update of such a list', () => {
  it('keeps the reasons of what stays, in order, and drops the rest', () => {
    expect(keptOf('transition', [entry('c', 'why'), entry('b'), entry('a')], ['a', 'c'])).toEqual([
      entry('a'),
      entry('c', 'why'),
    ]);
  });
  it('adds nothing: a reason is written by a person', () => {
    expect(keptOf('transition', two, ['a', 'b', 'c'])).toEqual(two);
  });
});
