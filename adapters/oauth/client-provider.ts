import type {
  AddClientAuthentication,
  OAuthClientProvider,
  OAuthDiscoveryState,
} from '@modelcontextprotocol/sdk/client/auth.js';
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js';
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
const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** A person has to agree first. */
export class PersonNeeded extends Error {
  override readonly name = 'PersonNeeded';
}
export interface FlowOptions {
  readonly config: LoginConfig;
  readonly found: OAuthDiscoveryState;
  /** Where the browser is sent back to; undefined: no person is asked. */
  readonly redirectUri?: string | undefined;
  readonly scope?: string | undefined;
  readonly state?: string;
  readonly now: () => number;
  readonly addClientAuthentication?: AddClientAuthentication | undefined;
  /** With `jwt_bearer`: what the authorization server is shown. */
  readonly assertion?: () => Promise<string>;
}

/** What the SDK's orchestrator asks and tells in one flow. It works on a copy: what came of it is in `kept`. */
export class Flow implements OAuthClientProvider {
  kept: Kept;
  /** The page that a person has to be shown. */
  page: URL | undefined;
  readonly #options: FlowOptions;
  #verifier = '';
  readonly addClientAuthentication?: AddClientAuthentication;
  readonly clientMetadataUrl?: string;
  readonly prepareTokenRequest?: () => Promise<URLSearchParams>;

  constructor(kept: Kept, options: FlowOptions) {
    this.kept = kept;
    this.#options = options;
    const { config, addClientAuthentication, scope, assertion } = options;
    if (addClientAuthentication) this.addClientAuthentication = addClientAuthentication;
    if (config.clientMetadataUrl !== undefined) this.clientMetadataUrl = config.clientMetadataUrl;
    if (asksNobody(config))
      this.prepareTokenRequest = async () =>
        new URLSearchParams({
          grant_type: assertion ? jwtBearer : 'client_credentials',
          ...(assertion && { assertion: await assertion() }),
          ...(scope !== undefined && { scope }),
        });
  }
  get redirectUrl(): string | undefined {
    if (asksNobody(this.#options.config)) return undefined;
    // Without a person nobody is redirected, but the SDK would take that for another grant.
    return this.#options.redirectUri ?? 'http://127.0.0.1/callback';
  }
  /** What is asked for. */
  get scope(): string | undefined {
    return this.#options.scope;
  }
  get clientMetadata(): OAuthClientMetadata & { readonly application_type: 'native' } {
    const methods = this.#options.found.authorizationServerMetadata?.token_endpoint_auth_methods_supported;
    const known = ['none', 'client_secret_basic', 'client_secret_post'];
    const method = methods === undefined ? 'none' : (known.find((one) => methods.includes(one)) ?? 'none');
    return {
      client_name: 'a2c',
      // A redirect to this machine (OpenID Connect Dynamic Client Registration §2).
      application_type: 'native',
      redirect_uris: this.redirectUrl === undefined ? [] : [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: method,
      ...(this.#options.scope !== undefined && { scope: this.#options.scope }),
    };
  }
  state = (): string => this.#options.state ?? '';
  discoveryState = (): OAuthDiscoveryState => this.#options.found;

  clientInformation(): OAuthClientInformationMixed | undefined {
    const { clientId, clientSecret } = this.#options.config;
    const { client } = this.kept;
    if (clientId === undefined) return client;
    // Bound to the authorization server that took it first.
    const issuer = client?.['issuer'];
    return {
      client_id: clientId,
      ...(clientSecret !== undefined && { client_secret: clientSecret }),
      ...(typeof issuer === 'string' && { issuer }),
    };
  }
  saveClientInformation(client: OAuthClientInformationMixed): void {
    // A secret of the config stays there.
    const { client_secret: secret, ...known } = client;
    const isGiven = this.#options.config.clientId !== undefined;
    this.kept = {
      ...this.kept,
      client: { ...known, ...(!isGiven && secret !== undefined && { client_secret: secret }) },
    };
  }
  tokens(): OAuthTokens | undefined {
    return this.kept.tokens;
  }
  saveTokens(tokens: OAuthTokens): void {
    const { now, scope } = this.#options;
    const asked = scope ?? this.kept.scope;
    this.kept = {
      ...this.kept,
      tokens,
      obtainedAt: now(),
      ...(asked !== undefined && { scope: asked }),
    };
  }
  redirectToAuthorization(page: URL): void {
    if (this.#options.redirectUri === undefined) throw new PersonNeeded('a person has to log in');
    this.page = page;
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  codeVerifier = (): string => this.#verifier;
  invalidateCredentials(what: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    const { tokens: _, obtainedAt: __, ...rest } = this.kept;
    if (what === 'tokens') this.kept = rest;
    if (what === 'all') {
      this.kept = {};
      // Another client needs another page: the code of this one was not given to it.
      if (this.#options.config.clientId === undefined)
        throw new Refusal('its authorization server no longer knows this client', 'again');
    }
    if (what === 'client') {
      const { client: ___, ...others } = this.kept;
      this.kept = others;
    }
  }
}

/** The SDK stamps who registered a client. */
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
