import { describe, expect, it } from 'vitest';
import { launchConfigOf, mistakesText, readFacts, fingerprintText } from './launch-config.ts';
import { readConfig } from '../../scenarios/fixtures/read-config.ts';
import { parseConfig } from './parse.ts';
import type { ServerConfig } from './schemas.ts';

const stdio = { kind: 'stdio', command: 'x', args: [], env: {}, cwd: null } as const;
const mistakes = (kind: ServerConfig['kind'], rendered: unknown): string => {
  const read = readFacts(kind, rendered);
  return read.ok ? 'none' : mistakesText(read.mistakes);
};

describe('launch configs', () => {
  it('are what a server is started or reached with, and nothing else of its config', () => {
    const { servers } = readConfig({
      mcpServers: {
        a: { command: 'x', args: ['y'], cwd: '/', disabled: true },
        b: { type: 'sse', url: 'http://h' },
        c: { url: 'http://h', headers: { A: 'b' } },
        d: { type: 'inmemory', args: ['z'] },
      },
    });
    expect(servers.map(launchConfigOf)).toEqual([
      { ...stdio, args: ['y'], cwd: '/' },
      { kind: 'sse', url: 'http://h', headers: {} },
      { kind: 'streamable', url: 'http://h', headers: { A: 'b' } },
      { kind: 'inmemory', args: ['z'], env: {} },
    ]);
    // Rendering a config without placeholders must change nothing.
    for (const server of servers)
      expect(readFacts(server.kind, launchConfigOf(server))).toEqual({
        ok: true,
        facts: launchConfigOf(server),
      });
  });

  it('are texts: numbers and booleans become text, null in env and headers is an absent entry', () => {
    const env = { PORT: 3000, DEBUG: true, NONE: null, GONE: undefined, KEPT: '' };
    expect(readFacts('stdio', { ...stdio, command: 7, args: [1, false, 'a'], env, cwd: 3 })).toEqual({
      ok: true,
      facts: {
        ...{ kind: 'stdio', command: '7', args: ['1', 'false', 'a'], cwd: '3' },
        env: { PORT: '3000', DEBUG: 'true', KEPT: '' },
      },
    });
    const headers = { A: 1.5, B: null };
    expect(readFacts('streamable', { kind: 'streamable', url: 'http://h', headers })).toEqual({
      ok: true,
      facts: { kind: 'streamable', url: 'http://h', headers: { A: '1.5' } },
    });
  });

  it('have a mistake that names the place where a value is a list, an object or nothing', () => {
    expect(mistakes('stdio', { ...stdio, args: ['a', { b: 1 }, null], env: { LIST: ['x'] } })).toBe(
      [
        'server_parameters.args[1]: expected a string, got an object',
        'server_parameters.args[2]: expected a string, got null',
        'server_parameters.env.LIST: expected a string, got a list',
      ].join('\n'),
    );
    expect(mistakes('stdio', { ...stdio, command: null })).toBe(
      'server_parameters.command: expected a string, got null',
    );
    expect(mistakes('inmemory', { kind: 'inmemory', args: [[]], env: {} })).toContain('args[0]');
  });

  it('are kept as they are for a kind of the host’s own, and are no deeper than its config may be', () => {
    const own = {
      kind: 'own',
      type: 'own:unix',
      facts: { path: '/s', port: 1, list: ['a'], map: { b: 'c' } },
    };
    expect(readFacts('own', own)).toEqual({ ok: true, facts: own });
    expect(mistakes('own', { ...own, facts: { path: null, map: { b: { c: 1 } } } })).toBe(
      ['path', 'map']
        .map(
          (name) =>
            `server_parameters.${name}: expected a text, a number, true, false, or a list or an object of texts`,
        )
        .join('\n'),
    );
  });

  it('are judged as in a file, once the values are in', () => {
    expect(mistakes('stdio', { ...stdio, command: ' ' })).toBe(
      'server_parameters.command: must not be empty',
    );
    expect(mistakes('stdio', { ...stdio, env: { A: '\0' } })).toContain('env.A: must not contain a NUL');
    expect(mistakes('sse', { kind: 'sse', url: 'http://h', headers: { A: 'b\r\nC: d' } })).toContain(
      'headers.A: a header value must be one line',
    );
    for (const url of ['', 'h', 'file:///etc', 'http:// h', '${input:again}', 'file:///${input:a}'])
      expect(mistakes('streamable', { kind: 'streamable', url, headers: {} })).toContain('url: ');
  });

  it('never repeat a value in what is wrong with them', () => {
    const secret = 'hunter2\0';
    const wrong = { ...stdio, command: secret, args: [secret, [secret]], env: { A: secret, B: { secret } } };
    expect(mistakes('stdio', wrong)).not.toContain('hunter2');
  });
});

