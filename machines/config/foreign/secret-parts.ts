import { loginsIn, replacedIn, secretSpansIn } from '../../trace/index.ts';

/** Arguments with secrets and logins in them replaced. `n` counts from 0. */
export function withoutSecretArgs(
  args: readonly string[],
  replaced: (value: string, n: number) => string,
): readonly string[] {
  const spans = secretSpansIn(args);
  return args.map((arg, n) =>
    replacedIn(arg, [...(spans[n] ?? []), ...loginsIn(arg)], (value) => replaced(value, n)),
  );
}
/** A URL with its login, and the values of parameters that are secrets, replaced. */
export const withoutSecretParts = (url: string, replaced: (value: string) => string): string =>
  withoutSecretArgs([url], replaced).join('');
/** Whether a URL has a login or a key in it. */
export const hasSecretParts = (url: string): boolean => withoutSecretParts(url, () => '\0').includes('\0');
