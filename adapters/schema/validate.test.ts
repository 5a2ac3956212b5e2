import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultLimits, type Limits, createValidate } from './validate.ts';

/** Limits with so much time that the result does not depend on how busy the machine is. */
const patient: Limits = { ...defaultLimits, compileMs: 60_000, checkMs: 60_000 };
const validate = createValidate(patient);
const problems = (schema: object, value: unknown): readonly string[] | string => {
  const validity = validate(schema as Readonly<Record<string, unknown>>, value);
  if (validity.ok === 'unchecked') return validity.reason;
  return validity.ok ? [] : validity.problems;
};
const draft07 = { $schema: 'http://json-schema.org/draft-07/schema#' };
const text = { type: 'string' };

describe('a dialect', () => {
  it('has prefixItems in 2020-12, and items as a list in draft-07 and 2019-09', () => {
    const wrong = ['0: must be string'];
    expect(problems({ prefixItems: [text] }, [1])).toEqual(wrong);
    expect(problems({ ...draft07, prefixItems: [text] }, [1])).toEqual([]);
    expect(problems({ ...draft07, items: [text] }, [1])).toEqual(wrong);
    const $schema = 'https://json-schema.org/draft/2019-09/schema';
    expect(problems({ $schema, items: [text] }, [1])).toEqual(wrong);
    expect(problems({ $schema: 'https://json-schema.org/draft/2020-12/schema', items: [text] }, [1])).toMatch(
      /^it cannot be compiled: items/,
    );
  });
  it('is draft-07 for a schema that names none and is right in that only', () => {
    expect(problems({ items: [text], additionalItems: false }, ['a', 2])).toEqual([
      'must NOT have more than 1 items',
    ]);
  });
  it('is draft-07 for draft-06, and of another dialect nothing is checked', () => {
    expect(problems({ $schema: 'http://json-schema.org/draft-06/schema#', const: 3 }, 4)).toEqual([
      'must be 3',
    ]);
    for (const $schema of ['http://json-schema.org/draft-04/schema#', 'https://h.example/mine', 7, null])
      expect(problems({ $schema, type: 'string' }, 4)).toBe(
        'its $schema names a dialect that is not known here',
      );
  });
  it('resolves $defs and definitions, $anchor, # and $dynamicRef', () => {
    expect(problems({ $ref: '#/$defs/t', $defs: { t: text } }, 1)).toEqual(['must be string']);
    expect(problems({ ...draft07, $ref: '#/definitions/t', definitions: { t: text } }, 1)).toEqual([
      'must be string',
    ]);
    expect(problems({ $ref: '#a', $defs: { t: { $anchor: 'a', ...text } } }, 1)).toEqual(['must be string']);
    const ring = { type: 'object', properties: { next: { $ref: '#' } } };
    expect(problems(ring, { next: { next: 1 } })).toEqual(['next.next: must be object']);
    const dynamic = { $dynamicAnchor: 'n', type: 'object', properties: { next: { $dynamicRef: '#n' } } };
    expect(problems(dynamic, { next: 1 })).toEqual(['next: must be object']);
  });
});

