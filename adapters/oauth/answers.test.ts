import { describe, expect, it } from 'vitest';
import { attempted, type Answers } from '../../scenarios/contracts/logins/login-authority.ts';

const resourceAt = 'resource metadata of O/.well-known/oauth-protected-resource/mcp';
const authorityAt = 'authorization server metadata of O/.well-known/oauth-authorization-server';
const registrationAt = 'registration answer of O/register';
const tokenAt = 'token answer of O/token';

type Said = ReturnType<Answers>;
const form = 'access_token=access-1&token_type=bearer&scope=';
const dates = (client_id_issued_at: unknown, client_secret_expires_at: unknown): Said => ({
  registration: { client_id_issued_at, client_secret_expires_at, client_secret: 's' },
});
const impossible = { token_endpoint_auth_method: 'client_secret_basic', client_secret: null };
const good: readonly (readonly [what: string, said: Said])[] = [
  ['tokens with nulls', { token: { refresh_token: null, scope: null, id_token: null, expires_in: null } }],
  ['tokens without a type', { token: { token_type: undefined } }],
  ['tokens that live by a text', { token: { expires_in: '3600' } }],
  ['tokens as a form', { token: form }],
  ['tokens behind a byte order mark', { token: '\uFEFF{"access_token":"access-1"}' }],
  ['tokens beside no error', { token: { error: null, ok: true } }],
  ['tokens with HTTP 201', { status: 201 }],
  ['tokens for soon', { token: { expires_in: 'soon' } }],
  ['tokens for an object', { token: { scope: { a: true } } }],
  ['a client without a secret', { registration: { client_secret: null, client_uri: '', logo_uri: null } }],
  ['a client with nothing but its id', { registration: '{"client_id":"c1"}' }],
  ['a client with numbers as texts', dates('1700000000', '0')],
  ['a client without dates', dates(null, null)],
  ['a client with a method for a secret that it has not', { registration: impossible }],
  ['an authority with nulls', { authority: { jwks_uri: null, scopes_supported: null } }],
  ['an authority with empty addresses', { authority: { op_policy_uri: '', revocation_endpoint: '' } }],
  ['an authority without response types', { authority: { response_types_supported: undefined } }],
  ['an authority with another kind of scopes', { authority: { scopes_supported: { openid: true } } }],
  ['a resource with nulls', { resource: { scopes_supported: null, resource_name: null } }],
  ['a resource with flags as texts', { resource: { tls_client_certificate_bound_access_tokens: 'false' } }],
  ['a resource with no keys', { resource: { jwks_uri: '' } }],
];
const [missing, odd] = ['is missing', 'is not as the standard has it'];
const list = 'code_challenge_methods_supported';
const bad: [what: string, said: Said, why: string, helps?: 'clientId'][] = [
  ['no token', { token: { access_token: '' } }, `${tokenAt}: access_token ${missing}`],
  ['a token that is no text', { token: { access_token: {} } }, `${tokenAt}: access_token ${odd}`],
  ['a page for a token', { token: '<html>' }, `${tokenAt}: it is no JSON object`],
  ['an error with HTTP 200', { token: { access_token: null, error: 'bad_code' } }, `${tokenAt}: bad_code`],
  ['an error as a form', { token: 'error=incorrect&error_uri=x' }, `${tokenAt}: incorrect`],
  ['an error page', { token: '<html>', registration: {}, status: 503 }, `${registrationAt}: HTTP 503`],
  ['an error in words', { token: '{"error":"<b>pay here</b>"}' }, `${tokenAt}: an error without a code`],
  ['no client', { registration: { client_id: null } }, `${registrationAt}: client_id ${missing}`],
  [
    'a refused registration',
    { registration: '{"error":"access_denied"}', status: 403 },
    `${registrationAt}: access_denied (HTTP 403)`,
    'clientId',
  ],
  [
    'an authority that registers nobody',
    { authority: { registration_endpoint: null } },
    'O lets no client register by itself',
    'clientId',
  ],
  ['no token endpoint', { authority: { token_endpoint: '' } }, `${authorityAt}: token_endpoint ${missing}`],
  [
    'a page that is no web page',
    { authority: { authorization_endpoint: 'javascript:alert(1)' } },
    `${authorityAt}: authorization_endpoint ${odd}`,
  ],
  ['no issuer', { authority: { issuer: undefined } }, `${authorityAt}: issuer ${missing}`],
  [
    'no code that is bound to us',
    { authority: { [list]: ['plain'] } },
    `authorization server metadata of O: ${list} lacks S256`,
  ],
  ['no resource', { resource: { resource: null } }, `${resourceAt}: resource ${missing}`],
  [
    'authorities that are none',
    { resource: { authorization_servers: [{ issuer: 'x' }] } },
    `${resourceAt}: authorization_servers ${odd}`,
  ],
  [
    'another resource',
    { resource: { resource: 'https://bank.test/mcp' } },
    'the resource metadata of O/mcp are those of another: https://bank.test/mcp',
  ],
];

describe('an answer in a login', () => {
  it.each(good)('an answer in a login is read as far as it is needed: %s', async (_, said) => {
    const { token, why, sent, url } = await attempted(() => said);
    expect([token, why]).toEqual(['access-1', '']);
    // The metadata of the server are still used, because the token request names its resource.
    expect(sent.tokens[0]?.get('resource')).toBe(`${url}/mcp`);
  });
  it.each(bad)(
    'an answer in a login that cannot be used is named with its member: %s',
    async (_, said, because, helps) => {
      const { token, why, remedy } = await attempted(() => said);
      expect([token, why, remedy]).toEqual([undefined, because, helps]);
    },
  );
  it('is looked for at the next place where a web page stands', async () => {
    const { token, sent } = await attempted(() => ({ authority: '<html>', resource: '<html>' }));
    expect([token, sent.tokens[0]?.get('resource')]).toEqual(['access-1', null]);
  });
});
