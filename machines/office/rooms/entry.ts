/** Entry to an office: tokens, versions and the rights of a credential. */
import { z } from 'zod';
import type { SeatFacts } from '../../ports/office.ts';
import { wireCodes, type Failure, notGranted } from '../../protocol/failure.ts';
import { uploadRefused } from '../../protocol/messages/blobs.ts';
import { PROTOCOL_VERSION, events, isSpoken, spoken } from '../../protocol/protocol.ts';
import type { RefusalKind } from './limits.ts';

/** Peer that wants to enter an office, with everything it presented when connecting. */
export interface Entrant {
  /** `auth` object of the Socket.IO handshake; empty when the peer sent none. */
  readonly auth: Readonly<Record<string, unknown>>;
  /** HTTP headers of the first request, with names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** IP address of the peer. */
  readonly address: string;
  /**
   * Client certificate that the office trusts; only if the office requests one (`tls` with `ca` and `requestCert`).
   */
  readonly certificate?: {
    /** Common name of the certificate's subject. */
    readonly name: string;
    /** SHA-256 fingerprint of the certificate, in hex with colons. */
    readonly fingerprint256: string;
  };
  /**
   * Token of the peer: `token`, `apiKey` or `api_key` of `auth`, otherwise from the header `Authorization: Bearer
   * TOKEN`, `x-api-key` or `access_token`. Null when it sent none.
   */
  readonly token: string | null;
}
/**
 * Decision about a peer. `true`: it may enter, with all rights. `false`: it may not. `reason`: it may not, and
 * receives this text. `grant`: it may enter with these rights (see `Grant`).
 */
export type Entry =
  | boolean
  | {
      readonly reason: string;
      /** Additional detail of the refusal, for the operator of the office. */
      readonly detail?: string;
    }
  | { readonly grant: Grant };

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
const bearer = /^bearer +(\S+)$/i;

/** Looks in all places where clients of this protocol put it, newest first (a2c-wire §2.2; 0.1.6). */
export function tokenIn({ auth, headers }: Pick<Entrant, 'auth' | 'headers'>): string | null {
  const authorization = textIn(headers['authorization']);
  return (
    textIn(auth['token']) ??
    textIn(auth['apiKey']) ??
    textIn(auth['api_key']) ??
    (authorization === undefined ? undefined : bearer.exec(authorization)?.[1]) ??
    textIn(headers['x-api-key']) ??
    textIn(headers['access_token']) ??
    null
  );
}

export const entryTexts = {
  missing: "This office wants a token: the auth of the connection is {token: '…'}",
  unknown: 'This office does not know that token',
  refused: 'This office does not let you in',
  failed: 'This office could not check who you are; try again later',
  invalid: 'This office does not take that token: it is signed by somebody else, or meant for another place',
  expired: 'This token has expired: connect again with a new one',
} as const;

const texts = z.array(z.string().min(1).max(200)).min(1).max(1_000);
/** An omitted field allows everything. */
export const grantFields = {
  offices: texts.optional(),
  roles: z
    .array(z.enum(['agent', 'computer']))
    .min(1)
    .optional(),
  names: texts.optional(),
  events: z
    .array(
      z
        .string()
        .max(200)
        .regex(/^client:\S+$/, 'an event such as client:tool_call'),
    )
    .min(1)
    .max(1_000)
    .optional(),
  maxFileBytes: z.int().positive().optional(),
};
export const grantSchema = z.strictObject({
  ...grantFields,
  expiresAt: z.number().finite().optional(),
  subject: z.string().max(500).optional(),
});
/** Rights of a peer in an office. An omitted one allows everything. */
export interface Grant {
  /** Ids of the rooms in which the peer may sit. */
  readonly offices?: readonly string[] | undefined;
  /** Roles that the peer may take. */
  readonly roles?: readonly SeatFacts['role'][] | undefined;
  /** Names that the peer may use. */
  readonly names?: readonly string[] | undefined;
  /** Questions that the peer may ask as an agent, such as `client:tool_call`. */
  readonly events?: readonly string[] | undefined;
  /** Largest file in bytes that the peer may put on a computer; each computer has limits of its own besides. */
  readonly maxFileBytes?: number | undefined;
  /** Expiry in milliseconds since 1970; the connection is closed then. */
  readonly expiresAt?: number | undefined;
  /** Owner of the credential, for logs: the `sub` of a JWT, the label of a token. */
  readonly subject?: string | undefined;
}

