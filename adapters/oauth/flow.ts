/** Steps of one login: who is asked, the client that asks, and the tokens that come of it. */
import {
  createPrivateKeyJwtAuth,
  registerClient,
  selectClientAuthMethod,
  startAuthorization,
  type OAuthClientMetadata,
  type OAuthDiscoveryState,
  type OAuthTokens,
} from '@modelcontextprotocol/client';
import {
  type Challenge,
  asksNobody,
  codeEndpoint,
  isOfAnother,
  mustServe,
  PersonNeeded,
  scopeOf,
  type LoginOptions,
  resourceServer,
  toldAs,
} from './login-options.ts';
import { systemClock } from '../clock.ts';
import { reading, TokenRefused, Unentered } from './answers.ts';
import type { Http } from '../mcp/http/http.ts';
import { guardedFetch, Refusal, withinOrigin, type Fetch } from './guarded-fetch.ts';
import type { StoredLogin } from './login-store.ts';
import { assertionFor, bindsTokens, newDpopKey, proving } from './proofs.ts';

/** Fields of a device authorization answer that a person needs (RFC 8628, 3.2). */
interface ShownCode {
  readonly user_code: string;
  readonly verification_uri: string;
}
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

type Client = NonNullable<StoredLogin['client']>;
export interface FlowStart {
  readonly options: LoginOptions;
  readonly found: OAuthDiscoveryState;
  readonly challenge: Challenge;
  readonly isStepUp: boolean;
  readonly signal: AbortSignal;
  readonly http: Http;
  readonly person?: { readonly redirectUri: string; readonly state: string };
  /** In place of a page that leads back here. */
  readonly showCode?: (code: ShownCode) => void;
}
export function scopeFor(
  kept: StoredLogin,
  { options, found, challenge, isStepUp }: Omit<FlowStart, 'signal' | 'http'>,
): string | undefined {
  const asked = challenge.scope?.split(/\s+/);
  const before = isStepUp ? [...(kept.scope?.split(' ') ?? []), ...(asked ?? [])] : [];
  return scopeOf(options.config, found, asked, before);
}
/** When the server wants tokens bound to a key and its authorization server can issue such. */
async function keyFor(kept: StoredLogin, { found, challenge }: FlowStart): Promise<StoredLogin['dpop']> {
  const { authorizationServerMetadata, resourceMetadata } = found;
  const isWanted =
    kept.dpop !== undefined ||
    challenge.isBound === true ||
    resourceMetadata?.dpop_bound_access_tokens_required === true;
  if (!isWanted || !bindsTokens(authorizationServerMetadata)) return undefined;
  return kept.dpop ?? newDpopKey();
}

interface FlowPlan extends FlowStart {
  readonly serverUrl: URL;
  readonly scope: string | undefined;
  readonly fetch: Fetch;
}

/** Works on a copy. Not the SDK, which refuses plain HTTP in a private network and writes to stderr. */
export class Flow {
  kept: StoredLogin;
  page: URL | undefined;
  readonly #plan: FlowPlan;
  readonly #issuer: string;
  #verifier = '';

  constructor(kept: StoredLogin, plan: FlowPlan) {
    this.kept = kept;
    this.#plan = plan;
    this.#issuer = plan.found.authorizationServerUrl;
  }

