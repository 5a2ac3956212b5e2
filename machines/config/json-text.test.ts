import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { edited, withLines, type Edit } from './json-edits.ts';
import { readJson } from './json-text.ts';
import { mistakeLine } from './mistake.ts';
import { parseConfig } from './parse.ts';

const said = (text: string): string => {
  const scanned = readJson(text);
  return scanned.ok ? 'ok' : mistakeLine(scanned.mistake).replace('is not valid JSON: ', '');
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
    [' \n// x', '2:5: value expected'],
    ['abc', '1:1: invalid symbol'],
    ['{\n  "a": 1,,\n}', '2:10: property name expected'],
    ['[1\n', '2:1: close bracket expected'],
    ['{"a": "b\n"}', '1:7: unexpected end of string'],
    ['{"a": "C:\\Users"}', '1:7: invalid escape character'],
    ['{} {}', '1:4: end of file expected'],
    ['{\u201Ca\u201D: 1}', '1:2: the character U+201C means nothing in JSON'],
    ['{"a":\u00A01}', '1:6: the character U+00A0 means nothing in JSON'],
  ])('%j → %s', (text, message) => {
    expect(said(text)).toBe(message);
  });

  it('is exactly what JSON.parse refuses, but for comments and commas at the end; the rest has one value', () => {
    const words = ['"a"', '-1.5e3', 'true', 'nul', '\\u00e4', '\u0001'];
    const piece = fc.constantFrom(...'{}[],:"\\/ \n'.split(''), ...words);
    const text = fc.oneof(
      fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
      fc.json(),
      fc.tuple(fc.json(), fc.nat(), piece).map(([json, at, bit]) => {
        const cut = at % (json.length + 1);
        return json.slice(0, cut) + bit + json.slice(cut + 1);
      }),
    );
    fc.assert(
      fc.property(text, (json) => {
        const read = readJson(json);
        if (parses(json)) expect(read).toMatchObject({ ok: true, value: JSON.parse(json) as unknown });
        else if (read.ok) expect(json).toMatch(/[,/]/);
      }),
      { numRuns: 5000 },
    );
  });

  it('may be nested as deep as people nest, and no deeper than any stack', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(said(nested(500))).toBe('ok');
    expect(said(nested(501))).toBe('1:501: more than 500 brackets are open');
    expect(said('{"a":'.repeat(200_000))).toContain('more than 500 brackets are open');
  });
  it('reads what stands between comments and commas, and all keys', () => {
    const read = readJson('/**/{"a": [1, /* , */ 2 /*]*/ , // x\n], "__proto__": "//", "": "/*,}",}//');
    expect(JSON.stringify(read.ok && read.value)).toBe('{"a":[1,2],"__proto__":"//","":"/*,}"}');
    expect(readJson('/* 1 */ 2 /**/')).toEqual({ ok: true, value: 2, duplicates: [] });
  });
});

describe('keys that stand twice', () => {
  it('are named with their place, however they are written', () => {
    const scanned = readJson(
      '{"mcpServers": {"git": {},\n "g\\u0069t": {}}, "x": [{"a": 1}, {"a": 1, "a": 2}]}',
    );
    expect(scanned).toMatchObject({
      ok: true,
      duplicates: [
        { path: 'mcpServers.git', message: 'stands twice in its object, again at 2:2' },
        { path: 'x[1].a', message: 'stands twice in its object, again at 2:44' },
      ],
    });
  });

  it('thousands of keys that stand twice are found without delay', () => {
    const scanned = readJson(`{${'"a":1,'.repeat(100_000)}"a":1}`);
    expect(scanned.ok && scanned.duplicates.length).toBe(50);
  });
});

