import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { startHttpServer, type HttpServer } from '../../scenarios/fixtures/http-server.ts';
import { openProxy } from '../../scenarios/fixtures/proxy.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const authority = at('../../scenarios/fixtures/tls/authority.pem');
const folder = testFolder('tls');
let server: HttpServer;
beforeEach(async () => {
  server = closedAfter(await startHttpServer({ kind: 'streamable', tls: true }));
});
const computerOf = async (entry: object, a2c: object = {}) => {
  const r = { url: `${server.url}/echo`, autoApprove: ['all'], ...entry };
  return closedAfter(await bootedComputer({ config: { mcpServers: { r }, a2c }, stateDir: false }));
};

describe('a server whose certificate is signed by an authority of a company', () => {
  it('is not reached, and the failure says what to do', async () => {
    const [status] = (await computerOf({})).status().servers;
    expect(status).toMatchObject({
      state: 'waiting',
      failure: { code: 'ServerLost', remedy: expect.stringContaining('NODE_EXTRA_CA_CERTS') as string },
    });
    expect(status?.failure?.message).toContain('signed by nobody we trust');
    expect(server.seen).toEqual([]);
  });
  it('is reached with its authority as ca, by which it alone is trusted', async () => {
    const { outcome } = await (await computerOf({ ca: authority })).callTool('echo', { text: 'hi' });
    expect(outcome).toBe('succeeded');
  });
  it('is reached through a tunnel of a proxy, too', async () => {
    const proxy = closedAfter(await openProxy(Number(new URL(server.url).port)));
    const url = 'https://mcp.a2c-test.invalid/echo';
    const [status] = (await computerOf({ url, ca: authority }, { proxy: proxy.url })).status().servers;
    expect(status?.state).toBe('ready');
    expect(new Set(proxy.asked)).toEqual(new Set(['CONNECT mcp.a2c-test.invalid:443']));
  });
  it('is reached where the variable NODE_EXTRA_CA_CERTS names its authority', async () => {
    const file = join(folder, 'config.json');
    writeFileSync(file, JSON.stringify({ mcpServers: { r: { url: `${server.url}/echo` } } }));
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: authority, XDG_STATE_HOME: folder };
    const args = [at('../../dist/actors/main.js'), 'tools', '--json', '-c', file];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    expect(JSON.parse(stdout)).toMatchObject({
      tools: expect.arrayContaining([expect.objectContaining({ name: 'echo', server: 'r' })]) as unknown,
    });
  });
  it.each([
    ['is not there', 'none.pem', 'does not exist'],
    ['holds no certificate', 'empty.pem', 'holds no certificate'],
  ])('is not tried where the file of ca %s', async (_, name, why) => {
    writeFileSync(join(folder, 'empty.pem'), 'nothing');
    const [status] = (await computerOf({ ca: join(folder, name) })).status().servers;
    expect(status?.failure).toMatchObject({
      code: 'ConfigInvalid',
      message: expect.stringContaining(why) as string,
    });
    expect(server.connections).toBe(0);
  });
});