/** Parsed settings of a config, or the paths of its mistakes. */
const read = (a2c: object): unknown => {
  const parsed = parseConfig({ servers: [], a2c });
  return parsed.ok ? parsed.config.settings : parsed.mistakes.map(({ path }) => path);
};

describe('a setting of what servers are launched with', () => {
  it.each([
    ['npmRegistry', 'nowhere'],
    ['npmRegistry', 'ftp://h/'],
    ['npmRegistry', 'https://h/?q'],
    ['npmRegistries', []],
    ['npmRegistries', ['auto']],
    ['proxy', true],
    ['proxy', 'socks5://h:1'],
    ['proxy', 'proxy:3128'],
    ['proxy', 'ENV'],
    ['noProxy', ['a b']],
    ['baseEnv', 'legacy'],
    ['passEnv', ['A=1']],
    ['passEnv', ['']],
    ['path', ['bin']],
    ['runtimes', ['']],
    ['expand', 'yes'],
  ])('%s: %j is a mistake, named by its place', (key, value) => {
    expect(read({ [key]: value })).toEqual([expect.stringMatching(new RegExp(`^a2c\\.${key}`))]);
  });
  it.each([
    [{ npmRegistry: ' http://x ' }, { npmRegistry: 'http://x/' }],
    [{ npmRegistries: ['http://x//', 'HTTPS://y/z'] }, { npmRegistries: ['http://x/', 'HTTPS://y/z/'] }],
    [{ path: ['~', '~/bin', '/opt', String.raw`C:\bin`] }, undefined],
    [{ proxy: 'http://me:pw@h:3128/', noProxy: ['.corp', '*'], npmRegistry: 'off' }, undefined],
  ])('takes %j, a registry without blanks and with a slash', (given, wanted) => {
    expect(read(given)).toEqual(wanted ?? given);
  });
  it('a setting of all servers together is a mistake in one of them', () => {
    const server = { name: 'a', type: 'inmemory', a2c: { npmRegistries: ['http://x/'] } };
    expect(parseConfig([server])).toMatchObject({ ok: false, mistakes: [{ path: '[0].a2c.npmRegistries' }] });
  });
});

const print = (config: object): string =>
  readConfig([{ name: 'a', ...config }])
    .servers.map(fingerprintText)
    .join();
const stdioConfig = (server_parameters: object, rest: object = {}) =>
  print({ type: 'stdio', server_parameters: { command: 'x', ...server_parameters }, ...rest });
const remote = (server_parameters: object, type = 'streamable') =>
  print({ type, server_parameters: { url: 'http://h/a', ...server_parameters } });

