import { describe, expect, it } from 'vitest';
import { readArguments } from '../models/arguments.ts';
import { digitsIn, isInexact, roundedArguments, withDigits } from './json.ts';

const long = '1917043659912705296';
const schema = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    text: { type: 'string' },
    either: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
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
    ['9'.repeat(400), true],
    ['9007199254740992', false],
    ['1152921504606846976', false],
    ['5', false],
    ['0.1234567890123456789', false],
    ['1e22', false],
  ])('%s is known by its digits', (literal, isOne) => {
    expect(isInexact(literal)).toBe(isOne);
    expect(digitsIn(`{"a":[0,{"b":${literal}}]}`)).toEqual(
      isOne ? [{ path: ['a', 1, 'b'], digits: literal }] : [],
    );
  });
  it('is not looked for in texts, and a text cannot pretend to be one', () => {
    const text = JSON.stringify({ a: `{"b":${long}}`, c: `\u{e000}digits:${long}`, d: `'${long}` });
    expect(digitsIn(text)).toEqual([]);
    expect(digitsIn(`{"c":"\u{e000}digits:7","n":${long}}`)).toEqual([{ path: ['n'], digits: long }]);
  });
  it('stands as text where it was, and nothing else is changed', () => {
    const text = `{"id":${long},"f":0.1,"__proto__":{"x":${long}},"e":1e400}`;
    expect(JSON.stringify(withDigits(JSON.parse(text), digitsIn(text)))).toBe(
      `{"id":"${long}","f":0.1,"__proto__":{"x":"${long}"},"e":"1e400"}`,
    );
  });
  it.each([
    [`{"text":${long}}`, { text: long }],
    [`{"either":${long}}`, { either: long }],
    [`{either: ${long},}`, { either: long }],
    [`{"other":${long}}`, { other: long }],
  ])('becomes text in the answer of a model where the schema lets a text stand: %s', (given, value) => {
    expect(readArguments(given, schema)).toEqual({ ok: true, value });
  });
  it.each([`{"id":${long}}`, `{"ids":[1,${long}]}`, `{'id': ${long}}`, { id: Number(long) }])(
    'is refused in the answer of a model elsewhere, with what to do: %j',
    (given) => {
      const read = readArguments(given, schema);
      expect(read).toMatchObject({
        ok: false,
        failure: { code: 400, message: expect.stringContaining('19170436599127') },
      });
      expect(read).toMatchObject({ failure: { remedy: expect.stringContaining('as text') } });
      expect(readArguments(given).ok).toBe(false);
    },
  );
  it('is refused as a value that was rounded already, but for floats and what holds itself', () => {
    const ring: { self?: unknown; float: number; named: number } = { float: 1e300, named: 2 ** 60 };
    ring.self = [ring, ring];
    expect(roundedArguments(ring, schema)).toEqual([]);
    expect(roundedArguments({ id: Number(long), ids: [2 ** 53] }, schema)).toHaveLength(2);
  });
});
