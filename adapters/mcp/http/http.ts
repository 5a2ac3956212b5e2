/** HTTP requests to servers: connections, proxies, redirects, cookies, and no way into a private network. */
import { HttpProxyAgent } from 'http-proxy-agent';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { lookup as lookUp, type LookupAddress } from 'node:dns';
import { Agent, request, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Timers } from '../../clock.ts';
import { causeOf, isUnsigned } from './http-failures.ts';
import { notStartable } from '../messages/refusal.ts';
import { isInside, type Place } from './place.ts';
import type { Credentials } from './remote.ts';
import { Refused, type OpenRequest } from '../transport.ts';
import type { Waits } from '../../../machines/ports/session.ts';
import type { Failure } from '../../../machines/protocol/failure.ts';

/** In ms. Most servers drop an idle connection after 5 s; a request written then may not have been read. */
const idleMs = 2_000;
const mostCookies = 50;
const mostRedirects = 5;
const mostLogins = 3;

/** `isReached`: the connection was established, so the server may have read the request. */
export class Unreached extends Error {
  override readonly name = 'Unreached';
  override readonly cause: string;
  readonly isReached: boolean;
  readonly isProxied: boolean;
  constructor(cause: string, isReached: boolean, isProxied: boolean) {
    super(cause);
    this.cause = cause;
    this.isReached = isReached;
    this.isProxied = isProxied;
  }
}
interface Sending {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url?: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Applies the time-out to connecting only, because the server may work for an unknown time before it answers. */
  readonly isPatient?: boolean;
  /** `named`: the URL comes from a server, and may lead into a private network only where that server is itself. */
  readonly login?: 'named' | 'given';
}
export interface Exchange {
  /** The caller has to read or destroy the body. Rejects with `Unreached`, or `Refused` for a bad header. */
  readonly answer: Promise<IncomingMessage>;
  isReached(): boolean;
  abort(): void;
}

/** Error for a URL named by a server that leads into a private network, where that server is not. */
export class Inside extends Error {
  override readonly name = 'Inside';
}

/** Not `fetch`, which has 5 min time-outs of its own. Headers and cookies go only to the origin of the server. */
export class Http {
  readonly url: URL;
  /** The last of each name, whatever its path and age: by them a balancer finds the machine of a session. */
  readonly #cookies = new Map<string, string>();
  readonly #options: HttpOptions;
  readonly #defaults: Readonly<Record<string, string>>;
  readonly #around: HttpAround;
  readonly #agent: Agent;
  readonly #place: Place;
  readonly #live = new Set<ClientRequest>();
  #last: Attempt | undefined;
  #isQuiet = false;
  #isClosed = false;

  /** `timeoutMs`: 0 for no limit. */
  constructor(options: HttpOptions, around: HttpAround) {
    // No compressed answers, although they can be read; some gateways refuse requests without a user agent.
    this.#defaults = { 'accept-encoding': 'identity', 'user-agent': around.userAgent };
    const { url } = options;
    this.url = url;
    this.#options = options;
    this.#around = around;
    this.#agent = agentFor(url, this.#proxyFor(url), true);
    this.#place = options.place ?? options.credentials?.place ?? {};
  }

