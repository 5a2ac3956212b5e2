const secretNames =
  /(password|passwd|passphrase|passcode|secret|credential|cookie|authorization|bearer|(api|access|auth|private|secret|signing|encryption|master|account|ssh|license)_?key)s?(_?(\d+|value|confirm|confirmation|plain|raw))?$|token(_?(\d+|value|raw))?$|[a-z0-9]_(pass|pwd)$|_auth$|(密码|口令|密钥|令牌)$/;
const harmless = /(progress|page|next)_?token$/;
const known = new Map<string, boolean>();

/** Whether what stands under this name is a secret, in any spelling: `apiKey`, `X-Api-Key`, `ACCESS_TOKEN`. */
export function isSecretName(name: string): boolean {
  const seen = known.get(name);
  if (seen !== undefined) return seen;
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replaceAll(/[-.\s]/g, '_')
    .toLowerCase();
  const isSecret = secretNames.test(words) && !harmless.test(words);
  // Keys of strangers are without end.
  if (known.size < 10_000) known.set(name, isSecret);
  return isSecret;
}

/** `USE_TOKEN=true` says whether, and not which. */
const isSwitch = /^(|true|false|yes|no|on|off|null|none|0|1)$/i;

/** The values among these that look like secrets, by their names: of environments, headers, `--token=…`. */
export function secretsIn(env: Readonly<Record<string, string>>, args: readonly string[] = []): string[] {
  const byName = Object.entries(env).flatMap(([name, value]) => (isSecretName(name) ? [value] : []));
  const byFlag = args.flatMap((arg, at) => {
    const [, flag = '', value] = /^--?([\w-]+)(?:=(.*))?$/s.exec(arg) ?? [];
    if (flag === '' || !isSecretName(flag)) return [];
    const next = args[at + 1] ?? '';
    return [value ?? (next.startsWith('-') ? '' : next)];
  });
  return [...byName, ...byFlag].filter((value) => !isSwitch.test(value));
}
