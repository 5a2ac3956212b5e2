import { describe, expect, it } from 'vitest';
import { gemini } from './gemini.ts';
import { anthropic } from './anthropic.ts';
import { createConversation } from './conversation.ts';
import { openai } from './openai.ts';
import { parametersOf } from './schema.ts';

const withProperty = (p: unknown, more: object = {}): object => ({
  type: 'object',
  properties: { p },
  ...more,
});
const inside = (root: Readonly<Record<string, unknown>> | undefined): unknown =>
  (root?.['properties'] as Readonly<Record<string, unknown>> | undefined)?.['p'];
const toldOf = (p: unknown): readonly unknown[] => {
  const inputSchema = withProperty(p);
  const { definitions } = createConversation().offer([{ name: 't', inputSchema }]);
  const [tool] = gemini.toTools(definitions);
  return [
    openai.toTools(definitions)[0]?.function.parameters,
    anthropic.toTools(definitions)[0]?.input_schema,
    tool?.functionDeclarations[0]?.parametersJsonSchema,
  ].map(inside);
};
const openaiOf = (p: unknown): unknown => toldOf(p)[0];
const byAll = (p: unknown): readonly unknown[] => [p, p, p];
const twice = <T>(p: T): [T, T] => [p, p];
const [text, whole] = [{ type: 'string' }, { type: 'integer' }];

describe('a property', () => {
  it('has items everywhere when it is an array, of any kind where the server says none', () => {
    expect(toldOf({ type: 'array' })).toEqual(byAll({ type: 'array', items: {} }));
  });

  it('has items of any kind that it names by their place', () => {
    const [kinds, items] = [[text, whole, text], { anyOf: [text, whole] }];
    expect(openaiOf({ type: 'array', items: kinds, minItems: 3 })).toEqual({
      type: 'array',
      items,
      minItems: 3,
    });
    expect(toldOf({ type: 'array', prefixItems: kinds, items: false })).toEqual(
      byAll({ type: 'array', items }),
    );
  });

  it('a property that may be null is as the server wrote it', () => {
    const p = { type: ['string', 'null'] };
    expect(toldOf(p)).toEqual(byAll(p));
    expect(openaiOf({ type: 'string', nullable: true })).toEqual(p);
  });

  it('keeps what is required in it', () => {
    const inner = { type: 'object', properties: { u: text }, required: ['u'], additionalProperties: false };
    expect(toldOf(inner)).toEqual(byAll(inner));
  });

  it('is mended or left out when it breaks JSON Schema', () => {
    const broken = { required: true, enum: [], minLength: -1, pattern: '(', title: 7 };
    expect(openaiOf({ type: 'any', ...broken })).toEqual({});
    expect(openaiOf({ type: 'STRING', 'x-own': 1 })).toEqual(text);
    const limits = { type: 'number', minimum: 0, maximum: 1 };
    expect(openaiOf({ ...limits, exclusiveMinimum: true, exclusiveMaximum: false })).toEqual(limits);
    expect(openaiOf(7)).toEqual({});
    expect(parametersOf(withProperty(false)).properties).toEqual({});
  });
});

describe('values told by heart that are not of the type beside them', () => {
  const defs = { $defs: { Text: text } };
  const some = { type: 'string', enum: ['a'] };
  it.each([
    ['in a branch', { anyOf: [some, { type: 'null', enum: ['a'] }] }, { anyOf: [some, { type: 'null' }] }],
    ['of an array', { type: 'array', enum: ['x'], items: text }, { type: 'array', items: text }],
    ['of an array of anything', { type: 'array', enum: [0, 1] }, { type: 'array', items: {} }],
    ['of a text', { type: 'string', enum: [1, 2] }, text],
    ['one of two', { type: 'string', enum: ['a', 1] }, some],
    ['a single one', { type: 'integer', const: 'x' }, whole],
    ['behind a reference', { $ref: '#/$defs/Text', enum: [1] }, text],
    ['that are', ...twice({ type: ['number', 'null'], enum: [1, null] })],
    ['that may be null', { ...some, nullable: true }, { anyOf: [some, { type: 'null' }] }],
    ['a whole number', ...twice({ type: 'number', const: 1 })],
    ['without a type', ...twice({ enum: ['a', 1] })],
  ])('are left out: %s', (_, p, told) => {
    const parameters = withProperty(p, defs);
    expect(parametersOf(parameters).properties['p']).toEqual(told);
    if (!('$ref' in p)) expect(toldOf(p)).toEqual(byAll(told));
  });
});

const $defs = { A: { type: 'object', properties: { a: { type: 'string' } } } };
const defined = (p: object) => parametersOf(withProperty(p, { $defs })).properties['p'];

describe('nullable, as OpenAPI has it', () => {
  it('is an alternative to what is said by reference', () => {
    for (const p of [{ $ref: '#/$defs/A' }, { allOf: [{ $ref: '#/$defs/A' }] }]) {
      const found = defined({ ...p, nullable: true, description: 'd' });
      expect(found).toMatchObject({ description: 'd', anyOf: [{}, { type: 'null' }] });
    }
  });

  const kinds = [text, { type: 'number' }];
  it.each([{ anyOf: kinds }, { oneOf: kinds }])('null is one more alternative beside %j', (p) => {
    expect(openaiOf({ nullable: true, ...p })).toEqual({ anyOf: [{ anyOf: kinds }, { type: 'null' }] });
  });

  it('says nothing when it is false', () => {
    expect(openaiOf({ nullable: false, type: 'string' })).toEqual({ type: 'string' });
  });
});

describe('a reference', () => {
  const $defs = { A: { type: 'string', description: 'an A' }, 'a/b~c d': whole };
  it('is put in its place, with what stands beside it', () => {
    const [a, $ref] = [{ type: 'string', description: 'mine' }, '#/$defs/A'];
    const properties = {
      a: { $ref, description: 'mine' },
      b: { $ref: '#/$defs/a~1b~0c%20d' },
      c: { $ref: '#/properties/a' },
    };
    const found = parametersOf({ type: 'object', properties, $defs });
    expect(found).toEqual({ type: 'object', properties: { a, b: whole, c: a } });
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
    expect(JSON.stringify(parametersOf(withProperty(deep))).length).toBeLessThan(5_000);
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
        { properties: { a: text }, required: ['a'] },
        { properties: { b: whole }, required: ['b'] },
        { allOf: [{ properties: { c: {} } }] },
      ],
    };
    const properties = { a: text, b: whole, c: {} };
    expect(parametersOf(schema)).toEqual({ type: 'object', properties, required: ['a', 'b'] });
  });

  it('has the properties of all its alternatives, and must have what each must have', () => {
    const branch = (kind: string, own: string): object => ({
      type: 'object',
      properties: { kind: { type: 'string', const: kind }, [own]: text },
      required: ['kind', own],
      additionalProperties: false,
    });
    const joined = {
      type: 'object',
      properties: { kind: { type: 'string', enum: ['x', 'y'] }, a: text, b: text },
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
  });
});
