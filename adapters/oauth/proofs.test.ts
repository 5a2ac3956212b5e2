import { writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { type LoginConfig, type LoginOptions } from './login-options.ts';
import { memoryLogins, type LoginStore } from './login-store.ts';
import { Login } from './login.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { jwtWith, servedUrl } from '../../scenarios/fixtures/local-server.ts';
import { createHash } from 'node:crypto';
import { EmbeddedJWK, calculateJwkThumbprint, decodeJwt, jwtVerify, type JWK } from 'jose';
import { agrees, never, noNews } from '../../scenarios/contracts/logins/login-authority.ts';

const folder = testFolder('assertion');
interface Asked {
  readonly body: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
}
type Answer = (asked: Asked, response: ServerResponse) => object | undefined | Promise<object | undefined>;
async function endpoint(answer: Answer, metadata: object = {}) {
  const asked: Asked[] = [];
  const url = await servedUrl((request, response) => {
    void text(request).then(async (sent) => {
      const say = (body: object): void => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      };
      if (request.url === '/.well-known/oauth-authorization-server')
        return say({
          issuer: url,
          token_endpoint: `${url}/token`,
          authorization_endpoint: `${url}/authorize`,
          response_types_supported: ['code'],
          ...metadata,
        });
      if (request.url !== '/token') return void response.writeHead(404).end();
      asked.push({ body: Object.fromEntries(new URLSearchParams(sent)), headers: request.headers });
      const said = await answer(asked.at(-1) as Asked, response);
      if (said !== undefined) say(said);
    });
  });
  return { url, asked };
}
const refuses =
  (error: string, more: object = {}): Answer =>
  (_, response) =>
    void response
      .writeHead(400, { 'content-type': 'application/json', ...more })
      .end(JSON.stringify({ error }));
const elsewhere: Answer = (_, response) =>
  void response.writeHead(307, { location: 'http://127.0.0.1:1/token' }).end();
const giving = () => {
  let tokens = 0;
  return endpoint(() => ({ access_token: `access-${(tokens += 1)}`, token_type: 'Bearer', expires_in: 100 }));
};
const loginTo = (url: string, config: LoginConfig, more: Partial<LoginOptions> = {}): Login =>
  new Login({
    server: 'far',
    url: `${url}/mcp`,
    config: { grant: 'jwt_bearer', ...config },
    store: memoryLogins(),
    authorize: undefined,
    hide: () => {},
    now: () => 0,
    ...more,
  });
const logIn = (login: Login): Promise<void> => login.login(noNews, never);
const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

