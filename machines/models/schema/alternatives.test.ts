import { describe, expect, it } from 'vitest';
import { toGeminiSchema } from './gemini-schema.ts';
import { forGemini, geminiOf, withProperty } from './converted.given.ts';

const a = { type: 'string' };
const either = [{ required: ['a'] }, { required: ['b'] }];

describe('alternatives of a schema that says itself what is in it, for Gemini', () => {
  it('that are objects are one object, with what each of them says', () => {
    const both = [{ properties: { b: { type: 'integer' } }, description: 'one' }, { description: 'two' }];
    expect(geminiOf({ type: 'object', properties: { a }, required: ['a'], anyOf: both })).toEqual({
      type: 'OBJECT',
      description: 'one\ntwo',
      properties: { a: { type: 'STRING' }, b: { type: 'INTEGER' } },
      required: ['a'],
    });
  });

  it.each([
    { type: ['object', 'null'], properties: { a }, anyOf: either },
    { type: 'object', nullable: true, properties: { a }, oneOf: either },
    { properties: { a }, anyOf: [{ type: 'object' }, { type: 'null' }] },
  ])('keep null beside the object: %j', (p) => {
    expect(geminiOf(p)).toEqual({ type: 'OBJECT', properties: { a: { type: 'STRING' } }, nullable: true });
  });

  it('keep other kinds beside it, and make no object of what is none', () => {
    expect(geminiOf({ properties: { a }, anyOf: [{ type: 'string' }, { type: 'object' }] })).toEqual({
      anyOf: [{ type: 'OBJECT', properties: { a: { type: 'STRING' } } }, { type: 'STRING' }],
    });
    expect(geminiOf({ type: 'string', properties: { a }, anyOf: [{ maxLength: 5 }] })).toEqual({
      type: 'STRING',
      maxLength: '5',
    });
  });

  it('that are arrays are one array, with items of the kinds that all of them name', () => {
    const list = { type: 'array', items: { type: 'string' } };
    expect(geminiOf({ ...list, anyOf: [{ minItems: 1 }, { maxItems: 5 }] })).toEqual({
      type: 'ARRAY',
      items: { type: 'STRING' },
    });
    expect(geminiOf({ ...list, anyOf: [{ minItems: 1, maxItems: 5 }, { type: 'null' }] })).toEqual({
      type: 'ARRAY',
      items: { type: 'STRING' },
    });
    const kinds = [{ items: { enum: ['x'] } }, { items: { enum: ['y'], description: 'd' } }];
    expect(geminiOf({ ...list, anyOf: kinds }).items).toEqual({
      anyOf: [
        { type: 'STRING', enum: ['x'] },
        { type: 'STRING', enum: ['y'], description: 'd' },
      ],
    });
  });

  it('make no schema larger than the server’s own is, however many levels of them there are', () => {
    const lists = (levels: number): object =>
      levels === 0
        ? a
        : { type: 'array', items: lists(levels - 1), anyOf: [1, 2, 3].map((minItems) => ({ minItems })) };
    const maps = (levels: number): object =>
      levels === 0
        ? a
        : {
            properties: { a: maps(levels - 1) },
            oneOf: [1, 2, 3].map((n) => ({ properties: { a: { title: `${levels} ${n}` } } })),
          };
    for (const p of [lists(6), maps(6), maps(12), lists(24)])
      expect(JSON.stringify(forGemini(withProperty(p))).length).toBeLessThan(2 * JSON.stringify(p).length);
  });
});

describe('a schema with more parts than anybody wants', () => {
  it('has for Gemini the types of all, and looks into some', () => {
    const one = {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'object', properties: { a } } },
    };
    const all = Array.from({ length: 3_000 }, (_, n) => [`p${n}`, { type: 'object', properties: { one } }]);
    const { properties = {} } = toGeminiSchema({ type: 'object', properties: Object.fromEntries(all) });
    expect(properties['p0']?.properties?.['one']).toEqual({
      type: 'OBJECT',
      properties: {
        a: { type: 'STRING' },
        b: { type: 'OBJECT', properties: { a: { type: 'STRING' } } },
      },
    });
    expect(new Set(Object.values(properties).map(({ type }) => type))).toEqual(new Set(['OBJECT']));
    expect(properties['p2999']?.properties?.['one']?.properties).toBeUndefined();
  });
});

describe('values told by heart', () => {
  it('case 44: that are objects and lists are told to Gemini in words, too', () => {
    expect(geminiOf({ const: { a: 1 } })).toEqual({ type: 'OBJECT', description: 'One of: {"a":1}.' });
    expect(geminiOf({ type: 'array', items: a, enum: [['x'], []], description: 'Which' })).toEqual({
      type: 'ARRAY',
      description: 'Which One of: ["x"], [].',
      items: { type: 'STRING' },
    });
  });
});
