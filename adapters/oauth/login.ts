import { randomBytes } from 'node:crypto';
import {
  auth,
  discoverOAuthServerInfo,
  type OAuthDiscoveryState,
} from '@modelcontextprotocol/sdk/client/auth.js';
import { createPrivateKeyJwtAuth } from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import { challengeIn, type Challenge } from './challenge.ts';
import { Flow, PersonNeeded } from './client-provider.ts';
import { guardedFetch, Refusal } from './guarded-fetch.ts';
import { Loopback } from './loopback.ts';
import type { LoggedOut, LoginNews, LoginOptions } from './login-options.ts';
import { loginKey, type Kept } from './login-store.ts';
import { revoke } from './revocation.ts';
import { codeIn, mustBeFrom, mustBeOfIssuer } from './redirect-checks.ts';

/** The SDK stamps who registered a client. */
const isOfAnother = (
  { issuer }: Readonly<Record<string, unknown>>,
  { authorizationServerUrl, authorizationServerMetadata }: OAuthDiscoveryState,
): boolean =>
  typeof issuer === 'string' && issuer !== (authorizationServerMetadata?.issuer ?? authorizationServerUrl);

/** An authorization server may hold a client to the scopes that it was registered with (RFC 7591); absent: to none. */
function mayAskFor(registered: unknown, wanted: string | undefined): boolean {
  if (typeof registered !== 'string') return true;
  const all = new Set(registered.split(' '));
  return wanted === undefined || wanted.split(' ').every((scope) => all.has(scope));
}

const withoutNews: LoginNews = { shown: () => {}, returned: () => {} };

/** A token is renewed so long before it ends, or a tenth of its time. */
const earlyMs = 30_000;
/** A token that the server refuses so soon after the login is refused for good. */
const freshMs = 60_000;
/** No page is waited for longer. */
const personMs = 10 * 60_000;
/** Of one server: how often a larger scope is asked for until it is logged in to anew. */
const mostStepUps = 2;

/** The login to one server: its tokens, how they are renewed, and how a person gives new ones. */
export class Login {
  readonly #options: LoginOptions;
  readonly #key: string;
  readonly #url: URL;
  #kept: Kept | undefined;
  #challenge: Challenge = {};
  #renewing: Promise<boolean> | undefined;
  #asking: Promise<void> | undefined;
  #stepUps = 0;
  /** The token of the last login by a person. */
  #fresh: { readonly token: string; readonly since: number } | undefined;
  #isRejected = false;
  readonly #end = new AbortController();

