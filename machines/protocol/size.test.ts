import fc from 'fast-check';
import { expect, it } from 'vitest';
import { excessBytes, mostLevels } from './size.ts';

it('finds exactly what is larger than the limit as JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(60), (value, limitBytes) => {
      const bytes = Buffer.byteLength(JSON.stringify(value));
      return excessBytes(value, limitBytes) === (bytes > limitBytes ? bytes : undefined);
    }),
  );
});
it('counts characters of each width', () => {
  for (const text of ['a', 'é', '€', '😀', '\u0000', '"', '\ud800'])
    expect(excessBytes(text.repeat(9), 1)).toBe(Buffer.byteLength(JSON.stringify(text.repeat(9))));
});
it('calls what cannot be written infinitely large', () => {
  const ring: unknown[] = [];
  ring.push(ring);
  expect(excessBytes(ring, 1000)).toBe(Infinity);
});
it('calls what is nested too deep infinitely large, however few its bytes and wherever that is', () => {
  const nested = (levels: number, wrap: (inner: unknown) => unknown): unknown =>
    Array.from({ length: levels }).reduce<unknown>(wrap, 1);
  for (const wrap of [(inner: unknown) => [inner], (a: unknown) => ({ a })]) {
    const allowed = nested(mostLevels, wrap);
    const deep = nested(mostLevels + 1, wrap);
    const bytes = JSON.stringify(allowed).length;
    expect([excessBytes(allowed, 1e6), excessBytes(allowed, 1)]).toEqual([undefined, bytes]);
    for (const value of [deep, { long: 'x'.repeat(100), deep }, nested(100_000, wrap)])
      for (const limit of [0, 10, 200, 2_500, 10_000, 1e9]) expect(excessBytes(value, limit)).toBe(Infinity);
  }
  // A list in the last level is one level more, even if there is nothing in it.
  expect(
    excessBytes(
      nested(mostLevels, (inner) => [inner === 1 ? [] : inner]),
      1e6,
    ),
  ).toBe(Infinity);
});
