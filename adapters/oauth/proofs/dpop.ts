import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Fetch } from '../guarded-fetch.ts';

/** Proof that who shows a token has the key that it is bound to (RFC 9449). The one algorithm that everybody knows. */
const alg = 'ES256';
/** A key pair, as it is kept with the tokens that are bound to it (JWK). */
export const dpopKeySchema = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  d: z.string(),
});
export type DpopKey = z.output<typeof dpopKeySchema>;

/** Of an authorization server: whether it binds tokens to a key of ours. */
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
  /** What the server wants to read in each proof, where it has said so. */
  readonly nonce?: string | undefined;
  /** The token that is shown along. */
  readonly token?: string;
  /** In ms since 1970. */
  readonly now: number;
}
/** For one request, and never for another. */
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

/** Of a request that shows a token of this type. */
export async function headersOf(
  type: string,
  key: DpopKey | undefined,
  proved: Proved & { readonly token: string },
): Promise<Readonly<Record<string, string>>> {
  if (!key || type.toLowerCase() !== 'dpop') return { authorization: `Bearer ${proved.token}` };
  return { authorization: `DPoP ${proved.token}`, dpop: await proofOf(key, proved) };
}

const wantsNonce = z.object({ error: z.literal('use_dpop_nonce') });
/** Requests to this token endpoint carry a proof; where it wants its nonce in there, one goes out a second time with it (§8). */
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