describe('the fingerprint of a server', () => {
  it('does not know its name, policy and settings', () => {
    const policy = {
      ...{ name: 'b', disabled: true, forbidden_tools: ['t'], tool_meta: { t: { alias: 'u' } } },
      ...{ default_tool_meta: { auto_apply: true }, vrl: '.', a2c: { restart: 'never', concurrency: 2 } },
    };
    expect(stdioConfig({}, policy)).toBe(stdioConfig({}));
    expect(stdioConfig({ encoding: 'utf8', encoding_error_handler: 'replace' })).toBe(stdioConfig({}));
    expect(remote({ timeout: 1, sse_read_timeout: 2, terminate_on_close: false })).toBe(remote({}));
    const dressed = { mcpServers: { z: { command: 'x', icons: 'i', description: 'd' } } };
    expect(readConfig(dressed).servers.map(fingerprintText)).toEqual([stdioConfig({})]);
  });

  it('does not know the order of env, and takes no env for an empty one', () => {
    expect(stdioConfig({ env: { A: '1', B: '2' } })).toBe(stdioConfig({ env: { B: '2', A: '1' } }));
    expect(stdioConfig({ env: {} })).toBe(stdioConfig({}));
    expect(stdioConfig({ env: null })).toBe(stdioConfig({}));
  });

  it('changes with the order of args, with each value of env, with the folder', () => {
    const all = [
      ...[{}, { args: ['a', 'b'] }, { args: ['b', 'a'] }, { env: { A: '1' } }, { env: { A: '2' } }],
      ...[{ env: { B: '1' } }, { cwd: '/' }, { cwd: '/tmp' }, { command: 'y' }, { args: [''] }],
    ].map((parameters) => stdioConfig(parameters));
    expect(new Set(all).size).toBe(all.length);
  });

  it('cannot be tricked by where a text ends: ["a","bc"] is not ["ab","c"]', () => {
    expect(stdioConfig({ args: ['a', 'bc'] })).not.toBe(stdioConfig({ args: ['ab', 'c'] }));
    expect(stdioConfig({ args: ['a', 'b'] })).not.toBe(stdioConfig({ args: ['a1:b'] }));
    expect(stdioConfig({ env: { A: 'b=c' } })).not.toBe(stdioConfig({ env: { A: 'b', c: '' } }));
    expect(stdioConfig({ env: { A: '1\nB=2' } })).not.toBe(stdioConfig({ env: { A: '1', B: '2' } }));
    expect(stdioConfig({ args: ['/'] })).not.toBe(stdioConfig({ cwd: '/' }));
  });

  it('changes with URL, header values and transport, not with the order or case of headers', () => {
    const all = [
      ...[remote({}), remote({ url: 'http://h/b' }), remote({ headers: { A: '1' } })],
      ...[remote({ headers: { A: '2' } }), remote({ headers: { B: '1' } }), remote({}, 'sse')],
    ];
    expect(new Set(all).size).toBe(all.length);
    const headers = { 'X-Key': '1', Accept: '2' };
    expect(remote({ headers })).toBe(remote({ headers: { accept: '2', 'x-KEY': '1' } }));
    expect(remote({ headers: {} })).toBe(remote({}));
  });

  it('is that of the config, whatever its inputs are filled with', () => {
    expect(stdioConfig({ env: { A: '${input:a}' } })).not.toBe(stdioConfig({ env: { A: '${input:b}' } }));
    expect(remote({ url: '${env:URL}' })).toContain('${env:URL}');
  });

  it('the fingerprint of an in-memory server knows its name, which is the only thing that says what it is', () => {
    const inner = (name: string, args: readonly string[] = []) =>
      print({ name, type: 'inmemory', server_parameters: { args } });
    expect(inner('a')).not.toBe(inner('b'));
    expect(inner('a')).not.toBe(inner('a', ['x']));
    expect(inner('a')).toBe(print({ type: 'inmemory' }));
  });

  it('the fingerprint of a kind of the host’s own knows its type and its facts in any order, and 1 from "1"', () => {
    const own = (facts: object, type = 'own:a') => print({ type, server_parameters: facts });
    expect(own({ path: 'p', env: { A: '1', B: '2' } })).toBe(own({ env: { B: '2', A: '1' }, path: 'p' }));
    const others = [1, '1', ['1'], { n: '1' }, ['n', '1'], true].map((n) => own({ n }));
    expect(new Set([...others, own({}), own({}, 'own:b')]).size).toBe(8);
  });
});
