/** Signed tokens of peers: keys, algorithms and times. */
import type * as Jose from 'jose';
import type { JSONWebKeySet, JWTPayload, JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { isLoopback } from '../../../machines/office/rooms/loopback.ts';
import { entryTexts, grantSchema, type Entry } from '../../../machines/office/rooms/entry.ts';
import { fieldsOf } from '../../../machines/protocol/json.ts';
import { changingFile } from './changing-file.ts';

/** Settings for tokens that an identity provider signs (JWT). */
export interface JwtAuth {
  /**
   * Public keys of the provider (a JWKS): an `https` URL, which is fetched again when keys change, or the path
   * of a file, which is read again when it changes.
   */
  readonly jwks: string;
  /** Accepted values of `aud`; a token for another service is refused. */
  readonly audience: string | readonly string[];
  /** Accepted values of `iss`, the signer; when left out, any signer with one of the keys is accepted. */
  readonly issuer?: string | readonly string[] | undefined;
  /**
   * Names of the claims that list the offices, roles and names that the holder may use: a text or a list of
   * texts, `*` for all. A token without such a claim is refused. `false`: the claim is ignored and all are
   * allowed. Default: `office`, `role`, `name`.
   */
  readonly claims?:
    | {
        readonly office?: string | false | undefined;
        readonly role?: string | false | undefined;
        readonly name?: string | false | undefined;
        /** Name of the claim that lists the requests that an agent may send (`events` of a grant); not read by default. */
        readonly event?: string | false | undefined;
        /** Name of the claim that holds `maxFileBytes` of a grant, as a number; not read by default. */
        readonly maxFileBytes?: string | false | undefined;
      }
    | undefined;
  /** Allowed difference between the clocks of provider and office, in seconds; 5 by default. */
  readonly clockToleranceSeconds?: number | undefined;
}
const oneOrMore = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]);
const claim = z.union([z.string().min(1), z.literal(false)]).optional();
export const jwtAuth = z.strictObject({
  jwks: z.string().min(1),
  audience: oneOrMore,
  issuer: oneOrMore.optional(),
  claims: z
    .strictObject({ office: claim, role: claim, name: claim, event: claim, maxFileBytes: claim })
    .optional(),
  clockToleranceSeconds: z.number().min(0).max(300).optional(),
});
/** Tells whether a token looks like a JWT: three parts, of which the first is a JSON object in base64url. */
export const isJwt = (token: string): boolean => /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(token);
/** Accepted signature algorithms, only those with a key pair, so that a party that can check tokens cannot make them. */
const algorithms = [
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
  'EdDSA',
  'Ed25519',
];
const jwksMs = 5_000;

let loading: Promise<typeof Jose> | undefined;
const jose = (): Promise<typeof Jose> => (loading ??= import('jose'));

function keysOfFile(path: string): () => Promise<JWTVerifyGetKey> {
  const read = changingFile('keys', path, (set) => {
    const { keys: all } = fieldsOf(set);
    if (!Array.isArray(all) || all.length === 0) throw new TypeError('it is no JWKS with at least one key');
    let keys: JWTVerifyGetKey | undefined;
    return async () => (keys ??= (await jose()).createLocalJWKSet(set as JSONWebKeySet));
  });
  read();
  return async () => read()();
}
function keysOfUrl(url: URL): () => Promise<JWTVerifyGetKey> {
  if (url.protocol !== 'https:' && !isLoopback(url.hostname))
    throw new TypeError(`the keys of ${url.origin} have to be asked for over https`);
  // `fetch` refuses URLs with a user or password, and would show them in its error message.
  if (url.username !== '' || url.password !== '')
    throw new TypeError(`the URL of the keys of ${url.origin} has a user or a password, which is not sent`);
  let keys: JWTVerifyGetKey | undefined;
  return async () => (keys ??= (await jose()).createRemoteJWKSet(url, { timeoutDuration: jwksMs }));
}
const keysOf = (jwks: string): (() => Promise<JWTVerifyGetKey>) =>
  /^https?:/i.test(jwks) && URL.canParse(jwks) ? keysOfUrl(new URL(jwks)) : keysOfFile(jwks);

