import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { typedInShell } from '../../adapters/optional-packages.ts';
import { userConfigFile } from '../../adapters/applications/config-files.ts';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Tests of `a2c add`, `remove`, `enable`, `disable`, `list` and `get` on a config file that is named. */
const folder = testFolder('config-file');
let files = 0;
const nextFile = (): string => join(folder, `${(files += 1)}.json`);
const serversIn = (file: string): unknown =>
  (JSON.parse(readFileSync(file, 'utf8')) as { mcpServers: unknown }).mcpServers;

describe('a2c add', () => {
  it.each([
    [['npx', '-y', 'pkg', '.'], { command: 'npx', args: ['-y', 'pkg', process.cwd()] }],
    [['http://127.0.0.1:1/mcp'], { url: 'http://127.0.0.1:1/mcp' }],
    [["{command: 'uvx', args: ['x']}"], { command: 'uvx', args: ['x'] }],
  ])('%j makes the file and the entry', async (target, entry) => {
    const file = nextFile();
    const { code, out } = await commandLine(['add', 'new', '-c', file, '--', ...target]);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining(`added new in ${file}\n`) });
    expect(serversIn(file)).toEqual({ new: entry });
  });

  it.each([
    [
      ['claude', 'mcp', 'add', '--transport', 'http', 'new', 'https://e.com/mcp'],
      { url: 'https://e.com/mcp' },
    ],
    [
      ['claude', 'mcp', 'add', '-s', 'user', '-t', 'sse', 'new', 'https://e.com/sse'],
      { type: 'sse', url: 'https://e.com/sse' },
    ],
    [
      ['claude', 'mcp', 'add', 'new', '-e', 'A=1', '--', 'npx', '-y', 'pkg'],
      { command: 'npx', args: ['-y', 'pkg'], env: { A: '1' } },
    ],
    [
      ['codex', 'mcp', 'add', 'new', '--env', 'A=1', '--', 'npx', '-y', 'pkg'],
      { command: 'npx', args: ['-y', 'pkg'], env: { A: '1' } },
    ],
    [
      ['gemini', 'mcp', 'add', '-t', 'http', 'new', 'https://e.com/mcp', '-H', 'X: 1'],
      { url: 'https://e.com/mcp', headers: { X: '1' } },
    ],
    [['mcp', 'add-json', 'new', '{"command":"npx","args":["pkg"]}'], { command: 'npx', args: ['pkg'] }],
    [['code', '--add-mcp', '{"name":"new","command":"npx"}'], { command: 'npx' }],
  ])('takes what is pasted: %j', async (argv, entry) => {
    const file = nextFile();
    const at = argv.includes('--') ? argv.indexOf('--') : argv.length;
    const { code } = await commandLine([...argv.slice(0, at), '-c', file, ...argv.slice(at)]);
    expect([code, serversIn(file)]).toEqual([0, { new: entry }]);
  });

  it('refuses a transport that the target has not', async () => {
    const file = nextFile();
    expect(await commandLine(['add', 'new', '-t', 'http', '-c', file, '--', 'npx', 'x'])).toMatchObject({
      code: 64,
      err: expect.stringContaining('stdio takes a command, the others a URL'),
    });
  });

  it('quotes what is to be copied, and takes options of the command behind -- alone', async () => {
    const file = nextFile();
    const typo = await commandLine(['add', 'my server', '-c', file, '--', 'no-such-program', '--flag']);
    expect(typo.code).toBe(0);
    expect(typo.out).toContain(`see what it has: ${typedInShell(['a2c', 'tools', 'my server', '-c', file])}`);
    const flag = await commandLine(['add', 'x', 'node', 'x.js', '--flag', '-c', file]);
    expect(flag).toMatchObject({ code: 64, err: expect.stringContaining('a2c add NAME -- COMMAND --flag') });
    expect(serversIn(file)).toEqual({ 'my server': { command: 'no-such-program', args: ['--flag'] } });
  });

  it('takes variables, headers, a folder and a transport', async () => {
    const file = nextFile();
    await commandLine([
      'add',
      'a',
      '-e',
      'X=1=2',
      '-e',
      'Y=',
      '--cwd',
      folder,
      '--disabled',
      '-c',
      file,
      '--',
      'cmd',
    ]);
    await commandLine(['add', 'b', 'http://h/sse', '--sse', '-H', 'A: b: c', '-c', file]);
    expect(serversIn(file)).toEqual({
      a: { command: 'cmd', env: { X: '1=2', Y: '' }, cwd: folder, disabled: true },
      b: { type: 'sse', url: 'http://h/sse', headers: { A: 'b: c' } },
    });
  });

  it.each([
    ['a name that is taken', ['add', 'a', 'other'], "there is a server 'a' already", 1],
    ['a header of a command', ['add', 'b', 'cmd', '-H', 'A: b'], 'a command takes neither', 64],
    ['a variable without a value', ['add', 'b', 'cmd', '-e', 'A'], 'is not of the form KEY=value', 64],
    ['a word behind a URL', ['add', 'b', 'http://h', 'x'], 'stands behind the URL', 64],
    ['an entry that is no server', ['add', 'b', '{"x": 1}'], 'command', 1],
  ])('refuses %s, and the file stays as it is', async (_what, argv, message, exitCode) => {
    const file = nextFile();
    await commandLine(['add', 'a', '-c', file, '--', 'cmd']);
    const before = readFileSync(file, 'utf8');
    const { code, err } = await commandLine([...argv, '-c', file]);
    expect({ code, err }).toEqual({ code: exitCode, err: expect.stringContaining(message) });
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it('says when another file counts in this folder', async () => {
    const file = nextFile();
    const here = join(folder, 'project');
    mkdirSync(here);
    writeFileSync(join(here, 'mcp.json'), '{"mcpServers": {}}');
    const { err } = await commandLine(['add', 'a', '-c', file, '--', 'node'], { folder: here });
    expect(err).toBe('');
    const user = await commandLine(['add', 'a', '--', 'cmd'], { folder: here });
    expect(user.err).toContain(`in this folder ${join(here, 'mcp.json')} counts`);
    expect(user.out).toContain(`see what it has: a2c tools a -c ${userConfigFile()}\n`);
    // The config file of the user is shared by all tests of this process, so the test removes its entry.
    await commandLine(['remove', 'a'], { folder: here });
    rmSync(userConfigFile());
  });
});

