import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Tests of `a2c import` with real-life files: broken text, strange names, links, and an existing target. */
const folder = testFolder('import-cases');
let files = 0;
const pathOf = (name: string): string => {
  const own = join(folder, String((files += 1)));
  mkdirSync(own);
  return join(own, name);
};
const written = (content: string | Buffer | object, name = 'theirs.json'): string => {
  const file = pathOf(name);
  const text = typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content);
  writeFileSync(file, text);
  return file;
};
const servers = (file: string): Record<string, unknown> =>
  (JSON.parse(readFileSync(file, 'utf8')) as { mcpServers: Record<string, unknown> }).mcpServers;
/** Imports into a new config file, or into `into` when it is given. */
async function taken(what: string, into = pathOf('ours.json'), ...more: readonly string[]) {
  const told = await commandLine(['import', what, '--yes', '-c', into, ...more], { folder });
  return { ...told, into };
}
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
const deepchat = (value: unknown): string =>
  `deepchat://mcp/install?code=${encodeURIComponent(base64(value))}`;

describe('a file that is not as it should be', () => {
  const one = { mcpServers: { a: { command: 'x', env: { TOKEN: 'canary' } } } };
  const text = JSON.stringify(one);
  it.each<[string, string | undefined, string | object, string]>([
    ['is not there', undefined, '', 'does not exist'],
    ['is empty', 'x.json', '', 'is not valid JSON: value expected'],
    ['is cut off', 'x.json', text.slice(0, -3), ': 1:59: is not valid JSON'],
    ['has no servers', 'x.json', { theme: 'dark' }, 'has no servers of an application'],
    ['is YAML that is cut off', 'x.yaml', 'extensions: {a: [1', ': 1:19: is not valid YAML'],
    ['is YAML with a key twice', 'x.yaml', 'a: canary\na: 2\n', ': 2:1: is not valid YAML: duplicate key'],
    ['is YAML of aliases', 'x.yaml', bomb, 'its aliases have no end'],
    ['is TOML that is cut off', 'x.toml', '[mcp_servers.a]\ncommand = "cana', ': 2:11: is not valid TOML'],
    ['is TOML with a key twice', 'x.toml', 'a = "canary"\na = 2\n', ': 2:1: is not valid TOML'],
  ])('is named, nothing is written, and no value is shown: %s', async (_what, name, content, message) => {
    const file = name === undefined ? join(folder, 'none.json') : written(content, name);
    const { code, out, err, into } = await taken(file);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(message) });
    expect(out + err).not.toContain('canary');
    expect(existsSync(into)).toBe(false);
  });
  it('loses its wrong entries one by one, and not as a whole', async () => {
    const wrong = { a: 7, b: { command: 8 }, c: { url: 'ftp://x' }, d: { command: 'x', url: 'http://h' } };
    const { code, out, into } = await taken(written({ mcpServers: { ...wrong, ok: { command: 'y' } } }));
    expect(code).toBe(0);
    for (const name of Object.keys(wrong)) expect(out).toMatch(new RegExp(`left out  ${name}: `));
    expect(servers(into)).toEqual({ ok: { command: 'y' } });
  });
});
const bomb = [
  'a: &a [x,x,x,x,x,x,x,x,x]',
  ...'bcdefghi'.split('').map((key, n) => {
    const before = 'abcdefgh'[n];
    return `${key}: &${key} [${Array.from({ length: 9 }, () => `*${before}`).join(',')}]`;
  }),
].join('\n');

describe('a name', () => {
  it.each([['__proto__'], ['constructor'], ['文件'], ['n'.repeat(200)], ['a/b'], ['"quoted"']])(
    '%s is a name as any other',
    async (name) => {
      const text = `{"mcpServers": {${JSON.stringify(name)}: {"command": "x"}}}`;
      const { code, into } = await taken(written(text));
      expect(code).toBe(0);
      expect(Object.entries(servers(into))).toEqual([[name, { command: 'x' }]]);
      expect((await commandLine(['get', name, '-c', into])).code).toBe(0);
    },
  );
  it('gets a number when it is taken, and the same server is not taken twice', async () => {
    const mine = { a: { command: 'mine' }, 'a-2': { command: 'other' } };
    const into = written({ mcpServers: mine }, 'ours.json');
    const [a, b] = [{ command: 'theirs' }, { command: 'b' }];
    const theirs = written({ mcpServers: { a, b } });
    await taken(theirs, into);
    expect(servers(into)).toEqual({ ...mine, 'a-3': a, b });
    const before = readFileSync(into, 'utf8');
    const again = await taken(theirs, into);
    expect(again.err).toContain('there is nothing to write');
    expect(readFileSync(into, 'utf8')).toBe(before);
  });
});

