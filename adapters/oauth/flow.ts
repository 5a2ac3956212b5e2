import { auth, fetchToken, type OAuthDiscoveryState } from '@modelcontextprotocol/sdk/client/auth.js';
import { createPrivateKeyJwtAuth } from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import { OAuthError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import type { Challenge } from './challenge.ts';
import { reading } from './answers/asking.ts';
import { asksNobody, Flow, mustServe, scopeOf } from './client-provider.ts';
import { guardedFetch, Refusal, type Fetch } from './guarded-fetch.ts';
import type { LoginOptions } from './login-options.ts';
import type { Kept } from './login-store.ts';
import { assertionFor } from './proofs/assertion.ts';
import { bindsTokens, newDpopKey, proving } from './proofs/dpop.ts';
import { resourceServer } from './redirect-checks.ts';

export interface FlowStart {
  readonly options: LoginOptions;
  readonly found: OAuthDiscoveryState;
  readonly challenge: Challenge;
  /** It is asked for more than before. */
  readonly isStepUp: boolean;
  readonly signal: AbortSignal;
  readonly person?: { readonly redirectUri: string; readonly state: string };
}
/** One flow, and how it is asked. */
export interface StartedFlow {
  readonly flow: Flow;
  readonly asked: { readonly serverUrl: URL; readonly scope?: string; readonly fetchFn: Fetch };
}

/** And what it was asked for before. */
export function scopeFor(
  kept: Kept,
  { options, found, challenge, isStepUp }: Omit<FlowStart, 'signal'>,
): string | undefined {
  const asked = challenge.scope?.split(/\s+/);
  const before = isStepUp ? [...(kept.scope?.split(' ') ?? []), ...(asked ?? [])] : [];
  return scopeOf(options.config, found, asked, before);
}
/** Tokens are bound to a key where the server says that it takes such, and its authorization server that it gives them. */
async function keyFor(kept: Kept, { found, challenge }: FlowStart): Promise<Kept['dpop']> {
  const { authorizationServerMetadata, resourceMetadata } = found;
  const isWanted =
    kept.dpop !== undefined ||
    challenge.isBound === true ||
    resourceMetadata?.dpop_bound_access_tokens_required === true;
  if (!isWanted || !bindsTokens(authorizationServerMetadata)) return undefined;
  return kept.dpop ?? newDpopKey();
}

export async function startFlow(kept: Kept, start: FlowStart): Promise<StartedFlow> {
  const { options, found, signal, person } = start;
  const { config, now, url } = options;
  const { clientId = '', privateKey, signingAlgorithm: alg = 'RS256' } = config;
  const client = { issuer: clientId, subject: clientId };
  if (!asksNobody(config)) mustServe(found, config, kept);
  const serverUrl = resourceServer(new URL(url), found);
  const scope = scopeFor(kept, start);
  const dpop = await keyFor(kept, start);
  const resource = resourceOf(serverUrl, found);
  const flow = new Flow(dpop ? { ...kept, dpop } : kept, {
    config,
    found,
    now,
    scope,
    ...person,
    ...(config.grant === 'jwt_bearer' && {
      assertion: () => assertionFor({ ...options, found, resource, scope, signal }),
    }),
    ...(privateKey !== undefined && {
      addClientAuthentication: async (...asked) =>
        Promise.resolve(createPrivateKeyJwtAuth({ ...client, privateKey, alg })(...asked)).catch(() => {
          throw new Refusal(`its privateKey is no PEM that ${alg} can sign with`);
        }),
    }),
  });
  const fetch = guardedFetch(serverUrl, signal);
  const endpoint = found.authorizationServerMetadata?.token_endpoint;
  const proved = dpop && endpoint !== undefined ? proving(fetch, dpop, endpoint, now) : fetch;
  const fetchFn = reading(proved, options.noted);
  return { flow, asked: { serverUrl, fetchFn, ...(scope !== undefined && { scope }) } };
}
const resourceOf = ({ href }: URL, { resourceMetadata }: OAuthDiscoveryState): string =>
  resourceMetadata?.resource ?? href.replace(/#.*$/, '');

/** Asks the SDK's orchestrator; `authorizationCode`: what came of the page. Rejects in our words. */
export async function run({ flow, asked }: StartedFlow, authorizationCode?: string): Promise<void> {
  try {
    await auth(flow, { ...asked, ...(authorizationCode !== undefined && { authorizationCode }) });
  } catch (error) {
    // Its words are those of `reading`.
    throw error instanceof OAuthError ? new Refusal(error.message) : error;
  }
}
/** With `jwt_bearer`. Asked once: who refuses what it was shown refuses it again. Nobody registers for it. */
export async function askByAssertion(
  { flow, asked }: StartedFlow,
  found: OAuthDiscoveryState,
): Promise<void> {
  const { authorizationServerUrl, authorizationServerMetadata: metadata } = found;
  const { serverUrl, fetchFn } = asked;
  const resource = resourceOf(serverUrl, found);
  const how = { resource, fetchFn, ...(metadata && { metadata }) };
  flow.saveTokens(await fetchToken(flow, authorizationServerUrl, how));
}
