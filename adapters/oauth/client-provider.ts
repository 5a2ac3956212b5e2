import type { OAuthDiscoveryState } from '@modelcontextprotocol/client';
import { Refusal } from './guarded-fetch.ts';
import type { Kept } from './login-store.ts';
import { plain, toldAs } from './redirect-checks.ts';

/** How somebody logs in; as `oauth` of a config, placeholders filled in. */
export interface LoginConfig {
  readonly grant?: 'authorization_code' | 'client_credentials' | 'jwt_bearer' | undefined;
  readonly issuer?: string | undefined;
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly clientMetadataUrl?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly privateKey?: string | undefined;
  readonly signingAlgorithm?: string | undefined;
  readonly assertion?: string | undefined;
  readonly assertionFile?: string | undefined;
  readonly idpTokenEndpoint?: string | undefined;
  readonly idpClientId?: string | undefined;
  readonly idpClientSecret?: string | undefined;
}
/** This host logs in itself: it needs no person, and no refresh token. */
export const asksNobody = ({ grant }: LoginConfig): boolean =>
  grant === 'client_credentials' || grant === 'jwt_bearer';
/** A person has to agree first. */
export class PersonNeeded extends Error {
  override readonly name = 'PersonNeeded';
}
/** Clients and tokens are stamped with the authorization server that gave them. */
export const isOfAnother = (
  { issuer }: Readonly<Record<string, unknown>>,
  { authorizationServerUrl }: OAuthDiscoveryState,
): boolean => typeof issuer === 'string' && plain(issuer) !== plain(authorizationServerUrl);
/** Throws where no person can log in: it gives no codes that are bound to us, or wants a client that somebody has registered. */
export function mustServe(
  found: OAuthDiscoveryState,
  { clientId, clientMetadataUrl }: LoginConfig,
  { client }: Kept,
): void {
  const { authorizationServerUrl, authorizationServerMetadata: metadata } = found;
  for (const [member, value] of [
    ['response_types_supported', 'code'],
    ['code_challenge_methods_supported', 'S256'],
  ] as const)
    if (metadata?.[member]?.includes(value) === false)
      throw new Refusal(
        `authorization server metadata of ${toldAs(authorizationServerUrl)}: ${member} lacks ${value}`,
      );
  const isElsewhere = client !== undefined && isOfAnother(client, found);
  if (clientId !== undefined && isElsewhere)
    throw new Refusal(
      `the server names another authorization server now: ${toldAs(authorizationServerUrl)}`,
      'again',
    );
  const isNamed = metadata?.client_id_metadata_document_supported === true && clientMetadataUrl !== undefined;
  const isKnown = clientId !== undefined || isNamed || (client !== undefined && !isElsewhere);
  if (!isKnown && metadata && metadata.registration_endpoint === undefined)
    throw new Refusal(`${toldAs(authorizationServerUrl)} lets no client register by itself`, 'clientId');
}

/** An authorization server may hold a client to the scopes that it was registered with (RFC 7591); absent: to none. */
export function mayAskFor(registered: unknown, wanted: string | undefined): boolean {
  if (typeof registered !== 'string') return true;
  const all = new Set(registered.split(' '));
  return wanted === undefined || wanted.split(' ').every((scope) => all.has(scope));
}

/** What the config says, else what the server asks for, else all it knows. `more`: what is asked for besides. */
export function scopeOf(
  config: LoginConfig,
  { resourceMetadata, authorizationServerMetadata }: OAuthDiscoveryState,
  asked: readonly string[] | undefined,
  more: readonly string[],
): string | undefined {
  const base = config.scopes ?? asked ?? resourceMetadata?.scopes_supported ?? [];
  const canRenew = authorizationServerMetadata?.scopes_supported?.includes('offline_access') === true;
  const all = new Set([...base, ...more, ...(canRenew && !asksNobody(config) ? ['offline_access'] : [])]);
  return all.size === 0 ? undefined : [...all].join(' ');
}
