/** Entry to an office: versions, credentials, and what a credential allows. */
import { z } from 'zod';
import type { SeatFacts } from '../../kernel/ports.ts';
import { wireCodes } from '../../protocol/failure.ts';
import { PROTOCOL_VERSION, isSpoken, spoken } from '../../protocol/protocol.ts';

/** Newcomer to an office: what a peer shows when it connects, before it may take a seat. */
export interface Entrant {
  /** The `auth` object of its Socket.IO handshake; empty when it sent none. */
  readonly auth: Readonly<Record<string, unknown>>;
  /** The HTTP headers of its first request; names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The IP address it comes from. */
  readonly address: string;
  /** The certificate that it has shown, of an office that asks for one (`tls` with `ca` and `requestCert`) and trusts it. */
  readonly certificate?: {
    /** The common name of its subject. */
    readonly name: string;
    /** SHA-256 of the certificate, in hex with colons. */
    readonly fingerprint256: string;
  };
  /**
   * The token among these: `token`, `apiKey` or `api_key` of `auth`, else the header `Authorization: Bearer TOKEN` or
   * `x-api-key` or `access_token`. Null: it shows none.
   */
  readonly token: string | null;
}
/**
 * `true`: it may enter, and sit anywhere. `false`: it may not. Or why not, in a text that it hears. Or what it may do: see
 * `Grant`.
 */
export type Entry =
  | boolean
  | {
      readonly reason: string;
      /** More of it, for who runs the office. */
      readonly detail?: string;
    }
  | { readonly grant: Grant };

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
const bearer = /^bearer +(\S+)$/i;

/** The places in which the clients of this protocol put their token, the newest first (a2c-wire §2.2; `access_token` of 0.1.6). */
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
/** Fields of what a credential allows. A list that is left out allows all. */
export const grantFields = {
  offices: texts.optional(),
  roles: z
    .array(z.enum(['agent', 'computer']))
    .min(1)
    .optional(),
  names: texts.optional(),
};
export const grantSchema = z.strictObject({
  ...grantFields,
  expiresAt: z.number().finite().optional(),
  subject: z.string().max(500).optional(),
});
/** Rights of a peer in an office. A list that is left out allows all. */
export interface Grant {
  /** The ids of the rooms it may sit in. */
  readonly offices?: readonly string[] | undefined;
  /** Roles in which it may sit there. */
  readonly roles?: readonly SeatFacts['role'][] | undefined;
  /** Names that it may have. */
  readonly names?: readonly string[] | undefined;
  /** Milliseconds since 1970: its connection is closed then. */
  readonly expiresAt?: number | undefined;
  /** Whose credential it is, for logs: the `sub` of a JWT, the label of a token. */
  readonly subject?: string | undefined;
}

/** Rights of a peer that is connected, and its credential. */
export interface Admitted extends Grant {
  /** Mark that tells its credential from others, such as a digest; none where no credential is asked for. */
  readonly credential?: string;
}
/** May a newcomer have the seat of a connection that does not answer any more? */
export const mayTakeOver = (newcomer: Admitted | undefined, holder: Admitted | undefined): boolean =>
  newcomer?.credential !== undefined && newcomer.credential === holder?.credential;

/** How each refusal of a seat begins that the credential does not allow. */
export const notGranted = 'Your credential is not for';
const listed = (all: readonly string[]): string => {
  const shown = all.slice(0, 5).map((one) => `'${one}'`);
  return shown.join(', ') + (all.length > shown.length ? ` and ${all.length - shown.length} more` : '');
};
/** Why this credential may not take that seat, or undefined. Its holder may know what it allows. */
export function forbids({ offices, roles, names }: Grant, seat: SeatFacts): string | undefined {
  const rules: readonly (readonly [string, readonly string[] | undefined, string])[] = [
    ['office', offices, seat.office],
    ['role', roles, seat.role],
    ['name', names, seat.name],
  ];
  for (const [what, allowed, wanted] of rules)
    if (allowed && !allowed.includes(wanted))
      return `${notGranted} the ${what} '${wanted.slice(0, 200)}', but for ${listed(allowed)}`;
  return undefined;
}

/** HTTP answer to a connection that is not opened. */
export interface Denial {
  readonly status: 400;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

const denial = (body: object, headers: Readonly<Record<string, string>> = {}): Denial => ({
  status: 400,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/**
 * Whether a connection with this `a2c_version` may be opened (a2c-wire §2.3). Peers of 0.1 send none. Below 1.0 another
 * minor is another protocol; we speak several.
 */
export function denies(version: string | undefined, isRequired: boolean): Denial | undefined {
  if (version === undefined)
    return isRequired
      ? denial({ code: wireCodes.badRequest, message: 'Missing a2c_version query parameter' })
      : undefined;
  const known = isSpoken(version);
  if (known === 'unreadable')
    return denial({ code: wireCodes.badRequest, message: `Invalid a2c_version: ${version.slice(0, 80)}` });
  if (known) return undefined;
  return denial(
    {
      code: wireCodes.versionMismatch,
      message: 'Protocol version mismatch',
      server_version: PROTOCOL_VERSION,
      client_version: version,
      min_supported: `0.${spoken.minors[0]}.0`,
      max_supported: `0.${spoken.minors[1]}.999`,
    },
    { 'X-A2C-Error-Code': String(wireCodes.versionMismatch) },
  );
}

/**
 * The address that a peer comes from, when so many proxies stand before the office: each of them adds the address that it was
 * asked from to the end of `X-Forwarded-For`. What stands before those was written by the peer itself, and is not believed.
 */
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
