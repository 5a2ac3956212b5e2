import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Authorize } from '../mcp/http/login.ts';
import {
  agrees,
  attempted,
  loginTo,
  never,
  noNews as news,
  startAuthority,
  type Answers,
} from '../../scenarios/contracts/logins/login-authority.ts';
import { Login } from './login.ts';
import { sharedLogins, type LoginStore } from './login-store.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

const authority = (expires_in = 3_600) => startAuthority(() => ({ token: { expires_in } }));
interface Given {
  readonly url: string;
  readonly store?: LoginStore;
  readonly authorize?: Authorize;
  readonly now?: () => number;
  readonly hidden?: string[];
}
const loginAt = ({
  url,
  store = sharedLogins(folder()),
  authorize = agrees,
  now = () => 0,
  hidden = [],
}: Given): Login =>
  new Login({
    ...{ server: 'it', url: `${url}/mcp`, config: {}, store, authorize, now },
    hide: (secrets) => hidden.push(...secrets),
  });
const folder = (): string => testFolder('logins');

describe('a login', () => {
  it('is kept in a file that only its user may read, and hidden before anybody could tell it', async () => {
    const { url } = await authority();
    const [dir, hidden] = [folder(), [] as string[]];
    const login = loginAt({ url, store: sharedLogins(dir), hidden });
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
    const { url, sent } = await authority(100);
    const dir = folder();
    let now = 0;
    const [one, other] = [0, 1].map(() => loginAt({ url, store: sharedLogins(dir), now: () => now }));
    await one?.login(news, never);
    expect([await one?.token(), await other?.token()]).toEqual(['access-1', 'access-1']);
    now = 95_000;
    expect(await Promise.all([one?.token(), other?.token()])).toEqual(['access-2', 'access-2']);
    const grants = sent.tokens.map((asked) => asked.get('grant_type'));
    expect(grants).toEqual(['authorization_code', 'refresh_token']);
  });
  it('is renewed when the clock of this machine was put back, and when it was put forward', async () => {
    const { url, sent } = await authority(100);
    let now = 1_000_000;
    const login = loginAt({ url, now: () => now });
    await login.login(news, never);
    expect(await login.token()).toBe('access-1');
    now -= 500_000;
    expect(await login.token()).toBe('access-2');
    // The life of the renewed token is measured by the clock after it was set back.
    expect(await login.token()).toBe('access-2');
    now += 500_000;
    expect(await login.token()).toBe('access-3');
    expect(sent.tokens).toHaveLength(3);
  });
  it('is renewed when it is refused; without a way to renew it nothing is sent again', async () => {
    const { url } = await authority();
    const login = loginAt({ url });
    const refused = (status: number, token?: string): Promise<boolean> =>
      login.challenged({ status, header: undefined, token, isFirst: true });
    expect(await refused(401)).toBe(false);
    await login.login(news, never);
    expect(await refused(401, 'access-1')).toBe(true);
    expect(await login.token()).toBe('access-2');
    expect(await refused(403, 'access-2')).toBe(false);
  });
  it('fails by the words of nobody else where the person refuses, or another page answers', async () => {
    const { url, sent } = await authority();
    const answered = (name: string, value: string): Promise<void> => {
      const authorize: Authorize = async (request) => {
        const back = new URL(String(await agrees(request)));
        back.searchParams.set(name, value);
        return back;
      };
      return loginAt({ url, authorize }).login(news, never);
    };
    await expect(answered('error', 'access_denied')).rejects.toThrow('the login was refused (access_denied)');
    await expect(answered('state', 'old')).rejects.toThrow('does not belong to this login');
    await expect(answered('iss', 'https://evil.test')).rejects.toThrow('from another authorization server');
    expect(sent.tokens, 'the code goes nowhere').toEqual([]);
  });
  it('is given up at once when nobody waits for it any more', async () => {
    const { url } = await authority();
    const end = new AbortController();
    const login = loginAt({ url, authorize: () => undefined });
    const over = login.login({ ...news, shown: () => end.abort() }, end.signal);
    await expect(over).rejects.toThrow('nobody has logged in');
  });
});

const tokenAt = 'token answer of O/token';

describe('the name of a server or its authority', () => {
  it('is told without its query, which may hold a secret', async () => {
    const gone: Answers = () => ({ resource: { resource: 'https://bank.test' } });
    const bare: Answers = () => ({ resource: { resource: null } });
    const said = await Promise.all([gone, bare].map((answers) => attempted(answers, {}, '/mcp?key=s3cret')));
    for (const { why } of said) expect(why).toMatch(/^(?!.*s3cret).*resource metadata of O/);
  });
  it.each([
    ['/mcp', '/mcp/'],
    ['/mcp/', '/mcp'],
    ['/mcp', ''],
  ])('may have a last slash more or less: %s and %s', async (path, resource) => {
    const answers: Answers = (at) => ({ resource: { resource: at + resource } });
    const { token, sent, url } = await attempted(answers, {}, path);
    expect([token, sent.tokens[0]?.get('resource')]).toEqual(['access-1', url + resource]);
  });
  it.each([
    ['/tenant/', '/tenant'],
    ['/tenant', '/tenant/'],
  ])('has metadata with and without it: %s and %s', async (asked, issuer) => {
    const { token, why } = await attempted((at) => ({
      issuer: at + asked.replace(/\/$/, ''),
      resource: { authorization_servers: [at + asked] },
      authority: { issuer: at + issuer },
    }));
    expect([token, why]).toEqual(['access-1', '']);
  });
});