describe('a word of a schema', () => {
  it('is checked when it is a known format; unknown formats and words are not', () => {
    expect(problems({ format: 'email' }, 'x')).toEqual(['must match format "email"']);
    expect(problems({ format: 'date-time' }, '2026-01-02T03:04:05Z')).toEqual([]);
    expect(problems({ format: 'zip', 'x-ui': {}, id: 'of draft-04', example: 1 }, 'x')).toEqual([]);
  });
  it('may be a pattern without the flag u', () => {
    expect(problems({ pattern: String.raw`^[\w-.]+\@$` }, 'a.b-c@')).toEqual([]);
    expect(problems({ pattern: String.raw`^https\:\/\/` }, 'ftp://')).toHaveLength(1);
    expect(problems({ pattern: String.raw`^\p{Lu}$` }, 'É')).toEqual([]);
  });
  it.each([
    ...['(', '(?i)^a$', '^a++$', '^[[:alpha:]]+$', '^[a-z&&[^b]]$', '^[]a]$', '^a{,5}$'],
    ...[String.raw`\Aa\z`, String.raw`^\h+$`, String.raw`^\pL+$`, String.raw`^\x{61}$`],
  ])(
    'may be the pattern %s of another language, which is not checked and told as such; the rest counts',
    (pattern) => {
      const schema = { properties: { a: { type: 'string', pattern }, n: text } };
      const unused = `its pattern cannot be read here: ${pattern}`;
      expect(validate(schema, { a: '1' })).toEqual({ ok: true, unused });
      expect(problems(schema, { a: '1', n: 1 })).toEqual(['n: must be string']);
      expect(problems({ patternProperties: { [pattern]: { type: 'number' } } }, { a: 'x' })).toBe(unused);
    },
  );
  it('adds nothing to a value, and makes nothing of it', () => {
    const value = Object.freeze({ n: '1' });
    const schema = { properties: { n: { type: 'number' }, d: { default: 1 } }, additionalProperties: false };
    expect(problems(schema, value)).toEqual(['n: must be number']);
    expect(value).toEqual({ n: '1' });
  });
});

