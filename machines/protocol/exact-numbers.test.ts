import { describe, expect, it } from 'vitest';
import { readArguments } from '../models/arguments.ts';
import { isRounded, roundedArguments, roundedResults } from './json.ts';

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
