import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { apps, places } from '../../machines/applications/apps.ts';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { fingerprintText } from '../../machines/config/launch-config.ts';
import { parseConfigText } from '../../machines/config/parse-text.ts';

function homeFolder(name: string): string {
  const home = testFolder(name);
  beforeAll(() => {
    vi.stubEnv('HOME', home);
    vi.stubEnv('XDG_CONFIG_HOME', join(home, '.config'));
  });
  afterAll(() => void vi.unstubAllEnvs());
  return home;
}

/**
 * A home folder with one realistic file of each application. Expected output and expected config of each are in
 * `import.expected.json`, which A2C_UPDATE_IMPORTS=1 rewrites.
 */
describe.skipIf(process.platform !== 'linux')('a2c import', () => {
  const home = homeFolder('import');
  cpSync(fixtureFile('apps'), home, { recursive: true });
  const expectedFile = fileURLToPath(new URL('import.expected.json', import.meta.url));
  it.each(apps.map(({ id }) => [id]))(
    'takes, changes and leaves of %s what is expected of it',
    async (id) => {
      const file = join(home, `${id}.ours.json`);
      const isOfUser = places.some(({ app, base }) => app === id && base !== '.');
      const folder = isOfUser ? tmpdir() : home;
      const { code, out, err } = await commandLine(['import', id, '--yes', '-c', file], { folder });
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).not.toContain('canary');
      const shown = out
        .replaceAll(home, '~')
        .replaceAll(/^wrote.*$/gm, '')
        .trim()
        .split('\n');
      const written: unknown = JSON.parse(readFileSync(file, 'utf8'));
      const all = JSON.parse(readFileSync(expectedFile, 'utf8')) as Record<string, unknown>;
      if (process.env['A2C_UPDATE_IMPORTS']) {
        all[id] = { shown, written };
        writeFileSync(expectedFile, `${JSON.stringify(all, null, 2)}\n`);
      }
      expect({ shown, written }).toEqual(all[id]);
      // The written config must have no mistake and no warning of an ignored key.
      const read = await commandLine(['list', '--json', '-c', file]);
      const { warnings } = JSON.parse(read.out) as { warnings: readonly string[] };
      expect(warnings.filter((line) => line.includes('ignored'))).toEqual([]);
    },
  );
});

describe('a2c export', () => {
  const home = homeFolder('export');
  const ours = join(home, 'ours.json');
  const mcpServers = {
    files: { command: 'npx', args: ['-y', 'pkg', '~/a b'], env: { TOKEN: 'canary', LEVEL: '"1"\n' } },
    placed: { command: 'node', cwd: '/srv', a2c: { tools: ['t'] }, disabledTools: ['u'] },
    bare: { command: 'bare', disabled: true, a2c: { timeouts: { callTotalMs: 90_000 } }, autoApprove: ['v'] },
    far: { url: 'https://h/mcp', headers: { Authorization: 'Bearer canary', 'X-Team': 'é' } },
    old: { type: 'sse', url: 'https://h/sse' },
    文件: { command: 'x' },
  };
  const exported = async (...more: readonly string[]) => {
    const told = await commandLine(['export', '-c', ours, ...more]);
    expect(told.code).toBe(0);
    return told;
  };
  /** Reads the launch command of every server of a config file, by server name. */
  const launches = (file: string): Readonly<Record<string, string>> => {
    const parsed = parseConfigText(readFileSync(file, 'utf8'));
    if (!parsed.ok) throw new Error('the file has mistakes');
    return Object.fromEntries(parsed.config.servers.map((server) => [server.name, fingerprintText(server)]));
  };

  it.each(process.platform === 'linux' ? apps.map(({ id }) => [id]) : [])(
    'an export that is read again gives the same servers for %s',
    async (id) => {
      writeFileSync(ours, JSON.stringify({ mcpServers }));
      const first = await exported('--for', id, '--secrets');
      const own = places.filter(({ app, base }) => app === id && base !== 'LOCALAPPDATA');
      const place = own.find(({ base }) => base !== '.') ?? own[0];
      const theirs = join(
        home,
        ...(place?.base === '~' || place?.base === '.' ? [] : ['.config']),
        place?.path ?? '',
      );
      mkdirSync(dirname(theirs), { recursive: true });
      writeFileSync(theirs, first.out);
      const back = join(home, `${id}.back.json`);
      const told = await commandLine(['import', id, '--yes', '-c', back], { folder: home });
      expect({ code: told.code, err: told.err }).toEqual({ code: 0, err: '' });
      const again = await commandLine(['export', '-c', back, '--for', id, '--secrets']);
      expect(again.out).toBe(first.out);
      // Servers that the output does not name as left out must be launched as before.
      const before = launches(ours);
      const lost = Object.keys(before).filter((name) =>
        first.err
          .split('\n')
          .some((line) => line.startsWith(`left: "${name}": `) && /left out: |cwd/.test(line)),
      );
      const kept = Object.fromEntries(Object.entries(before).filter(([name]) => !lost.includes(name)));
      expect(launches(back)).toMatchObject(kept);
      expect(Object.keys(kept)).toEqual(expect.arrayContaining(['files', '文件']));
      rmSync(theirs);
    },
  );
  it.each([['codex'], ['opencode'], ['cursor']])(
    'writes for %s variables so that they are the same when they come back',
    async (id) => {
      const headers = { Authorization: 'Bearer ${env:HUB}', 'X-T': '${env:T}', 'X-U': 'u' };
      const some = {
        run: { command: 'x', env: { MINE: '${env:MINE}', OWN: '1' } },
        far: { url: 'https://h/mcp', headers },
      };
      writeFileSync(ours, JSON.stringify({ mcpServers: some }));
      const { out } = await exported('--for', id, '--secrets');
      const theirs = join(home, id === 'codex' ? 'vars.toml' : `${id}.vars.json`);
      writeFileSync(theirs, out);
      const back = join(home, `${id}.vars.back.json`);
      await commandLine(['import', theirs, '--yes', '-c', back], { folder: home });
      expect(launches(back)).toEqual(launches(ours));
    },
  );
  it('writes mcpServers without our keys, and says what is left out', async () => {
    writeFileSync(ours, JSON.stringify({ mcpServers }));
    const { out, err } = await exported('--secrets');
    const value = JSON.parse(out) as { mcpServers: Record<string, object> };
    expect(Object.keys(value.mcpServers)).toEqual(Object.keys(mcpServers));
    expect(value.mcpServers['files']).toEqual(mcpServers.files);
    expect(out).not.toContain('a2c');
    expect(err).toContain('left: "placed": a2c.tools is left out');
  });
  it.each([['plain'], ...apps.map(({ id }) => [id])])(
    'shows for %s no secret without --secrets',
    async (id) => {
      const idp = { idpTokenEndpoint: 'https://idp/token', idpClientId: 'i', idpClientSecret: 'canary' };
      const grant = { grant: 'jwt_bearer', clientId: 'c', privateKey: 'canary', assertion: 'canary' };
      const secret = {
        args: { command: 'x', args: ['--token', 'canary', '--api-key=canary', 'plain'] },
        env: { command: 'x', env: { ANY: 'canary', SAID: '${env:MINE}' } },
        far: { url: 'https://h/mcp?api_key=canary', headers: { 'X-Any': 'canary' } },
        login: { url: 'https://u:canary@h/mcp', oauth: { clientId: 'c', clientSecret: 'canary' } },
        signed: { url: 'https://h/mcp', oauth: { ...grant, ...idp } },
      };
      const inputs = [{ type: 'promptString', id: 'p', password: true, default: 'canary' }];
      writeFileSync(ours, JSON.stringify({ mcpServers: secret, inputs }));
      const { out, err } = await exported(...(id === 'plain' ? [] : ['--for', id]));
      expect(out + err).not.toContain('canary');
      expect(out).toContain('ANY');
      expect(err).toContain('--secrets');
    },
  );
  it('knows no other application', async () => {
    const { code, err } = await commandLine(['export', '--for', 'emacs', '-c', ours]);
    expect({ code, err }).toEqual({ code: 64, err: expect.stringContaining('claude-desktop') });
  });
});

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
const both = '{"servers": {"good": {"command": "x"}}, "mcpServers": {"b": {"command": "y"}}}';
const twice = '"bad": {"command": "x", "env": {"A": "1", "A": "2"}}';

