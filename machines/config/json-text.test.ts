import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanJson } from './index.ts';

const said = (text: string): string => {
  const scanned = scanJson(text);
  return scanned.ok
    ? 'ok'
    : scanned.mistake.message.replace('is not valid JSON at ', '').replace(' (line:column)', '');
};
const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('broken JSON', () => {
  it.each([
    ['', '1:1: the file is empty'],
    [' \n', '2:1: the file is empty'],
    ['abc', '1:1: expected a value'],
    ['{\n  "a": 1,\n}', '3:1: remove the comma before this bracket'],
    ['[1,]', '1:4: remove the comma before this bracket'],
    ['{"a" 1}', '1:6: expected ":" after the key'],
    ['{"a": 1 "b": 2}', '1:9: expected "," or the closing bracket'],
    ['[1\n', '2:1: the file ends although the "[" of 1:1 is still open'],
    ['{"a": [1]', '1:10: the file ends although the "{" of 1:1 is still open'],
    ['{"a": "b\n"}', '1:9: a string must be closed on its own line'],
    ['{"a": "b', '1:9: this string is never closed'],
    ['{"a": "C:\\Users"}', '1:10: unknown escape in a string; a backslash is written "\\\\"'],
    ['// x\n{}', '1:1: comments are not allowed in JSON'],
    ["{'a': 1}", '1:2: JSON takes double quotes only'],
    ['{} {}', '1:4: expected the end of the file'],
    ['[}', '1:2: expected a value or "]"'],
    ['{]', '1:2: expected a key in double quotes or "}"'],
    ['01', '1:2: expected the end of the file'],
  ])('%j → %s', (text, message) => {
    expect(said(text)).toBe(message);
  });

  it('is what JSON.parse refuses, and nothing else', () => {
    const piece = fc.constantFrom(
      ...'{}[],:"\\/ \n'.split(''),
      '"a"',
      '-1.5e3',
      'true',
      'nul',
      '\\u00e4',
      '\u0001',
    );
    const text = fc.oneof(
      fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
      fc.json(),
      fc.tuple(fc.json(), fc.nat(), piece).map(([json, at, bit]) => {
        const cut = at % (json.length + 1);
        return json.slice(0, cut) + bit + json.slice(cut + 1);
      }),
    );
    fc.assert(
      fc.property(text, (json) => scanJson(json).ok === parses(json)),
      { numRuns: 5000 },
    );
  });

  it('may be nested deeper than any stack', () => {
    expect(said('['.repeat(200_000))).toContain('still open');
    expect(scanJson('['.repeat(200_000) + ']'.repeat(200_000))).toEqual({ ok: true, duplicates: [] });
  });
});

describe('keys that stand twice', () => {
  it('are named with their place, however they are written', () => {
    const scanned = scanJson(
      '{"mcpServers": {"git": {},\n "g\\u0069t": {}}, "x": [{"a": 1}, {"a": 1, "a": 2}]}',
    );
    expect(scanned).toEqual({
      ok: true,
      duplicates: [
        { path: 'mcpServers.git', message: 'stands twice in its object, again at 2:2' },
        { path: 'x[1].a', message: 'stands twice in its object, again at 2:44' },
      ],
    });
  });

  it('by the thousand do not take long', () => {
    const scanned = scanJson(`{${'"a":1,'.repeat(100_000)}"a":1}`);
    expect(scanned.ok && scanned.duplicates.length).toBe(50);
  });
});
