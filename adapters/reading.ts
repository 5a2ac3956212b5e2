import { createHash, timingSafeEqual } from 'node:crypto';
import { getSystemErrorMap } from 'node:util';

/** Empty for an error without one. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

/** The words of the system, which name no path, with the code: `permission denied (EACCES)`. */
export function systemWords(error: unknown): string {
  const code = codeOf(error);
  const [, words] = [...getSystemErrorMap().values()].find(([name]) => name === code) ?? [];
  return words === undefined ? code || 'unknown reason' : `${words} (${code})`;
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
/** Takes equally long for any wrong text. */
export const isSecret = (given: string, secret: string): boolean =>
  timingSafeEqual(digestOf(given), digestOf(secret));
