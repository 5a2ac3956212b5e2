import fc from 'fast-check';
import { expect, it } from 'vitest';
import { excessBytes } from './size.ts';

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
