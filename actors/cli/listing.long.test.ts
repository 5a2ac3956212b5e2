import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Tests of `a2c resources`, `prompts`, `prompt` and `read`: everything that servers offer beside tools; and of what listings start. */
const folder = testFolder('listing');
const server = fixtureFile('mcp-server.mjs');
const started = (...args: string[]) => ({ command: process.execPath, args: [server, ...args] });
const fileOf = (name: string, mcpServers: object): string => {
  writeFileSync(join(folder, name), JSON.stringify({ mcpServers }));
  return join(folder, name);
};
const notes = fileOf('notes.json', { notes: started('full') });
const dead = { command: 'not-there' };
const several = fileOf('several.json', { notes: started('full'), plain: started(), dead });
const twins = fileOf('twins.json', { one: started('full'), two: started('full') });

describe('a2c resources', () => {
  it('lists them by server, with the command that reads one, and says which server is not up', async () => {
    const { code, out } = await commandLine(['resources', '-c', several]);
    expect(code).toBe(0);
    const lines = out.split('\n');
    expect(lines).toContain('notes: 2 resources, 2 templates');
    expect(lines).toContain(`  read one: a2c read note://1 --server notes -c ${several}`);
    expect(lines).toContain('plain: 0 resources');
    expect(out).toMatch(/^dead: 0 resources; not all: .*not-there/m);
  });

  it('gives them whole with --json, and of one server alone', async () => {
    const { out } = await commandLine(['resources', 'notes', '--json', '-c', several]);
    const resources = [{ uri: 'note://1' }, { uri: 'note://2' }];
    const templates = [{ uriTemplate: 'note://{id}' }, { uriTemplate: 'page://{id}' }];
    const servers = [{ server: 'notes', resources, templates, failure: null }];
    expect(JSON.parse(out)).toMatchObject({ servers });
  });
});

describe('a2c read', () => {
  it('reads what belongs to no collection from the server that lists it', async () => {
    const told = await commandLine(['read', 'note://2', '-c', several]);
    expect(told).toMatchObject({ code: 0, out: 'content of note://2\n' });
    // Its list is known now, so that no other server is started.
    const again = await commandLine(['read', 'note://2', '-c', several]);
    expect(again).toEqual({ code: 0, out: 'content of note://2\n', err: '' });
  });

  it('asks the only server also for what it does not list', async () => {
    const told = await commandLine(['read', 'note://99', '-c', notes]);
    expect(told).toMatchObject({ code: 0, out: 'content of note://99\n' });
  });

  it.each([
    [
      'note://1',
      /Several servers have 'note:\/\/1'\n {2}Name the server: a2c read note:\/\/1 --server one -c \S+ or .* --server two -c \S+/,
    ],
    [
      'note://99',
      /No server lists 'note:\/\/99'\n {2}Name the server: .* --server one -c \S+ or .* --server two/,
    ],
    ['nonsense', /window:\/\//],
  ])('says of %s what to write where nobody knows which server is meant', async (uri, said) => {
    const { code, err } = await commandLine(['read', uri, '-c', twins]);
    expect([code, err]).toEqual([1, expect.stringMatching(said)]);
  });

  it('starts only the server that is named', async () => {
    const told = await commandLine(['read', 'note://1', '--server', 'notes', '-c', several]);
    expect(told).toEqual({ code: 0, out: 'content of note://1\n', err: '' });
  });
});

describe('a2c prompts', () => {
  it('lists them by server, with the command that gets one', async () => {
    const { code, out } = await commandLine(['prompts', 'notes', '-c', several]);
    expect([code, out.split('\n')]).toEqual([
      0,
      ['notes: 2 prompts', '  greet()', '  part()', `  get one: a2c prompt notes greet -c ${several}`, ''],
    ]);
  });
});

describe('a2c prompt', () => {
  it.each([[['greet', 'who=you']], [['notes.greet', 'who=you']], [['notes', 'greet', '{"who":"you"}']]])(
    'gets one that is filled in: %j',
    async (words) => {
      const told = await commandLine(['prompt', ...words, '-c', several]);
      expect(told).toMatchObject({ code: 0, out: 'user: greet you\n' });
    },
  );

  it('gives it whole with --json', async () => {
    const { out } = await commandLine(['prompt', 'greet', '--json', '-c', notes]);
    expect(JSON.parse(out)).toEqual({
      messages: [{ role: 'user', content: { type: 'text', text: 'greet me' } }],
    });
  });

  it('names the nearest ones, and the servers where several have it', async () => {
    expect((await commandLine(['prompt', 'gret', '-c', notes])).err).toContain('Did you mean greet?');
    const { code, err } = await commandLine(['prompt', 'greet', '-c', twins]);
    expect([code, err]).toEqual([1, expect.stringContaining('Name the server: a2c prompt one greet')]);
  });
});

describe('a command with --save', () => {
  it('writes what is no text to files, and says where', async () => {
    const into = join(folder, 'saved');
    const windows = fixtureFile('windows-server.mjs');
    const given = JSON.stringify([{ path: 'shot', blob: 'AAEC' }]);
    const config = fileOf('shown.json', {
      shown: { command: process.execPath, args: [windows, '--host', 'h', '--windows', given] },
    });
    const { code, out, err } = await commandLine(['read', 'window://h/shot', '--save', into, '-c', config]);
    expect([code, out]).toEqual([0, '[blob image/png, 3 bytes]\n']);
    expect(err).toContain(`saved ${join(into, 'shot-1.png')}`);
    expect([...readFileSync(join(into, 'shot-1.png'))]).toEqual([0, 1, 2]);
  });
});

it.each(['tools', 'status', 'finder'])(
  'a2c %s starts a server that ends once, and says why',
  async (command) => {
    const starts = join(folder, `starts-${command}`);
    const config = fileOf(`ending-${command}.json`, {
      ending: { command: 'sh', args: ['-c', `echo start >> '${starts}'; echo 'no key' >&2; exit 3`] },
      silent: { command: 'sleep', args: ['100'] },
    });
    const { out, err } = await commandLine([command, '-c', config, '--boot', '3']);
    expect(out + err).toContain("Server 'ending' ended with exit code 3; stderr: no key");
    expect(readFileSync(starts, 'utf8')).toBe('start\n');
  },
);
