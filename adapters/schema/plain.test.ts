import { describe, expect, it } from 'vitest';
import { plainlyFits } from './plain.ts';
import { createValidate, defaultLimits } from './validate.ts';

/** Compiles each schema, because an unknown keyword changes no judgement and is not plain. */
const whole = (schema: object, value: unknown): unknown =>
  createValidate(defaultLimits)({ ...schema, $comment: '' }, value).ok;

const parts: readonly object[] = [
  ...['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'].map((type) => ({ type })),
  ...[{}, { type: ['string', 'null'] }, { enum: ['a', 1, null] }, { const: 'a' }, { const: 1 }],
  ...[{ minimum: 1 }, { maximum: 1 }, { exclusiveMinimum: 1 }, { exclusiveMaximum: 1 }],
  ...[{ minItems: 1 }, { maxItems: 1 }, { minLength: 2 }, { maxLength: 2 }, { minLength: 1, maxLength: 1 }],
  ...[{ required: ['a'] }, { properties: { a: { type: 'string' } } }, { additionalProperties: false }],
  ...[{ properties: { a: {} }, additionalProperties: { type: 'integer' } }, { items: { type: 'integer' } }],
  ...[{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, { items: false }, { additionalProperties: true }],
  ...[{ properties: { a: { properties: { b: { type: 'boolean' } }, required: ['b'] } }, required: ['a'] }],
];
const values: readonly unknown[] = [
  ...['', 'a', 'ab', '👍', '👍👍', '👍👍👍', 0, 1, -1, 1.5, 2, true, false, null, [], ['a'], [1], [1, 1.5]],
  ...[
    {},
    { a: 'x' },
    { a: 1 },
    { b: 1 },
    { a: { b: true } },
    { a: { b: 1 } },
    { constructor: 1 },
    { a: null },
  ],
  ...[JSON.parse('{"__proto__": {"a": 1}}'), { a: undefined }, NaN, Infinity, undefined],
];

describe('schemas of plain keywords', () => {
  it('say yes only where the compiled schema says yes', () => {
    const wrong = parts.flatMap((schema) =>
      values.filter((value) => plainlyFits(schema, value) && whole(schema, value) !== true),
    );
    expect(wrong).toEqual([]);
  });
  it('say yes to every JSON value that the compiled schema takes', () => {
    const missed = parts.flatMap((schema) =>
      values
        .slice(0, -4)
        .filter((value) => !plainlyFits(schema, value) && whole(schema, value) === true)
        .map((value) => [schema, value]),
    );
    expect(missed).toEqual([]);
  });
  it.each([
    [{ $schema: 'http://json-schema.org/draft-07/schema#', type: 'string' }, true],
    [{ $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'string' }, true],
    [{ $schema: 'https://example.com/own', type: 'string' }, false],
    [{ type: 'string', pattern: '^x' }, false],
    [{ type: 'string', format: 'date' }, false],
    [{ $ref: '#/nowhere' }, false],
    [{ type: 'text' }, false],
    [{ type: 'string', constructor: 1 }, false],
    [{ properties: { a: { pattern: '(' } } }, false],
    [{ enum: [] }, false],
    [{ items: [{ type: 'string' }] }, false],
    [{ type: 'string', description: 'x'.repeat(300_000) }, false],
  ])('%j is read as plain: %s', (schema, isPlain) => {
    expect(plainlyFits(schema, 'x')).toBe(isPlain);
  });
  it('a circular schema ends', () => {
    const schema: Record<string, unknown> = { type: 'object' };
    schema['properties'] = { a: schema };
    expect(plainlyFits(schema, {})).toBe(false);
  });
});
