import { describe, expect, it } from 'vitest';
import { parametersOf } from '../index.ts';
import { geminiOf, openaiOf, anthropicOf, withProperty } from './converted.given.ts';

const any = { anyOf: ['STRING', 'NUMBER', 'BOOLEAN', 'OBJECT'].map((type) => ({ type })) };

describe('a property', () => {
  it('case 42: of type array has items everywhere, of any kind where the server says none', () => {
    expect(openaiOf({ type: 'array' })).toEqual({ type: 'array', items: {} });
    expect(anthropicOf({ type: 'array' })).toEqual({ type: 'array', items: {} });
    const { type, items } = geminiOf({ type: 'array' });
    expect([type, items?.anyOf?.map((one) => one.type)]).toEqual([
      'ARRAY',
      ['STRING', 'NUMBER', 'BOOLEAN', 'OBJECT', 'ARRAY'],
    ]);
    expect(items?.anyOf?.at(-1)?.items).toEqual(any);
    expect(geminiOf({ type: 'array', items: { type: 'array', items: { type: 'integer' } } })).toEqual({
      type: 'ARRAY',
      items: { type: 'ARRAY', items: { type: 'INTEGER' } },
    });
  });

  it('case 42: with items by their place has items of any of these kinds', () => {
    const kinds = [{ type: 'string' }, { type: 'integer' }, { type: 'string' }];
    expect(openaiOf({ type: 'array', items: kinds, minItems: 3 })).toEqual({
      type: 'array',
      items: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
      minItems: 3,
    });
    expect(anthropicOf({ type: 'array', prefixItems: kinds, items: false })).toEqual({
      type: 'array',
      items: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    });
  });

  it.each([
    { type: ['string', 'null'] },
    { type: 'string', nullable: true },
    { anyOf: [{ type: 'string' }, { type: 'null' }] },
    { oneOf: [{ type: 'null' }, { type: 'string' }] },
  ])('case 43: that may be null is nullable for Gemini: %j', (p) => {
    expect(geminiOf(p)).toEqual({ type: 'STRING', nullable: true });
  });

  it('case 43: that may be null is for OpenAI and Anthropic as the server wrote it', () => {
    const p = { type: ['string', 'null'] };
    expect([openaiOf(p), anthropicOf(p)]).toEqual([p, p]);
    expect(openaiOf({ type: 'string', nullable: true })).toEqual(p);
  });

  it('case 44: with one text is an enum for Gemini; other values are told in words', () => {
    expect(geminiOf({ const: 'x' })).toEqual({ type: 'STRING', enum: ['x'] });
    expect(geminiOf({ type: 'integer', enum: [1, 2], description: 'How many' })).toEqual({
      type: 'INTEGER',
      description: 'How many One of: 1, 2.',
    });
    expect(geminiOf({ const: true })).toEqual({ type: 'BOOLEAN', description: 'One of: true.' });
    expect(geminiOf({ enum: ['', 'a'] })).toEqual({ type: 'STRING', description: 'One of: "", "a".' });
    expect(geminiOf({ enum: ['a', null, 3] })).toEqual({
      anyOf: [
        { type: 'STRING', enum: ['a'], nullable: true },
        { type: 'INTEGER', description: 'One of: 3.', nullable: true },
      ],
    });
  });

  it('of several types has for Gemini one schema for each, with nothing beside them', () => {
    expect(
      geminiOf({ type: ['string', 'integer', 'number'], description: 'd', minimum: 1, maxLength: 5 }),
    ).toEqual({
      anyOf: [
        { type: 'STRING', description: 'd', maxLength: '5' },
        { type: 'NUMBER', description: 'd', minimum: 1 },
      ],
    });
    expect(
      geminiOf({
        description: 'outer',
        anyOf: [{ type: 'string', description: 'inner' }, { type: 'boolean' }],
      }),
    ).toEqual({
      anyOf: [
        { type: 'STRING', description: 'outer\ninner' },
        { type: 'BOOLEAN', description: 'outer' },
      ],
    });
  });

  it('of any type has them all', () => {
    expect(geminiOf({ description: 'Anything' }).anyOf?.map((one) => one.type)).toEqual([
      ...['STRING', 'NUMBER', 'BOOLEAN', 'OBJECT', 'ARRAY'],
    ]);
    expect(geminiOf({ description: 'Anything' }).anyOf?.filter((one) => one.description)).toHaveLength(1);
    expect(openaiOf(true)).toEqual({});
  });

  it('is of the type that its other words speak of', () => {
    expect(
      [{ minLength: 1 }, { minimum: 1 }, { items: {} }, { properties: {} }].map((p) => geminiOf(p).type),
    ).toEqual([...['STRING', 'NUMBER', 'ARRAY', 'OBJECT']]);
  });

  it('case 46: has for Gemini no word that is none there, at any depth', () => {
    const inner = {
      type: 'object',
      additionalProperties: false,
      $schema: 'http://json-schema.org/draft-07/schema#',
      properties: {
        u: { type: 'string', format: 'uri', default: 'x' },
        v: { type: 'string', format: 'date-time' },
      },
      required: ['u', 'gone'],
    };
    expect(geminiOf({ type: 'array', items: inner, default: [] })).toEqual({
      type: 'ARRAY',
      items: {
        type: 'OBJECT',
        properties: { u: { type: 'STRING' }, v: { type: 'STRING', format: 'date-time' } },
        required: ['u'],
      },
    });
  });

  it('case 46: keeps for OpenAI and Anthropic what is required in it', () => {
    const inner = {
      type: 'object',
      properties: { u: { type: 'string' } },
      required: ['u'],
      additionalProperties: false,
    };
    expect([openaiOf(inner), anthropicOf(inner)]).toEqual([inner, inner]);
  });

  it('has for Gemini patterns that RE2 knows, and limits of whole numbers that are in', () => {
    expect(geminiOf({ type: 'string', pattern: '^a+$' })).toEqual({ type: 'STRING', pattern: '^a+$' });
    expect(geminiOf({ type: 'string', pattern: '^(?!a)' })).toEqual({ type: 'STRING' });
    expect(geminiOf({ type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 10 })).toEqual({
      type: 'INTEGER',
      minimum: 1,
      maximum: 9,
    });
  });

  it('that breaks JSON Schema is mended or left out', () => {
    expect(
      openaiOf({ type: 'any', required: true, enum: [], minLength: -1, pattern: '(', title: 7 }),
    ).toEqual({});
    expect(openaiOf({ type: 'STRING', 'x-own': 1 })).toEqual({ type: 'string' });
    expect(
      openaiOf({ type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: false }),
    ).toEqual({
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 1,
    });
    expect(openaiOf(7)).toEqual({});
    expect(parametersOf(withProperty(false)).properties).toEqual({});
  });
});