describe('the problems that are told', () => {
  it('are told by field, of a choice with or, and of properties by their own name', () => {
    const schema = {
      properties: {
        a: { anyOf: [text, { type: 'null' }] },
        b: { type: 'array', items: { enum: ['x', 'y'] } },
        c: { minimum: 1, multipleOf: 5 },
      },
      required: ['z'],
      unevaluatedProperties: false,
    };
    expect(problems(schema, { a: 1, b: ['x', 'q'], c: -1, e: 1 })).toEqual([
      'z: is missing',
      'a: must be string or must be null',
      'b.1: must be one of "x", "y"',
      'c: must be >= 1 and must be multiple of 5',
      'e: is not a property that it may have',
    ]);
    const conditional: object = JSON.parse(
      '{"if":{"properties":{"a":{"const":1}}},"then":{"required":["b"]}}',
    );
    expect(problems(conditional, { a: 1 })).toEqual(['b: is missing']);
    expect(problems({ propertyNames: { maxLength: 2 }, properties: { a: false } }, { a: 1, abc: 1 })).toEqual(
      [
        'abc: must NOT have more than 2 characters and is a name that it may not have',
        'a: must not be there',
      ],
    );
  });
  it('are one short line each, whatever properties are called', () => {
    const name = `a/b~c\n${'x'.repeat(500)}`;
    const [line = ''] = problems({ additionalProperties: { type: 'null' } }, { [name]: 1 });
    expect(line).toMatch(/^"a\/b~c\\nx+…: must be null$/);
    expect(line.length).toBeLessThan(100);
  });
  it('are one for a value too large to tell of all', () => {
    const list = Array.from({ length: 300_000 }, () => 1);
    expect(problems({ items: text }, list)).toEqual(['0: must be string']);
  });
});

describe('a verdict', () => {
  const person = { type: 'object', properties: { age: { type: 'integer' } }, required: ['name'] };
  it('names the place of what is wrong and never the value, each time alike', () => {
    const wrong = ['name: is missing', 'age: must be integer'];
    for (let n = 0; n < 2; n += 1) expect(problems(person, { age: 'hunter2' })).toEqual(wrong);
    for (const value of ['hunter2', undefined]) expect(problems(person, value)).toEqual(['must be object']);
    expect(problems(person, { name: 7, more: [] })).toEqual([]);
  });
  it('takes for a property only what the value itself has', () => {
    const properties = { constructor: text };
    expect(problems({ properties, required: ['toString'] }, {})).toEqual(['toString: is missing']);
    expect(problems({ properties }, {})).toEqual([]);
  });
  it.each([{ type: 'strng' }, { required: 7 }, null, 7, 'x', []])(
    'is not given where the schema cannot be used, with the reason: %j',
    (schema) => {
      expect(validate(schema as never, 1)).toEqual({
        ok: 'unchecked',
        reason: expect.stringMatching(/^it (is no object|cannot be compiled: .)/) as string,
      });
    },
  );
});

describe('schemas of strangers', () => {
  it('a $ref out of a schema is a refusal of the schema, and fetches nothing', () => {
    expect(problems({ $ref: 'https://h.example/s.json' }, 1)).toBe(
      'its $ref leads out of it, and nothing is fetched: https://h.example/s.json',
    );
    expect(problems({ $ref: '#/$defs/none' }, 1)).toBe('its $ref leads nowhere: #/$defs/none');
    expect(problems({ $id: 'https://h.example/a', $ref: 'b' }, 1)).toMatch(/leads out of it/);
  });
  it('two schemas that have the same $id, outside or inside, are two', () => {
    const named = (type: string) => ({
      $id: 'https://h.example/s',
      properties: { p: { $ref: 'part' } },
      $defs: { part: { $id: 'part', type } },
    });
    expect(problems(named('string'), { p: 1 })).toEqual(['p: must be string']);
    expect(problems(named('number'), { p: 1 })).toEqual([]);
    // A part that one schema named is unknown in other schemas.
    expect(problems({ $ref: 'https://h.example/part' }, 1)).toMatch(/leads out of it/);
  });
  it('a schema that takes the name of a dialect changes nothing for others', () => {
    const { $schema } = draft07;
    expect(problems({ $schema, $id: $schema, type: 'string' }, 1)).toEqual(['must be string']);
    expect(problems({ $schema, minimum: 'x' }, 1)).toMatch(/^it cannot be compiled: minimum/);
  });
  it('no text of a schema becomes code', () => {
    const evil = "');globalThis.pwned=1;('${globalThis.pwned=1}`\\u2028\n*/globalThis.pwned=1//";
    const schema = {
      ...{ $id: evil, title: evil, description: evil, $comment: evil, [evil]: evil },
      properties: { [evil]: { const: evil, format: evil, pattern: evil.replace(/[()]/g, '') } },
      ...{ required: [evil], enum: [{ [evil]: 1 }], patternProperties: { 'a"b`c\\\\': { const: evil } } },
      ...{ dependentRequired: { [evil]: [evil] }, $defs: { [evil]: { $anchor: 'a', type: 'string' } } },
    };
    const parts = Object.entries(schema).map(([key, part]) => ({ [key]: part }));
    for (const part of [schema, ...parts]) problems(part, { [evil]: 1, 'a"b`c\\': 2 });
    expect(problems({ required: [evil], properties: { [evil]: { const: evil } } }, { [evil]: evil })).toEqual(
      [],
    );
    expect('pwned' in globalThis).toBe(false);
  });
  it('$async is no way to an answer later', () => {
    expect(problems({ $async: true, type: 'string' }, 1)).toMatch(/asynchronously/);
    expect(problems({ properties: { a: { $async: true, ...text } } }, { a: 1 })).toMatch(/async/);
  });
  it('__proto__ is a property like any other or none, and changes no other object', () => {
    const schema = JSON.parse(
      '{"properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}',
    ) as object;
    expect(problems(schema, {})).toEqual(['__proto__: is missing']);
    expect(Array.isArray(problems(schema, JSON.parse('{"__proto__":{"polluted":1}}')))).toBe(true);
    expect('polluted' in {}).toBe(false);
  });
  it('what is too large, too deep or a ring is not compiled', () => {
    let deep: object = {};
    for (let level = 0; level < 100_000; level += 1) deep = { not: deep };
    const ring: Record<string, unknown> = {};
    ring['not'] = ring;
    const long = { description: 'x'.repeat(300_000) };
    const wide = { enum: Array.from({ length: 1_000_000 }, (_, n) => n) };
    for (const schema of [deep, ring, long, wide]) expect(problems(schema, 1)).toMatch(/^it is too large/);
  });
  it('a check that takes too long is stopped, and after three such values not asked again', () => {
    const doubling = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [
        `d${n}`,
        { allOf: [1, 2].map(() => ({ $ref: `#/$defs/d${n + 1}` })) },
      ]),
    );
    const slow: readonly (readonly [object, unknown])[] = [
      [{ pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`],
      [{ $ref: '#/$defs/d0', $defs: { ...doubling, d40: { type: 'number' } } }, 1],
      [{ uniqueItems: true }, Array.from({ length: 100_000 }, (_, n) => ({ n }))],
      [{ format: 'url' }, `http://${'::'.repeat(40_000)}`],
      [{ anyOf: Array.from({ length: 300 }, () => ({ format: 'url' })) }, `http://${'::'.repeat(900)}`],
    ];
    const impatient = createValidate({ ...patient, checkMs: 100 });
    const reason = 'judging by it takes more than 100 ms';
    for (const [schema, value] of slow)
      expect(impatient(schema as never, value)).toEqual({ ok: 'unchecked', reason });
    const pattern = { pattern: '^(a+)+$' };
    expect(impatient(pattern, 'aaa')).toEqual({ ok: true });
    for (let strike = 0; strike < 3; strike += 1) impatient(pattern, `${'a'.repeat(60)}!`);
    expect(impatient(pattern, 'aaa')).toEqual({ ok: 'unchecked', reason });
  });
  it('the number of mistakes told of what is small depends on no clock', () => {
    const schema = { properties: { a: text, b: text, c: text } };
    // A limit of 0 ms would fail at once if the clock were read.
    const timeless = createValidate({ ...patient, checkMs: 0 });
    const problems = ['a', 'b', 'c'].map((name) => `${name}: must be string`);
    expect(timeless(schema, { a: 1, b: 2, c: 3 })).toEqual({ ok: false, problems });
  });
  it('a schema that leads in a ring, and a value deeper than the stack, are not checked', () => {
    expect(problems({ $ref: '#' }, 1)).toBe('judging by it goes too deep');
    let deep: unknown = 1;
    for (let level = 0; level < 200_000; level += 1) deep = { a: deep };
    expect(problems({ properties: { a: { $ref: '#' } } }, deep)).toBe('judging by it goes too deep');
    expect(problems({ type: 'object' }, deep)).toEqual([]);
  });
});

const words = fc.constantFrom(
  ...['type', 'items', 'prefixItems', 'properties', 'required', '$ref', '$id', '$schema', '$defs', 'anyOf'],
  ...['not', 'if', 'then', 'pattern', 'format', 'enum', 'const', 'uniqueItems', 'minimum', '__proto__'],
  ...['nullable', '$async', '$anchor', '$dynamicRef', 'unevaluatedProperties', 'patternProperties', 'id'],
);
const leaves = fc.oneof(
  fc.constantFrom('string', 'object', 'array', '#', '#/$defs/a', 'a', '(', '^a*$', 'date', 'a/b', ''),
  fc.constantFrom<unknown>(...[draft07.$schema, 0, -1, true, null, undefined, 10n, NaN]),
);
const likeSchema = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 5 },
    leaves,
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(words, tie('node'), { maxKeys: 4, noNullPrototype: false }),
  ),
})).node;

it('any schema and value get an answer, and nothing throws', () => {
  const seen = new Set<unknown>();
  fc.assert(
    fc.property(fc.oneof(likeSchema, fc.anything()), fc.oneof(likeSchema, fc.anything()), (schema, value) => {
      const validity = validate(schema as never, value);
      seen.add(validity.ok);
      if (validity.ok === false) {
        expect(validity.problems.length).toBeGreaterThan(0);
        expect(validity.problems.length).toBeLessThanOrEqual(5);
      } else if (validity.ok === 'unchecked') expect(validity.reason).not.toBe('');
    }),
    // These examples cover each kind of answer, whatever the random values are.
    {
      numRuns: 300,
      examples: [
        [{ type: 'string' }, 1],
        [{}, 1],
        [null, 1],
      ],
    },
  );
  expect(seen).toEqual(new Set([true, false, 'unchecked']));
});
