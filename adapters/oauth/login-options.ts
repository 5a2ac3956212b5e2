/** Choices of a login by its config: grants, scopes, and authorization servers that fit. */
import { type OAuthDiscoveryState, checkResourceAllowed } from '@modelcontextprotocol/client';
import { Refusal } from './guarded-fetch.ts';
import type { StoredLogin, LoginStore } from './login-store.ts';
import { asLine } from '../../machines/text.ts';
import type { Authorize, GiveAssertion } from '../mcp/http/login.ts';
import type { OAuth } from '../../machines/config/schemas.ts';

export type LoginConfig = OAuth;
export const asksNobody = ({ grant }: LoginConfig): boolean =>
  grant === 'client_credentials' || grant === 'jwt_bearer';
/** Where a person logs in with a code on any device (RFC 8628); undefined where none is wanted or possible. */
export function codeEndpoint(
  { grant }: LoginConfig,
  { authorizationServerMetadata: metadata }: OAuthDiscoveryState,
): string | undefined {
  if (grant !== 'device_code') return undefined;
  return (metadata as { readonly device_authorization_endpoint?: string } | undefined)
    ?.device_authorization_endpoint;
}
export class PersonNeeded extends Error {
  override readonly name = 'PersonNeeded';
}
export const isOfAnother = (
  { issuer }: Readonly<Record<string, unknown>>,
  { authorizationServerUrl }: OAuthDiscoveryState,
): boolean => typeof issuer === 'string' && plain(issuer) !== plain(authorizationServerUrl);
/** It supports no codes with PKCE, or demands a client that was registered beforehand. */
export function mustServe(
  found: OAuthDiscoveryState,
  { clientId, clientMetadataUrl }: LoginConfig,
  { client }: StoredLogin,
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

/** RFC 7591. A client that was registered without scopes may request any. */
export function mayAskFor(registered: unknown, wanted: string | undefined): boolean {
  if (typeof registered !== 'string') return true;
  const all = new Set(registered.split(' '));
  return wanted === undefined || wanted.split(' ').every((scope) => all.has(scope));
}

/** Those of the config, or those that the server demanded, or all that it supports; `more` is added. */
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

/** With and without the last slash, the metadata are at the same address (RFC 8414 §3.1). */
export const plain = (text: string): string => text.replace(/\/$/, '');
const shown = (text: string): string => asLine(text.slice(0, 200));
/** For messages: without its query, which may hold a secret. */
export const toldAs = (url: string | URL): string => {
  const { origin, pathname } = new URL(url);
  return plain(origin + pathname);
};

/** Pattern of the issuer that Microsoft Entra names for people of any tenant. */
const entra =
  /^https:\/\/login\.(?:microsoftonline\.(?:com|us)|partner\.microsoftonline\.cn)\/(?:common|organizations|consumers)\/v2\.0$/;
function isOfTemplate(address: string, issuer: string): boolean {
  const [before = '', after, ...more] = issuer.split('{tenantid}');
  if (after === undefined || more.length > 0 || !/^https?:\/\/[^/]+\//.test(before)) return false;
  const tenant = address.slice(before.length, address.length - after.length);
  return address === before + tenant + after && /^\w[\w.-]*$/.test(tenant);
}

/** RFC 8414 §3.3: one server could answer for another. If the server is its own, only the origin counts. */
export function mustBeOfIssuer(found: OAuthDiscoveryState, wanted?: string): void {
  const { authorizationServerUrl: asked, authorizationServerMetadata, resourceMetadata } = found;
  const issuer = authorizationServerMetadata?.issuer;
  const isWanted = wanted !== undefined && plain(wanted) === plain(issuer ?? asked);
  if (wanted !== undefined && !isWanted)
    throw new Refusal(
      `the server names another authorization server than the issuer of its config: ${shown(issuer ?? asked)}, and not ${wanted}`,
    );
  if (issuer === undefined || plain(issuer) === plain(asked)) return;
  const isItself = (resourceMetadata?.authorization_servers ?? []).length === 0;
  if (isItself && URL.canParse(issuer) && new URL(issuer).origin === new URL(asked).origin) return;
  const isTemplate = isOfTemplate(plain(asked), plain(issuer));
  if (isTemplate && (isWanted || entra.test(plain(asked)))) return;
  throw new Refusal(
    `the metadata of its authorization server are those of another: at ${shown(asked)} the issuer is ${shown(issuer)}`,
    isTemplate ? 'issuer' : 'owner',
  );
}
/** As its metadata write it. Throws for another resource, because the token would be for that one. */
export function resourceServer(server: URL, { resourceMetadata }: OAuthDiscoveryState): URL {
  const resource = resourceMetadata?.resource;
  const named = resource === `${server.href}/` ? new URL(resource) : server;
  if (
    resource === undefined ||
    checkResourceAllowed({ requestedResource: named, configuredResource: resource })
  )
    return named;
  throw new Refusal(`the resource metadata of ${toldAs(server)} are those of another: ${shown(resource)}`);
}
/** A browser opens any address, so it must be a web page, with TLS where the server has it. */
export function mustBeFrom(page: URL, server: URL): void {
  const isWeb = page.protocol === 'https:' || (page.protocol === 'http:' && server.protocol === 'http:');
  if (!isWeb || page.username !== '')
    throw new Refusal('its authorization server names a page that is no https:// page');
}

const word = /^[\w.-]{1,60}$/;

/** Throws for a wrong address, state or `iss` (RFC 9207): another server's code must not be sent to this one. */
export function codeIn(
  back: URL,
  { redirectUri, state, found }: { redirectUri: string; state: string; found: OAuthDiscoveryState },
): string {
  const query = back.searchParams;
  if (back.origin + back.pathname !== redirectUri || query.get('state') !== state)
    throw new Refusal('the redirect does not belong to this login');
  const metadata = found.authorizationServerMetadata as
    | { readonly issuer?: string; readonly authorization_response_iss_parameter_supported?: boolean }
    | undefined;
  const iss = query.get('iss');
  if (iss === null && metadata?.authorization_response_iss_parameter_supported === true)
    throw new Refusal(
      `the redirect does not say which authorization server it is from (iss), and has to name ${shown(metadata.issuer ?? '')}`,
      'owner',
    );
  const issuer = metadata?.issuer ?? '';
  if (iss !== null && iss !== issuer && !isOfTemplate(iss, issuer))
    throw new Refusal(
      `the redirect is from another authorization server: it names ${shown(iss)}, the metadata of this one ${shown(issuer) || 'no issuer'}`,
      'owner',
    );
  const error = query.get('error');
  const isOfClient = error === 'unauthorized_client' || error === 'invalid_client';
  if (error !== null)
    throw new Refusal(
      `the login was refused${word.test(error) ? ` (${error})` : ''}`,
      isOfClient ? 'again' : undefined,
    );
  const code = query.get('code');
  if (code === null || code === '') throw new Refusal('the redirect holds no code');
  return code;
}

/** Login demands in a `WWW-Authenticate` header (RFC 6750, RFC 9728, RFC 9449). */
export interface Challenge {
  readonly resourceMetadata?: string;
  readonly scope?: string;
  readonly error?: string;
  readonly isBound?: true;
}
const param = /(?<![\w-])([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))/g;

export function challengeIn(header: string | undefined): Challenge {
  const start = header?.search(/(?:^|,\s*)(?:bearer|dpop)(?:\s|$)/i) ?? -1;
  if (header === undefined || start < 0) return {};
  const said = header.slice(start).slice(0, 8_192);
  const found = new Map<string, string>();
  for (const [, name = '', quoted, plain] of said.matchAll(param)) {
    const key = name.toLowerCase();
    if (!found.has(key)) found.set(key, quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '');
  }
  const [resourceMetadata, scope, error] = ['resource_metadata', 'scope', 'error'].map((key) =>
    found.get(key),
  );
  return {
    ...(resourceMetadata !== undefined && URL.canParse(resourceMetadata) && { resourceMetadata }),
    ...(scope !== undefined && scope.trim() !== '' && { scope: scope.trim() }),
    ...(error !== undefined && { error }),
    ...(/(?:^|,\s*)dpop(?:\s|$)/i.test(said) && { isBound: true }),
  };
}

export interface LoginOptions {
  readonly server: string;
  readonly url: string;
  readonly config: LoginConfig;
  readonly store: LoginStore;
  readonly authorize: Authorize | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly proxyFor?: ((url: string) => string | undefined) | undefined;
  readonly ca?: string | undefined;
  /** Function of the host that returns the JWT for the grant `jwt_bearer` when the config names none. */
  readonly assertion?: GiveAssertion | undefined;
  readonly hide: (secrets: readonly string[]) => void;
  readonly now: () => number;
}
export interface LoginNews {
  readonly shown: (origin: string) => void;
  readonly returned: () => void;
}
