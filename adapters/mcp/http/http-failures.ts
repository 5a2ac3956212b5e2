import type { IncomingHttpHeaders } from 'node:http';
import { wireCodes, type Failure } from '../../../machines/protocol/failure.ts';
import { codeOf } from '../../reading.ts';
import { notStartable } from '../messages/refusal.ts';

export type Phase = 'connect' | 'initialize' | 'session';

const causes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  ENOTFOUND: 'its host name is unknown',
  EAI_AGAIN: 'its host name cannot be looked up now',
  ETIMEDOUT: 'it did not answer in time',
  EHOSTUNREACH: 'there is no way to its host',
  ENETUNREACH: 'there is no way to its network',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by nobody we trust',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is signed by nobody we trust',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by nobody we trust',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
};
export const isUnsigned = (cause: string): boolean => /SELF_SIGNED|VERIFY_LEAF|GET_ISSUER/.test(cause);
export const causeWords = (cause: string): string => (causes[cause] ? `${causes[cause]} (${cause})` : cause);

/** The message of Node is dropped, because it names hosts and addresses. */
export const causeOf = (error: unknown): string => codeOf(error) || 'unknown cause';

const hostFailed = 'this host failed on the answer';
export const failedOn = (error: unknown): string =>
  `${hostFailed}: ${error instanceof Error ? error.message : String(error)}`;

/** With `isProxied` the proxy may be the one that is down. */
export const unreachable = (cause: string, phase: Phase, isProxied = false): Failure => ({
  code: 'ServerLost',
  message: `the server cannot be reached${isProxied ? ' through its proxy' : ''}: ${causeWords(cause)}`,
  details: { cause, phase },
  remedy: remedyFor(cause, isProxied),
});
export function remedyFor(cause: string, isProxied: boolean): string {
  if (isUnsigned(cause))
    return 'name the file with the certificate of its authority: ca of the server, or the variable NODE_EXTRA_CA_CERTS';
  return isProxied
    ? 'check a2c.proxy and the URL, and that the proxy and the server run'
    : 'check the URL, and that the server runs';
}
export const brokenOff = (cause: string, phase: Phase): Failure => ({
  code: 'ServerLost',
  message: cause.startsWith(hostFailed) ? cause : `the server broke off its answer: ${causeWords(cause)}`,
  details: { cause, phase },
});
/** `said` is already redacted. Status 200 stands for a JSON-RPC error. */
export const expired = (status: number, said = ''): Failure => ({
  code: 'ServerLost',
  message: `the server has forgotten this session (HTTP ${status})${after(said)}`,
  details: { http_status: status, phase: 'session' },
});
const after = (said: string): string => said && `: ${said}`;
/** `what`: reason in words that follow "the answer". */
export const unreadable = (what: string, status: number, phase: Phase): Failure => ({
  code: wireCodes.internal,
  message: `the answer of the server ${what}`,
  details: { http_status: status, phase },
  remedy: 'have the server, or the proxy before it, send its answers unpacked',
});
export const notMcp = (what: string, status: number): Failure => ({
  code: wireCodes.internal,
  message: `the server answered with ${what}, which is not MCP`,
  details: { http_status: status },
});
interface AboutStatus {
  readonly phase: Phase;
  readonly headers: IncomingHttpHeaders;
  readonly url: URL;
  readonly said?: string | undefined;
}
export function statusFailure(status: number, { phase, headers, url, said = '' }: AboutStatus): Failure {
  const details: Record<string, unknown> = { http_status: status, phase };
  const words = after(said);
  if (status === 401)
    return {
      code: 'Unauthorized',
      message: `the server wants a login (HTTP 401)${words}`,
      details: { ...details, ...(said !== '' && { said }) },
      remedy: 'log in, or give this server a valid token in its headers',
    };
  if (status === 403)
    return {
      code: 'AccessDenied',
      message: `the server refuses this login (HTTP 403)${words}`,
      details,
      remedy: 'give a login that may use this server, or ask its owner for access',
    };
  if (status >= 300 && status < 400) return { ...sentElsewhere(status, headers.location, url), details };
  const retryAfter = retryAfterIn(headers);
  if (retryAfter !== undefined) details['retry_after'] = retryAfter;
  if (status === 429)
    return {
      code: wireCodes.tooMany,
      message: `the server gets too many requests (HTTP 429)${words}`,
      details,
      ...(retryAfter !== undefined && { remedy: `wait ${retryAfter} s, as the server asks, and try again` }),
    };
  return { code: wireCodes.toolFailed, message: `the server answered HTTP ${status}${words}`, details };
}

/** Names the target without user, password, query and fragment, and without the origin when it is the same. */
function sentElsewhere(status: number, location: string | undefined, from: URL): Failure {
  const to =
    location !== undefined && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (!to)
    return notStartable(
      `the server sends us elsewhere (HTTP ${status}), and does not say where`,
      'configure the URL where the server really is',
    );
  const isSame = to.origin === from.origin;
  const place = `${isSame ? '' : placeOf(to)}${to.pathname}`.slice(0, 200);
  const why = isSame ? 'and we follow it no further' : 'and headers with secrets go to no other origin';
  return notStartable(
    `the server sends us to ${place} (HTTP ${status}), ${why}`,
    `configure the URL where the server really is: ${place}`,
  );
}
export const placeOf = ({ protocol, host }: URL): string => `${protocol}//${host}`;

/** In seconds; a date is compared with the header `Date`, else the local clock. */
export function retryAfterIn({
  'retry-after': text = '',
  date = '',
}: IncomingHttpHeaders): number | undefined {
  // `Date.parse` takes most texts with a number for a date.
  const at = /^(?:sun|mon|tue|wed|thu|fri|sat)/i.test(text) ? Date.parse(text) : NaN;
  const isNumber = /^\d{1,9}(\.\d+)?$/.test(text);
  const seconds = isNumber ? Number(text) : (at - (Date.parse(date) || Date.now())) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds));
}