/** Reads one claim: a list of allowed values, undefined when all are allowed, or a text with the reason for a refusal. */
function allowed(payload: JWTPayload, name: string | false): readonly string[] | string | undefined {
  if (name === false) return undefined;
  const value = payload[name];
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (value === undefined || all.length === 0) return `The token has no claim '${name}'`;
  if (!all.every((one) => typeof one === 'string' && one !== ''))
    return `The claim '${name}' is neither a text nor a list of texts`;
  return all.includes('*') ? undefined : (all as readonly string[]);
}
function entryOf(payload: JWTPayload, { claims = {} }: JwtAuth, tolerance: number): Entry {
  const grant: Record<string, unknown> = {};
  const wanted = [
    ['offices', claims.office ?? 'office'],
    ['roles', claims.role ?? 'role'],
    ['names', claims.name ?? 'name'],
    ['events', claims.event ?? false],
  ] as const;
  for (const [field, name] of wanted) {
    const list = allowed(payload, name);
    if (typeof list === 'string') return { reason: list };
    if (list) grant[field] = list;
  }
  const ofBytes = claims.maxFileBytes || undefined;
  const read = grantSchema.safeParse({
    ...grant,
    // Refuses a missing claim, because it is no number.
    ...(ofBytes !== undefined && { maxFileBytes: payload[ofBytes] ?? null }),
    expiresAt: ((payload.exp ?? 0) + tolerance) * 1_000,
    ...(payload.sub !== undefined && { subject: payload.sub }),
  });
  if (read.success) return { grant: read.data };
  const [issue] = read.error.issues;
  const claimOf = { ...Object.fromEntries(wanted), maxFileBytes: ofBytes, subject: 'sub' };
  const claim = claimOf[issue?.path[0] as keyof typeof claimOf];
  return { reason: `The claim '${String(claim)}' does not fit: ${issue?.message}` };
}

/** Without the query of a URL, which may hold a secret. */
const placeOf = (jwks: string): string => {
  if (!/^https?:/i.test(jwks) || !URL.canParse(jwks)) return jwks;
  const { origin, pathname } = new URL(jwks);
  return `${origin}${pathname}`;
};
const causeOf = (error: unknown): string => {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
};
/** `warn` is called once per reason, and again when it changes or the keys were available in between. */
function watchedKeys(jwks: string, warn: (text: string) => void): JWTVerifyGetKey {
  const keys = keysOf(jwks);
  let told: string | undefined;
  return async (...which) => {
    const { errors } = await jose();
    try {
      const key = await (await keys())(...which);
      told = undefined;
      return key;
    } catch (error) {
      // Tells whether an error is the fault of the token: keys were available, and none of them matches it.
      const isOfToken =
        error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys;
      if (isOfToken) told = undefined;
      if (isOfToken) throw error;
      const text = `the keys of ${placeOf(jwks)} cannot be had: ${causeOf(error)}`;
      if (text !== told) warn((told = text));
      throw new TypeError(text, { cause: error });
    }
  };
}

/** A rejection means that a token could not be checked now. */
export function jwtsOf(options: JwtAuth, warn: (text: string) => void): (token: string) => Promise<Entry> {
  const getKey = watchedKeys(options.jwks, warn);
  const { audience, issuer, clockToleranceSeconds: clockTolerance = 5 } = options;
  const list = (given: string | readonly string[]): string[] => [given].flat();
  return async (token) => {
    const { jwtVerify, errors } = await jose();
    try {
      const { payload } = await jwtVerify(token, getKey, {
        algorithms,
        audience: list(audience),
        requiredClaims: ['exp'],
        clockTolerance,
        ...(issuer !== undefined && { issuer: list(issuer) }),
      });
      return entryOf(payload, options, clockTolerance);
    } catch (error) {
      if (error instanceof errors.JWTExpired) return { reason: entryTexts.expired };
      // Throws other errors, which mean that the keys are unavailable and the token is neither valid nor invalid.
      if (!(error instanceof errors.JOSEError)) throw error;
      return { reason: entryTexts.invalid, detail: `its signed token was refused: ${error.message}` };
    }
  };
}
