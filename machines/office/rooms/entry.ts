import type { Grant } from './grant.ts';

/** Who may enter an office: what a peer shows when it connects, before it may take a seat. */
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
    /** Its SHA-256, in hex with colons. */
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
