import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import {
  entryTexts,
  grantSchema,
  tokenIn,
  type Entrant,
  type Entry,
  type Grant,
} from '../../../machines/office/rooms/entry.ts';
import { nearest } from '../../../machines/text.ts';
import { wireCodes } from '../../../machines/protocol/failure.ts';
import type { PeerCertificate } from '../http.ts';
import { isJwt, jwtAuth, jwtsOf, type JwtAuth } from './jwt.ts';
import { tokenGrant, tokensOf, tokensOfFile, type TokenGrant, type TokensFile } from './tokens.ts';

/** Function that decides who may enter an office. An error, or no answer within 8 s, refuses the peer. */
export type Authenticate = (entrant: Entrant) => Entry | Promise<Entry>;
/** Credential that an office accepts. */
export type OfficeCredential = string | TokenGrant | TokensFile | JwtAuth;
/**
 * Authentication of an office: one credential, a list of credentials of which any one is sufficient (so that
 * peers can change to another one by one), or a function.
 */
export type OfficeAuth = OfficeCredential | readonly OfficeCredential[] | Authenticate;

/** In ms; below the 10 s (`entryMs`) after which a waiting peer is cut off, so that it gets the reason. */
const checkMs = 8_000;

const noAuth =
  'auth is a token, a token with its grant, {tokensFile}, {jwks, audience}, a list of at least one of these, or a function';
const tokensFile = z.strictObject({ tokensFile: z.string().min(1) });
/** Schemas of the credentials, by the field that identifies each form, so that an error is reported for the form that was meant. */
const forms = { jwks: jwtAuth, tokensFile, token: tokenGrant, sha256: tokenGrant } as const;
function check(given: unknown): void {
  if (typeof given === 'string' && given.trim() !== '') return;
  if (typeof given !== 'object' || given === null) throw new TypeError(noAuth);
  const form = Object.entries(forms).find(([field]) => Object.hasOwn(given, field));
  if (!form) throw new TypeError(noAuth);
  const issues = form[1].safeParse(given).error?.issues ?? [];
  // Reports an unknown field before a missing one, because it is often a wrong spelling of the missing one.
  const unknown = issues.find((issue) => issue.code === 'unrecognized_keys');
  const [key] = unknown?.keys ?? [];
  if (unknown && key !== undefined) {
    const [close] = nearest(key, Object.keys(form[1].shape));
    const hint = close === undefined ? '' : ` (did you mean ${close}?)`;
    throw new TypeError(`auth.${[...unknown.path, key].join('.')}: unknown option${hint}`);
  }
  const [issue] = issues;
  if (issue) throw new TypeError(`${['auth', ...issue.path].join('.')}: ${issue.message}`);
}

function byCredentials(all: readonly OfficeCredential[], warn: (text: string) => void): Authenticate {
  const plain = all.filter(
    (one): one is string | TokenGrant => typeof one === 'string' || 'token' in one || 'sha256' in one,
  );
  const files = all.filter((one): one is TokensFile => typeof one === 'object' && 'tokensFile' in one);
  const tokens = [tokensOf(plain), ...files.map((one) => tokensOfFile(one, warn))];
  const jwts = all
    .filter((one): one is JwtAuth => typeof one === 'object' && 'jwks' in one)
    .map((one) => jwtsOf(one, warn));
  return async ({ token }) => {
    // Compares all tokens, so that the duration does not show which of them matched.
    const said = tokens.map((one) => one(token));
    const known = said.find((entry) => typeof entry === 'object' && 'grant' in entry);
    if (known !== undefined || token === null || !isJwt(token)) return known ?? (said[0] as Entry);
    let refused = said[0] as Entry;
    let failed: { readonly error: unknown } | undefined;
    for (const jwt of jwts)
      try {
        const entry = await jwt(token);
        if (typeof entry === 'object' && 'grant' in entry) return entry;
        refused = entry;
      } catch (error) {
        // Keeps the error for later, because the keys of another provider may still verify the token.
        failed ??= { error };
      }
    if (failed) throw failed.error;
    return refused;
  };
}
/** Throws a `TypeError` at the start for a bad credential or file; `warn` tells of files that fail later. */
export function authenticateBy(auth: OfficeAuth, warn: (text: string) => void = () => {}): Authenticate {
  if (typeof auth === 'function') return auth;
  const all = [auth].flat() as readonly OfficeCredential[];
  if (all.length === 0) throw new TypeError(noAuth);
  for (const one of all) check(one);
  return byCredentials(all, warn);
}

export const entrantOf = (handshake: {
  readonly auth: unknown;
  readonly headers: IncomingHttpHeaders;
  readonly address: string;
  readonly certificate?: PeerCertificate | undefined;
}): Entrant => {
  const { headers, address, certificate } = handshake;
  const given = handshake.auth;
  const auth =
    typeof given === 'object' && given !== null ? (given as Readonly<Record<string, unknown>>) : {};
  const shown = certificate && { certificate };
  return { auth, headers, address, ...shown, token: tokenIn({ auth, headers }) };
};

export interface Refused {
  readonly code: 401 | 503;
  readonly reason: string;
  /** Details for the operator of the office, which the peer does not get. */
  readonly detail?: string;
}
const unchecked = (detail: string): Refused => ({
  code: wireCodes.unavailable,
  reason: entryTexts.failed,
  detail: `nobody could say whether it may: ${detail}`,
});
const refusedFor = (reason: string, detail?: unknown): Refused => ({
  code: wireCodes.tokenRefused,
  reason,
  ...(isText(detail) && { detail }),
});
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function readEntry(said: unknown, now: number): Grant | Refused {
  if (said === true) return {};
  // Reads any value, because the function comes from the host.
  const { reason, grant, detail } = (said || {}) as Readonly<Record<'reason' | 'grant' | 'detail', unknown>>;
  if (grant === undefined) return refusedFor(isText(reason) ? reason : entryTexts.refused, detail);
  const read = grantSchema.safeParse(grant);
  if (!read.success) return unchecked(`its grant is none: ${read.error.issues[0]?.message}`);
  if ((read.data.expiresAt ?? Infinity) <= now) return refusedFor(entryTexts.expired);
  return read.data;
}
export const isRefused = (entry: Grant | Refused): entry is Refused => 'reason' in entry;
/** Always returns a decision, also after an error or a time-out. */
export async function entryOf(authenticate: Authenticate, entrant: Entrant): Promise<Grant | Refused> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Refused>((resolve) => {
    timer = setTimeout(() => resolve(unchecked(`no answer within ${checkMs / 1_000} s`)), checkMs);
  });
  try {
    const said = Promise.resolve(entrant).then(authenticate);
    return await Promise.race([said.then((entry) => readEntry(entry, Date.now())), late]);
  } catch (error) {
    return unchecked(error instanceof Error ? error.message : String(error));
  } finally {
    clearTimeout(timer);
  }
}
