import { expect, test } from 'vitest';
import { readConfig } from '../../scenarios/fixtures/read-config.ts';
import { shownServer } from './shown.ts';

const shown = (server: object): unknown =>
  readConfig(server).servers.map((s) => shownServer(s.raw).server_parameters);

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
