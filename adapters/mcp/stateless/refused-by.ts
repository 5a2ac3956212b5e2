import { Refused } from '../transport.ts';

interface By {
  readonly status: number;
  /** Code of a JSON-RPC error in the body. */
  readonly code: unknown;
  readonly message: string;
}
/** A request was refused by its HTTP status, and so. */
export function isRefusedBy(error: unknown, so: (by: By) => boolean): boolean {
  if (!(error instanceof Refused)) return false;
  const { message, details } = error.failure;
  return so({ status: Number(details?.['http_status'] ?? 0), code: details?.['code'], message });
}
const isLogin = (status: number): boolean => status === 401 || status === 403;
export const wantsLogin = (error: unknown): boolean => isRefusedBy(error, ({ status }) => isLogin(status));
/** It may be of another revision. */
export const mayBeOther = (error: unknown): boolean =>
  isRefusedBy(error, ({ status }) => status >= 400 && status < 500 && !isLogin(status));
/** Its header named a version before `initialize` has agreed on one. */
export const isOfVersion = (error: unknown): boolean =>
  isRefusedBy(error, ({ status, message }) => status === 400 && /version|header/i.test(message));
