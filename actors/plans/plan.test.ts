import { describe, expect, it } from 'vitest';
import { timing } from '../../machines/kernel/timing.ts';
import { bundleIdOf, defaultTiming, fingerprintOf, hostTiming, planOf, readOrThrow } from './plan.ts';

it('a server without auto_approve of its own has that at the top of the config, and [] is its own', () => {
  const command = 'x';
  const { servers, settings } = readOrThrow({
    mcpServers: { a: { command }, b: { command, autoApprove: ['b_x'] }, c: { command, autoApprove: [] } },
    a2c: { autoApprove: ['read'] },
  });
  const policy = { autoConnect: true, autoReconnect: true, timing };
  const facts = { generation: 1, values: 0, fingerprint: 'f', cached: null, lastTools: null };
  const rules = servers.map((server) => planOf(server, settings, policy, facts).rules);
  expect(rules.map(({ server, autoApprove }) => [server, autoApprove])).toEqual([
    ['a', ['read']],
    ['b', ['b_x']],
    ['c', []],
  ]);
});

it('delays of a computer are worked out once for a config, and those of its host go first', () => {
  const timingOf = hostTiming({ toolsMs: 1 });
  const settings = { timeouts: { toolsMs: 2, bootMs: 3 } };
  expect(timingOf(settings)).toEqual({ ...defaultTiming(), toolsMs: 1, bootMs: 3 });
  expect(timingOf(settings)).toBe(timingOf(settings));
  expect(timingOf({})).toEqual({ ...defaultTiming(), toolsMs: 1 });
});

it('the exit of a process is waited for on Windows as long as its processes take to be listed', () => {
  const waits = (['linux', 'darwin', 'win32'] as const).map(
    (platform) => defaultTiming(platform).exitGraceMs,
  );
  expect(waits).toEqual([250, 250, 2_500]);
});

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

it('a fingerprint is pinned: files are named by it, and the next version has to find them', () => {
  const facts = { command: 'x', args: ['é', ''], env: { A: 'b=c\n' }, cwd: '/' };
  const { servers } = readOrThrow({
    mcpServers: { a: facts, b: { url: 'https://h/mcp', headers: { A: 'b' } } },
  });
  expect(servers.map(fingerprintOf)).toMatchInlineSnapshot(`
      [
        "05b9a68f551d7a7b149e3ef32d89c12cd4e9478f1cbb32f4abc299811a2aebdd",
        "ddb08316cf6f4a34bf37aa9505b8f9a1b21480b63241c01924277a62d65f47f4",
      ]
    `);
});