  /** Until it has tokens or needs a person to open `page`, which returns `code`. Rejects with a `Refusal`. */
  async run(code?: string): Promise<void> {
    try {
      await this.#attempt(code);
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error;
      // Does not try a refused assertion again, because it would be refused again.
      if (this.#plan.options.config.grant === 'jwt_bearer') throw new Refusal(error.message);
      this.#forget(error);
      await this.#attempt(code).catch((again: unknown) => {
        throw again instanceof TokenRefused ? new Refusal(again.message) : again;
      });
    }
  }

  async #attempt(code: string | undefined): Promise<void> {
    const { found, scope, options, serverUrl, person, showCode } = this.#plan;
    if (options.config.grant === 'jwt_bearer') return this.#byAssertion();
    const client = await this.#client();
    if (asksNobody(options.config))
      return this.#ask(client, { grant_type: 'client_credentials', ...withScope(scope) });
    if (showCode) return this.#byCode(client, showCode);
    if (code !== undefined)
      return this.#ask(client, {
        grant_type: 'authorization_code',
        code,
        code_verifier: this.#verifier,
        redirect_uri: this.#redirectUri,
      });
    if (await this.#isRenewed(client)) return;
    if (!person) throw new PersonNeeded('a person has to log in');
    const { authorizationUrl, codeVerifier } = await startAuthorization(this.#issuer, {
      ...(found.authorizationServerMetadata && { metadata: found.authorizationServerMetadata }),
      clientInformation: client,
      redirectUrl: this.#redirectUri,
      state: person.state,
      ...withScope(scope),
      ...(found.resourceMetadata && { resource: resourceOf(serverUrl, found) }),
    });
    this.#verifier = codeVerifier;
    this.page = authorizationUrl;
  }

  async #byAssertion(): Promise<void> {
    const { found, scope, options, serverUrl, signal, http } = this.#plan;
    const resource = resourceOf(serverUrl, found);
    const assertion = await assertionFor({ ...options, found, resource, scope, signal, http });
    const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    await this.#ask(this.#known(), { grant_type: grant, assertion, ...withScope(scope), resource });
  }
  async #byCode(client: Client, show: (code: ShownCode) => void): Promise<void> {
    const { found, options, scope, signal } = this.#plan;
    const endpoint = codeEndpoint(options.config, found) ?? '';
    const answer = await this.#post(endpoint, client, withScope(scope));
    const said = answer as ShownCode & { device_code: string; interval?: number };
    show(said);
    for (let pauseMs = (said.interval ?? 5) * 1_000; ;) {
      await pause(pauseMs, signal);
      try {
        return await this.#ask(client, { grant_type: deviceGrant, device_code: said.device_code });
      } catch (error) {
        if (!(error instanceof Unentered)) throw error;
        if (error.isTooOften) pauseMs += 5_000;
      }
    }
  }
  /** False when there is no refresh token of this authorization server, or the request failed. */
  async #isRenewed(client: Client): Promise<boolean> {
    const { tokens } = this.kept;
    if (tokens?.refresh_token === undefined || isOfAnother(tokens, this.#plan.found)) return false;
    const { refresh_token } = tokens;
    try {
      await this.#ask(client, { grant_type: 'refresh_token', refresh_token }, { refresh_token });
      return true;
    } catch (error) {
      if (error instanceof TokenRefused) throw error;
      return false;
    }
  }

  /** `before`: members that stay valid when the answer does not name them. */
  async #ask(
    client: Client | undefined,
    request: Record<string, string>,
    before: object = {},
  ): Promise<void> {
    const { found, options, scope = this.kept.scope } = this.#plan;
    const endpoint = found.authorizationServerMetadata?.token_endpoint ?? new URL('/token', this.#issuer);
    const answer = await this.#post(endpoint, client, request);
    const tokens = { ...before, ...(answer as OAuthTokens), issuer: this.#issuer };
    if (client && typeof client['issuer'] !== 'string') this.#keep(client);
    this.kept = { ...this.kept, tokens, obtainedAt: options.now(), ...(scope !== undefined && { scope }) };
  }
  async #post(
    to: string | URL,
    client: Client | undefined,
    request: Record<string, string>,
  ): Promise<unknown> {
    const { found, options } = this.#plan;
    const { authorizationServerMetadata: metadata, resourceMetadata } = found;
    const endpoint = new URL(to);
    const headers = new Headers({
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
    });
    const body = new URLSearchParams({
      ...(resourceMetadata && { resource: resourceMetadata.resource }),
      ...request,
    });
    if (options.config.privateKey !== undefined) await this.#sign(headers, body, endpoint);
    else if (client)
      authenticate(client, metadata?.token_endpoint_auth_methods_supported ?? [], headers, body);
    const answer = await withinOrigin(this.#plan.fetch)(endpoint, { method: 'POST', headers, body });
    if (!answer.ok) throw new Refusal(`token answer of ${toldAs(endpoint)}: HTTP ${answer.status}`);
    return answer.json();
  }
  async #sign(headers: Headers, body: URLSearchParams, endpoint: URL): Promise<void> {
    const { config } = this.#plan.options;
    const { clientId = '', privateKey = '', signingAlgorithm: alg = 'RS256' } = config;
    const add = createPrivateKeyJwtAuth({ issuer: clientId, subject: clientId, privateKey, alg });
    await Promise.resolve(add(headers, body, endpoint, this.#plan.found.authorizationServerMetadata)).catch(
      () => {
        throw new Refusal(`its privateKey is no PEM that ${alg} can sign with`);
      },
    );
  }

  #known(): Client | undefined {
    const { clientId, clientSecret } = this.#plan.options.config;
    const { client } = this.kept;
    if (clientId === undefined) return client;
    const issuer = client?.['issuer'];
    return {
      client_id: clientId,
      ...(clientSecret !== undefined && { client_secret: clientSecret }),
      ...(typeof issuer === 'string' && { issuer }),
    };
  }
  async #client(): Promise<Client> {
    const { found, scope, options, fetch } = this.#plan;
    const { authorizationServerMetadata: metadata } = found;
    const { clientMetadataUrl } = options.config;
    const known = this.#known();
    if (known && !isOfAnother(known, found)) return known;
    if (known && asksNobody(options.config))
      throw new Refusal(
        `the server names another authorization server now: ${toldAs(this.#issuer)}`,
        'again',
      );
    const isNamed =
      metadata?.client_id_metadata_document_supported === true && clientMetadataUrl !== undefined;
    const client: Client = isNamed
      ? { client_id: clientMetadataUrl }
      : await registerClient(this.#issuer, {
          ...(metadata && { metadata }),
          clientMetadata: this.#clientMetadata(),
          ...withScope(scope),
          fetchFn: fetch,
        });
    return this.#keep(client);
  }
  #keep(client: Client): Client {
    const { client_secret: secret, ...known } = client;
    // Does not store a client secret of the config with the login.
    const isGiven = this.#plan.options.config.clientId !== undefined;
    const stamped = {
      ...known,
      issuer: this.#issuer,
      ...(!isGiven && secret !== undefined && { client_secret: secret }),
    };
    this.kept = { ...this.kept, client: stamped };
    return stamped;
  }
  #forget({ code }: TokenRefused): void {
    if (code === 'invalid_grant') {
      const { tokens: _, obtainedAt: __, ...rest } = this.kept;
      this.kept = rest;
      return;
    }
    this.kept = {};
    // Starts the login again with a new client, because the code belongs to the refused one.
    if (this.#plan.options.config.clientId === undefined)
      throw new Refusal('its authorization server no longer knows this client', 'again');
  }

  /** Address to which the browser is redirected after the login; without a person it is only registered. */
  get #redirectUri(): string {
    return this.#plan.person?.redirectUri ?? 'http://127.0.0.1/callback';
  }
  #clientMetadata(): OAuthClientMetadata & { readonly application_type: 'native' } {
    const { found, options, scope, showCode } = this.#plan;
    const methods = found.authorizationServerMetadata?.token_endpoint_auth_methods_supported;
    const known = ['none', 'client_secret_basic', 'client_secret_post'];
    const method = methods === undefined ? 'none' : (known.find((one) => methods.includes(one)) ?? 'none');
    return {
      client_name: 'a2c',
      // Native clients may redirect to the local machine (OpenID Connect Dynamic Client Registration §2).
      application_type: 'native',
      redirect_uris: asksNobody(options.config) ? [] : [this.#redirectUri],
      grant_types: ['authorization_code', 'refresh_token', ...(showCode ? [deviceGrant] : [])],
      response_types: ['code'],
      token_endpoint_auth_method: method,
      ...withScope(scope),
    };
  }
}
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const over = (): void => {
      systemClock.clearTimeout(timer);
      signal.removeEventListener('abort', over);
      resolve();
    };
    const timer = systemClock.setTimeout(over, ms);
    signal.addEventListener('abort', over);
    if (signal.aborted) over();
  });
