import { describe, expect, it } from 'vitest';
import { attempted, type Answers } from '../../scenarios/contracts/logins/login-authority.ts';

const resourceAt = 'resource metadata of O/.well-known/oauth-protected-resource/mcp';
const authorityAt = 'authorization server metadata of O/.well-known/oauth-authorization-server';
const registrationAt = 'registration answer of O/register';
const tokenAt = 'token answer of O/token';

/** Row of a successful login: title, and answers of the servers. */
type Good = readonly [what: string, answers: Answers];
const good: readonly Good[] = [
  [
    'tokens with nulls',
    () => ({ token: { refresh_token: null, scope: null, id_token: null, expires_in: null } }),
  ],
  ['tokens without a type', () => ({ token: { token_type: undefined } })],
  ['tokens that live by a text', () => ({ token: { expires_in: '3600' } })],
  ['tokens as a form', () => ({ token: 'access_token=access-1&token_type=bearer&scope=' })],
  ['tokens behind a byte order mark', () => ({ token: '\uFEFF{"access_token":"access-1"}' })],
  ['tokens beside no error', () => ({ token: { error: null, ok: true } })],
  ['tokens with HTTP 201', () => ({ status: 201 })],
  ['tokens for soon', () => ({ token: { expires_in: 'soon' } })],
  ['tokens for an object', () => ({ token: { scope: { a: true } } })],
  [
    'a client without a secret',
    () => ({ registration: { client_secret: null, client_uri: '', logo_uri: null } }),
  ],
  ['a client with nothing but its id', () => ({ registration: '{"client_id":"c1"}' })],
  [
    'a client with numbers as texts',
    () => ({
      registration: { client_id_issued_at: '1700000000', client_secret_expires_at: '0', client_secret: 's' },
    }),
  ],
  [
    'a client without dates',
    () => ({ registration: { client_id_issued_at: null, client_secret_expires_at: null } }),
  ],
  [
    'a client with a method for a secret that it has not',
    () => ({ registration: { token_endpoint_auth_method: 'client_secret_basic', client_secret: null } }),
  ],
  [
    'an authority with nulls',
    () => ({ authority: { jwks_uri: null, scopes_supported: null, revocation_endpoint: null } }),
  ],
  [
    'an authority with empty addresses',
    () => ({ authority: { op_policy_uri: '', service_documentation: '' } }),
  ],
  ['an authority without response types', () => ({ authority: { response_types_supported: undefined } })],
  ['an authority with another kind of scopes', () => ({ authority: { scopes_supported: { openid: true } } })],
  [
    'a resource with nulls',
    () => ({ resource: { scopes_supported: null, jwks_uri: null, resource_name: null } }),
  ],
  [
    'a resource with flags as texts',
    () => ({ resource: { tls_client_certificate_bound_access_tokens: 'false' } }),
  ],
  ['a resource with no keys', () => ({ resource: { jwks_uri: '' } })],
];
/** Row of a failed login: title, answers of the servers, reason of the failure, and the remedy that helps. */
type Bad = readonly [what: string, answers: Answers, why: string, remedy?: 'clientId' | 'again'];
const bad: readonly Bad[] = [
  ['no token', () => ({ token: { access_token: '' } }), `${tokenAt}: access_token is missing`],
  [
    'a token that is no text',
    () => ({ token: { access_token: {} } }),
    `${tokenAt}: access_token is not as the standard has it`,
  ],
  ['a page for a token', () => ({ token: '<html>' }), `${tokenAt}: it is no JSON object`],
  [
    'an error with HTTP 200',
    () => ({ token: { access_token: undefined, error: 'bad_verification_code' } }),
    `${tokenAt}: bad_verification_code`,
  ],
  ['an error as a form', () => ({ token: 'error=incorrect&error_uri=x' }), `${tokenAt}: incorrect`],
  [
    'an error page',
    () => ({ token: '<html>', registration: {}, status: 503 }),
    `${registrationAt}: HTTP 503`,
  ],
  [
    'an error with the words of a stranger',
    () => ({ token: '{"error":"<b>pay here</b>"}' }),
    `${tokenAt}: an error without a code`,
  ],
  ['no client', () => ({ registration: { client_id: null } }), `${registrationAt}: client_id is missing`],
  [
    'a refused registration',
    () => ({ registration: '{"error":"access_denied"}', status: 403 }),
    `${registrationAt}: access_denied (HTTP 403)`,
    'clientId',
  ],
  [
    'an authority that registers nobody',
    () => ({ authority: { registration_endpoint: null } }),
    'O lets no client register by itself',
    'clientId',
  ],
  [
    'no token endpoint',
    () => ({ authority: { token_endpoint: '' } }),
    `${authorityAt}: token_endpoint is missing`,
  ],
  [
    'a page that is no web page',
    () => ({ authority: { authorization_endpoint: 'javascript:alert(1)' } }),
    `${authorityAt}: authorization_endpoint is not as the standard has it`,
  ],
  ['no issuer', () => ({ authority: { issuer: undefined } }), `${authorityAt}: issuer is missing`],
  [
    'no code that is bound to us',
    () => ({ authority: { code_challenge_methods_supported: ['plain'] } }),
    'authorization server metadata of O: code_challenge_methods_supported lacks S256',
  ],
  ['no resource', () => ({ resource: { resource: null } }), `${resourceAt}: resource is missing`],
  [
    'authorities that are none',
    () => ({ resource: { authorization_servers: [{ issuer: 'x' }] } }),
    `${resourceAt}: authorization_servers is not as the standard has it`,
  ],
  [
    'another resource',
    () => ({ resource: { resource: 'https://bank.test/mcp' } }),
    'the resource metadata of O/mcp are those of another: https://bank.test/mcp',
  ],
];

describe('an answer in a login', () => {
  it.each(good.map(([what, answers]) => ({ what, answers })))(
    'is read as far as it is needed: $what',
    async ({ answers }) => {
      const { token, why, sent, url } = await attempted(answers);
      expect([token, why]).toEqual(['access-1', '']);
      // The metadata of the server are still used, because the token request names its resource.
      expect(sent.tokens[0]?.get('resource')).toBe(`${url}/mcp`);
    },
  );
  it.each(bad.map(([what, answers, because, helps]) => ({ what, answers, because, helps })))(
    'is named with its member when it cannot be used: $what',
    async ({ answers, because, helps }) => {
      const { token, why, remedy } = await attempted(answers);
      expect([token, why, remedy]).toEqual([undefined, because, helps]);
    },
  );
  it('is looked for at the next place where a web page stands', async () => {
    const { token, sent } = await attempted(() => ({ authority: '<html>', resource: '<html>' }));
    expect([token, sent.tokens[0]?.get('resource')]).toEqual(['access-1', null]);
  });
});
