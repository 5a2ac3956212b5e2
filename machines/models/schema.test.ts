import { describe, expect, it } from 'vitest';
import { toGeminiSchema, gemini, type GeminiSchema } from './gemini.ts';
import { anthropic } from './anthropic.ts';
import { createConversation } from './conversation.ts';
import { openai } from './openai.ts';
import { parametersOf, type Schema } from './schema.ts';

export const withProperty = (p: unknown, more: object = {}): object => ({
  type: 'object',
  properties: { p },
  ...more,
});
const definitions = (inputSchema: object) =>
  createConversation().offer([{ name: 't', inputSchema }]).definitions;
const inside = (root: Readonly<Record<string, unknown>> | undefined): unknown =>
  (root?.['properties'] as Readonly<Record<string, unknown>> | undefined)?.['p'];
export const forGemini = (schema: object): GeminiSchema =>
  gemini.toTools(definitions(schema))[0]?.functionDeclarations[0]?.parameters ?? {};
export const geminiOf = (p: unknown): GeminiSchema => forGemini(withProperty(p)).properties?.['p'] ?? {};
export const openaiOf = (p: unknown): unknown =>
  inside(openai.toTools(definitions(withProperty(p)))[0]?.function.parameters);
export const anthropicOf = (p: unknown): unknown =>
  inside(anthropic.toTools(definitions(withProperty(p)))[0]?.input_schema);

const any = { anyOf: ['STRING', 'NUMBER', 'BOOLEAN', 'OBJECT'].map((type) => ({ type })) };

