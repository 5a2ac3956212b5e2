import { describe, expect, it } from 'vitest';
import { edited, placed, type Edit } from './edits.ts';
import { parseConfig } from '../parse.ts';
import { readJson } from '../foreign/json-text.ts';

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
  it('that changes nothing leaves every byte', () => {
    const same: readonly Edit[] = [
      { path: ['theirs', 'kept'], value: true },
      { path: ['none'], remove: true },
      { path: ['mcpServers', 'a', 'args'], add: '1' },
      { path: ['mcpServers', 'a', 'args'], drop: '2' },
    ];
    expect(after(text, ...same)).toBe(text);
  });
  it('adds to a list and drops from it, and makes the list', () => {
    const added = after(text, { path: ['a2c', 'removedBuiltIns'], add: 'A' });
    expect(valueOf(added)['a2c']).toEqual({ removedBuiltIns: ['A'] });
    expect(valueOf(after(added, { path: ['a2c', 'removedBuiltIns'], drop: 'A' }))['a2c']).toEqual({
      removedBuiltIns: [],
    });
  });
  it('removes an entry', () => {
    expect(valueOf(after(text, { path: ['mcpServers', 'a'], remove: true }))['mcpServers']).toEqual({});
  });
  it('that must not find an entry changes nothing when there is one', () => {
    const edits: readonly Edit[] = [
      { path: ['theirs'], remove: true },
      { path: ['mcpServers', 'a'], value: 1, unlessThere: true },
    ];
    expect(edited(text, edits)).toEqual({ ok: true, text, isTaken: true });
  });
  it.each(['__proto__', '/', '服务器', 'a.b', 'constructor'])('takes any name: %s', (name) => {
    const now = valueOf(
      after('', { path: ['mcpServers', name], value: { command: 'y' }, unlessThere: true }),
    );
    expect(Object.entries(now['mcpServers'] as object)).toEqual([[name, { command: 'y' }]]);
    expect(
      edited(JSON.stringify(now), [{ path: ['mcpServers', name], value: 1, unlessThere: true }]),
    ).toMatchObject({
      isTaken: true,
    });
  });
  it('of a text that is none, or says a key twice, is its mistakes', () => {
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
    expect(placed(wrong, parsed.mistakes)).toMatchObject([
      { path: 'mcpServers.a.args', line: 5, column: 15 },
    ]);
  });
  it('of what is not there has those of what is around it', () => {
    expect(placed(wrong, [{ path: 'mcpServers.a.env.KEY', message: 'is missing' }])).toMatchObject([
      { line: 3, column: 10 },
    ]);
  });
});
