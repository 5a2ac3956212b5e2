import { describe, expect, it } from 'vitest';
import { bundleIdOf, readOrThrow } from './plan.ts';

const idOf = (entry: object): string => {
  const [server] = readOrThrow([entry]).servers;
  return server ? bundleIdOf(server) : 'none';
};
const stdio = (name: string, command: string, args: readonly string[] = [], env?: object): object => ({
  name,
  type: 'stdio',
  server_parameters: { command, args, ...(env && { env }) },
});
const remote = (type: string, url: string, headers: object = {}): object => ({
  name: '!',
  type,
  server_parameters: { url, headers },
});
const mcp = 'https://api.example.com/mcp';

describe('the bundle_id of a server', () => {
  it.each([
    ['My Server!', 'My_Server'],
    ['a__b', 'a_b'],
    ['a.b.c', 'a_b_c'],
    ['a-b--c', 'a-b--c'],
    ['__lead_trail__', 'lead_trail'],
    ['-a b-_-', 'a_b'],
    ['a😀😀b', 'a_b'],
  ])('is the name %s as %s', (name, id) => {
    expect(idOf(stdio(name, 'x'))).toBe(id);
  });

  // Published test vectors, and three ids that the Python SDK 0.4.2 computed.
  it.each([
    [stdio('你好世界', 'npx', ['-y', 'everything'], {}), '8d2a9232fa76e8a5'],
    [stdio('!!!@@@', 'uvx', ['mcp-server-git']), '62515edd7632e701'],
    [stdio('服务器', 'node', ['a.js'], { TOKEN: 'x', DEBUG: '1' }), '05020ad7c2cc048d'],
    [stdio('!', 'node', ['server.js'], { API_KEY: '${input:api_key}' }), '68ae00fea9122c01'],
    [stdio('é_ü-', 'x', ['ö'], { Ä: 'é' }), '4ab407e3f1bd5cb1'],
    [stdio('😀', 'node', ['😀'], { é: '1', z: '2', A: '3' }), 'c6bde6950106bed5'],
    [remote('streamable', mcp), 'b413b61fe2e77b15'],
    [remote('streamable', mcp, { Authorization: 'Bearer z' }), '0706e7b45613df7a'],
    [remote('sse', 'https://api.example.com/sse'), 'e1d7b1216a270815'],
    [remote('streamable', mcp, { Authorization: 'Bearer ${input:token}' }), '6366b4fd89f56f6a'],
  ])('is a hash where nothing of the name is left: %j', (entry, digest) => {
    expect(idOf(entry)).toBe(`bundle_${digest}`);
  });

  it('is what the config says', () => {
    expect(idOf({ ...stdio('files', 'x'), bundle_id: 'my-files' })).toBe('my-files');
    const [server] = readOrThrow({ mcpServers: { files: { command: 'x', bundle_id: 'mine' } } }).servers;
    expect(server && bundleIdOf(server)).toBe('mine');
  });
  it.each(['', 'a b', 'a__b', 'é'])('may not be %j', (bundle_id) => {
    expect(() => readOrThrow([{ ...stdio('files', 'x'), bundle_id }])).toThrow(/bundle_id/);
  });
});
