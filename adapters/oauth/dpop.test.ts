import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { calculateJwkThumbprint, decodeJwt, EmbeddedJWK, jwtVerify, type JWK } from 'jose';
import { describe, expect, it } from 'vitest';
import { challengeIn } from './login-options.ts';
import type { Authorize } from '../mcp/http/login.ts';
import { memoryLogins, type LoginStore } from './login-store.ts';
import { Login } from './login.ts';
import { servedUrl } from '../../scenarios/fixtures/local-server.ts';

interface Proof {
  readonly claims: Readonly<Record<string, unknown>>;
  /** Thumbprint of the key that signed the proof. */
  readonly key: string;
}
async function proofIn(header: unknown): Promise<Proof | undefined> {
  if (typeof header !== 'string') return undefined;
  const { payload, protectedHeader } = await jwtVerify(header, EmbeddedJWK, { typ: 'dpop+jwt' });
  expect(protectedHeader.jwk).not.toHaveProperty('d');
  return { claims: payload, key: await calculateJwkThumbprint(protectedHeader.jwk as JWK) };
}
/** Authorization server that binds tokens to the key of a DPoP proof; with `nonce` each proof must contain that nonce. */
async function authority({ nonce, algs = ['ES256'] }: { nonce?: string; algs?: readonly string[] } = {}) {
  const asked: { readonly grant: string; readonly proof: Proof | undefined }[] = [];
  const url = await servedUrl((request, response) => {
    void text(request).then(async (sent) => {
      const say = (body: object, status = 200, more = {}): void =>
        void response
          .writeHead(status, { 'content-type': 'application/json', ...more })
          .end(JSON.stringify(body));
      if (request.url === '/.well-known/oauth-authorization-server')
        return say({
          ...{ issuer: url, authorization_endpoint: `${url}/authorize`, token_endpoint: `${url}/token` },
          ...{ response_types_supported: ['code'], code_challenge_methods_supported: ['S256'] },
          ...{ token_endpoint_auth_methods_supported: ['none'], dpop_signing_alg_values_supported: algs },
        });
      if (request.url !== '/token') return void response.writeHead(404).end();
      const proof = await proofIn(request.headers['dpop']);
      asked.push({ grant: new URLSearchParams(sent).get('grant_type') ?? '', proof });
      if (nonce !== undefined && proof?.claims['nonce'] !== nonce)
        return say({ error: 'use_dpop_nonce' }, 400, { 'dpop-nonce': nonce });
      say({
        ...{ access_token: `access-${asked.length}`, refresh_token: 'refresh', expires_in: 100 },
        token_type: proof ? 'DPoP' : 'Bearer',
      });
    });
  });
  return { url, asked };
}
const agrees: Authorize = ({ url }) => {
  const page = new URL(url);
  const back = new URL(page.searchParams.get('redirect_uri') ?? '');
  back.search = new URLSearchParams({ code: 'x', state: page.searchParams.get('state') ?? '' }).toString();
  return back;
};
let now = 1_000_000;
const loginTo = (url: string, store: LoginStore = memoryLogins(), hidden: string[] = []): Login =>
  new Login({
    server: 'far',
    url: `${url}/mcp`,
    config: { clientId: 'c1' },
    store,
    authorize: agrees,
    hide: (secrets) => hidden.push(...secrets),
    now: () => now,
  });
const logIn = (login: Login): Promise<void> =>
  login.login({ shown: () => {}, returned: () => {} }, new AbortController().signal);
const refused = { status: 401, token: undefined, isFirst: true };
/** Challenge of a server that accepts only tokens bound to a key. */
const bound = { ...refused, header: 'DPoP algs="ES256"' };

