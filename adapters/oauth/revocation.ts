import type { OAuthDiscoveryState } from '@modelcontextprotocol/client';
import { basic } from './proofs/assertion.ts';
import type { LoginConfig } from './client-provider.ts';
import type { Fetch } from './guarded-fetch.ts';
import type { Kept } from './login-store.ts';

/**
 * Tells the authorization server that nobody uses these tokens any more (RFC 7009), the one that renews first. False: it has no
 * such endpoint, or did not agree.
 */
export async function revoke(
  { authorizationServerMetadata }: OAuthDiscoveryState,
  { tokens, client }: Kept,
  config: LoginConfig,
  fetch: Fetch,
): Promise<boolean> {
  // One kind of metadata has no word for it in its type.
  const metadata = authorizationServerMetadata as Readonly<Record<string, unknown>> | undefined;
  const endpoint = metadata?.['revocation_endpoint'];
  if (typeof endpoint !== 'string' || !tokens) return false;
  const id = config.clientId ?? client?.client_id ?? '';
  const secret = config.clientSecret ?? client?.['client_secret'];
  const methods = metadata?.['revocation_endpoint_auth_methods_supported'];
  const isInBody = Array.isArray(methods) && !methods.includes('client_secret_basic');
  const all = [
    ['refresh_token', tokens.refresh_token],
    ['access_token', tokens.access_token],
  ] as const;
  let isDone = true;
  for (const [hint, token] of all) {
    if (token === undefined) continue;
    const answer = await fetch(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(typeof secret === 'string' && !isInBody && { authorization: basic(id, secret) }),
      },
      body: new URLSearchParams({
        token,
        token_type_hint: hint,
        ...((typeof secret !== 'string' || isInBody) && { client_id: id }),
        ...(typeof secret === 'string' && isInBody && { client_secret: secret }),
      }),
    });
    isDone &&= answer.ok;
  }
  return isDone;
}