/** Rows of: title, file name, file text, names of servers that run, names of entries that are left out. */
const files: readonly (readonly [string, string, string, readonly string[], readonly string[]])[] = [
  ['args as text', anyway, map('"bad": {"command": "x", "args": "-y"}'), ['good'], ['bad']],
  ['an entry that is no object', anyway, map('"bad": 7'), ['good'], ['bad']],
  ['a blank name', anyway, map('"": {"command": "x"}'), ['good'], ['']],
  ['a key twice in an entry', anyway, map('"bad": {"command": "x", "command": "y"}'), ['good'], ['bad']],
  ['a server twice', anyway, map('"bad": {"command": "x"}, "bad": {"command": "y"}'), ['good'], ['bad']],
  ['a variable twice', anyway, map(twice), ['good'], ['bad']],
  ['a tool hidden in opencode', 'opencode.json', opencode('{"a_t": false}'), ['a', 'good'], []],
  ['all tools hidden in opencode', 'opencode.json', opencode('{"a_*": false}'), ['a off', 'good'], []],
  ['all but one in opencode', 'opencode.json', opencode('{"a_*": false, "a_t": true}'), ['a', 'good'], []],
  ['mcpServers in a file of VS Code', 'Code/User/mcp.json', map('"a": {"command": "y"}'), ['good', 'a'], []],
  ['mcpServers beside servers of VS Code', '.vscode/mcp.json', both, ['good'], []],
];
/** Tells whether `a2c` finds a file of this name in its folder without `--config`. */
const isFound = (name: string): boolean => name === '.mcp.json' || name === 'mcp.json';

describe('a file with a wrong entry', () => {
  it.each(files)(
    'a file with a wrong entry is taken by --config without that entry: %s',
    async (_what, name, text, servers, left) => {
      const all = await listed(['-c', written(name, text).file]);
      expect(namesIn(all)).toEqual(servers);
      expect(new Set(all.left_out.map((each) => each.name))).toEqual(new Set(left));
    },
  );
  it.each(files.filter(([, name]) => isFound(name)))(
    'a file with a wrong entry is taken from the folder without that entry: %s',
    async (_what, name, text, servers) => {
      expect(namesIn(await listed([], written(name, text).folder))).toEqual(servers);
    },
  );
  it.each(files)(
    'a file with a wrong entry is imported as --config takes it: %s',
    async (_what, name, text, servers, left) => {
      const { file } = written(name, text);
      const ours = join(dirname(file), 'ours.json');
      const { code, out } = await commandLine(['import', file, '--yes', '-c', ours]);
      expect(code).toBe(0);
      expect(namesIn(await listed(['-c', ours]))).toEqual(servers);
      for (const lost of left.filter(Boolean)) expect(out).toMatch(new RegExp(`left out  ${lost}: `));
    },
  );
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
