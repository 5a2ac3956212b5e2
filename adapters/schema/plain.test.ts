import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { dialectsOf, isPlain, createValidate } from './validate.ts';

const uri = (dialect: string): string => `https://json-schema.org/draft/${dialect}/schema`;
const dialects = [
  uri('2020-12'),
  uri('2019-09'),
  ...['draft-07', 'draft-06'].map((name) => `http://json-schema.org/${name}/schema#`),
].flatMap(($schema) => dialectsOf({ $schema }));

const small = fc.oneof(
  fc.constantFrom<unknown>(0, 1, -1, 2.5, true, null, '', '#', '#/$defs/a', 'x', 'string', 'object'),
  fc.constantFrom<unknown>([], ['a'], ['a', 'a'], ['string', 'null'], [{}], {}, { type: 'string' }),
);
const words = [
  ...[
    'type',
    '$schema',
    '$comment',
    'title',
    'description',
    'format',
    'pattern',
    'minimum',
    'exclusiveMaximum',
  ],
  ...[
    'multipleOf',
    'maxLength',
    'minItems',
    'maxProperties',
    'uniqueItems',
    'deprecated',
    'enum',
    'examples',
  ],
  ...['const', 'default', 'required', 'properties', '$defs', 'definitions', 'items', 'additionalProperties'],
  ...['contains', 'not', 'if', 'anyOf', 'allOf', '$ref', '$id', 'patternProperties', 'prefixItems', 'x-ui'],
];
const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
  schema: fc.dictionary(
    fc.constantFrom(...words),
    fc.oneof(
      small,
      tie('schema'),
      fc.array(tie('schema'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('schema'), { maxKeys: 2 }),
    ),
    { maxKeys: 3, depthIdentifier: 'schema' },
  ),
}));

describe('a plain schema', () => {
  afterEach(() => vi.restoreAllMocks());

  it('is right for the judge of every dialect', () => {
    const judges = dialects.map((dialect) => dialect.judge());
    fc.assert(
      fc.property(schema, (given) => {
        if (!isPlain(given as object)) return;
        for (const judge of judges) expect(judge(given as object)).toBeUndefined();
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    [{}, true],
    [{ type: 'object', properties: { a: { type: ['string', 'null'], default: 1 } }, required: ['a'] }, true],
    [{ $ref: '#/$defs/a', $defs: { a: { anyOf: [{ const: 1 }, false], minLength: 0 } } }, true],
    [{ items: [{ type: 'string' }] }, false],
    [{ items: { minimum: 'x' } }, false],
    [{ type: 'text' }, false],
    [{ $ref: 'https://h.example/s.json' }, false],
    [{ 'x-ui': {} }, false],
    [JSON.parse('{"properties":{"__proto__":{"type":1}}}'), false],
  ] as const)('%j: %s', (given, expected) => {
    expect(isPlain(given as object)).toBe(expected);
  });

  it('brings up no judge', () => {
    const judge = vi.spyOn(Ajv2020.prototype, 'getSchema');
    const validate = createValidate();
    expect(validate({ type: 'object', required: ['a'] }, {}).ok).toBe(false);
    expect(judge).not.toHaveBeenCalled();
  });
});
