import { describe, expect, it } from 'vitest';
import { readArguments } from '../models/arguments.ts';
import { excessBytes, isRounded, mostLevels, roundedArguments, roundedResults } from './json.ts';
import fc from 'fast-check';

const long = '1917043659912705296';
const schema = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    text: { type: 'string' },
    float: { type: 'number' },
    ids: { type: 'array', items: { type: 'integer' } },
    named: { $ref: '#/$defs/number' },
  },
  $defs: { number: { type: 'number' }, round: { $ref: '#/$defs/round' } },
};

describe('an integer that a number cannot hold', () => {
  it.each([
    [long, true],
    [`-${long}`, true],
    ['9007199254740993', true],
    ['1e400', true],
    ['9007199254740991', false],
    ['5', false],
    ['0.1234567890123456789', false],
  ])('%s is known by its value: %s', (literal, isOne) => {
    expect(isRounded(JSON.parse(literal))).toBe(isOne);
  });
  it.each([
    `{"id":${long}}`,
    `{"ids":[1,${long}]}`,
    `{'id': ${long}}`,
    `{"text":${long}}`,
    { id: Number(long) },
  ])('is refused in the answer of a model, with what to do: %j', (given) => {
    const read = readArguments(given, schema);
    expect(read).toMatchObject({
      ok: false,
      failure: { code: 'BadRequest', message: expect.stringContaining('19170436599127') },
    });
    expect(read).toMatchObject({ failure: { remedy: expect.stringContaining('as text') } });
    expect(readArguments(given).ok).toBe(false);
  });
  it('is taken where the schema says number, and in what holds itself', () => {
    const ring: { self?: unknown; float: number; named: number } = { float: 1e300, named: 2 ** 60 };
    ring.self = [ring, ring];
    expect(roundedArguments(ring, schema)).toEqual([]);
    expect(roundedArguments({ id: Number(long), ids: [2 ** 53] }, schema)).toHaveLength(2);
  });
  it('is named in a result by its path, and more than twenty are counted', () => {
    const all = Array.from({ length: 25 }, () => Number(long));
    const said = roundedResults('structuredContent', { a: [{ all }] });
    expect(said[0]).toBe(
      'structuredContent.a[0].all[0] may have lost digits: it is read as 1917043659912705300',
    );
    expect(said.slice(20)).toEqual(['5 more integers may have lost digits']);
  });
});

it('exactly what is larger than the limit as JSON is found', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(60), (value, limitBytes) => {
      const bytes = Buffer.byteLength(JSON.stringify(value));
      return excessBytes(value, limitBytes) === (bytes > limitBytes ? bytes : undefined);
    }),
  );
});
it('characters of each width are counted as their bytes', () => {
  for (const text of ['a', 'é', '€', '😀', '\u0000', '"', '\ud800'])
    expect(excessBytes(text.repeat(9), 1)).toBe(Buffer.byteLength(JSON.stringify(text.repeat(9))));
});
it('what cannot be written is infinitely large', () => {
  const ring: unknown[] = [];
  ring.push(ring);
  expect(excessBytes(ring, 1000)).toBe(Infinity);
});
it('what is nested too deep is infinitely large, however few its bytes and wherever that is', () => {
  const nested = (levels: number, wrap: (inner: unknown) => unknown): unknown =>
    Array.from({ length: levels }).reduce<unknown>(wrap, 1);
  for (const wrap of [(inner: unknown) => [inner], (a: unknown) => ({ a })]) {
    const allowed = nested(mostLevels, wrap);
    const deep = nested(mostLevels + 1, wrap);
    const bytes = JSON.stringify(allowed).length;
    expect([excessBytes(allowed, 1e6), excessBytes(allowed, 1)]).toEqual([undefined, bytes]);
    for (const value of [deep, { long: 'x'.repeat(100), deep }, nested(100_000, wrap)])
      for (const limit of [0, 10, 200, 2_500, 10_000, 1e9]) expect(excessBytes(value, limit)).toBe(Infinity);
  }
  // An empty list in the last allowed level still counts as one more level.
  expect(
    excessBytes(
      nested(mostLevels, (inner) => [inner === 1 ? [] : inner]),
      1e6,
    ),
  ).toBe(Infinity);
});

const anyText = fc
  .array(fc.constantFrom('a', '"', '\\', '\n', '\u0001', '\u007f', 'é', '€', '😀', '\ud800', '\udc00'))
  .chain((some) => fc.constantFrom(1, 300).map((times) => some.join('').repeat(times)));
it('long texts are counted exactly, wherever they are, also in objects that write themselves', () => {
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 6 },
      anyText,
      fc.constantFrom(undefined, null, 1e21, new Date(0), Object('x'.repeat(2_000))),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(fc.oneof(fc.constantFrom('__proto__', 'toJSON'), anyText), tie('tree'), { maxKeys: 3 }),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      const bytes = Buffer.byteLength(JSON.stringify(value) ?? '');
      expect(excessBytes(value, -1)).toBe(bytes);
    }),
  );
});
