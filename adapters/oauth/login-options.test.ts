import { describe, expect, it } from 'vitest';
import { challengeIn, codeIn, mustBeOfIssuer } from './login-options.ts';

describe('a challenge', () => {
  it('names the scope and the metadata of its server, quoted or not', () => {
    const header =
      'Basic realm="x", Bearer error="insufficient_scope", scope="a b", resource_metadata=https://h/p';
    expect(challengeIn(header)).toEqual({
      error: 'insufficient_scope',
      scope: 'a b',
      resourceMetadata: 'https://h/p',
    });
    expect(challengeIn('Basic realm="x"')).toEqual({});
  });
  it('asks for a bound token where it names DPoP, first or second', () => {
    expect(challengeIn('DPoP error="invalid_token", scope="a"')).toEqual({
      ...{ error: 'invalid_token', scope: 'a', isBound: true },
    });
    expect(challengeIn('Bearer scope="a", DPoP algs="ES256"')).toEqual({ scope: 'a', isBound: true });
    expect(challengeIn('Bearer scope="a"')).toEqual({ scope: 'a' });
  });
});

describe('the issuer of an authorization server', () => {
  const host = 'https://login.microsoftonline.com';
  const template = `${host}/{tenantid}/v2.0`;
  it.each([
    [`${host}/organizations/v2.0`, template, true],
    [`${host}/common/v2.0/`, template, true],
    [
      'https://login.microsoftonline.us/consumers/v2.0',
      'https://login.microsoftonline.us/{tenantid}/v2.0',
      true,
    ],
    [`${host}/organizations/v2.0`, 'https://as.test/{tenantid}/v2.0', false],
    [`${host}/organizations/v2.0`, `${host}/{tenantid}/v1.0`, false],
    [`${host}/a-tenant/v2.0`, template, false],
    [
      'https://login.microsoftonline.com.as.test/common/v2.0',
      'https://login.microsoftonline.com.as.test/{tenantid}/v2.0',
      false,
    ],
    ['https://as.test/common/v2.0', 'https://as.test/{tenantid}/v2.0', false],
  ])('may say as Entra does for %s that it is %s: %s', (asked, issuer, isTaken) => {
    const found = {
      authorizationServerUrl: asked,
      authorizationServerMetadata: { issuer },
      resourceMetadata: { authorization_servers: [asked] },
    } as never;
    const judge = (): void => mustBeOfIssuer(found);
    if (isTaken) judge();
    else expect(judge).toThrow('those of another');
  });
  it('is said by its redirect where that was promised', () => {
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
