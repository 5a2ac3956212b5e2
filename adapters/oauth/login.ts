import type { OAuthDiscoveryState } from '@modelcontextprotocol/client';
import { discovered } from './answers.ts';
import { startFlow, type FlowStart } from './flow.ts';
import { guardedFetch, Refusal, type Fetch } from './guarded-fetch.ts';
import {
  challengeIn,
  type Challenge,
  asksNobody,
  isOfAnother,
  PersonNeeded,
  type LoggedOut,
  type LoginNews,
  type LoginOptions,
  type Refused,
  type Signed,
  mustBeOfIssuer,
  type LoginConfig,
} from './login-options.ts';
import { loginKey, type Kept } from './login-store.ts';
import { byPerson, isForgotten } from './person.ts';
import { basic, headersOf, type Proved } from './proofs.ts';

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
  /** Why the last token could not be had. */
  #why: unknown;
  /** What the server wants to read in the next proof. */
  #nonce: string | undefined;
  #asking: Promise<void> | undefined;
  #stepUps = 0;
  /** The token of the last login by a person, or by this host itself. */
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
  /** The headers of a request that shows the token. Never rejects. */
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
  /** Never rejects. */
  async challenged({ status, header, token, isFirst }: Refused): Promise<boolean> {
    const challenge = challengeIn(header);
    // Its token is good; what was missing in the proof is noted by now.
    if (status === 401 && challenge.error === 'use_dpop_nonce' && token !== undefined && isFirst) return true;
    const isScope = status === 403 && challenge.error === 'insufficient_scope';
    if (status === 403 && !isScope) return false;
    this.#challenge = { ...this.#challenge, ...challenge };
    if (isScope) return this.#stepUp(challenge.scope, token);
    // What this host got by itself it got once more, and that says more of the server.
    this.#isRejected = this.#isFresh(token) || (this.#isRejected && !this.#needsNobody);
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
    const all = [access, refresh, secret, kept.dpop?.d];
    this.#options.hide(all.filter((text): text is string => typeof text === 'string'));
    this.#kept = kept;
  }
  #endsSoon(kept: Kept | undefined): boolean {
    const lifeMs = (kept?.tokens?.expires_in ?? 0) * 1_000;
    if (lifeMs <= 0 || kept?.obtainedAt === undefined) return false;
    const ageMs = this.#options.now() - kept.obtainedAt;
    // A clock that was put back knows nothing of its age.
    return ageMs < 0 || ageMs >= lifeMs - Math.min(earlyMs, lifeMs / 10);
  }
  #isFresh(token: string | undefined): boolean {
    return (
      token !== undefined && token === this.#fresh?.token && this.#options.now() - this.#fresh.since < freshMs
    );
  }
  #freshNow(kept: Kept): void {
    const token = kept.tokens?.access_token;
    if (token !== undefined) this.#fresh = { token, since: this.#options.now() };
  }
  get #needsNobody(): boolean {
    return asksNobody(this.#options.config);
  }
  /** True: there is another token than the one that was refused. */
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
      // Another process was faster, or a person has logged in there.
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
  async #silently(kept: Kept): Promise<Kept> {
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
    return guardedFetch(this.#url, signal);
  }
  async #discover(signal: AbortSignal): Promise<OAuthDiscoveryState> {
    const { resourceMetadata: named } = this.#challenge;
    const { noted } = this.#options;
    const found = await discovered({ server: this.#url, named, fetch: this.#fetch(signal), noted });
    mustBeOfIssuer(found, this.#options.config.issuer);
    return found;
  }
  #start(found: OAuthDiscoveryState, signal: AbortSignal): FlowStart {
    const isStepUp = this.#stepUps > 0;
    return { options: this.#options, challenge: this.#challenge, isStepUp, found, signal };
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
      // It was asked just now, when the server refused.
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
  /** The server names another authorization server than the one that we are registered with. */
  async #hasMoved(signal: AbortSignal): Promise<boolean> {
    const { client } = await this.#options.store.read(this.#key);
    return client !== undefined && isOfAnother(client, await this.#discover(signal));
  }
}

/**
 * Tells the authorization server that nobody uses these tokens any more (RFC 7009), the one that renews first. False: it has no
 * such endpoint, or did not agree.
 */
async function revoke(
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
