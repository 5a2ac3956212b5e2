const secretNames =
  /(password|passwd|passphrase|passcode|secret|credential|cookie|authorization|bearer|(api|access|auth|private|secret|signing|encryption|master|account|ssh|license)_?key)s?(_?(\d+|value|confirm|confirmation|plain|raw))?$|token(_?(\d+|value|raw))?$|[a-z0-9]_(pass|pwd)$|_auth$|(密码|口令|密钥|令牌)$/;
const harmless = /(progress|page|next)_?token$/;
/** Names of variables, headers, parameters and options alone: in a record they say something else. */
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

/** Whether what stands under this name is a secret, in any spelling: `apiKey`, `X-Api-Key`, `ACCESS_TOKEN`. */
export function isSecretName(name: string): boolean {
  const seen = known.get(name);
  if (seen !== undefined) return seen;
  const words = wordsOf(name);
  const isSecret = secretNames.test(words) && !harmless.test(words);
  // Keys of strangers are without end.
  if (known.size < 10_000) known.set(name, isSecret);
  return isSecret;
}
/**
 * What the name of a variable, a header, a parameter of a URL or an option says of its value: `secret`, or that it may be
 * a `key`, which `AUTH=basic` and `SSL_KEY=/etc/x.pem` are not.
 */
export function saidBy(name: string): 'secret' | 'key' | 'nothing' {
  const words = wordsOf(name.replace(/^-+/, ''));
  if (isSecretName(name) || ofLaunches.test(words)) return 'secret';
  return keyNames.test(words) && !words.endsWith('public_key') ? 'key' : 'nothing';
}
