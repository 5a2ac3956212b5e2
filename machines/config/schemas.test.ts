import { describe, expect, it } from 'vitest';
import { mistakeLine } from './mistake.ts';
import { parseConfig } from './parse.ts';

const jwt = { grant: 'jwt_bearer', assertion: '${env:TOKEN}' };
const idp = { ...jwt, idpClientId: 'i' };
const mistakesOf = (oauth: object): readonly string[] => {
  const server = { name: 'a', type: 'streamable', server_parameters: { url: 'https://h/mcp' }, oauth };
  const parsed = parseConfig([server]);
  return parsed.ok ? [] : parsed.mistakes.map((mistake) => mistakeLine(mistake));
};

describe('how a server is logged in to', () => {
  it.each<[object, string]>([
    [
      { grant: 'id_jag' },
      'grant: expected one of authorization_code, device_code, client_credentials, jwt_bearer',
    ],
    [{ clientSecret: 's' }, 'clientSecret: needs clientId beside it'],
    [
      { grant: 'client_credentials', clientId: 'c' },
      'clientSecret: is missing: client_credentials needs it, or a privateKey',
    ],
    [{ clientId: 'c', privateKey: 'p' }, 'privateKey: needs grant: client_credentials or jwt_bearer'],
    [{ assertion: 'x' }, 'assertion: needs grant: jwt_bearer'],
    [{ assertionFile: 'f', grant: 'authorization_code' }, 'assertionFile: needs grant: jwt_bearer'],
    [{ ...jwt, privateKey: 'p' }, 'privateKey: needs clientId beside it'],
    [{ ...jwt, assertionFile: 'f' }, 'assertionFile: stands beside assertion: keep one of them'],
    [{ ...jwt, idpTokenEndpoint: 'https://idp/t' }, 'idpTokenEndpoint: needs idpClientId beside it'],
    [idp, 'idpClientId: needs idpTokenEndpoint beside it'],
    ...['http://idp/t', 'http://localhost:1@idp/t', 'http://localhost.idp/t', 'idp', 'https://u:p@idp/t'].map(
      (idpTokenEndpoint): [object, string] => [
        { ...idp, idpTokenEndpoint },
        'idpTokenEndpoint: expected an https:// URL',
      ],
    ),
  ])('is not %j', (oauth, mistake) => {
    expect(mistakesOf(oauth)).toEqual([`[0].oauth.${mistake}`]);
  });
  it.each<[object]>([
    [{ grant: 'jwt_bearer' }],
    [{ ...jwt, clientId: 'c', privateKey: 'p', issuer: 'https://as' }],
    [{ grant: 'jwt_bearer', assertionFile: '/run/secrets/token' }],
    ...['https://idp.test/oauth2/v1/token', 'http://127.0.0.1:9/t', 'http://[::1]/t', '${env:IDP}'].map(
      (idpTokenEndpoint): [object] => [{ ...idp, idpTokenEndpoint, idpClientSecret: 's' }],
    ),
  ])('may be %j', (oauth) => {
    expect(mistakesOf(oauth)).toEqual([]);
  });
});
