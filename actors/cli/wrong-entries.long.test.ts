import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

/**
 * Tests that a file with one wrong entry loses only that entry when it is imported, named with `--config`, or found in
 * the folder.
 */
const root = testFolder('wrong');
let folders = 0;
function written(name: string, text: string) {
  const folder = join(root, String((folders += 1)));
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return { folder, file };
}
interface Listed {
  readonly servers: readonly { readonly name: string; readonly disabled: boolean }[];
  readonly left_out: readonly { readonly name: string }[];
}
const namesIn = ({ servers }: Pick<Listed, 'servers'>): string[] =>
  servers.map(({ name, disabled }) => (disabled ? `${name} off` : name));
async function listed(argv: readonly string[], folder?: string) {
  const { code, out, err } = await commandLine(
    ['list', '--json', ...argv],
    folder === undefined ? {} : { folder },
  );
  if (code !== 0) throw new Error(err);
  return JSON.parse(out) as Listed;
}
const map = (entries: string): string => `{"mcpServers": {"good": {"command": "x"}, ${entries}}}`;
const opencode = (tools: string): string =>
  `{"mcp": {"a": {"type": "local", "command": ["x"], "enabled": true}, "good": {"type": "local", "command": ["x"]}}, "tools": ${tools}}`;
const anyway = 'mcp.json';

/** Rows of: title, file name, file text, names of servers that run, names of entries that are left out. */
const files: readonly (readonly [string, string, string, readonly string[], readonly string[]])[] = [
  ['args as text', anyway, map('"bad": {"command": "x", "args": "-y"}'), ['good'], ['bad']],
  ['an entry that is no object', anyway, map('"bad": 7'), ['good'], ['bad']],
  ['a blank name', anyway, map('"": {"command": "x"}'), ['good'], ['']],
  ['a key twice in an entry', anyway, map('"bad": {"command": "x", "command": "y"}'), ['good'], ['bad']],
  [
    'a server twice',
    anyway,
    map('"bad": {"command": "x"}, "bad": {"command": "y"}'),
    ['good'],
    ['bad', 'bad'],
  ],
  [
    'a variable twice',
    anyway,
    map('"bad": {"command": "x", "env": {"A": "1", "A": "2"}}'),
    ['good'],
    ['bad'],
  ],
  [
    'oauth of Claude Code',
    '.mcp.json',
    map('"a": {"url": "http://h", "oauth": {"callbackPort": 1}}'),
    ['good', 'a'],
    [],
  ],
  [
    'isActive of Cherry Studio',
    anyway,
    map('"a": {"command": "x", "isActive": false}'),
    ['good', 'a off'],
    [],
  ],
  ['a tool hidden in opencode', 'opencode.json', opencode('{"a_t": false}'), ['a', 'good'], []],
  ['all tools hidden in opencode', 'opencode.json', opencode('{"a_*": false}'), ['a off', 'good'], []],
  [
    'all tools but one in opencode',
    'opencode.json',
    opencode('{"a_*": false, "a_t": true}'),
    ['a', 'good'],
    [],
  ],
  [
    'dev of VS Code',
    '.vscode/mcp.json',
    '{"servers": {"good": {"command": "x", "dev": {"watch": "*"}}}}',
    ['good'],
    [],
  ],
  ['mcpServers in a file of VS Code', 'Code/User/mcp.json', map('"a": {"command": "y"}'), ['good', 'a'], []],
  [
    'mcpServers beside servers of VS Code',
    '.vscode/mcp.json',
    '{"servers": {"good": {"command": "x"}}, "mcpServers": {"b": {"command": "y"}}}',
    ['good'],
    [],
  ],
  [
    'transport beside httpUrl of Gemini',
    'x.json',
    map('"a": {"httpUrl": "http://h"}, "b": {"transport": "http", "url": "http://h"}'),
    ['good', 'a', 'b'],
    [],
  ],
  ['a local type', 'mcp-config.json', map('"a": {"type": "local", "command": "y"}'), ['good', 'a'], []],
  [
    'a time of Cline',
    'cline_mcp_settings.json',
    map('"a": {"command": "y", "timeout": 60}'),
    ['good', 'a'],
    [],
  ],
];
/** Tells whether `a2c` finds a file of this name in its folder without `--config`. */
const isFound = (name: string): boolean => name === '.mcp.json' || name === 'mcp.json';

