import { expect, it } from 'vitest';
import { startHttpServer } from '../../scenarios/fixtures/http-server.ts';
import { openProxy } from '../../scenarios/fixtures/proxy.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';

/** Tests of servers with URLs that are reached through a real local proxy. */
const opened = async (server: object, proxy: string) =>
  closedAfter(
    await bootedComputer({ config: { mcpServers: { r: server }, a2c: { proxy } }, stateDir: false }),
  );
const nowhere = 'mcp.a2c-test.invalid';
const withCredentials = (url: string): string => url.replace('//', '//me:hunter22@');

it.each(['streamable', 'sse'] as const)(
  'a request of %s goes through the proxy that is asked for',
  async (kind) => {
    const server = closedAfter(await startHttpServer({ kind }));
    const proxy = closedAfter(await openProxy(Number(new URL(server.url).port)));
    const entry = { type: kind, url: `http://${nowhere}/echo`, autoApprove: ['all'] };
    const computer = await opened(entry, withCredentials(proxy.url));
    const { outcome, result } = await computer.callTool('echo', { text: 'hi' });
    expect([outcome, JSON.stringify(result)]).toEqual(['succeeded', expect.stringContaining('hi')]);
    expect(new Set(proxy.asked.map((url) => new URL(url).host))).toEqual(new Set([nowhere]));
    expect(proxy.authorizations).toEqual(new Set([`Basic ${btoa('me:hunter22')}`]));
  },
);
it('a URL of this machine is reached past the proxy', async () => {
  const server = closedAfter(await startHttpServer({ kind: 'streamable' }));
  const proxy = closedAfter(await openProxy());
  const computer = await opened({ url: `${server.url}/echo` }, proxy.url);
  expect([computer.status().servers[0]?.state, proxy.asked]).toEqual(['ready', []]);
});
it('https is tunnelled; a proxy that refuses is a failure of the start that shows no password', async () => {
  const proxy = closedAfter(await openProxy());
  const computer = await opened({ url: `https://${nowhere}/mcp` }, withCredentials(proxy.url));
  const [status] = computer.status().servers;
  expect(proxy.asked).toContain(`CONNECT ${nowhere}:443`);
  expect(status?.state).toBe('waiting');
  expect(JSON.stringify(status)).not.toContain('hunter22');
});
it('a proxy that is not there is named as what may be missing', async () => {
  const proxy = await openProxy();
  proxy.close();
  const computer = await opened({ url: `http://${nowhere}/mcp` }, proxy.url);
  expect(computer.status().servers[0]?.failure).toMatchObject({
    message: expect.stringContaining('cannot be reached through its proxy: nobody listens there') as string,
    remedy: expect.stringContaining('a2c.proxy') as string,
  });
});
