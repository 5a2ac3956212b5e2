import { isSecretName, secretsIn } from '../../trace/secret-names.ts';

/** Arguments with what may be a secret in them replaced: the value of an option with a secret name. `n` counts from 0. */
export function withoutSecretArgs(
  args: readonly string[],
  replaced: (value: string, n: number) => string,
): readonly string[] {
  const secrets = new Set(secretsIn({}, args));
  return args.map((arg, n) => {
    if (secrets.has(arg)) return replaced(arg, n);
    const [, flag = '', value] = /^(--?[\w-]+=)(.*)$/s.exec(arg) ?? [];
    return value !== undefined && secrets.has(value) ? flag + replaced(value, n) : arg;
  });
}
const isSecretKey = (name: string): boolean => isSecretName(name) || /^(key|k|sig|code)$/i.test(name);
const secretPart = /^([\w+.-]+:\/\/)([^/?#]*)@|([?&])([^=&#]+)=([^&#]*)/g;
/** A URL with its login, and the values of parameters with secret names, replaced. */
export const withoutSecretParts = (url: string, replaced: (value: string) => string): string =>
  url.replaceAll(
    secretPart,
    (whole, scheme?: string, login?: string, sign?: string, name = '', value = '') => {
      if (scheme !== undefined) return `${scheme}${replaced(login ?? '')}@`;
      return isSecretKey(name) ? `${sign}${name}=${replaced(value)}` : whole;
    },
  );
/** Whether a URL has a login or a key in it. */
export const hasSecretParts = (url: string): boolean => withoutSecretParts(url, () => '\0').includes('\0');
