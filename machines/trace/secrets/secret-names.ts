const secretNames =
  /(password|passwd|passphrase|passcode|secret|credential|cookie|authorization|bearer|(api|access|auth|private|secret|signing|encryption|master|account|ssh|license)_?key)s?(_?(\d+|value|confirm|confirmation|plain|raw))?$|token(_?(\d+|value|raw))?$|[a-z0-9]_(pass|pwd)$|_auth$|(密码|口令|密钥|令牌)$/;
const harmless = /(progress|page|next)_?token$/;
/**
 * Names that mean a secret only for variables, headers, parameters and options; in a record they mean
 * something else.
 */
const ofLaunches = /(^|_)(pass|pat|jwt)\d*$/;
const keyNames =
  /(^|_)(keys?|auth|sig|signature|code|k|dsn|salt|webhook)\d*$|(^|_)(secret|token|password|credentials?|webhook)_/;

const wordsOf = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replaceAll(/[-.\s]/g, '_')
    .toLowerCase();
const known = new Map<string, boolean>();

/**
 * Tells whether a value under this name is secret, in any spelling of the name: `apiKey`, `X-Api-Key`,
 * `ACCESS_TOKEN`.
 */
export function isSecretName(name: string): boolean {
  const seen = known.get(name);
  if (seen !== undefined) return seen;
  const words = wordsOf(name);
  const isSecret = secretNames.test(words) && !harmless.test(words);
  // The memory of names is limited, because foreign data may have any number of them.
  if (known.size < 10_000) known.set(name, isSecret);
  return isSecret;
}
/**
 * Tells what the name of a variable, header, URL parameter or option reveals about its value: `secret`, or
 * `key` when it may be a key, which must be checked because `AUTH=basic` and `SSL_KEY=/etc/x.pem` are none.
 */
export function saidBy(name: string): 'secret' | 'key' | 'nothing' {
  const words = wordsOf(name.replace(/^-+/, ''));
  if (isSecretName(name) || ofLaunches.test(words)) return 'secret';
  return keyNames.test(words) && !words.endsWith('public_key') ? 'key' : 'nothing';
}