describe('a file with a wrong entry', () => {
  it.each(files)('is taken by --config without that entry: %s', async (_what, name, text, servers, left) => {
    const all = await listed(['-c', written(name, text).file]);
    expect(namesIn(all)).toEqual(servers);
    expect(new Set(all.left_out.map((each) => each.name))).toEqual(new Set(left));
  });
  it.each(files.filter(([, name]) => isFound(name)))(
    'is taken from the folder without that entry: %s',
    async (_what, name, text, servers) => {
      expect(namesIn(await listed([], written(name, text).folder))).toEqual(servers);
    },
  );
  it.each(files)('is imported as --config takes it: %s', async (_what, name, text, servers, left) => {
    const { file } = written(name, text);
    const ours = join(dirname(file), 'ours.json');
    const { code, out } = await commandLine(['import', file, '--yes', '-c', ours]);
    expect(code).toBe(0);
    expect(namesIn(await listed(['-c', ours]))).toEqual(servers);
    for (const lost of left.filter(Boolean)) expect(out).toMatch(new RegExp(`left out  ${lost}: `));
  });
});
describe('a server that is wrong', () => {
  it.each([['list'], ['get', 'bad'], ['export'], ['tools'], ['doctor'], ['tools', 'bad']])(
    'is told, with its place and why: %s %s',
    async (...words) => {
      const { file } = written(anyway, map('"bad": {"command": "x", "args": "-y"}'));
      const { out, err } = await commandLine([...words, '-c', file]);
      expect(out + err).toContain('mcpServers.bad.args: expected a list, got a string');
    },
  );
  it('keeps its name from others, can be removed, and does not keep others from being changed', async () => {
    const { file } = written(anyway, map('"bad": {"command": "x", "args": "-y"}'));
    expect((await commandLine(['add', 'bad', '-c', file, '--', 'y'])).code).toBe(1);
    expect((await commandLine(['add', 'new', '-c', file, '--', 'y'])).code).toBe(0);
    expect((await commandLine(['disable', 'good', '-c', file])).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('"-y"');
    expect((await commandLine(['remove', 'bad', '-c', file])).code).toBe(0);
    expect(await listed(['-c', file])).toMatchObject({ left_out: [] });
  });
  it('makes the file a mistake when it is the only one', async () => {
    const { file } = written(anyway, '{"mcpServers": {"bad": {"command": 7}}}');
    const { code, err } = await commandLine(['list', '-c', file]);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining('mcpServers.bad.command') as string,
    });
  });
  it('says that an input is not defined to the servers that need it', async () => {
    const text =
      '{"mcpServers": {"a": {"command": "${input:i}"}}, "inputs": [{"type": "promptString", "id": 7}]}';
    const { code, out } = await commandLine(['list', '--json', '-c', written(anyway, text).file]);
    expect([code, (JSON.parse(out) as { warnings: string[] }).warnings]).toEqual([
      0,
      [
        expect.stringMatching(/^inputs\[0\].id: .*: this input is left out$/),
        'server "a" needs the input i, which inputs does not define',
      ],
    ]);
  });
  it.each([
    ['mcpServers twice', '{"mcpServers": {}, "mcpServers": {}}'],
    ['settings twice', '{"mcpServers": {"a": {"command": "x"}}, "a2c": {}, "a2c": {}}'],
    ['a wrong setting', '{"mcpServers": {"a": {"command": "x"}}, "a2c": 7}'],
    ['two maps', '{"mcpServers": {"a": {"command": "x"}}, "servers": {}}'],
  ])('is not what %s means: that is a mistake of the file', async (_what, text) => {
    expect((await commandLine(['list', '-c', written(anyway, text).file])).code).toBe(1);
  });
});
