import { describe, expect, it } from 'vitest';
import { anthropic, createConversation, gemini, openai, parametersOf, type GeminiSchema } from '../index.ts';

const withProperty = (p: unknown, more: object = {}): object => ({
  type: 'object',
  properties: { p },
  ...more,
});
const definitions = (params_schema: object) =>
  createConversation().offer([{ name: 't', params_schema }]).definitions;
const forGemini = (schema: object): GeminiSchema =>
  gemini.toTools(definitions(schema))[0]?.functionDeclarations[0]?.parameters ?? {};
const geminiOf = (p: unknown): GeminiSchema => forGemini(withProperty(p)).properties?.['p'] ?? {};
const inside = (root: Readonly<Record<string, unknown>> | undefined): unknown =>
  (root?.['properties'] as Readonly<Record<string, unknown>> | undefined)?.['p'];
const openaiOf = (p: unknown): unknown =>
  inside(openai.toTools(definitions(withProperty(p)))[0]?.function.parameters);
const anthropicOf = (p: unknown): unknown =>
  inside(anthropic.toTools(definitions(withProperty(p)))[0]?.input_schema);

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

describe('a reference', () => {
  const $defs = { A: { type: 'string', description: 'an A' }, 'a/b~c d': { type: 'integer' } };
  it('case 45: is put in its place, with what stands beside it', () => {
    const properties = {
      a: { $ref: '#/$defs/A', description: 'mine' },
      b: { $ref: '#/$defs/a~1b~0c%20d' },
      c: { $ref: '#/properties/a' },
    };
    expect(parametersOf({ type: 'object', properties, $defs })).toEqual({
      type: 'object',
      properties: {
        a: { type: 'string', description: 'mine' },
        b: { type: 'integer' },
        c: { type: 'string', description: 'mine' },
      },
    });
  });

  it('case 45: is found by an anchor, an id, and in definitions', () => {
    const definitions = { A: { $id: 'https://x/a', type: 'string' }, B: { $anchor: 'b', type: 'integer' } };
    const properties = {
      a: { $ref: 'https://x/a' },
      b: { $ref: '#b' },
      c: { $ref: '#/definitions/A' },
      d: { $ref: 'https://x/y#/definitions/B' },
    };
    const { properties: found } = parametersOf({
      $id: 'https://x/y',
      type: 'object',
      properties,
      definitions,
    });
    expect(Object.values(found).map((one) => one['type'])).toEqual([
      'string',
      'integer',
      'string',
      'integer',
    ]);
  });

  it.each(['#/$defs/gone', 'https://example.com/schema', '#gone', '#/%zz', ''])(
    'case 45: that leads nowhere in it allows anything: %j',
    ($ref) => {
      expect(openaiOf({ $ref, description: 'd' })).toMatchObject({ description: 'd' });
      expect(JSON.stringify(openaiOf({ $ref }))).not.toContain('$ref');
    },
  );

  it('case 45: that leads back ends where it begins again', () => {
    const Node = {
      type: 'object',
      description: 'a node',
      properties: { next: { $ref: '#/$defs/Node' }, all: { type: 'array', items: { $ref: '#' } } },
    };
    expect(parametersOf(withProperty({ $ref: '#/$defs/Node' }, { $defs: { Node } })).properties['p']).toEqual(
      {
        ...Node,
        properties: {
          next: { type: 'object', description: 'a node' },
          all: { type: 'array', items: { type: 'object' } },
        },
      },
    );
    const loop = { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } };
    expect(parametersOf(withProperty({ $ref: '#/$defs/a' }, { $defs: loop })).properties['p']).toEqual({});
  });

  it('case 45: to a property of that name is none', () => {
    const schema = withProperty({ type: 'object', properties: { $ref: { type: 'string' } } });
    expect(parametersOf(schema)).toEqual(schema);
  });

  it('makes no schema larger than anybody wants', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => {
        const $ref = `#/$defs/${n + 1}`;
        return [String(n), { type: 'object', properties: { a: { $ref }, b: { $ref } } }];
      }),
    );
    const text = JSON.stringify(parametersOf(withProperty({ $ref: '#/$defs/0' }, { $defs })));
    expect(text.length).toBeLessThan(500_000);
    let deep: object = { type: 'string' };
    for (let n = 0; n < 5_000; n += 1) deep = { type: 'array', items: deep };
    expect(JSON.stringify(forGemini(withProperty(deep))).length).toBeLessThan(5_000);
  });
});

describe('the root', () => {
  it('case 47: with allOf of branches without a type has the properties of all of them', () => {
    const schema = {
      allOf: [
        { properties: { a: { type: 'string' } }, required: ['a'] },
        { properties: { b: { type: 'integer' } }, required: ['b'] },
        { allOf: [{ properties: { c: {} } }] },
      ],
    };
    expect(parametersOf(schema)).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'integer' }, c: {} },
      required: ['a', 'b'],
    });
    expect(forGemini(schema).required).toEqual(['a', 'b']);
  });

  it('with alternatives has the properties of all, and must have what each must have', () => {
    const branch = (kind: string, own: string): object => ({
      type: 'object',
      properties: { kind: { type: 'string', const: kind }, [own]: { type: 'string' } },
      required: ['kind', own],
      additionalProperties: false,
    });
    const joined = {
      type: 'object',
      properties: {
        kind: { type: 'string', enum: ['x', 'y'] },
        a: { type: 'string' },
        b: { type: 'string' },
      },
      required: ['kind'],
      additionalProperties: false,
    };
    expect(parametersOf({ anyOf: [branch('x', 'a'), branch('y', 'b')] })).toEqual(joined);
    expect(parametersOf({ oneOf: [branch('x', 'a'), branch('y', 'b')] })).toEqual(joined);
  });

  it('with alternatives of what is required requires none of them', () => {
    const schema = withProperty({ type: 'string' }, { anyOf: [{ required: ['p'] }, { required: ['q'] }] });
    expect(parametersOf(schema)).toEqual(withProperty({ type: 'string' }));
  });

  it('that is no object, or nothing at all, has no properties', () => {
    for (const schema of [{ type: 'string' }, { type: ['object', 'null'] }, [], { $ref: '#' }, { enum: [1] }])
      expect(parametersOf(schema)).toEqual({ type: 'object', properties: {} });
  });

  it('has properties of any name, and one is no other’s prototype', () => {
    const properties = JSON.parse(
      '{"__proto__":{"type":"string"},"constructor":{"type":"integer"}}',
    ) as object;
    const found = parametersOf({ type: 'object', properties });
    expect(Object.entries(found.properties)).toEqual(Object.entries(properties));
    expect(JSON.stringify(forGemini({ type: 'object', properties }))).toBe(
      '{"type":"OBJECT","properties":{"__proto__":{"type":"STRING"},"constructor":{"type":"INTEGER"}}}',
    );
  });
});
