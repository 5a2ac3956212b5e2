import { type OAuthDiscoveryState, checkResourceAllowed } from '@modelcontextprotocol/client';
import { Refusal } from './guarded-fetch.ts';
import type { Kept, LoginStore } from './login-store.ts';
import { asLine } from '../../machines/text.ts';

/** Asks a host for a JWT that says who it is. */
export interface AssertionRequest {
  /** The name of the server in the config. */
  readonly server: string;
  /** Whom the JWT is for: the issuer of the authorization server, or the token endpoint of the identity provider. */
  readonly audience: string;
  /** Aborts after 10 s, and when nobody waits any more. */
  readonly signal: AbortSignal;
}
/** Gives the JWT, for each token anew. */
export type GiveAssertion = (request: AssertionRequest) => string | Promise<string>;

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

/** A URL with and without its last slash is one: its metadata stand at one address (RFC 8414 §3.1). */
export const plain = (text: string): string => text.replace(/\/$/, '');
const shown = (text: string): string => asLine(text.slice(0, 200));
/** An address as it may be told: its query may hold a secret. */
export const toldAs = (url: string | URL): string => {
  const { origin, pathname } = new URL(url);
  return plain(origin + pathname);
};

/** Microsoft Entra for people of any tenant. */
const entra =
  /^https:\/\/login\.(?:microsoftonline\.(?:com|us)|partner\.microsoftonline\.cn)\/(?:common|organizations|consumers)\/v2\.0$/;
/** The issuer is a template, and the address is it with the name of a tenant in its place. */
function isOfTemplate(address: string, issuer: string): boolean {
  const [before = '', after, ...more] = issuer.split('{tenantid}');
  if (after === undefined || more.length > 0 || !/^https?:\/\/[^/]+\//.test(before)) return false;
  const tenant = address.slice(before.length, address.length - after.length);
  return address === before + tenant + after && /^\w[\w.-]*$/.test(tenant);
}

/**
 * Metadata speak for the address that they were read from (RFC 8414 §3.3), or somebody else could answer for it. A server
 * that names no authorization server is one itself (MCP 2025-03-26): then its origin is what counts.
 */
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
    isTemplate ? 'issuer' : undefined,
  );
}
/**
 * The server, by the name that its metadata give it, which may have a last slash more. Throws where they are those of another
 * resource: a token for that one would be asked for.
 */
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
/** A browser opens whatever it is given: a page is a web page, and over TLS where the server is. */
export function mustBeFrom(page: URL, server: URL): void {
  const isWeb = page.protocol === 'https:' || (page.protocol === 'http:' && server.protocol === 'http:');
  if (!isWeb || page.username !== '')
    throw new Refusal('its authorization server names a page that is no https:// page');
}

const word = /^[\w.-]{1,60}$/;

/**
 * The code in a redirect, when it is the answer to what we asked: to our address, with our state, and from the
 * authorization server that we asked (`iss`, RFC 9207), or a code of one could be given to another.
 */
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
    throw new Refusal('the redirect does not say which authorization server it is from');
  const issuer = metadata?.issuer ?? '';
  if (iss !== null && iss !== issuer && !isOfTemplate(iss, issuer))
    throw new Refusal('the redirect is from another authorization server');
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

/** What a `WWW-Authenticate` header says of a login (RFC 6750, RFC 9728, RFC 9449). */
export interface Challenge {
  /** Where the metadata of the protected resource stand. */
  readonly resourceMetadata?: string;
  readonly scope?: string;
  readonly error?: string;
  /** It takes tokens that are bound to a key (DPoP). */
  readonly isBound?: true;
}
const param = /([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))/g;

/** Of its first Bearer or DPoP challenge; empty where there is none. */
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

/** Shows a person the page of an authorization server. */
export interface AuthorizeRequest {
  /** Its name in the config. */
  readonly server: string;
  /** The page, an http(s) address. */
  readonly url: string;
  /** Aborts when nobody waits for the login any more. */
  readonly signal: AbortSignal;
}
/** Resolves with the address that the page redirected to, where the host saw it; else the loopback redirect brings it. */
export type Authorize = (
  request: AuthorizeRequest,
) => string | URL | undefined | void | Promise<string | URL | undefined | void>;

export interface LoginOptions {
  readonly server: string;
  readonly url: string;
  readonly config: LoginConfig;
  readonly store: LoginStore;
  readonly authorize: Authorize | undefined;
  /** Gives the JWT of a `jwt_bearer` whose config names none. */
  readonly assertion?: GiveAssertion | undefined;
  /** Texts that nobody may see, before anybody could. */
  readonly hide: (secrets: readonly string[]) => void;
  /** Hears what an authorization server writes otherwise than the standard does, where that changes nothing. */
  readonly noted?: (text: string) => void;
  readonly now: () => number;
}
/** What a login that needs a person tells on its way. */
export interface LoginNews {
  /** The page is shown; `origin`: of whom. */
  readonly shown: (origin: string) => void;
  /** The person came back. */
  readonly returned: () => void;
}
/** What a request is sent with. */
export interface Signed {
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
}
/** A request that the server refused. */
export interface Refused {
  readonly status: number;
  /** Its `WWW-Authenticate`. */
  readonly header: string | undefined;
  /** What it was sent with. */
  readonly token: string | undefined;
  /** It was not sent before. */
  readonly isFirst: boolean;
}
/** What came of a logout. */
export interface LoggedOut {
  /** There were tokens, which are forgotten now. */
  readonly wasLoggedIn: boolean;
  /** Its authorization server takes them no more. False also where it does not say. */
  readonly isRevoked: boolean;
}