describe('a token that is bound to a key', () => {
  it('is shown with a new proof for each request', async () => {
    const { url, asked } = await authority();
    const hidden: string[] = [];
    const login = loginTo(url, memoryLogins(), hidden);
    expect(await login.challenged(bound)).toBe(false);
    await logIn(login);
    expect(asked[0]?.proof?.claims).toMatchObject({ htm: 'POST', htu: `${url}/token`, iat: 1_000 });
    const to = new URL(`${url}/mcp?key=1`);
    const [one, other] = [
      await login.signed({ method: 'POST', url: to }),
      await login.signed({ method: 'GET', url: to }),
    ];
    expect(one?.headers['authorization']).toBe('DPoP access-1');
    const [first, second] = [await proofIn(one?.headers['dpop']), await proofIn(other?.headers['dpop'])];
    const ath = createHash('sha256').update('access-1').digest('base64url');
    expect(first?.claims).toMatchObject({ htm: 'POST', htu: `${url}/mcp`, iat: 1_000, ath });
    expect(second?.claims).toMatchObject({ htm: 'GET', ath });
    expect(second?.claims['jti']).not.toBe(first?.claims['jti']);
    expect([first?.key, second?.key]).toEqual([asked[0]?.proof?.key, asked[0]?.proof?.key]);
    expect(hidden.filter((text) => text.length === 43)).toHaveLength(1);
  });
  it('is renewed with the key that it is bound to, also by another process', async () => {
    const { url, asked } = await authority();
    const store = memoryLogins();
    const login = loginTo(url, store);
    await login.challenged(bound);
    await logIn(login);
    now += 95_000;
    expect(await loginTo(url, store).token()).toBe('access-2');
    const [first, second] = asked;
    expect(second).toMatchObject({ grant: 'refresh_token', proof: { key: first?.proof?.key } });
  });
  it('is asked for again with the nonce that the authorization server wants', async () => {
    const { url, asked } = await authority({ nonce: 'n1' });
    const login = loginTo(url);
    await login.challenged(bound);
    await logIn(login);
    expect(asked.map(({ proof }) => proof?.claims['nonce'])).toEqual([undefined, 'n1']);
    expect(asked[0]?.proof?.claims['jti']).not.toBe(asked[1]?.proof?.claims['jti']);
  });
  it('is shown again with the nonce that the server wants, once', async () => {
    const { url, asked } = await authority();
    const login = loginTo(url);
    await login.challenged(bound);
    await logIn(login);
    login.noted('n2');
    const wants = { status: 401, header: 'DPoP error="use_dpop_nonce"', token: 'access-1' };
    expect(await login.challenged({ ...wants, isFirst: true })).toBe(true);
    const signed = await login.signed({ method: 'POST', url: new URL(url) });
    expect(decodeJwt(signed?.headers['dpop'] ?? '')).toMatchObject({ nonce: 'n2' });
    expect(asked).toHaveLength(1);
    // The second demand for a nonce may be caused by the token, so the token is renewed.
    expect(await login.challenged({ ...wants, isFirst: false })).toBe(true);
    expect(asked.map(({ grant }) => grant)).toEqual(['authorization_code', 'refresh_token']);
  });
  it.each([
    ['the server takes others', { ...refused, header: 'Bearer' }, ['ES256']],
    ['its authorization server binds to no key of ours', bound, ['RS256']],
  ])('is not asked for where %s', async (_, challenge, algs) => {
    const { url, asked } = await authority({ algs });
    const login = loginTo(url);
    await login.challenged(challenge);
    await logIn(login);
    expect(asked[0]?.proof).toBeUndefined();
    const signed = await login.signed({ method: 'POST', url: new URL(url) });
    expect(signed?.headers).toEqual({ authorization: 'Bearer access-1' });
  });
  it('is what a challenge asks for that names DPoP, first or second', () => {
    expect(challengeIn('DPoP error="invalid_token", scope="a"')).toEqual({
      ...{ error: 'invalid_token', scope: 'a', isBound: true },
    });
    expect(challengeIn('Bearer scope="a", DPoP algs="ES256"')).toEqual({ scope: 'a', isBound: true });
    expect(challengeIn('Bearer scope="a"')).toEqual({ scope: 'a' });
  });
});
