import { describe, expect, it } from 'vitest';
import { readFacts } from './launch-config.ts';
import { parseConfigText } from './parse-text.ts';
import { parseConfig, type Config } from './parse.ts';
import { toProtocol } from './to-protocol.ts';

/** Entry of a server as people paste it from another application. */
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
const started = { kind: 'stdio', command: 'x', isOff: false, warnings: [] };
const near = (more: object = {}): object => ({ ...started, ...more });

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
        warnings: ['callbackPort', 'authServerMetadataUrl'].map(
          (key) => `mcpServers.s.oauth.${key}: means nothing here, ignored`,
        ),
      }),
    ],
    [{ url, oauth: true }, far('guess', { warnings: ['mcpServers.s.oauth: is no login, ignored'] })],
  ])('%j is understood', (entry, meaning) => {
    expect(read(entry)).toMatchObject(meaning);
  });
  const twice = (other: string): string => `says something else than ${other}, which means the same`;
  it.each<[Entry, string]>([
    [{ type: 'ws', url }, 'type: WebSockets are not spoken: expected one of stdio, sse, http, inmemory'],
    [{ transport: 'carrier', url }, 'transport: expected one of stdio, sse, http, inmemory'],
    [{ type: 'http', transport: 'sse', url }, `transport: ${twice('type')}`],
    [{ type: 'local', transport: 'remote', command: 'x' }, `transport: ${twice('type')}`],
    [{ url: 'http://h/1', transport: { url: 'http://h/2' } }, `url: ${twice('transport.url')}`],
    [{ transport: { type: 'sse', url: 'ftp://h' } }, 'transport.url: expected an http:// or https:// URL'],
    [{ command: [] }, 'command: expected a string, got a list'],
    [{ command: ['x', 1] }, 'command: expected a string, got a list'],
    [{ command: 'x', isActive: 'no' }, 'isActive: expected true or false, got a string'],
    [{ command: 'x', isActive: false, disabled: false }, `disabled: ${twice('isActive')}`],
    [{ url, oauth: { isuer: 'https://a' } }, 'oauth.isuer: unknown key'],
  ])('%j is a mistake, at its place', (entry, mistake) => {
    expect(read(entry)).toContain(`mcpServers.s.${mistake}`);
  });
});

/** Example of a `.vscode/mcp.json` with comments and trailing commas. */
const mcpJson = `{
  // Servers of this workspace.
  "servers": {
    "web": { "type": "stdio", "command": "npx", "args": ["-y", "web-server", "--port", 8080, true],
      "env": { "PORT": 8080, "DEBUG": false, "GONE": null, "URL": "http://h/*not a comment*/" }, },
    /* over
       HTTP */
    "remote": { "url": "https://h/mcp", "headers": { "Authorization": "Bearer \${input:token}" } },
    "local": { "type": "http", "url": "unix:///tmp/mcp.sock/mcp" },
    "dev": { "command": "x", "dev": { "watch": "**/*.js" }, "envFile": "\${workspaceFolder}/.env" },
  },
  "inputs": [
    { "type": "promptString", "id": "token", "description": "Token", "password": true, "extra": 1 },
    { "type": "pickString", "id": "region", "description": "Region", "default": "eu-1",
      "options": ["us-1", { "label": "Europe", "value": "eu-1" }, { "label": "ap-1", "value": "ap-1" }] },
    { "type": "command", "id": "rev", "command": "git.rev", "args": ["HEAD", { "short": true }] },
  ],
  "sandbox": true,
}
`;
const taken = (text: string): Config => {
  const parsed = parseConfigText(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.mistakes));
  return parsed.config;
};
const mistakesOf = (text: string): string[] => {
  const parsed = parseConfigText(text);
  return parsed.ok ? [] : parsed.mistakes.map(({ path, message }) => `${path}: ${message}`);
};

describe('a file of VS Code', () => {
  it('is read as it is: comments, commas at the end, numbers, options with labels, sockets', () => {
    const { servers, inputs, warnings } = taken(mcpJson);
    expect(servers.map(({ name }) => name)).toEqual(['web', 'remote', 'local', 'dev']);
    const args = ['-y', 'web-server', '--port', '8080', 'true'];
    const env = { PORT: '8080', DEBUG: 'false', URL: 'http://h/*not a comment*/' };
    expect(servers[0]).toMatchObject({ launch: { args, env } });
    const [options, labels] = [['us-1', 'eu-1', 'ap-1'], { 'eu-1': 'Europe' }];
    const region = { type: 'pickString', id: 'region', description: 'Region', default: 'eu-1' };
    expect(inputs[1]).toEqual({ ...region, options, labels });
    expect(warnings).toEqual([
      'sandbox: unknown key, ignored',
      'servers.web.args[3]: a number is passed on as text',
      'servers.web.args[4]: true or false is passed on as text',
      'servers.web.env.GONE: null: this variable is not set',
      'servers.web.env.PORT: a number is passed on as text',
      'servers.web.env.DEBUG: true or false is passed on as text',
      'servers.local.url: sockets and pipes (unix://, pipe://) are not reached in this version: this server does not start',
      'servers.dev.dev: unknown key, ignored',
      'inputs[0].extra: unknown key, ignored',
      'inputs[2].args: is no object of texts, ignored',
    ]);
  });
  it('is shown to agents in the words of the protocol, which has no labels', () => {
    expect(JSON.stringify(toProtocol(taken(mcpJson)))).not.toContain('Europe');
  });
  it('may be the settings, where all else is none of ours', () => {
    const text = `{ "editor.fontSize": 12, "mcp": { "inputs": [{"type": "promptString", "id": "k"}],
      "servers": { "a": { "command": "x", "colour": 1 } }, "discovery": true }, "[json]": {}, }`;
    expect(taken(text)).toMatchObject({
      servers: [{ name: 'a' }],
      inputs: [{ id: 'k' }],
      warnings: ['mcp.discovery: unknown key, ignored', 'mcp.servers.a.colour: unknown key, ignored'],
    });
    expect(mistakesOf('{"mcp": {"servers": {"a": {"args": 7, "command": "x"}}}}')).toEqual([
      'mcp.servers.a.args: expected a list, got a number',
    ]);
    expect(mistakesOf('{"mcp": {"servers": {}, "inputs": 3}}')).toEqual([
      'mcp.inputs: expected a list of input definitions',
    ]);
    expect(mistakesOf('{"mcp": {"mcp": {"servers": {}}}}')).toEqual(['mcp: has no servers']);
  });
  it('says line and column of a mistake among its comments, and which key stands twice', () => {
    expect(mistakesOf('{\n  // x\n  "servers": {,}\n}')).toEqual([': is not valid JSON: value expected']);
    expect(
      mistakesOf('/* a */ {"servers": {"a": {"command": "x"},\n /* b */ "a": {"command": "y"}}}'),
    ).toEqual(['servers.a: stands twice in its object, again at 2:10']);
  });
  it('keeps a server behind a socket from starting, and says why', () => {
    const read = readFacts('streamable', { url: 'unix:///tmp/s', headers: {} });
    expect(read).toMatchObject({
      ok: false,
      mistakes: [{ message: expect.stringContaining('unix://') as string }],
    });
  });
  it('has no key that is not one', () => {
    const { servers } = taken('{"servers": {"__proto__": {"command": "x"}, "a": {"command": "y"}}, }');
    expect(servers.map(({ name }) => name)).toEqual(['__proto__', 'a']);
    expect(parseConfig({ servers: [] }).ok).toBe(true);
  });
});
