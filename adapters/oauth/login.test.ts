import { mkdtempSync, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { challengeIn, codeIn } from './login-options.ts';
import type { Authorize } from '../mcp/http/login.ts';
import { isInside } from '../mcp/http/place.ts';
import { httpTo } from '../../scenarios/contracts/logins/login-authority.ts';
import { guardedFetch } from './guarded-fetch.ts';
import { Login } from './login.ts';
import { sharedLogins, type LoginStore } from './login-store.ts';
import { Loopback } from './person.ts';
import { servedUrl } from '../../scenarios/fixtures/local-server.ts';

const withResolvers = (): { promise: Promise<void>; resolve: () => void } => {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
};
const never = new AbortController().signal;

/** Authorization server that agrees at once and counts the tokens that it gives. */
async function authority(expiresIn = 3_600) {
  const seen = { tokens: 0, grants: [] as string[] };
  const url = await servedUrl((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://x');
    const json = (body: object): void => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (pathname === '/.well-known/oauth-authorization-server')
      return json({
        ...{ issuer: url, authorization_endpoint: `${url}/authorize`, token_endpoint: `${url}/token` },
        ...{ registration_endpoint: `${url}/register`, response_types_supported: ['code'] },
        ...{ code_challenge_methods_supported: ['S256'], token_endpoint_auth_methods_supported: ['none'] },
      });
    let body = '';
    request.on('data', (part) => (body += String(part)));
    request.on('end', () => {
      if (pathname === '/register') return json({ ...JSON.parse(body), client_id: 'c1' });
      if (pathname !== '/token') return response.writeHead(404).end();
      seen.tokens += 1;
      seen.grants.push(new URLSearchParams(body).get('grant_type') ?? '');
      return json({
        ...{ access_token: `access-${seen.tokens}`, refresh_token: `refresh-${seen.tokens}` },
        ...{ token_type: 'Bearer', expires_in: expiresIn },
      });
    });
  });
  return { url, seen };
}
const agrees: Authorize = ({ url }) => {
  const page = new URL(url);
  const back = new URL(page.searchParams.get('redirect_uri') ?? '');
  back.search = new URLSearchParams({ code: 'x', state: page.searchParams.get('state') ?? '' }).toString();
  return back;
};
interface Given {
  readonly url: string;
  readonly store: LoginStore;
  readonly authorize?: Authorize;
  readonly now?: () => number;
  readonly hidden?: string[];
}
const loginTo = ({ url, store, authorize = agrees, now = () => 0, hidden = [] }: Given): Login =>
  new Login({
    server: 'it',
    url: `${url}/mcp`,
    config: {},
    store,
    authorize,
    hide: (secrets) => hidden.push(...secrets),
    now,
  });
const news = { shown: () => {}, returned: () => {} };
const folder = (): string => mkdtempSync(join(tmpdir(), 'a2c-logins-'));

describe('a login', () => {
  it('is kept in a file that only its user may read, and hidden before anybody could tell it', async () => {
    const { url } = await authority();
    const [dir, hidden] = [folder(), [] as string[]];
    const login = loginTo({ url, store: sharedLogins(dir), hidden });
    expect(await login.token()).toBeUndefined();
    await login.login(news, never);
    expect(await login.token()).toBe('access-1');
    expect(hidden).toEqual(expect.arrayContaining(['access-1', 'refresh-1']));
    const [file = ''] = readdirSync(join(dir, 'logins'));
    // Windows has no modes: the access list of the profile guards the file.
    if (process.platform !== 'win32') expect(statSync(join(dir, 'logins', file)).mode & 0o777).toBe(0o600);
    expect(await login.logout()).toEqual({ wasLoggedIn: true, isRevoked: false });
    expect(readdirSync(join(dir, 'logins'))).toEqual([]);
  });
  it('is renewed before it ends, once for all who share it', async () => {
    const { url, seen } = await authority(100);
    const dir = folder();
    let now = 0;
    const [one, other] = [0, 1].map(() => loginTo({ url, store: sharedLogins(dir), now: () => now }));
    await one?.login(news, never);
    expect([await one?.token(), await other?.token()]).toEqual(['access-1', 'access-1']);
    now = 95_000;
    expect(await Promise.all([one?.token(), other?.token()])).toEqual(['access-2', 'access-2']);
    expect(seen.grants).toEqual(['authorization_code', 'refresh_token']);
  });
  it('is renewed when the clock of this machine was put back, and when it was put forward', async () => {
    const { url, seen } = await authority(100);
    let now = 1_000_000;
    const login = loginTo({ url, store: sharedLogins(folder()), now: () => now });
    await login.login(news, never);
    expect(await login.token()).toBe('access-1');
    now -= 500_000;
    expect(await login.token()).toBe('access-2');
    // The life of the renewed token is measured by the clock after it was set back.
    expect(await login.token()).toBe('access-2');
    now += 500_000;
    expect(await login.token()).toBe('access-3');
    expect(seen.tokens).toBe(3);
  });
  it('is renewed when it is refused; without a way to renew it nothing is sent again', async () => {
    const { url } = await authority();
    const login = loginTo({ url, store: sharedLogins(folder()) });
    expect(await login.challenged({ status: 401, header: undefined, token: undefined, isFirst: true })).toBe(
      false,
    );
    await login.login(news, never);
    expect(await login.challenged({ status: 401, header: undefined, token: 'access-1', isFirst: true })).toBe(
      true,
    );
    expect(await login.token()).toBe('access-2');
    expect(await login.challenged({ status: 403, header: undefined, token: 'access-2', isFirst: true })).toBe(
      false,
    );
  });
  it('fails by the words of nobody else where the person refuses, or another page answers', async () => {
    const { url } = await authority();
    const answered = (change: (back: URLSearchParams) => void): Login =>
      loginTo({
        url,
        store: sharedLogins(folder()),
        authorize: (request) => {
          const back = agrees(request) as URL;
          change(back.searchParams);
          return back;
        },
      });
    const refused = answered((back) => back.set('error', 'access_denied')).login(news, never);
    await expect(refused).rejects.toThrow('the login was refused (access_denied)');
    const replayed = answered((back) => back.set('state', 'old')).login(news, never);
    await expect(replayed).rejects.toThrow('does not belong to this login');
    const mixed = answered((back) => back.set('iss', 'https://evil.test')).login(news, never);
    await expect(mixed).rejects.toThrow('from another authorization server');
  });
  it('is given up at once when nobody waits for it any more', async () => {
    const { url } = await authority();
    const end = new AbortController();
    const login = loginTo({ url, store: sharedLogins(folder()), authorize: () => undefined });
    const shown = withResolvers();
    const over = login.login({ shown: () => shown.resolve(), returned: () => {} }, end.signal);
    await shown.promise;
    end.abort();
    await expect(over).rejects.toThrow('nobody has logged in');
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
  it('is not read without end', async () => {
    const url = await servedUrl((_, response) => response.end('x'.repeat(300_000)));
    await expect(guardedFetch(httpTo(url), never)(url)).rejects.toThrow('larger than');
  });
  it('is read from its challenge, quoted or not', () => {
    const header =
      'Basic realm="x", Bearer error="insufficient_scope", scope="a b", resource_metadata=https://h/p';
    expect(challengeIn(header)).toEqual({
      error: 'insufficient_scope',
      scope: 'a b',
      resourceMetadata: 'https://h/p',
    });
    expect(challengeIn('Basic realm="x"')).toEqual({});
  });
});

describe('the redirect to this machine', () => {
  it('counts with our state, once, and not under another name', async () => {
    const loopback = await Loopback.open();
    loopback.expect('s1');
    const status = async (query: string, host?: string): Promise<number> =>
      (await fetch(loopback.redirectUri.replace('127.0.0.1', host ?? '127.0.0.1') + query)).status;
    expect(await status('?code=a&state=s0')).toBe(400);
    expect(await status('?code=a&state=s1', 'localhost').catch(() => 404)).toBe(404);
    expect(await status('?code=a&state=s1')).toBe(200);
    expect(await status('?code=b&state=s1')).toBe(404);
    expect((await loopback.redirected).searchParams.get('code')).toBe('a');
    loopback.close();
  });
  it('must say who it is from where its authorization server promised that', () => {
    const found = {
      authorizationServerUrl: 'https://as.test',
      authorizationServerMetadata: {
        issuer: 'https://as.test',
        authorization_response_iss_parameter_supported: true,
      },
    } as never;
    const redirectUri = 'http://127.0.0.1:1/callback';
    const codeOf = (query: string): string =>
      codeIn(new URL(redirectUri + query), { redirectUri, state: 's', found });
    expect(codeOf('?code=a&state=s&iss=https://as.test')).toBe('a');
    expect(() => codeOf('?code=a&state=s')).toThrow('does not say which');
    expect(() => codeOf('?code=a&state=s&iss=https://as.test/')).toThrow('another authorization server');
  });
});