describe('a2c import into a file', () => {
  it('leaves comments and everything else as they are', async () => {
    const into = written('{\n  // mine\n  "mcpServers": {},\n}\n', 'ours.json');
    const a = { command: 'x', args: ['${input:k}'] };
    await taken(written({ servers: { a }, inputs: [{ id: 'k', type: 'promptString' }] }), into);
    const text = readFileSync(into, 'utf8');
    expect(text).toContain('// mine');
    expect((await commandLine(['list', '--json', '-c', into])).out).toContain('"warnings":[]');
  });
  it('writes into a list of servers the settings of each', async () => {
    const into = written({ servers: [], inputs: [] }, 'ours.json');
    await taken(written('[mcp_servers.a]\ncommand = "x"\nenabled_tools = ["t"]\n', 'config.toml'), into);
    const { servers: list } = JSON.parse(readFileSync(into, 'utf8')) as { servers: readonly object[] };
    expect(list).toEqual([expect.objectContaining({ name: 'a', type: 'stdio', a2c: { tools: ['t'] } })]);
  });
  it('asks at a terminal, and needs --yes without one', async () => {
    const theirs = written({ mcpServers: { a: { command: 'x' } } });
    const into = pathOf('ours.json');
    const refused = await commandLine(['import', theirs, '-c', into]);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('--yes')]);
    expect(refused.out).toContain('taken     a  x');
    const dry = await commandLine(['import', theirs, '--dry-run', '-c', into]);
    expect({ code: dry.code, there: existsSync(into) }).toEqual({ code: 0, there: false });
    for (const [answer, there] of [
      ['n', false],
      [null, false],
      ['y', true],
    ] as const) {
      const asked: string[] = [];
      const question = (text: string) => Promise.resolve((asked.push(text), answer));
      await commandLine(['import', theirs, '-c', into], { as: { isInteractive: true, question } });
      expect([asked.length, existsSync(into)]).toEqual([1, there]);
    }
  });
  it('tells as JSON what it wrote', async () => {
    const a = { command: 'npx', args: ['-y', '@a/b', '--root', '/srv', '--token', 'canary'] };
    const { out } = await taken(written({ mcpServers: { a, b: {} } }), undefined, '--json');
    expect(out).not.toContain('canary');
    const servers = [
      { name: 'a', outcome: 'taken', runs: 'npx -y @a/b --root /srv --token ***' },
      { name: 'b', outcome: 'left out', runs: '' },
    ];
    expect(JSON.parse(out)).toMatchObject({ written: true, sources: [{ app: null, servers }] });
  });
});

describe('a link', () => {
  it('a server is stdio with a command, remote with a URL; with both and no type it is refused', async () => {
    const url = 'http://h/mcp';
    const good = { run: { command: 'x' }, far: { url }, typed: { type: 'http', url } };
    const text = { command: 'x', env: '{"T": "canary"}' };
    const mcpServers = { both: { command: 'x', url }, text, ...good };
    const { code, out, into } = await taken(deepchat({ mcpServers }));
    expect(code).toBe(0);
    expect(out).toContain('left out  both: has both a command and a URL (say which one with type)');
    expect(out).toContain('left out  text: env: expected an object, got a string');
    expect(out).not.toContain('canary');
    expect(out).toContain('link (DeepChat)');
    expect(Object.keys(servers(into))).toEqual(['run', 'far', 'typed']);
    const { out: list } = await commandLine(['list', '--json', '-c', into]);
    const types = (JSON.parse(list) as { servers: { type: string }[] }).servers.map(({ type }) => type);
    expect(types).toEqual(['stdio', 'streamable', 'streamable']);
  });
  it.each([
    ['deepchat://mcp/install?code=*canary*', 'is not valid JSON'],
    ['deepchat://mcp/install?code=AAAAA', 'is not valid JSON'],
    ['deepchat://mcp/install?code=/////w==', 'is not valid JSON'],
    [`deepchat://mcp/install?code=${Buffer.from('{"canary').toString('base64')}`, 'is not valid JSON'],
    ['deepchat://mcp/install', 'is not valid JSON'],
    [deepchat({ a: { command: 'canary' } }), 'the link holds no server'],
    ['deepchat://mcp/remove?code=x', 'this link offers no MCP server'],
    ['cursor://anysphere.cursor-deeplink/mcp/install?name=x', 'is not valid JSON'],
    [`cursor://anysphere.cursor-deeplink/mcp/install?config=${base64({})}`, 'the link has no name'],
    ['vscode:mcp/install?%7B%22name%22', 'is not valid JSON'],
    ['vscode:mcp/install?%E0%A4', 'is not valid JSON'],
    ['vscode:mcp/install?%7B%7D', 'has no name'],
    ['https://example.com/canary', 'this link offers no MCP server'],
  ])('gives an error when it is wrong: %s', async (link, message) => {
    const { code, err, into } = await taken(link);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(message) });
    expect(err).not.toContain('canary');
    expect(existsSync(into)).toBe(false);
  });
  const entry = { command: 'npx', args: ['-y', 'x'] };
  const config = encodeURIComponent(base64(entry));
  const json = encodeURIComponent(JSON.stringify({ name: 'x', ...entry }));
  it('a link of VS Code keeps the parameters in the URL of its server', async () => {
    const url = 'https://host.example/mcp?a=1&code=2&inputs=3#4';
    const { code, into } = await taken(`vscode:mcp/install?${encodeURI(JSON.stringify({ name: 'x', url }))}`);
    expect(code).toBe(0);
    expect(servers(into)).toEqual({ x: { url } });
  });
  it.each([
    ['Cursor', `cursor://anysphere.cursor-deeplink/mcp/install?name=x&config=${config}`],
    ['Cursor', `https://cursor.com/en/install-mcp?name=x&config=${config}#top `],
    ['VS Code', `vscode:mcp/install?${json}`],
    ['VS Code', `vscode-insiders:mcp/install?${json}`],
    [
      'VS Code',
      `https://insiders.vscode.dev/redirect/mcp/install?name=x&config=${encodeURIComponent(JSON.stringify(entry))}`,
    ],
    ['VS Code', `https://vscode.dev/redirect?url=${encodeURIComponent(`vscode:mcp/install?${json}`)}`],
  ])('is taken for %s: %s', async (title, link) => {
    const { code, out, into } = await taken(link);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining(`link (${title})`) });
    expect(servers(into)).toEqual({ x: entry });
  });
});

it('an application that has no file here is told with what to type, for the file that would be changed', async () => {
  const { code, err, into } = await taken('junie');
  expect([code, err]).toEqual([1, expect.stringContaining(`a2c import FILE -c ${into}`)]);
});