describe('a login with an assertion', () => {
  it('shows it as it is, asks nobody, and needs no client id', async () => {
    const { url, asked } = await giving();
    const assertion = jwtWith({ aud: url });
    const hidden: string[] = [];
    const login = loginTo(url, { assertion }, { hide: (secrets) => hidden.push(...secrets) });
    await logIn(login);
    expect(await login.token()).toBe('access-1');
    expect(asked[0]?.body).toEqual({ grant_type: grantType, assertion, resource: `${url}/mcp` });
    expect(hidden).toEqual(expect.arrayContaining([assertion, 'access-1']));
  });
  it('reads its file again for each token', async () => {
    const { url, asked } = await giving();
    const assertionFile = join(folder, 'token');
    const [first, second] = [1, 2].map((n) => jwtWith({ aud: [url, 'https://other.test'], n }));
    writeFileSync(assertionFile, `${first}\n`);
    let now = 0;
    const login = loginTo(url, { assertionFile, clientId: 'c1' }, { now: () => now });
    await logIn(login);
    writeFileSync(assertionFile, `${second}\n`);
    now = 95_000;
    expect(await login.token()).toBe('access-2');
    expect(asked.map(({ body }) => [body['assertion'], body['client_id']])).toEqual([
      [first, 'c1'],
      [second, 'c1'],
    ]);
  });
  it('asks the host, for this authorization server', async () => {
    const { url, asked } = await giving();
    const given = jwtWith({ aud: `${url}/token` });
    const audiences: string[] = [];
    const assertion: LoginOptions['assertion'] = ({ audience }) => {
      audiences.push(audience);
      return Promise.resolve(given);
    };
    await logIn(loginTo(url, {}, { assertion }));
    expect([audiences, asked[0]?.body['assertion']]).toEqual([[url], given]);
  });
  it('goes to no authorization server that it is not for, unless the config names that one', async () => {
    const { url, asked } = await giving();
    const assertion = jwtWith({ aud: 'https://as.test' });
    await expect(logIn(loginTo(url, { assertion }))).rejects.toThrow('is not for the authorization server');
    const elsewhere = loginTo(url, { assertion, issuer: 'https://as.test' });
    await expect(logIn(elsewhere)).rejects.toThrow('names another authorization server than the issuer');
    expect(asked).toEqual([]);
    await logIn(loginTo(url, { assertion, issuer: `${url}/` }));
    expect(asked).toHaveLength(1);
  });
  it.each<[string, LoginConfig, LoginOptions['assertion'], string]>([
    ['is none', { assertion: 'a password' }, undefined, 'its assertion is no JWT'],
    ['is nowhere', {}, undefined, 'names no assertion'],
    [
      'has no file',
      { assertionFile: '/nowhere/token' },
      undefined,
      'cannot be read: no such file or directory (ENOENT)',
    ],
    ['is a folder', { assertionFile: tmpdir() }, undefined, 'holds no JWT'],
    ['no host gives', {}, () => Promise.reject(new Error('s3cret')), 'this host could not give an assertion'],
    ['a host forgets', {}, () => undefined as never, 'its assertion is no JWT'],
  ])('is not tried with one that %s', async (_, config, assertion, message) => {
    const { url, asked } = await giving();
    await expect(logIn(loginTo(url, config, { assertion }))).rejects.toThrow(message);
    expect(asked).toEqual([]);
  });
  it('is refused once: neither is it shown again, nor another way tried', async () => {
    const { url, asked } = await endpoint(refuses('invalid_grant'));
    const login = loginTo(url, { assertion: jwtWith({ aud: url }), clientId: 'c1' });
    const refused = { status: 401, header: undefined, token: undefined, isFirst: true };
    expect(await login.challenged(refused)).toBe(false);
    await expect(logIn(login)).rejects.toThrow('invalid_grant');
    expect(asked).toHaveLength(1);
    // This second challenge comes after a person has started the server again.
    expect(await login.challenged(refused)).toBe(false);
    expect(asked).toHaveLength(2);
  });
});

