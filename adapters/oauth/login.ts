/** Credentials of one server: tokens that are kept, renewed, and asked for anew when refused. */
import type { OAuthDiscoveryState } from '@modelcontextprotocol/client';
import { discovered } from './answers.ts';
import { authenticate, startFlow, type FlowStart } from './flow.ts';
import { waitingTimers } from '../clock.ts';
import { Http } from '../mcp/http/http.ts';
import type { Place } from '../mcp/http/place.ts';
import type { Credentials, Refused, Signed } from '../mcp/http/remote.ts';
import { guardedFetch, Refusal, type Fetch } from './guarded-fetch.ts';
import {
  challengeIn,
  type Challenge,
  asksNobody,
  isOfAnother,
  PersonNeeded,
  type LoginNews,
  type LoginOptions,
  mustBeOfIssuer,
  type LoginConfig,
} from './login-options.ts';
import type { LoggedOut } from '../mcp/http/login.ts';
import { loginKey, type StoredLogin } from './login-store.ts';
import { byPerson, isForgotten } from './person.ts';
import { headersOf, type Proved } from './proofs.ts';

const withoutNews: LoginNews = { shown: () => {}, returned: () => {} };

/** Time in ms before its end at which a token is renewed, or a tenth of its lifetime when that is less. */
const earlyMs = 30_000;
/** Time in ms after a login in which a refused token counts as refused for good. */
const freshMs = 60_000;
const personMs = 10 * 60_000;
const mostStepUps = 2;

export class Login implements Credentials {
  readonly #options: LoginOptions;
  readonly #key: string;
  readonly #url: URL;
  #kept: StoredLogin | undefined;
  #challenge: Challenge = {};
  #renewing: Promise<boolean> | undefined;
  #why: unknown;
  #nonce: string | undefined;
  #asking: Promise<void> | undefined;
  #stepUps = 0;
  #fresh: { readonly token: string; readonly since: number } | undefined;
  #isRejected = false;
  readonly #end = new AbortController();
  readonly place: Place = {};
  readonly #http: Http;

  constructor(options: LoginOptions) {
    this.#options = options;
    this.#url = new URL(options.url);
    const { headers = {}, proxyFor, ca, now } = options;
    this.#http = new Http(
      { url: this.#url, headers, proxyFor, ca, place: this.place, timeoutMs: 0 },
      {
        timers: waitingTimers,
        now,
        userAgent: 'a2c-actors',
        hideSession: (secret) => options.hide([secret]),
      },
    );
    const { clientId, clientMetadataUrl } = options.config;
    this.#key = loginKey(this.#url.href, clientId, clientMetadataUrl);
  }
  /** Renewed if necessary. Never rejects: without a token, the refusal of the server shows the problem. */
  async token(): Promise<string | undefined> {
    if (!this.#kept?.tokens) this.#took(await this.#options.store.read(this.#key));
    if (this.#endsSoon(this.#kept)) await this.#renew(this.#kept?.tokens?.access_token);
    return this.#kept?.tokens?.access_token;
  }
  async signed(request: Pick<Proved, 'method' | 'url'>): Promise<Signed | undefined> {
    const token = await this.token();
    const { tokens, dpop } = this.#kept ?? {};
    if (token === undefined || !tokens) return undefined;
    const proved = { ...request, token, nonce: this.#nonce, now: this.#options.now() };
    const headers = await headersOf(tokens.token_type, dpop, proved).catch(() => undefined);
    return headers && { token, headers };
  }
  noted(nonce: string): void {
    this.#nonce = nonce;
  }
  /** True when the request may be sent once more. Never rejects. */
  async challenged({ status, header, token, isFirst }: Refused): Promise<boolean> {
    const challenge = challengeIn(header);
    // Allows a repetition with the nonce that came with the refusal, because the token itself is valid.
    if (status === 401 && challenge.error === 'use_dpop_nonce' && token !== undefined && isFirst) return true;
    const isScope = status === 403 && challenge.error === 'insufficient_scope';
    if (status === 403 && !isScope) return false;
    this.#challenge = { ...this.#challenge, ...challenge };
    if (isScope) return this.#stepUp(challenge.scope, token);
    // Ignores an earlier refusal for a host that logs in by itself, because it can request a token at any time.
    this.#isRejected = this.#isFresh(token) || (this.#isRejected && !this.#needsNobody);
    return this.#renew(token);
  }
  /** Rejects with the reason, whose words hold nothing from a foreign server. */
  login(news: LoginNews, signal: AbortSignal): Promise<void> {
    this.#asking ??= this.#login(news, AbortSignal.any([signal, this.#end.signal])).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }
  /** Never rejects: tokens that cannot be revoked are forgotten, too. */
  async logout(): Promise<LoggedOut> {
    const kept: StoredLogin[] = [];
    await this.#options.store.change(this.#key, (now) => Promise.resolve(void kept.push(now)));
    this.#kept = undefined;
    const [before = {}] = kept;
    const wasLoggedIn = before.tokens !== undefined;
    return { wasLoggedIn, isRevoked: wasLoggedIn && (await this.#revoked(before).catch(() => false)) };
  }
  async #revoked(kept: StoredLogin): Promise<boolean> {
    const { signal } = this.#end;
    return revoke(await this.#discover(signal), kept, this.#options.config, this.#fetch(signal));
  }
  close(): void {
    this.#end.abort();
    this.#http.close();
  }

  #took(kept: StoredLogin): void {
    const { access_token: access, refresh_token: refresh } = kept.tokens ?? {};
    const secret = kept.client?.['client_secret'];
    const all = [access, refresh, secret, kept.dpop?.d];
    this.#options.hide(all.filter((text): text is string => typeof text === 'string'));
    this.#kept = kept;
  }
  #endsSoon(kept: StoredLogin | undefined): boolean {
    const lifeMs = (kept?.tokens?.expires_in ?? 0) * 1_000;
    if (lifeMs <= 0 || kept?.obtainedAt === undefined) return false;
    const ageMs = this.#options.now() - kept.obtainedAt;
    // Renews the token for a negative age, too, which means that the clock was set back.
    return ageMs < 0 || ageMs >= lifeMs - Math.min(earlyMs, lifeMs / 10);
  }
  #isFresh(token: string | undefined): boolean {
    return (
      token !== undefined && token === this.#fresh?.token && this.#options.now() - this.#fresh.since < freshMs
    );
  }
  #freshNow(kept: StoredLogin): void {
    const token = kept.tokens?.access_token;
    if (token !== undefined) this.#fresh = { token, since: this.#options.now() };
  }
  get #needsNobody(): boolean {
    return asksNobody(this.#options.config);
  }
  #renew(stale: string | undefined): Promise<boolean> {
    this.#renewing ??= this.#renewed(stale)
      .catch((error: unknown) => {
        this.#why = error;
        return false;
      })
      .finally(() => {
        this.#renewing = undefined;
      });
    return this.#renewing;
  }
  async #renewed(stale: string | undefined): Promise<boolean> {
    await this.#options.store.change(this.#key, async (kept) => {
      const token = kept.tokens?.access_token;
      // Uses the token that another process has obtained meanwhile, by a renewal or by a login of a person.
      const isNewer = token !== undefined && token !== stale && !this.#endsSoon(kept);
      if (isNewer || (!this.#needsNobody && kept.tokens?.refresh_token === undefined)) {
        this.#took(kept);
        return kept;
      }
      const next = await this.#silently(kept);
      this.#took(next);
      if (this.#needsNobody) this.#freshNow(next);
      return next;
    });
    this.#why = undefined;
    const token = this.#kept?.tokens?.access_token;
    return token !== undefined && token !== stale;
  }
  async #silently(kept: StoredLogin): Promise<StoredLogin> {
    const { signal } = this.#end;
    const found = await this.#discover(signal);
    const flow = await startFlow(kept, this.#start(found, signal));
    try {
      await flow.run();
    } catch (error) {
      if (!(error instanceof PersonNeeded) && !isForgotten(error)) throw error;
    }
    return flow.kept;
  }