const text = `{
  // mine
  "mcpServers": {
    "a": { "command": "x", "args": ["1",], }, // the first
  },
  "theirs": {"kept": true},
}
`;
const after = (from: string, ...edits: readonly Edit[]): string => {
  const made = edited(from, edits);
  if (!made.ok) throw new Error(JSON.stringify(made.mistakes));
  return made.text;
};
const valueOf = (of: string): Record<string, unknown> => {
  const read = readJson(of);
  if (!read.ok) throw new Error(read.mistake.message);
  return read.value as Record<string, unknown>;
};

describe('an edit of a config', () => {
  it('changes what it names, and keeps comments, commas, order and keys of others', () => {
    const now = after(text, { path: ['mcpServers', 'b'], value: { command: 'y' } });
    expect(now).toContain('// mine');
    expect(now).toContain('"a": { "command": "x", "args": ["1",], }, // the first');
    expect(now).toContain('"theirs": {"kept": true},');
    expect(valueOf(now)).toMatchObject({ mcpServers: { a: { command: 'x' }, b: { command: 'y' } } });
  });
  it('an edit that changes nothing leaves every byte', () => {
    const same: readonly Edit[] = [
      { path: ['theirs', 'kept'], value: true },
      { path: ['none'], remove: true },
      { path: ['mcpServers', 'a', 'args'], add: '1' },
      { path: ['mcpServers', 'a', 'args'], drop: '2' },
    ];
    expect(after(text, ...same)).toBe(text);
  });
  it('adds to a list and drops from it, and makes the list', () => {
    const path = ['a2c', 'removedBuiltIns'];
    const added = after(text, { path, add: 'A' });
    expect(valueOf(added)['a2c']).toEqual({ removedBuiltIns: ['A'] });
    expect(valueOf(after(added, { path, drop: 'A' }))['a2c']).toEqual({ removedBuiltIns: [] });
  });
  it('removes an entry', () => {
    expect(valueOf(after(text, { path: ['mcpServers', 'a'], remove: true }))['mcpServers']).toEqual({});
  });
  it('an edit that must not find an entry changes nothing when there is one', () => {
    const edits: readonly Edit[] = [
      { path: ['theirs'], remove: true },
      { path: ['mcpServers', 'a'], value: 1, unlessThere: true },
    ];
    expect(edited(text, edits)).toEqual({ ok: true, text, isTaken: true });
  });
  it.each(['__proto__', '/', '服务器', 'a.b', 'constructor'])('takes any name: %s', (name) => {
    const edit = { path: ['mcpServers', name], value: { command: 'y' }, unlessThere: true } as const;
    const now = valueOf(after('', edit));
    expect(Object.entries(now['mcpServers'] as object)).toEqual([[name, { command: 'y' }]]);
    expect(edited(JSON.stringify(now), [edit])).toMatchObject({ isTaken: true });
  });
  it('an edit of a text that is no config, or says a key twice, gives its mistakes', () => {
    expect(edited('{"a": ', [])).toMatchObject({ ok: false, mistakes: [{ path: '' }] });
    expect(edited('{"a": 1, "a": 2}', [])).toMatchObject({ ok: false, mistakes: [{ path: 'a' }] });
  });
  it('keeps tabs and line ends', () => {
    const now = after('{\r\n\t"a": 1\r\n}', { path: ['b'], value: 2 });
    expect(now).toBe('{\r\n\t"a": 1,\r\n\t"b": 2\r\n}');
  });
});

describe('a mistake', () => {
  const wrong = '{\n  "mcpServers": {\n    "a": {\n      "command": "x",\n      "args": 7\n    }\n  }\n}';
  it('has the line and column of its value', () => {
    const parsed = parseConfig(valueOf(wrong));
    if (parsed.ok) throw new Error('it is wrong');
    expect(withLines(wrong, parsed.mistakes)).toMatchObject([
      { path: 'mcpServers.a.args', line: 5, column: 15 },
    ]);
  });
  it('a mistake about what is not there has the line and column of what is around it', () => {
    expect(withLines(wrong, [{ path: 'mcpServers.a.env.KEY', message: 'is missing' }])).toMatchObject([
      { line: 3, column: 10 },
    ]);
  });
});
