import { expect, it } from 'vitest';
import { folded, merged } from './merge.ts';
import type { Schema } from './schema.ts';

const levels = (depth: number, limit: string): Schema =>
  depth === 0 ? {} : { anyOf: [1, 2, 3, 4].map((n) => ({ [limit]: n, ...levels(depth - 1, limit) })) };

it('alternatives of two schemas are each with each', () => {
  expect(merged({ anyOf: [{ minLength: 1 }, {}] }, { anyOf: [{ maxLength: 2 }] })).toEqual({
    anyOf: [{ minLength: 1, maxLength: 2 }, { maxLength: 2 }],
  });
});

it('alternatives in alternatives do not multiply', () => {
  const [a, b] = [levels(3, 'minLength'), levels(3, 'maxLength')];
  const most = 10 * JSON.stringify([a, b]).length;
  expect(JSON.stringify(merged(a, b)).length).toBeLessThan(most);
  expect(JSON.stringify(folded({ allOf: [a, b, a, b] })).length).toBeLessThan(most);
});