describe('a property', () => {
  it('has items everywhere when it is an array, of any kind where the server says none', () => {
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

  it('has items of any kind that it names by their place', () => {
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
  ])('is nullable for Gemini where it may be null: %j', (p) => {
    expect(geminiOf(p)).toEqual({ type: 'STRING', nullable: true });
  });

  it('is for OpenAI and Anthropic as the server wrote it where it may be null', () => {
    const p = { type: ['string', 'null'] };
    expect([openaiOf(p), anthropicOf(p)]).toEqual([p, p]);
    expect(openaiOf({ type: 'string', nullable: true })).toEqual(p);
  });

  it('is an enum for Gemini when it has one text; other values are told in words', () => {
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

  it('has for Gemini one schema for each of its types, with nothing beside them', () => {
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

  it('has all types when it may have any', () => {
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

  it('has for Gemini no word that is none there, at any depth', () => {
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

  it('keeps for OpenAI and Anthropic what is required in it', () => {
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

  it('is mended or left out when it breaks JSON Schema', () => {
    expect(
      openaiOf({ type: 'any', required: true, enum: [], minLength: -1, pattern: '(', title: 7 }),
    ).toEqual({});
    expect(openaiOf({ type: 'STRING', 'x-own': 1 })).toEqual({ type: 'string' });
    expect(
      openaiOf({ type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: false }),
    ).toEqual({
      type: 'number',
      minimum: 0,
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
      { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] },
    ],
    ['a whole number', { type: 'number', const: 1 }, { type: 'number', const: 1 }],
    ['without a type', { enum: ['a', 1] }, { enum: ['a', 1] }],
  ])('are left out: %s', (_, p, told) => {
    const parameters = withProperty(p, defs);
    expect(parametersOf(parameters).properties['p']).toEqual(told);
    if (!('$ref' in p)) expect([openaiOf(p), anthropicOf(p)]).toEqual([told, told]);
  });
});

const a = { type: 'string' };
const either = [{ required: ['a'] }, { required: ['b'] }];

describe('alternatives of a schema with properties, for Gemini', () => {
  it('become one object where they are objects, with what each of them says', () => {
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

  it('become one array where they are arrays', () => {
    const list = { type: 'array', items: { type: 'string' } };
    expect(geminiOf({ ...list, anyOf: [{ minItems: 1 }, { maxItems: 5 }] })).toEqual({
      type: 'ARRAY',
      items: { type: 'STRING' },
    });
    expect(geminiOf({ ...list, anyOf: [{ minItems: 1, maxItems: 5 }, { type: 'null' }] })).toEqual({
      type: 'ARRAY',
      items: { type: 'STRING' },
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
  it('are told to Gemini in words where they are objects and lists', () => {
    expect(geminiOf({ const: { a: 1 } })).toEqual({ type: 'OBJECT', description: 'One of: {"a":1}.' });
    expect(geminiOf({ type: 'array', items: a, enum: [['x'], []], description: 'Which' })).toEqual({
      type: 'ARRAY',
      description: 'Which One of: ["x"], [].',
      items: { type: 'STRING' },
    });
  });
});

const $defs = { A: { type: 'object', properties: { a: { type: 'string' } } } };
const A = { type: 'OBJECT', properties: { a: { type: 'STRING' } }, nullable: true };
const defined = (p: object) => parametersOf(withProperty(p, { $defs })).properties['p'];

describe('nullable, as OpenAPI has it', () => {
  it('is an alternative to what is said by reference', () => {
    for (const p of [{ $ref: '#/$defs/A' }, { allOf: [{ $ref: '#/$defs/A' }] }]) {
      const found = defined({ ...p, nullable: true, description: 'd' });
      expect(found).toMatchObject({ description: 'd', anyOf: [{}, { type: 'null' }] });
      expect(geminiOf(found)).toEqual({ ...A, description: 'd' });
    }
    // The type may also be given beside `nullable`.
    expect(geminiOf(defined({ type: 'object', nullable: true, allOf: [{ $ref: '#/$defs/A' }] }))).toEqual(A);
  });

  it.each<[Schema]>([
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }],
    [{ oneOf: [{ type: 'string' }, { type: 'number' }] }],
  ])('is an alternative to alternatives: %j', (p) => {
    const kinds = [{ type: 'string' }, { type: 'number' }];
    expect(openaiOf({ nullable: true, ...p })).toEqual({ anyOf: [{ anyOf: kinds }, { type: 'null' }] });
    const orNull = kinds.map(({ type }) => ({ type: type.toUpperCase(), nullable: true }));
    expect(geminiOf({ nullable: true, ...p })).toEqual({ anyOf: orNull });
  });

  it('null is an alternative to the values of an enum', () => {
    const p = { type: 'string', nullable: true, enum: ['a', 'b'] };
    expect(openaiOf(p)).toEqual({ anyOf: [{ type: 'string', enum: ['a', 'b'] }, { type: 'null' }] });
    expect(geminiOf(p)).toEqual({ type: 'STRING', enum: ['a', 'b'], nullable: true });
  });

  it('says nothing when it is false', () => {
    expect(openaiOf({ nullable: false, type: 'string' })).toEqual({ type: 'string' });
  });
});

describe('a reference', () => {
  const $defs = { A: { type: 'string', description: 'an A' }, 'a/b~c d': { type: 'integer' } };
  it('is put in its place, with what stands beside it', () => {
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

  it.each(['#/$defs/gone', 'https://example.com/schema', '#anchor', '#/%zz', ''])(
    'allows anything when it leads nowhere: %j',
    ($ref) => {
      expect(openaiOf({ $ref, description: 'd' })).toMatchObject({ description: 'd' });
      expect(JSON.stringify(openaiOf({ $ref }))).not.toContain('$ref');
    },
  );

  it('ends where it begins again when it leads back', () => {
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

  it('ends with an array that has items when it leads to an array that leads back', () => {
    for (const type of ['array', ['array', 'null']]) {
      const again = { type, items: { $ref: '#/$defs/again' } };
      const { p } = parametersOf(withProperty({ $ref: '#/$defs/again' }, { $defs: { again } })).properties;
      expect(p).toEqual({ type, items: { type, items: {} } });
    }
  });

  it('is not meant by a property of that name', () => {
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

describe('definitions that lead to each other', () => {
  // The definitions resemble the filters of a database, in which each table refers to all others.
  const tables = Array.from({ length: 8 }, (_, n) => `table${n}`);
  const filter = Object.fromEntries(tables.map((name) => [name, { $ref: `#/$defs/${name}` }]));
  const $defs = Object.fromEntries(
    tables.map((name) => [name, { type: 'object', properties: { id: { type: 'integer' }, ...filter } }]),
  );
  const simple = {
    limit: { type: 'integer', minimum: 1 },
    order: { type: 'string', enum: ['asc', 'desc'] },
  };
  const schema = {
    type: 'object',
    properties: { where: { $ref: '#/$defs/table0' }, ...simple, not: { $ref: '#/$defs/table1' } },
    required: ['where', 'limit'],
    $defs,
  };

  it('take nothing from the parameters beside them', () => {
    const { properties } = parametersOf(schema);
    expect(properties).toMatchObject(simple);
    const inside = {
      properties: { id: { type: 'integer' }, table2: { properties: { id: { type: 'integer' } } } },
    };
    expect([properties['where'], properties['not']]).toMatchObject([inside, inside]);
    expect(forGemini(schema).properties).toMatchObject({
      limit: { type: 'INTEGER', minimum: 1 },
      order: { type: 'STRING', enum: ['asc', 'desc'] },
    });
  });

  it('are looked into as far as they have some thousand parts', () => {
    const parts = JSON.stringify(parametersOf(schema)).split('"type"').length;
    expect(parts).toBeGreaterThan(500);
    expect(parts).toBeLessThan(5_000);
  });

  it('keep every type of a parameter, where there are more of them than anybody looks into', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 4_000 }, (_, n) => [`p${n}`, { type: 'array', items: { type: 'string' } }]),
    );
    const types = Object.values(parametersOf({ properties }).properties).map((one) => one['type']);
    expect(new Set(types)).toEqual(new Set(['array']));
  });
});

describe('the root', () => {
  it('has the properties of all branches of an allOf without a type', () => {
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

  it('has the properties of all its alternatives, and must have what each must have', () => {
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

  it('requires none of what only its alternatives require', () => {
    const schema = withProperty({ type: 'string' }, { anyOf: [{ required: ['p'] }, { required: ['q'] }] });
    expect(parametersOf(schema)).toEqual(withProperty({ type: 'string' }));
  });

  it('has no properties when it is no object, or nothing at all', () => {
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
