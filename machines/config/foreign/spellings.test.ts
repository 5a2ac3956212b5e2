import { describe, expect, it } from 'vitest';
import { parseConfig } from '../index.ts';

/** Entries as people paste them from other clients and frameworks, and what each means. */
type Entry = Readonly<Record<string, unknown>>;
const url = 'http://127.0.0.1:1/mcp';
const read = (entry: Entry): unknown => {
  const parsed = parseConfig({ mcpServers: { s: entry } });
  if (!parsed.ok) return parsed.mistakes.map(({ path, message }) => `${path}: ${message}`);
  const [server] = parsed.config.servers;
  const { warnings } = parsed.config;
  if (server?.kind === 'stdio') {
    const { command, args, env } = server.launch;
    return { kind: 'stdio', command, args, env, isOff: server.disabled, warnings };
  }
  if (server?.kind !== 'sse' && server?.kind !== 'streamable') return server?.kind;
  const { headers, oauth } = server.remote;
  const isGuess = server.kind === 'streamable' && server.remote.isGuess;
  return { kind: isGuess ? 'guess' : server.kind, url: server.remote.url, headers, oauth, warnings };
};
const far = (kind: string, more: object = {}): object => ({ kind, url, warnings: [], ...more });
const near = (more: object = {}): object => ({
  kind: 'stdio',
  command: 'x',
  isOff: false,
  warnings: [],
  ...more,
});

describe('an entry of another client', () => {
  it.each<[Entry, object]>([
    [{ type: 'HTTP', url }, far('streamable')],
    [{ type: 'streamable_http', url }, far('streamable')],
    [{ type: 'Streamable HTTP', url }, far('streamable')],
    [{ type: 'http-stream', url }, far('streamable')],
    [{ type: 'httpStream', url }, far('streamable')],
    [{ type: 'SSE', url }, far('sse')],
    [{ type: 'remote', url }, far('guess')],
    [{ url }, far('guess')],
    [{ transport: 'streamable-http', url }, far('streamable')],
    [{ transport: 'http', url }, far('streamable')],
    [{ transport: 'sse', url }, far('sse')],
    [{ transport: 'sse', type: 'sse', url }, far('sse')],
    [{ transport: 'sse', type: 'remote', url }, far('sse')],
    [{ transport: '', url }, far('guess')],
    [{ transportType: 'sse', url }, far('sse')],
    [{ transport: { type: 'sse', url } }, far('sse')],
    [{ transport: { type: 'http', url, headers: { A: 'b' } } }, far('streamable', { headers: { A: 'b' } })],
    [{ url, requestInit: { headers: { A: 'b' } } }, far('guess', { headers: { A: 'b' } })],
    [{ type: 'local', command: 'x', args: ['y'] }, near({ args: ['y'] })],
    [{ type: 'STDIO', command: 'x' }, near()],
    [{ transport: 'stdio', command: 'x' }, near()],
    [{ transport: { type: 'stdio', command: 'x', args: ['y'] } }, near({ args: ['y'] })],
    [{ transportType: 'stdio', command: 'x' }, near()],
    [{ command: ['x', '-y', 'z'] }, near({ args: ['-y', 'z'] })],
    [{ command: ['x', 'a'], args: ['b'] }, near({ args: ['a', 'b'] })],
    [{ command: 'x', environment: { A: 'b' } }, near({ env: { A: 'b' } })],
    [{ command: 'x', isActive: false }, near({ isOff: true })],
    [{ command: 'x', isActive: true }, near()],
    [
      { command: 'x', name: 'shown' },
      near({ warnings: ['mcpServers.s.name: differs from "s", which is its name here'] }),
    ],
    [
      { url, oauth: { clientId: 'a', scope: 'r w' } },
      far('guess', { oauth: { clientId: 'a', scopes: ['r', 'w'] } }),
    ],
    [{ url, oauth: { CLIENT_ID: 'a' } }, far('guess', { oauth: { clientId: 'a' } })],
    [
      { url, oauth: { callbackPort: 8080, authServerMetadataUrl: 'https://a/b', clientId: '' } },
      far('guess', {
        oauth: undefined,
        warnings: [
          'mcpServers.s.oauth.callbackPort: means nothing here, ignored',
          'mcpServers.s.oauth.authServerMetadataUrl: means nothing here, ignored',
        ],
      }),
    ],
    [{ url, oauth: true }, far('guess', { warnings: ['mcpServers.s.oauth: is no login, ignored'] })],
  ])('%j is understood', (entry, meaning) => {
    expect(read(entry)).toMatchObject(meaning);
  });
  it.each<[Entry, string]>([
    [
      { type: 'ws', url },
      'mcpServers.s.type: WebSockets are not spoken: expected one of stdio, sse, http, inmemory',
    ],
    [{ transport: 'carrier', url }, 'mcpServers.s.transport: expected one of stdio, sse, http, inmemory'],
    [
      { type: 'http', transport: 'sse', url },
      'mcpServers.s.transport: says something else than type, which means the same',
    ],
    [
      { type: 'local', transport: 'remote', command: 'x' },
      'mcpServers.s.transport: says something else than type, which means the same',
    ],
    [
      { url: 'http://h/1', transport: { url: 'http://h/2' } },
      'mcpServers.s.url: says something else than transport.url, which means the same',
    ],
    [
      { transport: { type: 'sse', url: 'ftp://h' } },
      'mcpServers.s.transport.url: expected an http:// or https:// URL',
    ],
    [{ command: [] }, 'mcpServers.s.command: expected a string, got a list'],
    [{ command: ['x', 1] }, 'mcpServers.s.command: expected a string, got a list'],
    [{ command: 'x', isActive: 'no' }, 'mcpServers.s.isActive: expected true or false, got a string'],
    [
      { command: 'x', isActive: false, disabled: false },
      'mcpServers.s.disabled: says something else than isActive, which means the same',
    ],
    [{ url, oauth: { isuer: 'https://a' } }, 'mcpServers.s.oauth.isuer: unknown key'],
  ])('%j is a mistake, at its place', (entry, mistake) => {
    expect(read(entry)).toContain(mistake);
  });
});