  constructor(options: LoginOptions) {
    this.#options = options;
    this.#url = new URL(options.url);
    const { clientId, clientMetadataUrl } = options.config;
    this.#key = loginKey(this.#url.href, clientId, clientMetadataUrl);
  }
  /** Never rejects: a request without a token hears from the server what is wrong. */
  async token(): Promise<string | undefined> {
    if (!this.#kept?.tokens) this.#took(await this.#options.store.read(this.#key));
    if (this.#endsSoon(this.#kept)) await this.#renew(this.#kept?.tokens?.access_token);
    return this.#kept?.tokens?.access_token;
  }
  /** Never rejects. */
  async challenged(refusal: {
    readonly status: number;
    readonly header: string | undefined;
    readonly token: string | undefined;
  }): Promise<boolean> {
    const { status, header, token } = refusal;
    const challenge = challengeIn(header);
    const isScope = status === 403 && challenge.error === 'insufficient_scope';
    if (status === 403 && !isScope) return false;
    this.#challenge = { ...this.#challenge, ...challenge };
    if (isScope) return this.#stepUp(challenge.scope, token);
    const { now } = this.#options;
    if (token !== undefined && token === this.#fresh?.token && now() - this.#fresh.since < freshMs)
      this.#isRejected = true;
    return this.#renew(token);
  }
  /** A person logs in, or this host itself. Rejects with why not, in words that hold nothing of a stranger. */
  login(news: LoginNews, signal: AbortSignal): Promise<void> {
    this.#asking ??= this.#login(news, AbortSignal.any([signal, this.#end.signal])).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }
  /** Forgets its tokens, and who we are there. Never rejects: what cannot be revoked is forgotten all the same. */
  async logout(): Promise<LoggedOut> {
    const kept: Kept[] = [];
    await this.#options.store.change(this.#key, (now) => Promise.resolve(void kept.push(now)));
    this.#kept = undefined;
    const [before = {}] = kept;
    const wasLoggedIn = before.tokens !== undefined;
    return { wasLoggedIn, isRevoked: wasLoggedIn && (await this.#revoked(before).catch(() => false)) };
  }
  async #revoked(kept: Kept): Promise<boolean> {
    const { signal } = this.#end;
    return revoke(await this.#discover(signal), kept, this.#options.config, this.#fetch(signal));
  }
  close(): void {
    this.#end.abort();
  }

  #took(kept: Kept): void {
    const { access_token: access, refresh_token: refresh } = kept.tokens ?? {};
    const secret = kept.client?.['client_secret'];
    this.#options.hide([access, refresh, secret].filter((text): text is string => typeof text === 'string'));
    this.#kept = kept;
  }
  #endsSoon(kept: Kept | undefined): boolean {
    const lifeMs = (kept?.tokens?.expires_in ?? 0) * 1_000;
    if (lifeMs <= 0 || kept?.obtainedAt === undefined) return false;
    const ageMs = this.#options.now() - kept.obtainedAt;
    // A clock that was put back knows nothing of its age.
    return ageMs < 0 || ageMs >= lifeMs - Math.min(earlyMs, lifeMs / 10);
  }
  get #needsNobody(): boolean {
    return this.#options.config.grant === 'client_credentials';
  }
  /** True: there is another token than the one that was refused. */
  #renew(stale: string | undefined): Promise<boolean> {
    this.#renewing ??= this.#renewed(stale)
      .catch(() => false)
      .finally(() => {
        this.#renewing = undefined;
      });
    return this.#renewing;
  }
  async #renewed(stale: string | undefined): Promise<boolean> {
    await this.#options.store.change(this.#key, async (kept) => {
      const token = kept.tokens?.access_token;
      // Another process was faster, or a person has logged in there.
      const isNewer = token !== undefined && token !== stale && !this.#endsSoon(kept);
      if (isNewer || (!this.#needsNobody && kept.tokens?.refresh_token === undefined)) {
        this.#took(kept);
        return kept;
      }
      const next = await this.#silently(kept);
      this.#took(next);
      return next;
    });
    const token = this.#kept?.tokens?.access_token;
    return token !== undefined && token !== stale;
  }
  async #silently(kept: Kept): Promise<Kept> {
    const found = await this.#discover(this.#end.signal);
    const flow = this.#flow(kept, found, {});
    try {
      await auth(flow, { ...this.#asked(flow), fetchFn: this.#fetch(this.#end.signal) });
    } catch (error) {
      if (!(error instanceof PersonNeeded)) throw error;
    }
    return flow.kept;
  }

  #fetch(signal: AbortSignal): ReturnType<typeof guardedFetch> {
    return guardedFetch(this.#url, signal);
  }
  #asked({ scope }: Flow): { readonly serverUrl: URL; readonly scope?: string } {
    return { serverUrl: this.#url, ...(scope !== undefined && { scope }) };
  }
  async #discover(signal: AbortSignal): Promise<OAuthDiscoveryState> {
    const { resourceMetadata } = this.#challenge;
    const found = await discoverOAuthServerInfo(this.#url, {
      ...(resourceMetadata !== undefined && { resourceMetadataUrl: new URL(resourceMetadata) }),
      fetchFn: this.#fetch(signal),
    });
    mustBeOfIssuer(found);
    return found;
  }
  #flow(kept: Kept, found: OAuthDiscoveryState, person: { redirectUri?: string; state?: string }): Flow {
    const { config, now } = this.#options;
    const { clientId = '', privateKey, signingAlgorithm: alg = 'RS256' } = config;
    const client = { issuer: clientId, subject: clientId };
    return new Flow(kept, {
      config,
      found,
      now,
      scope: this.#scopeOf(kept, found),
      ...person,
      ...(privateKey !== undefined && {
        addClientAuthentication: createPrivateKeyJwtAuth({ ...client, privateKey, alg }),
      }),
    });
  }
  /** What the config says, else what the server asks for, else all it knows; and what it was asked for before. */
  #scopeOf(
    kept: Kept,
    { resourceMetadata, authorizationServerMetadata }: OAuthDiscoveryState,
  ): string | undefined {
    const asked = this.#challenge.scope?.split(/\s+/);
    const base = this.#options.config.scopes ?? asked ?? resourceMetadata?.scopes_supported ?? [];
    const before = this.#stepUps > 0 ? [...(kept.scope?.split(' ') ?? []), ...(asked ?? [])] : [];
    const canRenew = authorizationServerMetadata?.scopes_supported?.includes('offline_access') === true;
    const all = new Set([...base, ...before, ...(canRenew && !this.#needsNobody ? ['offline_access'] : [])]);
    return all.size === 0 ? undefined : [...all].join(' ');
  }

  /** The server wants more than was granted: asked for once more, where that is not what was asked for before. */
  async #stepUp(scope: string | undefined, token: string | undefined): Promise<boolean> {
    // Another request has done it meanwhile.
    if (token !== this.#kept?.tokens?.access_token) return this.#kept?.tokens !== undefined;
    const before = new Set(this.#kept?.scope?.split(' '));
    const isMore = scope?.split(/\s+/).some((one) => !before.has(one)) === true;
    if (!isMore || this.#stepUps >= mostStepUps) return false;
    this.#stepUps += 1;
    try {
      await this.login(withoutNews, this.#end.signal);
      return this.#kept?.tokens?.access_token !== token;
    } catch {
      return false;
    }
  }

  async #login(news: LoginNews, signal: AbortSignal): Promise<void> {
    const isRejected = this.#isRejected;
    this.#isRejected = false;
    if (isRejected && !(await this.#hasMoved(signal)))
      throw new Refusal('the server does not take the token that its login just gave');
    if (this.#needsNobody) {
      if (await this.#renew(this.#kept?.tokens?.access_token)) return;
      throw new Refusal('its authorization server gives no token to this client');
    }
    const { authorize, store } = this.#options;
    if (!authorize) throw new PersonNeeded('a person has to log in, and this host can ask nobody');
    const kept = await store.read(this.#key);
    const loopback = await Loopback.open(kept.port);
    const over = AbortSignal.any([signal, AbortSignal.timeout(personMs)]);
    try {
      await this.#byPerson(loopback, kept, news, over);
    } finally {
      loopback.close();
    }
  }
  /** The server names another authorization server than the one that we are registered with. */
  async #hasMoved(signal: AbortSignal): Promise<boolean> {
    const { client } = await this.#options.store.read(this.#key);
    return client !== undefined && isOfAnother(client, await this.#discover(signal));
  }
  async #byPerson(loopback: Loopback, kept: Kept, news: LoginNews, signal: AbortSignal): Promise<void> {
    const { redirectUri } = loopback;
    const port = Number(new URL(redirectUri).port);
    const found = await this.#discover(signal);
    const state = randomBytes(32).toString('base64url');
    // With its tokens the SDK would renew and ask nobody; registered for another port, for less, or elsewhere, we are nobody there.
    const { tokens: _, client, ...rest } = kept;
    const isSame =
      this.#options.config.clientId !== undefined ||
      (kept.port === port &&
        client !== undefined &&
        !isOfAnother(client, found) &&
        mayAskFor(client['scope'], this.#scopeOf(kept, found)));
    const flow = this.#flow({ ...rest, port, ...(isSame && client && { client }) }, found, {
      redirectUri,
      state,
    });
    const fetchFn = this.#fetch(signal);
    await auth(flow, { ...this.#asked(flow), fetchFn });
    const { page } = flow;
    if (!page) throw new Refusal('the authorization server showed no page');
    mustBeFrom(page, this.#url);
    loopback.expect(state);
    const back = await this.#redirected(loopback, page, news, signal);
    news.returned();
    const authorizationCode = codeIn(back, { redirectUri, state, found });
    await auth(flow, { ...this.#asked(flow), authorizationCode, fetchFn });
    await this.#options.store.change(this.#key, () => Promise.resolve(flow.kept));
    this.#took(flow.kept);
    const token = flow.kept.tokens?.access_token;
    if (token !== undefined) this.#fresh = { token, since: this.#options.now() };
  }
  /** By the loopback redirect, or by a host that saw it itself; whichever comes first. */
  async #redirected(loopback: Loopback, page: URL, news: LoginNews, signal: AbortSignal): Promise<URL> {
    const { authorize, server } = this.#options;
    const gone = new AbortController();
    const aborted = new Promise<never>((_, reject) => {
      const give = (): void => reject(new PersonNeeded('nobody has logged in'));
      if (signal.aborted) give();
      else signal.addEventListener('abort', give, { once: true, signal: gone.signal });
    });
    news.shown(page.origin);
    const shown = Promise.resolve()
      .then(() => authorize?.({ server, url: page.href, signal: AbortSignal.any([signal, gone.signal]) }))
      .then((said) => (said === undefined ? loopback.redirected : new URL(said)));
    try {
      return await Promise.race([loopback.redirected, shown, aborted]);
    } finally {
      gone.abort();
    }
  }
}
