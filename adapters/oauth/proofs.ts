/** Proofs of who asks for a token: DPoP, signed assertions, and grants of identity providers. */
import type { OAuthDiscoveryState } from '@modelcontextprotocol/client';
import { createHash, randomUUID } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import type { Http } from '../mcp/http/http.ts';
import { systemWords } from '../reading.ts';
import { jsonIn } from '../../machines/protocol/json.ts';
import { type Fetch, guardedFetch, Refusal } from './guarded-fetch.ts';
import { dpopKeySchema } from './login-store.ts';
import { type LoginConfig, plain } from './login-options.ts';
import type { GiveAssertion } from '../mcp/http/login.ts';

/** Algorithm of DPoP proofs (RFC 9449), which show that the sender of a token has its key. All servers support this one. */
const alg = 'ES256';
type DpopKey = z.output<typeof dpopKeySchema>;

export function bindsTokens(metadata: object | undefined): boolean {
  const known = (metadata as Readonly<Record<string, unknown>> | undefined)?.[
    'dpop_signing_alg_values_supported'
  ];
  return Array.isArray(known) && known.includes(alg);
}
export async function newDpopKey(): Promise<DpopKey> {
  const { exportJWK, generateKeyPair } = await import('jose');
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return dpopKeySchema.parse(await exportJWK(privateKey));
}

export interface Proved {
  readonly method: string;
  readonly url: URL;
  readonly nonce?: string | undefined;
  readonly token?: string;
  readonly now: number;
}
async function proofOf({ d, ...jwk }: DpopKey, { method, url, nonce, token, now }: Proved): Promise<string> {
  const { importJWK, SignJWT } = await import('jose');
  const claims = {
    jti: randomUUID(),
    htm: method,
    htu: url.origin + url.pathname,
    ...(token !== undefined && { ath: createHash('sha256').update(token).digest('base64url') }),
    ...(nonce !== undefined && { nonce }),
  };
  return new SignJWT(claims)
    .setProtectedHeader({ typ: 'dpop+jwt', alg, jwk })
    .setIssuedAt(Math.floor(now / 1_000))
    .sign(await importJWK({ ...jwk, d }, alg));
}

export async function headersOf(
  type: string,
  key: DpopKey | undefined,
  proved: Proved & { readonly token: string },
): Promise<Readonly<Record<string, string>>> {
  if (!key || type.toLowerCase() !== 'dpop') return { authorization: `Bearer ${proved.token}` };
  return { authorization: `DPoP ${proved.token}`, dpop: await proofOf(key, proved) };
}

const wantsNonce = z.object({ error: z.literal('use_dpop_nonce') });
/** When the endpoint demands a nonce, the request is sent once more with that (RFC 9449 §8). */
export function proving(fetch: Fetch, key: DpopKey, endpoint: string, now: () => number): Fetch {
  return async (to, init = {}) => {
    const url = new URL(to);
    if (url.href !== new URL(endpoint).href) return fetch(to, init);
    const ask = async (nonce?: string): Promise<Response> => {
      const headers = new Headers(init.headers);
      headers.set('dpop', await proofOf(key, { method: init.method ?? 'GET', url, nonce, now: now() }));
      return fetch(to, { ...init, headers });
    };
    const answer = await ask();
    const nonce = answer.headers.get('dpop-nonce');
    if (answer.ok || nonce === null) return answer;
    const said: unknown = await answer
      .clone()
      .json()
      .catch(() => undefined);
    return wantsNonce.safeParse(said).success ? ask(nonce) : answer;
  };
}

interface AssertionOptions {
  readonly server: string;
  readonly config: LoginConfig;
  readonly found: OAuthDiscoveryState;
  readonly resource: string;
  readonly scope: string | undefined;
  readonly assertion?: GiveAssertion | undefined;
  readonly hide: (secrets: readonly string[]) => void;
  readonly signal: AbortSignal;
  readonly http: Http;
}
const mostBytes = 64 * 1024;
const hostMs = 10_000;
const jwt = /^[\w-]+\.([\w-]+)\.[\w-]+$/;
const errorCode = /^[\w.-]{1,60}$/;