  send(sending: Sending): Exchange {
    const state: Attempt = { isReached: false, isAborted: false, step: this.#stepNow('connection') };
    this.#last = state;
    const url = sending.url ?? this.url;
    return {
      answer: this.#options.credentials
        ? this.#goLoggedIn(sending, url, state, this.#options.credentials)
        : new Promise((resolve, reject) => this.#go(sending, url, state, { resolve, reject, followed: 0 })),
      isReached: () => state.isReached,
      abort: () => {
        state.isAborted = true;
        state.request?.destroy(aborted());
      },
    };
  }
  get step(): Step | undefined {
    return this.#last?.step;
  }
  /** Lets the process exit although requests are still under way. */
  rest(): void {
    this.#isQuiet = true;
    for (const live of this.#live) live.socket?.unref();
  }
  close(): void {
    this.#isClosed = true;
    for (const live of this.#live) live.destroy(aborted());
    this.#agent.destroy();
  }
  async closed(): Promise<void> {
    await Promise.all([...this.#live].map((live) => new Promise((resolve) => live.once('close', resolve))));
  }

  /** Repeats a request with a new token, `mostLogins` times in all: the server has not worked on a refused one. */
  async #goLoggedIn(
    sending: Sending,
    url: URL,
    state: Attempt,
    credentials: Credentials,
  ): Promise<IncomingMessage> {
    for (let tries = 1; ; tries += 1) {
      const signed = await credentials.signed({ method: sending.method, url });
      const headers = { ...sending.headers, ...signed?.headers };
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        this.#go({ ...sending, headers }, url, state, { resolve, reject, followed: 0 });
      });
      const { statusCode: status = 0 } = answer;
      const nonce = answer.headers['dpop-nonce'];
      if (typeof nonce === 'string') credentials.noted(nonce);
      if ((status !== 401 && status !== 403) || tries === mostLogins) return answer;
      const header = answer.headers['www-authenticate'];
      const refusal = { status, header, token: signed?.token, isFirst: tries === 1 };
      if (!(await credentials.challenged(refusal))) return answer;
      answer.destroy();
    }
  }
  #proxyFor(url: URL): string | undefined {
    return this.#options.proxyFor?.(url.href);
  }
  #stepNow(step: Waits['for']): Step {
    return { for: step, since: this.#around.now() };
  }
  #wayTo(url: URL, { login }: Sending, isOther: boolean): RequestOptions {
    const isOwn = url.origin === this.url.origin;
    const proxy = this.#proxyFor(url);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const place = this.#place;
    const note = (isIn: boolean): void => {
      if (isOwn) place.isInside = isIn && place.isInside !== false;
    };
    const isAllowed = (address: string): boolean =>
      login !== 'named' || !isInside(address) || (place.isInside ?? isOwn);
    if (isIP(host) !== 0 && !isAllowed(host)) throw new Inside();
    if (isIP(host) !== 0 || proxy !== undefined) note(isIP(host) !== 0 && isInside(host));
    const lookup: LookupFunction = (name, options, done) => {
      lookUp(name, { ...options, all: true }, (error, found: LookupAddress[] | undefined) => {
        const all = (found ?? []).filter(({ address }) => isAllowed(address));
        note((found ?? []).every(({ address }) => isInside(address)));
        const [first] = all;
        if (error ?? !first) return done(error ?? new Inside(), '', 4);
        if (options.all) (done as unknown as (e: null, all: LookupAddress[]) => void)(null, all);
        else done(null, first.address, first.family);
      });
    };
    const isTrusted = this.#options.ca !== undefined && (isOwn || isOther);
    return {
      agent: isOwn && !login ? this.#agent : agentFor(url, proxy, false),
      ...(proxy === undefined && { lookup }),
      ...(isTrusted && { ca: this.#options.ca }),
    };
  }
  #headersFor(url: URL, sending: Sending): Record<string, string> {
    const { body } = sending;
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const isOwn = url.origin === this.url.origin;
    const users = isOwn ? this.#options.headers : {};
    const cookie = isOwn && this.#cookieBeside(valueOf(users, 'cookie'));
    const own = { ...sending.headers, ...length, ...(cookie && { cookie }) };
    // Node sends the last of names that differ in case alone.
    return { ...this.#defaults, ...users, ...own };
  }
  /** `given`: the header of the config, whose names win. */
  #cookieBeside(given = ''): string {
    const names = new Set(given.split(';').map((text) => text.split('=', 1).join('').trim()));
    const kept = [...this.#cookies].filter(([name]) => !names.has(name)).map((pair) => pair.join('='));
    return [given, ...kept].filter(Boolean).join('; ');
  }
  #takeCookies({ headers }: IncomingMessage, url: URL): void {
    if (url.origin !== this.url.origin) return;
    for (const line of headers['set-cookie'] ?? []) {
      const cookie = cookieIn(line, url);
      if (!cookie || this.#cookies.size >= mostCookies) continue;
      this.#cookies.set(...cookie);
      this.#around.hideSession?.(cookie[1]);
    }
  }
  #go(sending: Sending, url: URL, state: Attempt, then: Then, isOther = false): void {
    const { method, body } = sending;
    const unreached = (cause: string, isReached: boolean): Unreached =>
      new Unreached(cause, isReached, this.#proxyFor(url) !== undefined);
    const { reject } = then;
    if (this.#isClosed || state.isAborted) return reject(unreached('ECONNABORTED', state.isReached));
    const ask: OpenRequest =
      this.#around.openRequest ?? (url.protocol === 'https:' ? secureRequest : request);
    let asked: ClientRequest;
    try {
      const headers = this.#headersFor(url, sending);
      asked = ask(url, { method, headers, ...this.#wayTo(url, sending, isOther) });
    } catch (error) {
      if (isUnsendable(error)) return reject(new Refused(unsendable(error), 'unsent'));
      return reject(error instanceof Inside ? error : unreached(causeOf(error), false));
    }
    state.request = asked;
    this.#live.add(asked);
    const timer =
      this.#options.timeoutMs > 0 &&
      this.#around.timers.setTimeout(() => asked.destroy(timedOut()), this.#options.timeoutMs);
    const inTime = (): void => this.#around.timers.clearTimeout(timer);
    asked.on('socket', (socket) => {
      const reached = (): void => {
        state.isReached = true;
        state.step = this.#stepNow('headers');
        if (sending.isPatient) inTime();
      };
      // Waits for the TLS handshake, because the bytes of the request leave only after it.
      if (!socket.connecting) reached();
      else socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', reached);
      if (this.#isQuiet) socket.unref();
      else socket.ref();
    });
    let isElsewhere = false;
    asked.on('response', (answer) => {
      inTime();
      state.step = this.#stepNow('initialize');
      this.#takeCookies(answer, url);
      const target = sending.login ? undefined : redirectOf(answer, url, method);
      if (!target || then.followed >= mostRedirects) return then.resolve(answer);
      answer.resume();
      isElsewhere = true;
      this.#go(sending, target, state, { ...then, followed: then.followed + 1 });
    });
    asked.on('error', (error) => {
      if (error instanceof Inside) return reject(error);
      const cause = causeOf(error);
      // Trusts the authorities of the server for another origin, too, where those that Node knows are not enough.
      isElsewhere =
        !isOther && this.#options.ca !== undefined && url.origin !== this.url.origin && isUnsigned(cause);
      if (isElsewhere) this.#go(sending, url, state, then, true);
      else reject(unreached(cause, state.isReached));
    });
    asked.on('close', () => {
      inTime();
      this.#live.delete(asked);
      if (!isElsewhere) reject(unreached('ECONNRESET', state.isReached));
    });
    asked.end(body);
  }
}
export function cookieIn(line: string, { protocol }: URL): [name: string, value: string] | undefined {
  const [, name, value] = /^([!-:<>-~]+)=([!-:<-~\x80-\xff]{0,4096})\s*(?:;|$)/.exec(line) ?? [];
  const isFit = protocol === 'https:' || !/;\s*secure\b/i.test(line);
  return name !== undefined && value !== undefined && isFit ? [name, value] : undefined;
}
/** Through a proxy, `https:` is tunnelled and `http:` is requested by its whole URL. */
function agentFor({ protocol }: URL, proxy: string | undefined, keepAlive: boolean): Agent {
  const options = keepAlive ? { keepAlive, timeout: idleMs } : { keepAlive };
  const isSecure = protocol === 'https:';
  if (proxy === undefined) return isSecure ? new SecureAgent(options) : new Agent(options);
  return isSecure ? new HttpsProxyAgent(proxy, options) : new HttpProxyAgent(proxy, options);
}
interface HttpAround {
  readonly timers: Timers;
  readonly now: () => number;
  readonly userAgent: string;
  readonly openRequest?: OpenRequest | undefined;
  readonly hideSession?: ((secret: string) => void) | undefined;
}
interface HttpOptions {
  readonly proxyFor?: ((url: string) => string | undefined) | undefined;
  /** PEM certificates of the authorities that are trusted in place of those of Node; for another origin beside those. */
  readonly ca?: string | undefined;
  readonly place?: Place;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly credentials?: Credentials | undefined;
}
/** Step that a request waits for, and its start in ms since 1970; shown while the session is being opened. */
interface Step {
  readonly for: Waits['for'];
  readonly since: number;
}
interface Attempt {
  isReached: boolean;
  isAborted: boolean;
  step: Step;
  request?: ClientRequest;
}
interface Then {
  readonly resolve: (answer: IncomingMessage) => void;
  readonly reject: (error: Unreached | Refused | Inside) => void;
  readonly followed: number;
}

const isUnsendable = (error: unknown): error is Error =>
  error instanceof Error && ['ERR_INVALID_CHAR', 'ERR_INVALID_HTTP_TOKEN'].includes(causeOf(error));
/** Node names the header, and hides its value. */
const unsendable = ({ message }: Error): Failure =>
  notStartable(
    `one of its headers cannot be sent: ${message}`,
    'write this header again, without what a copy from a document has brought along',
  );

const withCode = (code: string): Error => Object.assign(new Error(code), { code });
const aborted = (): Error => withCode('ECONNABORTED');
const timedOut = (): Error => withCode('ETIMEDOUT');

const valueOf = (headers: Readonly<Record<string, string>>, wanted: string): string | undefined =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1];

/** Only on the same origin, because the headers carry secrets; with a body only for 307 and 308. */
function redirectOf(answer: IncomingMessage, from: URL, method: string): URL | undefined {
  const { statusCode = 0, headers } = answer;
  const keepsMethod = statusCode === 307 || statusCode === 308;
  if (!keepsMethod && !(method === 'GET' && [301, 302, 303].includes(statusCode))) return undefined;
  if (headers.location === undefined || !URL.canParse(headers.location, from.href)) return undefined;
  const target = new URL(headers.location, from);
  return target.origin === from.origin && !target.username ? target : undefined;
}