export interface Admitted extends Grant {
  /** Mark that distinguishes the credential from others, such as a digest; absent when no credential is required. */
  readonly credential?: string;
}
/** Only with the same credential as the holder, whose connection no longer answers. */
export const mayTakeOver = (newcomer: Admitted | undefined, holder: Admitted | undefined): boolean =>
  newcomer?.credential !== undefined && newcomer.credential === holder?.credential;

const listed = (all: readonly string[]): string => {
  const shown = all.slice(0, 5).map((one) => `'${one}'`);
  return shown.join(', ') + (all.length > shown.length ? ` and ${all.length - shown.length} more` : '');
};
/** The text lists the allowed values, which the owner of the credential may know. */
export function forbids({ offices, roles, names }: Grant, seat: SeatFacts): Failure | undefined {
  const rules = [
    ['office', offices, seat.office, 'wrongOffice'],
    ['role', roles, seat.role, 'wrongRole'],
    ['name', names, seat.name, 'wrongName'],
  ] satisfies [string, readonly string[] | undefined, string, RefusalKind][];
  for (const [what, allowed, wanted, reason] of rules)
    if (allowed && !(allowed as readonly string[]).includes(wanted)) {
      const message = `${notGranted} the ${what} '${wanted.slice(0, 200)}', but for ${listed(allowed)}`;
      return { code: wireCodes.notAllowed, message, details: { reason } };
    }
  return undefined;
}

export const forbidsEvent = ({ events: allowed }: Grant, event: string): string | undefined =>
  !allowed || allowed.includes(event) || !event.startsWith('client:')
    ? undefined
    : `${notGranted} the event '${event.slice(0, 80)}', but for ${listed(allowed)}`;

export function forbidsFile(
  { maxFileBytes = Infinity }: Grant,
  event: string,
  { total_size: bytes }: { readonly total_size?: unknown },
): Failure | undefined {
  if (event !== events.putBlob || typeof bytes !== 'number' || bytes <= maxFileBytes) return undefined;
  const message = `${notGranted} a file of ${bytes} bytes, but for ${maxFileBytes} at most`;
  const remedy = 'Send a smaller file, or use a credential whose maxFileBytes is larger';
  return { ...uploadRefused('too_large', message, { limit_bytes: maxFileBytes }), remedy };
}

export interface Denial {
  readonly status: 400;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const denial = (body: object, headers: Readonly<Record<string, string>> = {}): Denial => ({
  status: 400,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/** Peers of 0.1 send no version; below 1.0 every minor version is another protocol (a2c-wire §2.3). */
export function denies(version: string | undefined, isRequired: boolean): Denial | undefined {
  const unread = (message: string): Denial =>
    denial({
      code: wireCodes.badRequest,
      message,
      remedy:
        'Give a2c_version=MAJOR.MINOR.PATCH, the version of the protocol, in the query of the first request',
    });
  if (version === undefined) return isRequired ? unread('Missing a2c_version query parameter') : undefined;
  const known = isSpoken(version);
  if (known === 'unreadable') return unread(`Invalid a2c_version: ${version.slice(0, 80)}`);
  if (known) return undefined;
  const [oldest, newest] = spoken.minors.map((minor) => `0.${minor}`);
  const isOld = version.startsWith('0.0.');
  return denial(
    {
      code: wireCodes.versionMismatch,
      message: `Protocol version mismatch: this office lets in ${oldest} to ${newest}, not ${version.slice(0, 80)}`,
      remedy: isOld
        ? 'Update the peer'
        : `Update this office, or use a peer that speaks ${oldest} to ${newest}`,
      server_version: PROTOCOL_VERSION,
      client_version: version,
      min_supported: `0.${spoken.minors[0]}.0`,
      max_supported: `0.${spoken.minors[1]}.999`,
    },
    { 'X-A2C-Error-Code': String(wireCodes.versionMismatch) },
  );
}

/** Each proxy appends the address of its client; earlier entries come from the peer and are not trusted. */
export function peerAddress(
  remote: string,
  forwarded: string | readonly string[] | undefined,
  proxies: number,
): string {
  if (proxies === 0 || forwarded === undefined) return remote;
  const hops = [forwarded]
    .flat()
    .join(',')
    .split(',')
    .map((hop) => hop.trim())
    .filter((hop) => hop !== '');
  return hops.at(-proxies)?.slice(0, 100) ?? hops[0]?.slice(0, 100) ?? remote;
}
