import { describe, expect, it } from 'vitest';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { startGuarded } from '../../scenarios/fixtures/guarded-server.ts';
import { fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';

const folder = testFolder('typed-server');
const file = fixtureFile('typed-server.mjs');
const server = ['--', process.execPath, file];
const a2c = (...argv: string[]) => commandLine(argv, { folder });

describe('a server behind --', () => {
  it('is called without a config, and options of its own are not read as ours', async () => {
    const told = await a2c('call', 'get_next', 'n=1', ...server, '--json', '-t', 'x');
    expect(told).toEqual({ code: 0, out: expect.stringContaining('2'), err: '' });
  });
  it('is named in each command to copy', async () => {
    const { code, out } = await a2c('tools', 'get_next', ...server);
    expect(code).toBe(0);
    expect(out).toContain(`a2c call get_next n=1 -- ${process.execPath} ${file}`);
  });
  it('gets the variables of --env', async () => {
    const script = 'console.error(`has ${process.env.KEY.length}`); process.exit(3)';
    const command = ['--', process.execPath, '-e', script];
    const { err } = await a2c('tools', '-e', 'KEY=one value', '--verbose', ...command);
    expect(err).toContain('has 9');
  });
});

it.each([
  [['tools', '--'], 'no command stands behind --'],
  [['call', 'http://127.0.0.1:1/mcp'], 'a tool comes after the URL'],
  [['tools', 'http://127.0.0.1:1/mcp', ...server], 'a server is given twice'],
  [['tools', '-c', 'some.json', ...server], 'a server in the command line, and --config'],
  [['tools', '-H', 'A: b'], '--header belongs to a server in the command line'],
  [['tools', 'http://127.0.0.1:1/mcp', '-e', 'A=b'], 'a URL takes neither --env nor --cwd'],
])('a command tells that %j is wrong', async (argv, error) => {
  const { code, err } = await a2c(...argv);
  expect(code).not.toBe(0);
  expect(err).toContain(`error: ${error}`);
});

it('a config is taken as JSON, whole or of one server', async () => {
  const entry = { command: process.execPath, args: [file] };
  for (const config of [entry, { mcpServers: { one: entry } }])
    expect(await a2c('call', 'get_next', 'n=2', '-c', JSON.stringify(config))).toMatchObject({ code: 0 });
  expect((await a2c('tools', '-c', '{"mcpServers": 1}')).err).toContain('mcpServers');
});

describe('a URL', () => {
  it('is logged in to by its name, and called with that login or a header', async () => {
    const { url, valid } = await startGuarded();
    const before = await a2c('call', url, 'greet');
    expect(before.code).toBe(2);
    expect(before.err).toContain(`a2c login ${url}`);
    const pages: Promise<number>[] = [];
    const onError = (line: string): void => {
      const [page] = /http\S+\/authorize\S*/.exec(line) ?? [];
      if (page !== undefined) pages.push(fetch(page).then(({ status }) => status));
    };
    const login = await commandLine(['login', url], { folder, onError });
    expect(login).toMatchObject({ code: 0, out: `logged in to ${url}: 1 tool\n` });
    expect(await Promise.all(pages)).toEqual([200]);
    expect(await a2c('call', url, 'greet')).toMatchObject({ code: 0, out: 'hello\n' });
    expect((await a2c('tools', url)).out).toContain('greet');
    expect((await a2c('tools', url, 'greet')).out).toContain(`a2c call ${url} greet`);
    const [token = ''] = [...valid];
    expect(await a2c('logout', url)).toMatchObject({ code: 0 });
    valid.add(token);
    const header = ['-H', `Authorization: Bearer ${token}`];
    expect(await a2c('call', url, 'greet', ...header)).toMatchObject({ code: 0, out: 'hello\n' });
  });
});
