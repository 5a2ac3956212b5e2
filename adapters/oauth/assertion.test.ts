import { writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { LoginConfig, LoginOptions } from './login-options.ts';
import { memoryLogins } from './login-store.ts';
import { Login } from './login.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { servedUrl } from '../../scenarios/fixtures/local-server.ts';

const folder = testFolder('assertion');
interface Asked {
  readonly body: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
}
type Answer = (asked: Asked, response: ServerResponse) => object | undefined;
/** Starts a token endpoint that records its requests and also answers with the metadata of an authorization server. */
async function endpoint(answer: Answer) {
  const asked: Asked[] = [];
  const url = await servedUrl((request, response) => {
    void text(request).then((sent) => {
      const say = (body: object): void => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      };
      if (request.url === '/.well-known/oauth-authorization-server')
        return say({
          issuer: url,
          token_endpoint: `${url}/token`,
          authorization_endpoint: `${url}/authorize`,
          response_types_supported: ['code'],
        });
      if (request.url !== '/token') return void response.writeHead(404).end();
      asked.push({ body: Object.fromEntries(new URLSearchParams(sent)), headers: request.headers });
      const said = answer(asked.at(-1) as Asked, response);
      if (said !== undefined) say(said);
    });
  });
  return { url, asked };
}
const refuses =
  (error: string): Answer =>
  (_, response) =>
    void response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
const jwtWith = (claims: object): string =>
  ['{"alg":"none"}', JSON.stringify(claims), 'signature']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');
const giving = () => {
  let tokens = 0;
  return endpoint(() => {
    tokens += 1;
    return { access_token: `access-${tokens}`, token_type: 'Bearer', expires_in: 100 };
  });
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
const news = { shown: () => {}, returned: () => {} };
const logIn = (login: Login): Promise<void> => login.login(news, new AbortController().signal);
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
    [
      'hangs up',
      (_, response) => void response.destroy(),
      'cannot be reached: the connection was cut (ECONNRESET)',
    ],
    [
      'sends us elsewhere',
      (_, response) => void response.writeHead(307, { location: 'http://127.0.0.1:1/token' }).end(),
      'gives no grant for this server (HTTP 307)',
    ],
  ])('fails where it %s, before the server is asked for a token', async (_, answer, message) => {
    const [idp, as] = [await endpoint(answer), await giving()];
    await expect(logIn(loginTo(as.url, through(idp.url)))).rejects.toThrow(message);
    expect([idp.asked.length, as.asked.length]).toEqual([1, 0]);
  });
});