describe('an authorization server as it is', () => {
  it('may have tokens of the type user, and errors with HTTP 200, as Slack does', async () => {
    const slack =
      (token: object): Answers =>
      () => ({ authority: { registration_endpoint: undefined }, token: JSON.stringify(token) });
    const good = { ok: true, access_token: 'xoxp-1', token_type: 'user', scope: 'a,b', enterprise: null };
    expect((await attempted(slack(good), { clientId: '1.2' })).token).toBe('xoxp-1');
    const { why } = await attempted(slack({ ok: false, error: 'invalid_code' }), { clientId: '1.2' });
    expect(why).toBe(`${tokenAt}: invalid_code`);
  });
  it('may have no code challenge methods, and an issuer that names no tenant, as Entra does', async () => {
    const answers: Answers = (at) => ({
      issuer: `${at}/organizations/v2.0`,
      authority: {
        issuer: `${at}/{tenantid}/v2.0`,
        ...{ registration_endpoint: undefined, code_challenge_methods_supported: undefined },
        token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
        tenant_region_scope: null,
      },
    });
    const refused = await attempted(answers, { clientId: 'app' });
    expect([refused.sent.pages, refused.why, refused.remedy]).toEqual([
      [],
      'the metadata of its authorization server are those of another: at O/organizations/v2.0 the issuer is O/{tenantid}/v2.0',
      'issuer',
    ]);
    const authority = await startAuthority(answers);
    const config = { clientId: 'app', issuer: `${authority.url}/{tenantid}/v2.0` };
    expect(await loginTo(authority, config).attempt()).toMatchObject({ token: 'access-1', why: '' });
  });
});

describe('a client that the authorization server has forgotten', () => {
  const known = async (refresh: Pick<ReturnType<Answers>, 'token' | 'status'>, pageOf1 = 200) => {
    let answers: Answers = () => ({});
    const authority = await startAuthority((url) => answers(url));
    const { attempt, refused } = loginTo(authority);
    expect((await attempt()).token).toBe('access-1');
    answers = () => refresh;
    const isRenewed = await refused('access-1');
    answers = () => ({ page: (client) => (client === 'c1' ? pageOf1 : 200) });
    return { ...authority, attempt, isRenewed };
  };
  it.each([400, 401, 404, 410, 422])('registers again where its page answers HTTP %i', async (status) => {
    const { attempt, sent, isRenewed } = await known({ token: '{"error":"invalid_grant"}' }, status);
    expect([isRenewed, sent.registered.length]).toEqual([false, 1]);
    const { token, why } = await attempt();
    expect([token, why]).toEqual([`access-${sent.tokens.length}`, '']);
    expect([sent.registered.length, sent.tokens.at(-1)?.get('client_id')]).toEqual([2, 'c2']);
  });
  it.each([200, 302, 403, 429, 503])('is kept where its page answers HTTP %i', async (status) => {
    const { attempt, sent } = await known({ token: '{"error":"invalid_grant"}' }, status);
    expect((await attempt()).why).toBe('');
    expect([sent.registered.length, sent.tokens.at(-1)?.get('client_id')]).toEqual([1, 'c1']);
  });
  it.each([
    ['{"error":"invalid_client","error_description":null}', 401],
    ['{"error":"unauthorized_client"}', 400],
    ['{"message":"Unrecognized client_id"}', 422],
    ['error=invalid_client_id', 200],
    ['<html>', 401],
  ] as const)('registers again where its tokens are answered %s', async (token, status) => {
    const { attempt, isRenewed, sent } = await known({ token, status });
    expect([isRenewed, sent.registered.length]).toEqual([false, 1]);
    expect((await attempt()).why).toBe('');
    expect([sent.registered.length, sent.tokens.at(-1)?.get('client_id')]).toEqual([2, 'c2']);
  });
  it('registers no more where the authorization server does not know the new one either', async () => {
    const { why, remedy, sent } = await attempted(() => ({ token: '{"error":"invalid_client"}' }));
    expect([why, remedy]).toEqual(['its authorization server no longer knows this client', 'again']);
    expect(sent.registered).toHaveLength(1);
  });
});

describe('the URL of the document of a client', () => {
  const document = 'https://client.test/metadata.json';
  it.each([
    ['is its id where the authority reads such documents', true, { clientMetadataUrl: document }, document],
    ['is of no use where the authority reads none', false, { clientMetadataUrl: document }, 'c1'],
    ['is of no use where the authority does not say so', undefined, { clientMetadataUrl: document }, 'c1'],
    ['is not made up where there is none: the client is registered', true, {}, 'c1'],
  ])('%s', async (_, reads, config, id) => {
    const answers: Answers = () => ({ authority: { client_id_metadata_document_supported: reads } });
    const { token, why, sent } = await attempted(answers, config);
    expect([token, why, sent.tokens[0]?.get('client_id')]).toEqual(['access-1', '', id]);
    expect(sent.registered).toHaveLength(id === document ? 0 : 1);
  });
});
