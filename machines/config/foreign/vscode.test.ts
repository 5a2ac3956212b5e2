import { describe, expect, it } from 'vitest';
import { parseConfig, parseConfigText, readFacts, toProtocol, type Config } from '../index.ts';

/** As somebody has it in `.vscode/mcp.json`. */
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
    { "type": "promptString", "id": "token", "description": "Token", "password": true, },
    { "type": "pickString", "id": "region", "description": "Region", "default": "eu-1",
      "options": ["us-1", { "label": "Europe", "value": "eu-1" }, { "label": "ap-1", "value": "ap-1" }] },
    { "type": "command", "id": "rev", "command": "git.rev", "args": ["HEAD", { "short": true }] },
  ],
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
    expect(servers[0]).toMatchObject({
      launch: {
        args: ['-y', 'web-server', '--port', '8080', 'true'],
        env: { PORT: '8080', DEBUG: 'false', URL: 'http://h/*not a comment*/' },
      },
    });
    expect(inputs[1]).toEqual({
      type: 'pickString',
      id: 'region',
      description: 'Region',
      options: ['us-1', 'eu-1', 'ap-1'],
      labels: { 'eu-1': 'Europe' },
      default: 'eu-1',
    });
    expect(warnings).toEqual([
      'servers.web.args[3]: a number is passed on as text',
      'servers.web.args[4]: true or false is passed on as text',
      'servers.web.env.GONE: null: this variable is not set',
      'servers.web.env.PORT: a number is passed on as text',
      'servers.web.env.DEBUG: true or false is passed on as text',
      'servers.local.url: sockets and pipes (unix://, pipe://) are not reached in this version: this server does not start',
      'servers.dev.dev: unknown key, ignored',
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
    expect(mistakesOf('{"mcp": {"mcp": {"servers": {}}}}')).toEqual(['mcp: holds no servers']);
  });
  it('says line and column of a mistake among its comments, and which key stands twice', () => {
    expect(mistakesOf('{\n  // x\n  "servers": {,}\n}')).toEqual([
      ': is not valid JSON at 3:15 (line:column): expected a value',
    ]);
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
