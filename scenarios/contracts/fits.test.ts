import { describe, expect, it } from 'vitest';
import { fits } from './fits.ts';

const whole = { type: 'told', n: 1, list: [{ a: 1, b: 2 }], text: 'out of order', none: null };

describe('an object that is expected in part', () => {
  it.each([
    [{}],
    [{ type: 'told', none: null }],
    [{ list: [{ a: 1 }] }],
    [{ text: /order/, n: Number, type: String }],
  ])('is found in what has that and more: %o', (expected) => {
    expect(() => fits(whole, expected)).not.toThrow();
  });

  it.each([
    [{ type: 'said' }, 'it.type'],
    [{ missing: 1 }, 'it.missing'],
    [{ none: {} }, 'it.none'],
    [{ list: [] }, 'it.list.length'],
    [{ list: [{ a: 1 }, { a: 1 }] }, 'it.list.length'],
    [{ list: { 0: { a: 1 } } }, 'it.list'],
    [{ list: [{ b: 3 }] }, 'it.list.0.b'],
    [{ text: /^order/ }, 'it.text'],
    [{ text: Number }, 'it.text'],
    [{ n: '1' }, 'it.n'],
  ])('is not found in %o, which says where', (expected, where) => {
    expect(() => fits(whole, expected)).toThrow(where);
  });
});
