import type { InputDefinition } from '../config/inputs.ts';

/** Meaning of a value by the name of its variable, header, parameter or field. */
const secretNames =
  /(password|passwd|passphrase|passcode|secret|credential|cookie|authorization|bearer|mnemonic|(api|access|auth|private|secret|signing|encryption|master|account|ssh|license)_?key)s?(_?(\d+|value|confirm|confirmation|plain|raw))?$|token(_?(\d+|value|raw))?$|[a-z0-9]_(pass|pwd)$|_auth$|(^|_)(pw|pins?|t?otps?|cv[vc]2?|seeds?|login|ssn|iban)(_?\d+|_(value|code|phrase|number))?$|sess(ion)?_?id$|(密码|口令|密钥|令牌)$/;
const harmless = /(progress|page|next)_?token$/;
/** Secret only for variables, headers, parameters and options; in a record they mean something else. */
const ofLaunches = /(^|_)(pass|pat|jwt)\d*$/;
const keyNames =
  /(^|_)(keys?|auth|sig|signature|code|k|dsn|salt|webhook)\d*$|(^|_)(secret|token|password|credentials?|webhook)_/;

const longestName = 200;
const wordsOf = (name: string): string =>
  name
    .slice(-longestName)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replaceAll(/[-.\s]/g, '_')
    .toLowerCase();
const known = new Map<string, boolean>();

/** In any spelling of the name: `apiKey`, `X-Api-Key`, `ACCESS_TOKEN`. */
export function isSecretName(name: string): boolean {
  const seen = known.get(name);
  if (seen !== undefined) return seen;
  const words = wordsOf(name);
  const isSecret = secretNames.test(words) && !harmless.test(words);
  // Limits the memory of names, because foreign data may have any number of them.
  if (known.size < 10_000 && name.length <= longestName) known.set(name, isSecret);
  return isSecret;
}
/** Outputs of commands count as secret, because such inputs mostly get secrets from a store. */
export const isSecretInput = (input: InputDefinition): boolean =>
  input.type === 'command' || (input.type === 'promptString' && input.password) || isSecretName(input.id);
const publicNames =
  /(^|_)(env|environment|lang|language|locale|lc_[a-z]+|tz|time_?zone|region|zone|model|version|mode|format|level|type|driver|engine|dialect|transport|protocol|encoding|charset|user|username|logname|name|db|dbname|database|term|shell|editor|pager|display|xdg_[a-z_]+|user_agent|accept(_[a-z]+)?)$/;
/** `key`: it may be a key, also in an argument, where most names say nothing. */
export function saidBy(name: string): 'secret' | 'key' | 'public' | 'nothing' {
  const words = wordsOf(name.replace(/^-+/, ''));
  if (isSecretName(name) || ofLaunches.test(words)) return 'secret';
  if (keyNames.test(words) && !words.endsWith('public_key')) return 'key';
  return publicNames.test(words) ? 'public' : 'nothing';
}