describe('a login through an identity provider', () => {
  const idToken = jwtWith({ aud: 'idp-client', sub: 'me' });
  const idJag = { access_token: 'the-grant', issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag' };
  const through = (idp: string, more: LoginConfig = {}): LoginConfig => ({
    ...{ assertion: idToken, idpTokenEndpoint: `${idp}/token`, idpClientId: 'idp-client' },
    ...{ clientId: 'c1', clientSecret: 's1', ...more },
  });

  it('changes the ID token there, and shows the server what came of it', async () => {
    const [idp, as] = [await endpoint(() => ({ ...idJag, token_type: 'N_A' })), await giving()];
    const hidden: string[] = [];
    const hide = (secrets: readonly string[]): void => void hidden.push(...secrets);
    const login = loginTo(as.url, through(idp.url, { scopes: ['read'], idpClientSecret: 'p&w' }), { hide });
    await logIn(login);
    expect(await login.token()).toBe('access-1');
    expect(idp.asked[0]).toMatchObject({
      body: {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        requested_token_type: idJag.issued_token_type,
        subject_token: idToken,
        subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
        audience: as.url,
        resource: `${as.url}/mcp`,
        scope: 'read',
      },
      headers: { authorization: `Basic ${Buffer.from('idp-client:p%26w').toString('base64')}` },
    });
    expect(as.asked[0]).toMatchObject({
      body: { grant_type: grantType, assertion: 'the-grant', scope: 'read' },
      headers: { authorization: `Basic ${Buffer.from('c1:s1').toString('base64')}` },
    });
    expect(JSON.stringify(as.asked)).not.toContain(idToken);
    expect(hidden).toEqual(expect.arrayContaining([idToken, 'the-grant', 'access-1']));
  });
  it.each<[string, Answer, string]>([
    ['refuses', refuses('invalid_grant'), 'gives no grant for this server (invalid_grant)'],
    ['refuses in words of its own', refuses('<b>no</b>'), 'gives no grant for this server (HTTP 400)'],
    ['gives another kind of token', () => ({ ...idJag, issued_token_type: 'x' }), 'gives no grant'],
    ['gives too much', () => ({ ...idJag, more: 'x'.repeat(300_000) }), 'the answer is larger than'],
    ['hangs up', (_, response) => void response.destroy(), 'be reached: the connection was cut (ECONNRESET)'],
    ['sends us elsewhere', elsewhere, 'gives no grant for this server (HTTP 307)'],
  ])('fails where it %s, before the server is asked for a token', async (_, answer, message) => {
    const [idp, as] = [await endpoint(answer), await giving()];
    await expect(logIn(loginTo(as.url, through(idp.url)))).rejects.toThrow(message);
    expect([idp.asked.length, as.asked.length]).toEqual([1, 0]);
  });
});

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
  const { url } = await endpoint(
    async ({ body, headers }, response) => {
      const proof = await proofIn(headers['dpop']);
      asked.push({ grant: body['grant_type'] ?? '', proof });
      if (nonce !== undefined && proof?.claims['nonce'] !== nonce)
        return refuses('use_dpop_nonce', { 'dpop-nonce': nonce })({ body, headers }, response);
      return {
        ...{ access_token: `access-${asked.length}`, refresh_token: 'refresh', expires_in: 100 },
        token_type: proof ? 'DPoP' : 'Bearer',
      };
    },
    {
      ...{ code_challenge_methods_supported: ['S256'], token_endpoint_auth_methods_supported: ['none'] },
      dpop_signing_alg_values_supported: algs,
    },
  );
  return { url, asked };
}
let now = 1_000_000;
const boundTo = (url: string, store: LoginStore, hidden: string[] = []): Login =>
  loginTo(
    url,
    {},
    {
      ...{ config: { clientId: 'c1' }, store, authorize: agrees },
      ...{ hide: (secrets) => hidden.push(...secrets), now: () => now },
    },
  );
const refused = { status: 401, token: undefined, isFirst: true };
/** Challenge of a server that accepts only tokens bound to a key. */
const bound = { ...refused, header: 'DPoP algs="ES256"' };
async function loggedIn(
  at: Awaited<ReturnType<typeof authority>>,
  challenge = bound,
  hidden: string[] = [],
  store = memoryLogins(),
) {
  const login = boundTo(at.url, store, hidden);
  expect(await login.challenged(challenge)).toBe(false);
  await logIn(login);
  return { ...at, login };
}

describe('a token that is bound to a key', () => {
  it('is shown with a new proof for each request', async () => {
    const hidden: string[] = [];
    const { url, asked, login } = await loggedIn(await authority(), bound, hidden);
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
    const store = memoryLogins();
    const { url, asked } = await loggedIn(await authority(), bound, [], store);
    now += 95_000;
    expect(await boundTo(url, store).token()).toBe('access-2');
    const [first, second] = asked;
    expect(second).toMatchObject({ grant: 'refresh_token', proof: { key: first?.proof?.key } });
  });
  it('is asked for again with the nonce that the authorization server wants', async () => {
    const { asked } = await loggedIn(await authority({ nonce: 'n1' }));
    expect(asked.map(({ proof }) => proof?.claims['nonce'])).toEqual([undefined, 'n1']);
    expect(asked[0]?.proof?.claims['jti']).not.toBe(asked[1]?.proof?.claims['jti']);
  });
  it('is shown again with the nonce that the server wants, once', async () => {
    const { url, asked, login } = await loggedIn(await authority());
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
    const { url, asked, login } = await loggedIn(await authority({ algs }), challenge);
    expect(asked[0]?.proof).toBeUndefined();
    const signed = await login.signed({ method: 'POST', url: new URL(url) });
    expect(signed?.headers).toEqual({ authorization: 'Bearer access-1' });
  });
});
