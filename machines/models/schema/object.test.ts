import { describe, expect, it } from 'vitest';
import { parametersOf } from '../index.ts';
import { forGemini, openaiOf, withProperty } from './converted.given.ts';

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

  it('case 42, case 45: to an array that leads back ends with an array that has items', () => {
    for (const type of ['array', ['array', 'null']]) {
      const again = { type, items: { $ref: '#/$defs/again' } };
      const { p } = parametersOf(withProperty({ $ref: '#/$defs/again' }, { $defs: { again } })).properties;
      expect(p).toEqual({ type, items: { type, items: {} } });
    }
  });

  it('case 45: may be dynamic', () => {
    const $defs = { A: { $dynamicAnchor: 'a', type: 'string' } };
    const p = { $dynamicRef: '#a', description: 'd' };
    expect(parametersOf(withProperty(p, { $defs })).properties['p']).toEqual({
      type: 'string',
      description: 'd',
    });
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

describe('definitions that lead to each other', () => {
  // As the filters of a database: each has those of the others in it.
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
