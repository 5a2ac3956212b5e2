import { describe, expect, it } from 'vitest';
import { isSecretName } from './secret-names.ts';
import { namesIn } from '../../scenarios/fixtures/names.ts';

describe('a secret name', () => {
  it.each([
    'private key',
    ...namesIn(`
      password Password PASSWORD PGPASSWORD db_password user.password newPassword password2 passwd
      passphrase MYSQL_PWD SMTP_PASS passwordConfirmation passwords 密码 secret clientSecret
      client_secret CLIENT-SECRET secrets x.secret token accessToken ACCESS_TOKEN access-token
      accesstoken GITHUB_TOKEN token_value apiKey api_key api-key API_KEY APIKey apikey X-Api-Key
      XAPIKey OPENAI_API_KEY apiKeys secretAccessKey AWS_SECRET_ACCESS_KEY signingKey ENCRYPTION_KEY
      sshKey authorization Authorization Proxy-Authorization cookie Set-Cookie cookies bearer
      credential credentials REDISCLI_AUTH //registry.npmjs.org/:_authToken
    `),
  ])('is seen in %s', (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each([
    '',
    ...namesIn(`
      progressToken progress_token nextPageToken pageToken NEXT_TOKEN max_tokens maxTokens tokens key
      keys keyboard monkey primary_key publicKey tokenizer secretary passenger shipping blogin
      desktop seedling bypass compass PWD OLDPWD_ author authorized oauth signature ticket reqId type
      value a cookieless
    `),
  ])('is not seen in %j', (name) => {
    expect(isSecretName(name)).toBe(false);
  });

  it('each of twenty thousand different fields that end in _token is recognized as secret', () => {
    const names = Array.from({ length: 20_000 }, (_, n) => `field${n}_token`);
    expect(names.every(isSecretName)).toBe(true);
  });
});