const withScope = (scope: string | undefined) => ({ ...(scope !== undefined && { scope }) });

/** Adds the client authentication to a token request (RFC 6749 §2.3.1), by a method that the authorization server accepts. */
export function authenticate(
  client: Client,
  methods: readonly string[],
  headers: Headers,
  body: URLSearchParams,
): void {
  const { client_id: id, client_secret: secret } = client as Client & { readonly client_secret?: string };
  const method = selectClientAuthMethod(client, [...methods]);
  if (method === 'client_secret_basic')
    return headers.set('authorization', `Basic ${Buffer.from(`${id}:${secret ?? ''}`).toString('base64')}`);
  body.set('client_id', id);
  if (method === 'client_secret_post' && secret !== undefined) body.set('client_secret', secret);
}
const resourceOf = ({ href }: URL, { resourceMetadata }: OAuthDiscoveryState): string =>
  resourceMetadata?.resource ?? href.replace(/#.*$/, '');

export async function startFlow(kept: StoredLogin, start: FlowStart): Promise<Flow> {
  const { options, found, signal, http } = start;
  const { config, now, url } = options;
  if (!asksNobody(config)) mustServe(found, config, kept);
  const serverUrl = resourceServer(new URL(url), found);
  const scope = scopeFor(kept, start);
  const dpop = await keyFor(kept, start);
  const fetch = guardedFetch(http, signal);
  const endpoint = found.authorizationServerMetadata?.token_endpoint;
  const proved = dpop && endpoint !== undefined ? proving(fetch, dpop, endpoint, now) : fetch;
  return new Flow(dpop ? { ...kept, dpop } : kept, {
    ...start,
    serverUrl,
    scope,
    fetch: reading(proved),
  });
}
