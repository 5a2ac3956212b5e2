import { expect, test, describe, it } from 'vitest';
import { parseConfig, type Config } from '../config/parse.ts';
import { shownServer } from './shown.ts';
import { toProtocol } from '../config/to-protocol.ts';

const shown = (server: object): unknown => {
  const parsed = parseConfig(server);
  if (!parsed.ok) return expect.unreachable(JSON.stringify(parsed.mistakes));
  return parsed.config.servers.map((s) => shownServer(s.raw).server_parameters);
};

test('values of env and headers are hidden, placeholders and everything else are not', () => {
  const env = { TOKEN: 'secret', FROM: '${input:token}' };
  const stdio = { type: 'stdio', name: 'a', server_parameters: { command: 'x', args: ['y'], env } };
  expect(shown(stdio)).toMatchObject([
    { command: 'x', args: ['y'], env: { TOKEN: '***', FROM: '${input:token}' } },
  ]);
  const headers = { Authorization: 'Bearer secret' };
  for (const type of ['sse', 'streamable'])
    expect(shown({ type, name: 'a', server_parameters: { url: 'http://x', headers } })).toMatchObject([
      { url: 'http://x', headers: { Authorization: '***' } },
    ]);
});
test('every text of a kind of the host’s own is hidden that is no placeholder', () => {
  const facts = { path: '/run/s', key: '${input:key}', port: 1, tls: true, args: ['x'], headers: { A: 'b' } };
  expect(shown({ type: 'own:unix', name: 'a', server_parameters: facts })).toEqual([
    { path: '***', key: '${input:key}', port: 1, tls: true, args: ['***'], headers: { A: '***' } },
  ]);
});
test('a server without env is shown without env', () => {
  expect(shown({ type: 'stdio', name: 'a', server_parameters: { command: 'x' } })).toMatchObject([
    { env: null },
  ]);
});

const accepted = (value: unknown): Config => {
  const parsed = parseConfig(value);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.mistakes));
  return parsed.config;
};

const whole = {
  type: 'stdio',
  name: 'git',
  disabled: true,
  forbidden_tools: ['push'],
  tool_meta: {
    log: { auto_apply: true, alias: 'git_log', tags: ['vcs'], ret_object_mapper: { a: 'b' }, extra: [1] },
  },
  default_tool_meta: { auto_apply: null, alias: null, tags: ['x'], ret_object_mapper: null },
  vrl: null,
  server_parameters: {
    command: 'uvx',
    args: ['mcp-git', '--token', '${input:token}'],
    env: { A: '${input:a}' },
    cwd: '/tmp',
    encoding: 'utf-8',
    encoding_error_handler: 'replace',
  },
};

describe('a config that goes back to the protocol', () => {
  it('keeps the default of a password at home, and so it does our settings', () => {
    const config = accepted({
      servers: [{ ...whole, a2c: { restart: 'always' } }],
      inputs: [{ type: 'promptString', id: 'token', description: 'T', default: 'secret', password: true }],
    });
    expect(toProtocol(config)).toEqual({
      servers: { git: whole },
      inputs: [{ type: 'promptString', id: 'token', description: 'T', default: null, password: true }],
    });
  });

  it('can be read again and means the same', () => {
    const first = accepted({
      servers: [
        whole,
        {
          name: 'r',
          type: 'http',
          server_parameters: { url: 'http://h', timeout: 90, sse_read_timeout: 'P1DT0.5S' },
        },
        {
          name: 's',
          type: 'sse',
          server_parameters: { url: 'http://h', timeout: 'PT1.5S', headers: { A: 'b' } },
        },
        { name: '__proto__', type: 'in-memory', server_parameters: { args: ['x'] } },
      ],
    });
    const second = accepted({ ...toProtocol(first) });
    expect(second.servers).toEqual(first.servers);
    expect(second.servers[1]).toMatchObject({ remote: { timeoutMs: 90_000, sseReadTimeoutMs: 86_400_500 } });
    expect(second.servers[1]?.raw.server_parameters).toMatchObject({
      timeout: 'PT1M30S',
      sse_read_timeout: 'PT24H0.5S',
    });
  });
});