  #fetch(signal: AbortSignal): ReturnType<typeof guardedFetch> {
    return guardedFetch(this.#http, signal);
  }
  async #discover(signal: AbortSignal): Promise<OAuthDiscoveryState> {
    const { resourceMetadata: named } = this.#challenge;
    const found = await discovered({ server: this.#url, named, fetch: this.#fetch(signal) });
    mustBeOfIssuer(found, this.#options.config.issuer);
    return found;
  }
  #start(found: OAuthDiscoveryState, signal: AbortSignal): FlowStart {
    const isStepUp = this.#stepUps > 0;
    return { options: this.#options, challenge: this.#challenge, isStepUp, found, signal, http: this.#http };
  }

  async #stepUp(scope: string | undefined, token: string | undefined): Promise<boolean> {
    // Returns when another request has already obtained a new token meanwhile.
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
      // Does not repeat a renewal that has failed just before, when the server refused the request.
      const isAsked = this.#why !== undefined;
      if (!isAsked && (await this.#renew(this.#kept?.tokens?.access_token))) return;
      const why = this.#why ?? new Refusal('its authorization server gives no token to this client');
      this.#why = undefined;
      throw why;
    }
    const { authorize, store } = this.#options;
    if (!authorize) throw new PersonNeeded('a person has to log in, and this host can ask nobody');
    const kept = await store.read(this.#key);
    const over = AbortSignal.any([signal, AbortSignal.timeout(personMs)]);
    const next = await byPerson(kept, this.#start(await this.#discover(over), over), news);
    await store.change(this.#key, () => Promise.resolve(next));
    this.#took(next);
    this.#freshNow(next);
  }
  async #hasMoved(signal: AbortSignal): Promise<boolean> {
    const { client } = await this.#options.store.read(this.#key);
    return client !== undefined && isOfAnother(client, await this.#discover(signal));
  }
}

/** RFC 7009, the refresh token first. False when there is no such endpoint or it refused. */
async function revoke(
  { authorizationServerMetadata }: OAuthDiscoveryState,
  { tokens, client }: StoredLogin,
  config: LoginConfig,
  fetch: Fetch,
): Promise<boolean> {
  // The cast is needed because the type of one kind of metadata lacks the revocation endpoint.
  const metadata = authorizationServerMetadata as Readonly<Record<string, unknown>> | undefined;
  const endpoint = metadata?.['revocation_endpoint'];
  if (typeof endpoint !== 'string' || !tokens) return false;
  const known = { client_id: config.clientId ?? client?.client_id ?? '' };
  const secret = config.clientSecret ?? client?.['client_secret'];
  const methods = metadata?.['revocation_endpoint_auth_methods_supported'];
  const all = [
    ['refresh_token', tokens.refresh_token],
    ['access_token', tokens.access_token],
  ] as const;
  let isDone = true;
  for (const [hint, token] of all) {
    if (token === undefined) continue;
    const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' });
    const body = new URLSearchParams({ token, token_type_hint: hint });
    const proven = { ...known, ...(typeof secret === 'string' && { client_secret: secret }) };
    authenticate(proven, Array.isArray(methods) ? (methods as string[]) : [], headers, body);
    const answer = await fetch(endpoint, { method: 'POST', headers, body });
    isDone &&= answer.ok;
  }
  return isDone;
}
