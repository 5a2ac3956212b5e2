import { describe, expect, it } from 'vitest';
import { launchConfigOf, mistakesText, parseConfig, readFacts, type ServerConfig } from './index.ts';

const stdio = { kind: 'stdio', command: 'x', args: [], env: {}, cwd: null } as const;
const mistakes = (kind: ServerConfig['kind'], rendered: unknown): string => {
  const read = readFacts(kind, rendered);
  return read.ok ? 'none' : mistakesText(read.mistakes);
};

describe('launch config', () => {
  it('are what a server is started or reached with, and nothing else of its config', () => {
    const parsed = parseConfig({
      mcpServers: {
        a: { command: 'x', args: ['y'], cwd: '/', disabled: true },
        b: { type: 'sse', url: 'http://h' },
        c: { url: 'http://h', headers: { A: 'b' } },
        d: { type: 'inmemory', args: ['z'] },
      },
    });
    if (!parsed.ok) return expect.unreachable();
    expect(parsed.config.servers.map(launchConfigOf)).toEqual([
      { ...stdio, args: ['y'], cwd: '/' },
      { kind: 'sse', url: 'http://h', headers: {} },
      { kind: 'streamable', url: 'http://h', headers: { A: 'b' } },
      { kind: 'inmemory', args: ['z'], env: {} },
    ]);
    // Without placeholders, rendering changes nothing.
    for (const server of parsed.config.servers)
      expect(readFacts(server.kind, launchConfigOf(server))).toEqual({
        ok: true,
        facts: launchConfigOf(server),
      });
  });

  it('are texts: numbers and booleans become text, null in env and headers is an absent entry (case 64)', () => {
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

  it('that are lists, objects or nothing are a mistake that names the place', () => {
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

  it('of a kind of the host’s own stay what they are, and are no deeper than its config may be', () => {
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
    for (const url of [
      '',
      'h',
      'file:///etc',
      'ftp://h',
      'http:// h',
      '${input:again}',
      'file:///${input:a}',
    ])
      expect(mistakes('streamable', { kind: 'streamable', url, headers: {} })).toContain('url: ');
  });

  it('never repeat a value in what is wrong with them', () => {
    const secret = 'hunter2\0';
    const wrong = { ...stdio, command: secret, args: [secret, [secret]], env: { A: secret, B: { secret } } };
    expect(mistakes('stdio', wrong)).not.toContain('hunter2');
  });
});
