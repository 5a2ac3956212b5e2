import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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
    ['claude mcp add --transport http new https://e.com/mcp', { url: 'https://e.com/mcp' }],
    ['claude mcp add -s user -t sse new https://e.com/sse', { type: 'sse', url: 'https://e.com/sse' }],
    ['claude mcp add new -e A=1 -- npx -y pkg', { command: 'npx', args: ['-y', 'pkg'], env: { A: '1' } }],
    ['codex mcp add new --env A=1 -- npx -y pkg', { command: 'npx', args: ['-y', 'pkg'], env: { A: '1' } }],
    [
      'gemini mcp add -t http new https://e.com/mcp -H X:1',
      { url: 'https://e.com/mcp', headers: { X: '1' } },
    ],
    ['mcp add-json new {"command":"npx","args":["pkg"]}', { command: 'npx', args: ['pkg'] }],
    ['code --add-mcp {"name":"new","command":"npx"}', { command: 'npx' }],
  ])('takes what is pasted: %s', async (line, entry) => {
    const file = nextFile();
    const [own, behind] = line.split(' -- ').map((words) => words.split(' '));
    const { code } = await commandLine([...(own ?? []), '-c', file, ...(behind ? ['--', ...behind] : [])]);
    expect([code, serversIn(file)]).toEqual([0, { new: entry }]);
  });

  it('refuses a transport that the target has not', async () => {
    const told = await commandLine(['add', 'new', '-t', 'http', '-c', nextFile(), '--', 'npx', 'x']);
    expect(told.code).toBe(64);
    expect(told.err).toContain('stdio takes a command, the others a URL');
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
    const variables = ['-e', 'X=1=2', '-e', 'Y=', '--cwd', folder];
    await commandLine(['add', 'a', ...variables, '--disabled', '-c', file, '--', 'cmd']);
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
    expect((await commandLine(['get', 'c', '-c', file])).code).toBe(1);
  });
  const own = { command: 'node', envFile: '.env', x: { note: 'mine' } };
  it.each<[string, object, object]>([
    [
      'mcpServers',
      { ...own, env: { TOKEN: 'S3CRET', PORT: '${env:PORT}' } },
      { ...own, env: { TOKEN: '***', PORT: '${env:PORT}' } },
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

/** Tests of byte order marks, line ends and encodings of config files, which a change must keep. */
function written(content: string | Buffer, ending = 'json'): string {
  const file = join(folder, `${(files += 1)}.${ending}`);
  writeFileSync(file, content);
  return file;
}
const isWindows = process.platform === 'win32';
const lines = '{\n  "mcpServers": {\n    "a": { "command": "x" }\n  }\n}\n';
const mark = '\uFEFF';

describe('a config file', () => {
  it.each([
    ['a byte order mark', mark + lines],
    ['two of them', mark + mark + lines],
    ['line ends of Windows', lines.replaceAll('\n', '\r\n')],
    ['both', mark + lines.replaceAll('\n', '\r\n')],
    ['neither', lines],
  ])('keeps what it has with %s when it is changed', async (_what, text) => {
    const file = written(text);
    const [marks] = /^\uFEFF*/.exec(text) ?? [''];
    const eol = text.includes('\r\n') ? '\r\n' : '\n';
    for (const argv of ['add b y', 'disable a', 'enable a', 'remove a']) {
      expect(await commandLine([...argv.split(' '), '-c', file])).toMatchObject({ code: 0 });
      const now = readFileSync(file, 'utf8');
      expect(now.startsWith(`${marks}{${eol}`)).toBe(true);
      expect(now.split('\n').length).toBe(now.split(eol).length);
      expect(readFileSync(`${file}.bak`, 'utf8').startsWith(`${marks}{`)).toBe(true);
    }
    const { out } = await commandLine(['list', '--json', '-c', file]);
    expect(JSON.parse(out)).toMatchObject({ servers: [{ name: 'b' }] });
  });
  it.each([
    ['json', mark + lines],
    ['yaml', `${mark}mcpServers:\r\n  a:\r\n    command: x\r\n`],
    ['toml', `${mark}[mcp_servers.a]\r\ncommand = "x"\r\n`],
    ['yml', `${mark}extensions:\n  a:\n    type: stdio\n    cmd: x\n    enabled: true\n`],
  ])('is read with a byte order mark in the format %s', async (ending, text) => {
    const { out } = await commandLine(['list', '--json', '-c', written(text, ending)]);
    expect(JSON.parse(out)).toMatchObject({ servers: [{ name: 'a', target: 'x' }] });
  });
  it.each([
    ['with a mark', Buffer.from(mark + lines, 'utf16le')],
    ['without one', Buffer.from(lines, 'utf16le')],
    ['with the other order', Buffer.from(mark + lines, 'utf16le').swap16()],
  ])('is named as such in UTF-16 %s by every command, and stays', async (_what, content) => {
    const file = written(content);
    const ours = join(folder, 'ours.json');
    const commands = ['list', 'get a', 'export', 'add b y', 'remove a', 'enable a', 'disable a', 'tools'];
    const argvs = commands.map((words) => [...words.split(' '), '-c', file]);
    for (const argv of [...argvs, ['import', file, '--yes', '-c', ours]]) {
      const { code, err } = await commandLine(argv);
      expect([argv, code]).toEqual([argv, 1]);
      expect(err).toContain(`${file}: is UTF-16 (save it as UTF-8)`);
    }
    expect(readFileSync(file)).toEqual(content);
  });
  it.each([
    ['yaml', 'YAML'],
    ['toml', 'TOML'],
  ])('is not changed in the format %s, and the remedy says what to do', async (ending, name) => {
    const file = written('a: 1\n', ending);
    const { code, err } = await commandLine(['add', 'b', 'y', '-c', file]);
    expect(code).toBe(1);
    expect(err).toContain(`is ${name}: it is read, and only JSON is written`);
    expect(err).toContain(`a2c import ${file}`);
  });
  // Windows has no modes but that of a file that nobody may write.
  it.each(isWindows ? [0o444] : [0o600, 0o640, 0o444])('keeps the mode %o', async (mode) => {
    const file = written(lines);
    chmodSync(file, mode);
    await commandLine(['add', 'b', 'y', '-c', file]);
    expect([file, `${file}.bak`].map((each) => statSync(each).mode & 0o777)).toEqual([mode, mode]);
  });
  it.skipIf(isWindows)('is for nobody else to read when it is new', async () => {
    const file = join(folder, 'new.json');
    await commandLine(['add', 'b', 'y', '-c', file]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

/** Tests that `list`, `get` and the question whether to trust a config hide the same values as `a2c export`. */
const hidden = testFolder('hidden');
const file = join(hidden, 'mcp.json');

it.each<[object, string]>([
  [{ command: 'x', args: ['--api-key', 'S3CRET', 'kept'] }, 'x --api-key *** kept'],
  [{ command: 'x', args: ['--token=S3CRET', 'kept'] }, 'x --token=*** kept'],
  [{ command: 'x', args: ['--token', '${env:T}'], env: { A: 'S3CRET' } }, 'x --token ${env:T}'],
  [{ command: 'x', args: ['--use-token=true'] }, 'x --use-token=true'],
  [{ url: 'https://user:S3CRET@e.com/mcp' }, 'https://***@e.com/mcp'],
  [{ url: 'https://e.com/mcp?api_key=S3CRET&v=1#x' }, 'https://e.com/mcp?api_key=***&v=1#x'],
  [{ url: 'https://S3CRET@e.com/mcp?v=1&sig=S3CRET' }, 'https://***@e.com/mcp?v=1&sig=***'],
  [{ url: 'https://e.com/mcp', headers: { A: 'S3CRET' } }, 'https://e.com/mcp'],
])('no secret is shown for %j', async (entry, target) => {
  writeFileSync(file, JSON.stringify({ mcpServers: { a: entry } }));
  const shown = await commandLine(['list', '-c', file]);
  expect(shown.out).toContain(`  ${target}`);
  const all = await Promise.all([
    commandLine(['list', '--json', '-c', file]),
    commandLine(['get', 'a', '-c', file]),
    commandLine(['get', 'a', '--json', '-c', file]),
    commandLine(['export', '-c', file]),
    commandLine(['import', file, '--dry-run', '-c', join(hidden, 'ours.json')]),
    commandLine(['tools'], { folder: hidden }),
  ]);
  expect(JSON.stringify([shown, all])).not.toContain('S3CRET');
});

/** Tests of relative paths in server entries of a project that are imported into a config in another folder. */
const root = testFolder('project');
let folders = 0;
async function taken(name: string, text: string, into?: (project: string) => string) {
  const project = join(root, String((folders += 1)), 'shop');
  const file = join(project, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  const ours = into?.(project) ?? join(root, `${folders}.json`);
  const { out } = await commandLine(['import', file, '--yes', '-c', ours]);
  const { mcpServers } = JSON.parse(readFileSync(ours, 'utf8')) as {
    mcpServers: { a: Record<string, unknown> };
  };
  return { project, out, a: mcpServers.a };
}
const entry = (more: object = {}): string =>
  JSON.stringify({ mcpServers: { a: { command: 'node', args: ['./srv.mjs'], ...more } } });

const pkg = { args: ['-y', 'pkg'] };

describe('a server of a project', () => {
  it.each([
    ['.codex/config.toml', '[mcp_servers.a]\ncommand = "node"\nargs = ["./srv.mjs"]\n'],
    ['.gemini/settings.json', entry()],
    ['opencode.json', '{"mcp": {"a": {"type": "local", "command": ["node", "./srv.mjs"]}}}'],
    ['.claude/mcp.json', entry()],
    ['.cursor/mcp.json', entry()],
    ['.vscode/mcp.json', '{"servers": {"a": {"command": "node", "args": ["./srv.mjs"]}}}'],
    ['.mcp.json', entry()],
    ['.kiro/settings/mcp.json', entry()],
    ['.junie/mcp/mcp.json', entry()],
    ['.trae/mcp.json', entry()],
    ['.vs/mcp.json', '{"servers": {"a": {"command": "node", "args": ["./srv.mjs"]}}}'],
    ['mcp.json', entry()],
    ['.mcp.json', entry({ args: ['dist/index.js'] })],
    ['theirs.json', entry()],
    ['theirs.json', entry({ command: '../bin/srv', args: [] })],
  ])('keeps in %s its folder: %s', async (name, text) => {
    const { a, project, out } = await taken(name, text);
    expect(a['cwd']).toBe(project);
    expect(out).toContain('changed: cwd: the folder of its project');
  });
  it.each([
    ['its own folder stays', '.mcp.json', entry({ cwd: '/srv' }), () => '/srv'],
    [
      'a folder below is below the project',
      '.mcp.json',
      entry({ cwd: './sub' }),
      (p: string) => join(p, 'sub'),
    ],
    [
      'the workspace is the project',
      '.vscode/mcp.json',
      entry({ cwd: '${workspaceFolder}/x' }),
      (p: string) => `${p}/x`,
    ],
    ['a file from anywhere says nothing', 'theirs.json', entry(pkg), () => undefined],
    ['a file of a user that was copied says nothing', 'Code/User/mcp.json', entry(pkg), () => undefined],
    ['a URL has none', '.mcp.json', '{"mcpServers": {"a": {"url": "http://h/mcp"}}}', () => undefined],
  ])('%s', async (_what, name, text, cwd) => {
    const { a, project } = await taken(name, text);
    expect(a['cwd']).toBe(cwd(project));
  });
  it('has ${workspaceFolder} as the folder of its project everywhere, and says so', async () => {
    const text = entry({ args: ['${workspaceFolder}/srv.mjs'], env: { ROOT: '${workspaceFolder}' } });
    const { a, project, out } = await taken('.vscode/mcp.json', text.replace('mcpServers', 'servers'));
    expect(a).toMatchObject({ args: [`${project}/srv.mjs`], env: { ROOT: project } });
    expect(out).toContain('changed: ${workspaceFolder} is the folder of its project');
  });
  it('needs no folder in a config of the same project', async () => {
    const { a } = await taken('.mcp.json', entry(), (project) => join(project, 'a2c.json'));
    expect(a['cwd']).toBeUndefined();
  });
  it('an imported server is shown with the package that it fetches, and without its secrets', async () => {
    const { out } = await taken(
      'theirs.json',
      entry({ command: 'npx', args: ['-y', '@a/b', '--key', 'S3CRET'] }),
    );
    expect(out).toContain('taken     a  npx -y @a/b --key ***\n');
    expect(out).not.toContain('S3CRET');
  });
});