/** RFC 7523, or the grant of an identity provider (SEP-990). Both are hidden from logs before they are sent. */
export async function assertionFor(options: AssertionOptions): Promise<string> {
  const { config, found, hide } = options;
  const audience = found.authorizationServerMetadata?.issuer ?? found.authorizationServerUrl;
  const { idpTokenEndpoint } = config;
  const given = (await jwtOf(options, idpTokenEndpoint ?? audience)).trim();
  hide([given]);
  const [, claims] = jwt.exec(given) ?? [];
  if (claims === undefined || given.length > mostBytes) throw new Refusal('its assertion is no JWT');
  if (idpTokenEndpoint !== undefined) {
    const grant = await grantBy(idpTokenEndpoint, given, audience, options);
    hide([grant]);
    return grant;
  }
  if (config.issuer === undefined)
    mustBeFor(claims, [audience, found.authorizationServerMetadata?.token_endpoint]);
  return given;
}

async function jwtOf(options: AssertionOptions, audience: string): Promise<string> {
  const { server, config, assertion, signal } = options;
  if (config.assertion !== undefined) return config.assertion;
  if (config.assertionFile !== undefined) return textOf(config.assertionFile);
  if (!assertion) throw new Refusal('its config names no assertion, and this host gives none');
  const over = AbortSignal.any([signal, AbortSignal.timeout(hostMs)]);
  const gone = new Promise<never>((_, reject) => {
    const give = (): void => reject(new Refusal('this host gave no assertion in time'));
    if (over.aborted) give();
    else over.addEventListener('abort', give, { once: true });
  });
  const asked = Promise.resolve()
    .then((): unknown => assertion({ server, audience, signal: over }))
    .catch(() => {
      throw new Refusal('this host could not give an assertion');
    });
  const said = await Promise.race([asked, gone]);
  return typeof said === 'string' ? said : '';
}
async function textOf(file: string): Promise<string> {
  try {
    const info = await stat(file);
    if (info.isFile() && info.size <= mostBytes) return await readFile(file, 'utf8');
  } catch (error) {
    throw new Refusal(`its assertionFile cannot be read: ${systemWords(error)}`);
  }
  throw new Refusal('its assertionFile holds no JWT');
}

/** A malicious authorization server could use the JWT elsewhere to act as this host. */
function mustBeFor(claims: string, names: readonly (string | undefined)[]): void {
  const audience = z.object({ aud: z.union([z.string(), z.array(z.string())]) });
  const read = audience.safeParse(jsonIn(Buffer.from(claims, 'base64url').toString('utf8')));
  const known = new Set(names.flatMap((name) => (name === undefined ? [] : [plain(name)])));
  if (read.success && [read.data.aud].flat().some((one) => known.has(plain(one)))) return;
  throw new Refusal(
    'its assertion is not for the authorization server that the server names (aud); if that is the right one, name it as issuer',
  );
}

const types = 'urn:ietf:params:oauth:token-type:';
const issued = z.object({
  access_token: z.string().min(1),
  issued_token_type: z.literal(`${types}id-jag`),
});
const refusedWith = z.object({ error: z.string().regex(errorCode) });

/** Exchanges an ID token for a grant at the identity provider (RFC 8693, draft-ietf-oauth-identity-assertion-authz-grant). */
async function grantBy(
  endpoint: string,
  idToken: string,
  audience: string,
  { config, resource, scope, signal, http }: AssertionOptions,
): Promise<string> {
  const { idpClientId: id = '', idpClientSecret: secret } = config;
  // May lead into a private network, because the address comes from the config.
  const answer = await guardedFetch(http, signal, { login: 'given' })(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      ...(secret !== undefined && { authorization: basic(id, secret) }),
    },
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      requested_token_type: `${types}id-jag`,
      audience,
      resource,
      subject_token: idToken,
      subject_token_type: `${types}id_token`,
      ...(scope !== undefined && { scope }),
      ...(secret === undefined && { client_id: id }),
    }),
  }).catch((error: unknown) => {
    throw new Refusal(`the identity provider: ${(error as Error).message}`, (error as Refusal).remedy);
  });
  const said = jsonIn(await answer.text());
  const read = issued.safeParse(said);
  if (answer.ok && read.success) return read.data.access_token;
  const refused = refusedWith.safeParse(said);
  const code = refused.success ? refused.data.error : `HTTP ${answer.status}`;
  throw new Refusal(`the identity provider gives no grant for this server (${code})`);
}
/** Returns the value of a header for basic authentication (RFC 6749 §2.3.1). */
export const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`;
