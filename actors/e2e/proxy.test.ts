import { afterEach, expect, it } from 'vitest';
import { startHttpServer, type HttpServer } from '../../scenarios/fixtures/http-server.ts';
import { openProxy, type FakeProxy } from '../../scenarios/fixtures/proxy.ts';
import type { Computer } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';

/** Tests of servers with URLs that are reached through a real local proxy. */
let computer: Computer | undefined;
let server: HttpServer | undefined;
let proxy: FakeProxy | undefined;
afterEach(async () => {
  await computer?.close();
  proxy?.close();
  await server?.stop();
  [computer, proxy, server] = [undefined, undefined, undefined];
});
const nowhere = 'mcp.a2c-test.invalid';
const withCredentials = (url: string): string => url.replace('//', '//me:hunter22@');

it.each(['streamable', 'sse'] as const)(
  'a request of %s goes through the proxy that is asked for',
  async (kind) => {
    server = await startHttpServer({ kind });
    proxy = await openProxy(Number(new URL(server.url).port));
    const a2c = { proxy: withCredentials(proxy.url) };
    const mcpServers = { r: { type: kind, url: `http://${nowhere}/echo`, autoApprove: ['all'] } };
    computer = await bootedComputer({ config: { mcpServers, a2c }, stateDir: false });
    const { outcome, result } = await computer.callTool('echo', { text: 'hi' });
    expect([outcome, JSON.stringify(result)]).toEqual(['succeeded', expect.stringContaining('hi')]);
    expect(new Set(proxy.asked.map((url) => new URL(url).host))).toEqual(new Set([nowhere]));
    expect(proxy.authorizations).toEqual(new Set([`Basic ${btoa('me:hunter22')}`]));
  },
);
it('a URL of this machine is reached past the proxy', async () => {
  server = await startHttpServer({ kind: 'streamable' });
  proxy = await openProxy();
  const config = { mcpServers: { r: { url: `${server.url}/echo` } }, a2c: { proxy: proxy.url } };
  computer = await bootedComputer({ config, stateDir: false });
  expect([computer.status().servers[0]?.state, proxy.asked]).toEqual(['ready', []]);
});
it('https is tunnelled; a proxy that refuses is a failure of the start that shows no password', async () => {
  proxy = await openProxy();
  const config = {
    mcpServers: { r: { type: 'http', url: `https://${nowhere}/mcp` } },
    a2c: { proxy: withCredentials(proxy.url) },
  };
  computer = await bootedComputer({ config, stateDir: false });
  const [status] = computer.status().servers;
  expect(proxy.asked).toContain(`CONNECT ${nowhere}:443`);
  expect(status?.state).toBe('waiting');
  expect(JSON.stringify(status)).not.toContain('hunter22');
});
it('a proxy that is not there is named as what may be missing', async () => {
  proxy = await openProxy();
  proxy.close();
  const config = { mcpServers: { r: { url: `http://${nowhere}/mcp` } }, a2c: { proxy: proxy.url } };
  computer = await bootedComputer({ config, stateDir: false });
  expect(computer.status().servers[0]?.failure).toMatchObject({
    message: expect.stringContaining('cannot be reached through its proxy: nobody listens there') as string,
    remedy: expect.stringContaining('a2c.proxy') as string,
  });
});
