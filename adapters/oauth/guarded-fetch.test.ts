import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { httpTo, never } from '../../scenarios/contracts/logins/login-authority.ts';
import { isInside } from '../mcp/http/place.ts';
import { guardedFetch } from './guarded-fetch.ts';
import { ended, listening, servedUrl } from '../../scenarios/fixtures/local-server.ts';
import type { IncomingMessage } from 'node:http';
import { createServer as createSecure } from 'node:https';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { waitingTimers } from '../clock.ts';
import { Http } from '../mcp/http/http.ts';

const serve = (encoding: string, body: Buffer, length = body.length): Promise<string> =>
  servedUrl((_, response) => {
    response.writeHead(200, { 'content-encoding': encoding, 'content-length': String(length) });
    response.write(body, () => (length === body.length ? response.end() : response.destroy()));
  });
const asked = (url: string): Promise<Response> => guardedFetch(httpTo(url), never)(url);
const metadata = Buffer.from(JSON.stringify({ issuer: 'https://far.test' }));

describe('a packed answer in a login', () => {
  it('a packed answer in a login is unpacked', async () => {
    const url = await serve('gzip', gzipSync(metadata));
    expect(await (await asked(url)).json()).toEqual({ issuer: 'https://far.test' });
  });
  it('is read up to the same size as any other', async () => {
    await expect(asked(await serve('gzip', gzipSync(Buffer.alloc(5_000_000))))).rejects.toThrow(
      'larger than',
    );
  });
  it('the packing of an answer in a login is named when it is not known', async () => {
    await expect(asked(await serve('zstd', metadata))).rejects.toThrow('"zstd"');
  });
  it('fails when it is cut off', async () => {
    await expect(asked(await serve('gzip', gzipSync(metadata), 10_000))).rejects.toThrow('broken off');
  });
});

describe('an address that a server names', () => {
  const far = new URL('https://mcp.example.com/mcp');
  it.each(['127.0.0.1', '10.1.2.3', '169.254.169.254', '::1', '::ffff:10.0.0.1', 'fd00::1', '0.0.0.0'])(
    'is not asked where it is %s, inside',
    async (address) => {
      expect(isInside(address)).toBe(true);
      const host = address.includes(':') ? `[${address}]` : address;
      const asked = guardedFetch(httpTo('https://192.0.2.1/mcp'), never)(`https://${host}/x`);
      await expect(asked).rejects.toThrow('private network');
    },
  );
  it('is not asked where its name leads inside', async () => {
    const asked = guardedFetch(httpTo('https://192.0.2.1/mcp'), never)('https://localhost/x');
    await expect(asked).rejects.toThrow('private network');
  });
  it.each(['nothing', 'a little'])('is not waited for without end: it says %s', async (said) => {
    const url = await servedUrl((_, response) => {
      if (said !== 'nothing') response.write('x');
    });
    await expect(guardedFetch(httpTo(url), never, { timeoutMs: 100 })(url)).rejects.toThrow(
      'gave no answer in time',
    );
  });
  it('is not followed elsewhere', async () => {
    const url = await servedUrl((_, response) => response.writeHead(302, { location: '/other' }).end());
    expect((await guardedFetch(httpTo(url), never)(url)).status).toBe(302);
  });
  it('is not asked over plain HTTP by who was reached over TLS', async () => {
    await expect(guardedFetch(httpTo(far), never)('http://192.0.2.1/x')).rejects.toThrow(
      'no https:// address',
    );
  });
});

const around = { timers: waitingTimers, now: () => Date.now(), userAgent: 'test' };

describe('the requests of a login', () => {
  it('go through the proxy of each address; headers and cookies go to the origin of the server alone', async () => {
    const seen: IncomingMessage[] = [];
    const url = await servedUrl((request, response) => {
      seen.push(request);
      response.writeHead(200, { 'set-cookie': 'node=1; Path=/' }).end('{}');
    });
    const headers = { 'X-Key': 'only-for-the-server' };
    const given = { url: new URL('http://mcp.a2c-test.invalid/mcp'), headers, timeoutMs: 0 };
    const http = new Http({ ...given, proxyFor: () => url }, around);
    const fetch = guardedFetch(http, never);
    for (const to of ['mcp', 'mcp', 'login'])
      expect(
        (await fetch(`http://${to}.a2c-test.invalid/token`, { method: 'POST', body: 'a=1' })).status,
      ).toBe(200);
    const told = seen.map(({ url: to, headers: { cookie, 'x-key': key } }) => [to, key, cookie]);
    expect(told).toEqual([
      ['http://mcp.a2c-test.invalid/token', 'only-for-the-server', undefined],
      ['http://mcp.a2c-test.invalid/token', 'only-for-the-server', 'node=1'],
      ['http://login.a2c-test.invalid/token', undefined, undefined],
    ]);
  });
  it.each(['http://127.0.0.1:9', undefined])(
    'say what to set when they reach nobody by the proxy %s',
    async (proxy) => {
      const given = { url: new URL('http://127.0.0.1:9/mcp'), headers: {}, timeoutMs: 0 };
      const fetch = guardedFetch(new Http({ ...given, proxyFor: () => proxy }, around), never);
      await expect(fetch('http://127.0.0.1:9/token')).rejects.toMatchObject({
        message: expect.stringContaining('cannot be reached') as string,
        remedy: { words: expect.stringContaining('a2c.proxy') as string },
      });
    },
  );
  it('trust ca for the server and beside it, and name it where it is missing', async () => {
    const folder = fileURLToPath(new URL('../../scenarios/fixtures/tls/', import.meta.url));
    const of = (name: string): string => readFileSync(folder + name, 'utf8');
    const tls = { cert: of('localhost.pem'), key: of('localhost-key.pem') };
    const at = async (): Promise<string> => {
      const server = createSecure(tls, (_, response) => response.end('{}'));
      onTestFinished(() => ended(server));
      return (await listening(server)).replace('http://127.0.0.1', 'https://localhost');
    };
    const [own, other] = [await at(), await at()];
    const given = { url: new URL(`${own}/mcp`), headers: {}, timeoutMs: 0, place: { isInside: true } };
    const trusting = guardedFetch(new Http({ ...given, ca: of('authority.pem') }, around), never);
    for (const to of [own, other]) expect((await trusting(`${to}/token`)).status).toBe(200);
    await expect(guardedFetch(new Http(given, around), never)(`${own}/token`)).rejects.toMatchObject({
      remedy: { words: expect.stringContaining('NODE_EXTRA_CA_CERTS') as string },
    });
  });
});