describe('a2c enable, disable and remove', () => {
  it('change one entry, say so, and keep the comments', async () => {
    const file = nextFile();
    writeFileSync(file, '{\n  // mine\n  "mcpServers": { "a": { "command": "x" } }\n}\n');
    expect((await commandLine(['disable', 'a', '-c', file])).out).toBe(`disabled a in ${file}\n`);
    expect(readFileSync(file, 'utf8')).toContain('"disabled": true');
    expect((await commandLine(['disable', 'a', '-c', file])).out).toBe(`a is disabled already in ${file}\n`);
    const told = await commandLine(['enable', 'a', '-c', file, '--json']);
    expect(JSON.parse(told.out)).toEqual({ file, server: 'a', change: 'enabled' });
    expect((await commandLine(['remove', 'a', '-c', file])).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('// mine');
  });

  it('end with 1 and the nearest for an unknown name', async () => {
    const file = nextFile();
    await commandLine(['add', 'files', '-c', file, '--', 'cmd']);
    const { code, err } = await commandLine(['remove', 'fiels', '-c', file]);
    expect(code).toBe(1);
    expect(err).toContain('Did you mean files?');
  });
});

describe('a2c list and get', () => {
  it('show what the config says, secrets hidden, and start nothing', async () => {
    const file = nextFile();
    await commandLine(['add', 'a', '-e', 'TOKEN=secret', '-c', file, '--', 'no-such-command', 'x']);
    await commandLine(['add', 'b', 'http://h/mcp', '--disabled', '-c', file]);
    const { code, out } = await commandLine(['list', '-c', file]);
    expect(code).toBe(0);
    expect(out).toMatch(/^a {2}stdio +no-such-command x\nb {2}streamable {2}disabled +http:\/\/h\/mcp$/m);
    expect(JSON.parse((await commandLine(['list', '--json', '-c', file])).out)).toMatchObject({
      file,
      servers: [
        { name: 'a', type: 'stdio', disabled: false, tools: null },
        { name: 'b', type: 'streamable', disabled: true },
      ],
    });
    const shown = await commandLine(['get', 'a', '-c', file]);
    expect(shown.out).toContain('"TOKEN": "***"');
    expect(shown.out).not.toContain('secret');
    expect((await commandLine(['get', 'c', '-c', file])).code).toBe(1);
  });
  it.each<[string, object, object]>([
    [
      'mcpServers',
      {
        command: 'node',
        env: { TOKEN: 'S3CRET', PORT: '${env:PORT}' },
        envFile: '.env',
        x: { note: 'mine' },
      },
      { command: 'node', env: { TOKEN: '***', PORT: '${env:PORT}' }, envFile: '.env', x: { note: 'mine' } },
    ],
    [
      'servers',
      { type: 'http', url: 'https://u:S3CRET@h/mcp', requestInit: { headers: { Authorization: 'S3CRET' } } },
      { type: 'http', url: 'https://***@h/mcp', requestInit: { headers: { Authorization: '***' } } },
    ],
    [
      'context_servers',
      { command: 'x', args: ['--token', 'S3CRET', 'S3CRET'], env: null },
      { command: 'x', args: ['--token', '***', '***'], env: null },
    ],
  ])('show an entry of %s in the words of its file', async (key, entry, shown) => {
    const file = nextFile();
    writeFileSync(file, JSON.stringify({ [key]: { a: entry } }));
    const { code, out, err } = await commandLine(['get', 'a', '-c', file]);
    expect({ code, out: JSON.parse(out) as unknown }).toEqual({ code: 0, out: shown });
    expect(err).toBe(`${file}\na: starts with the others; its tools were not listed yet\n`);
    const { out: json } = await commandLine(['get', 'a', '--json', '-c', file]);
    expect(JSON.parse(json)).toEqual({ file, name: 'a', disabled: false, tools: null, entry: shown });
  });
});