describe('values told by heart that are not of the type beside them', () => {
  const defs = { $defs: { Text: { type: 'string' } } };
  it.each([
    [
      'in a branch',
      {
        anyOf: [
          { type: 'string', enum: ['A'] },
          { type: 'null', enum: ['A'] },
        ],
      },
      { anyOf: [{ type: 'string', enum: ['A'] }, { type: 'null' }] },
    ],
    [
      'of an array',
      { type: 'array', enum: ['x'], items: { type: 'string' } },
      { type: 'array', items: { type: 'string' } },
    ],
    ['of an array of anything', { type: 'array', enum: [0, 1] }, { type: 'array', items: {} }],
    ['of a text', { type: 'string', enum: [1, 2] }, { type: 'string' }],
    ['one of two', { type: 'string', enum: ['a', 1] }, { type: 'string', enum: ['a'] }],
    ['a single one', { type: 'integer', const: 'x' }, { type: 'integer' }],
    ['behind a reference', { $ref: '#/$defs/Text', enum: [1] }, { type: 'string' }],
    [
      'that are',
      { type: ['number', 'null'], enum: [1, null] },
      { type: ['number', 'null'], enum: [1, null] },
    ],
    [
      'that may be null',
      { type: 'string', nullable: true, enum: ['a'] },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    ['a whole number', { type: 'number', const: 1 }, { type: 'number', const: 1 }],
    ['without a type', { enum: ['a', 1] }, { enum: ['a', 1] }],
  ])('are left out: %s', (_, p, told) => {
    const parameters = withProperty(p, defs);
    expect(parametersOf(parameters).properties['p']).toEqual(told);
    if (!('$ref' in p)) expect([openaiOf(p), anthropicOf(p)]).toEqual([told, told]);
  });
});
