import { describe, expect, it } from 'vitest';
import { parseConfigText } from '../config/parse-text.ts';
import { editConfig, type ConfigChange } from './server-edits.ts';

const commented = `{
    // for work
    "mcpServers": {
        "files": { "command": "npx", "args": ["-y", "files"] }, // the files
        "web": { "url": "http://127.0.0.1:1/mcp", "disable": true },
    },
    "a2c": { "onConflict": "prefix" }
}
`;
const listed = '{"servers": [{"type": "stdio", "name": "one", "server_parameters": {"command": "x"}}]}';
const add = (name: string, entry: object, isReplacing = false) =>
  ({ what: 'add', name, entry, isReplacing }) as const;
const namesIn = (text: string): unknown => {
  const parsed = parseConfigText(text);
  return parsed.ok
    ? parsed.config.servers.map(({ name, disabled }) => (disabled ? `${name} off` : name))
    : parsed;
};
function textOf(text: string, change: ConfigChange): string {
  const edited = editConfig(text, change);
  if (!edited.ok) throw new Error(edited.failure.message);
  return edited.text;
}

describe('a change of a config', () => {
  it('makes a file of an empty text', () => {
    expect(namesIn(textOf('', add('a', { command: 'x' })))).toEqual(['a']);
  });

  it.each([
    ['adds', add('new', { command: 'x' }), ['files', 'web off', 'new']],
    ['removes', { what: 'remove', name: 'files' }, ['web off']],
    ['disables', { what: 'disable', name: 'files' }, ['files off', 'web off']],
    ['enables, by the word that the file has,', { what: 'enable', name: 'web' }, ['files', 'web']],
  ] as const)('%s one server and keeps the comments and the rest', (_what, change, names) => {
    const text = textOf(commented, change);
    expect(namesIn(text)).toEqual(names);
    expect(text).toContain('// for work');
    expect(text).toContain('"a2c": { "onConflict": "prefix" }');
    // A changed line may be rewritten; all other lines must stay as they were.
    const kept = commented.split('\n').filter((line) => text.split('\n').includes(line));
    expect(kept.length).toBeGreaterThan(commented.split('\n').length - 3);
  });

  it('writes a list in the shape of the protocol', () => {
    expect(namesIn(textOf(listed, add('two', { url: 'http://127.0.0.1:1' })))).toEqual(['one', 'two']);
    expect(namesIn(textOf(listed, { what: 'disable', name: 'one' }))).toEqual(['one off']);
    expect(namesIn(textOf('[]', add('two', { command: 'x' })))).toEqual(['two']);
  });

  it('defines the inputs that a new server names, once, as passwords beside the servers', () => {
    const one = textOf('', add('a', { command: 'x', env: { KEY: '${input:key}' } }));
    const two = textOf(one, add('b', { url: 'http://h', headers: { A: 'Bearer ${input:key}' } }));
    const parsed = parseConfigText(two);
    expect(parsed).toMatchObject({
      ok: true,
      config: { inputs: [{ type: 'promptString', id: 'key', password: true }], warnings: [] },
    });
    expect(parsed.ok && parsed.config.inputs.length).toBe(1);
    expect(textOf('[]', add('a', { command: 'x', env: { KEY: '${input:key}' } }))).not.toContain('password');
  });

  it('says so when it changes nothing', () => {
    const edited = editConfig(commented, { what: 'enable', name: 'files' });
    expect(edited).toMatchObject({ ok: true, isSame: true });
  });

  it('replaces only when it is told to', () => {
    expect(editConfig(commented, add('files', { command: 'y' }))).toMatchObject({ failure: { code: 409 } });
    expect(textOf(commented, add('files', { command: 'y' }, true))).toContain('"command": "y"');
  });

  const gone = { what: 'remove', name: 'x' } as const;
  it.each([
    ['an unknown server, with the nearest', commented, { what: 'remove', name: 'filse' }, /'filse'/],
    ['an entry with a mistake', commented, add('x', { command: 1 }), /command/],
    ['a file with a mistake', '{"mcpServers": 1}', gone, /mcpServers/],
    ['a file of another application', '{"context_servers": {"s": {}}}', gone, /in the words of Zed/],
    ['a file that is no JSON', '{', gone, /not valid JSON/],
    ['a file that is one server', '{"command": "x", "name": "x"}', gone, /one server/],
  ] as const)('refuses %s', (_what, text, change, message) => {
    const edited = editConfig(text, change);
    expect(edited).toMatchObject({ ok: false, failure: { message: expect.stringMatching(message) } });
    if (!edited.ok && change.what === 'remove' && text === commented)
      expect(edited.failure.remedy).toBe('Did you mean files?');
  });

  it('takes a name that every object has as any other', () => {
    const text = textOf('', add('constructor', { command: 'x' }));
    expect(namesIn(text)).toEqual(['constructor']);
    expect(editConfig('', { what: 'remove', name: 'constructor' })).toMatchObject({ ok: false });
    expect(namesIn(textOf('', add('__proto__', { command: 'x' })))).toEqual(['__proto__']);
  });
});
