import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { roundedArguments } from '../protocol/json.ts';
import { readArguments } from './arguments.ts';

describe('arguments of a call', () => {
  it.each<[given: unknown, read: object]>([
    ['', {}],
    ['  \n', {}],
    [undefined, {}],
    [null, {}],
    ['null', {}],
    ['{a:1}', { a: 1 }],
    ['{"a":1}', { a: 1 }],
    [{ a: 1 }, { a: 1 }],
  ])('%j are read as %j', (given, read) => {
    expect(readArguments(given)).toEqual({ ok: true, value: read });
  });

  it.each([
    ['[1]', 'a list'],
    ['"s"', 'string'],
    ['{bad', 'text that is no JSON'],
    ['7', 'number'],
    ['true', 'boolean'],
    [[1], 'a list'],
    [7, 'number'],
  ])('%j must be a JSON object: they are %s', (given, what) => {
    expect(readArguments(given)).toEqual({
      ok: false,
      failure: {
        code: 'BadRequest',
        wireCode: 400,
        message: `The arguments must be a JSON object; they are ${what}`,
      },
    });
  });

  it.each<[text: string, read: object]>([
    ["{'a': 'it\\'s', 'b': [1, 2,],}", { a: "it's", b: [1, 2] }],
    ['{"a": True, "b": None, "c": -1.5e3}', { a: true, b: null, c: -1500 }],
    ['```json\n{"a": 1}\n```', { a: 1 }],
    ['{"text": "two\nlines"}', { text: 'two\nlines' }],
    ['{a: 1 /* one */, // the end\n}', { a: 1 }],
    ["{'__proto__': {x: 1}}", JSON.parse('{"__proto__":{"x":1}}')],
    ["{u: '\\u00e9\\n'}", { u: 'é\n' }],
    ['{"re": "\\d+\\.\\"\\\\", "path": "\\Users\\u12"}', { re: '\\d+\\."\\', path: '\\Users\\u12' }],
    ["{a: 'it\\'s \\`so\\` \\/ far'}", { a: "it's `so` / far" }],
    ['  ```json  \n\n{"a": "```\\n"}```\n', { a: '```\n' }],
    ['```\n{"a": 1,}\n  ```', { a: 1 }],
  ])('are read as they were meant: %s', (text, read) => {
    expect(readArguments(text)).toEqual({ ok: true, value: read });
  });

  it.each([
    '{"a":1',
    '{"a":',
    '{"a"',
    '{"a":"b',
    '{a:b}',
    '{a:1 b:2}',
    '{"a":1}}',
    '{"a":1} {"b":2}',
    '{,}',
    '{a:.}',
  ])('are never made up, where a text breaks off or says two things: %s', (text) => {
    expect(readArguments(text).ok).toBe(false);
  });

  it('are read by JSON alone wherever a text is JSON', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        fc.pre(roundedArguments(value, {}).length === 0);
        expect(readArguments(JSON.stringify(value))).toEqual({
          ok: true,
          value: JSON.parse(JSON.stringify(value)),
        });
      }),
    );
  });

  it('have an answer whatever the text is', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'{ } [ ] : , " \' \\ a b 1 . - / * \n'.split(' ')) }),
        (text) => typeof readArguments(text).ok === 'boolean',
      ),
    );
    expect(readArguments('['.repeat(100_000)).ok).toBe(false);
    for (const odd of ['\\"', '\\a', '_', '$', 'a ', '" ', '"\\"'])
      expect(readArguments(`{"a": "${odd.repeat(100_000)}`).ok).toBe(false);
    for (const odd of ['_', '$', 'a ', 'a-', '\\'])
      expect(readArguments(`{${odd.repeat(100_000)}`).ok).toBe(false);
    expect(readArguments(`{a:${'['.repeat(100_000)}`).ok).toBe(false);
    expect(readArguments(`{a: "${'x'.repeat(1_000_000)}",}`).ok).toBe(true);
    expect(readArguments(`\`\`\`json\n{"a": "x${'\n'.repeat(100_000)}`).ok).toBe(false);
  });
});
