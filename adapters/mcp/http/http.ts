import { HttpProxyAgent } from 'http-proxy-agent';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { getProxyForUrl } from 'proxy-from-env';
import type { Timers } from '../../clock.ts';
import { causeOf, notStartable } from './http-failures.ts';
import type { Credentials } from './remote.ts';
import { Refused, type OpenRequest } from '../transport.ts';
import type { Waits } from '../../../machines/kernel/ports.ts';
import type { Failure } from '../../../machines/protocol/failure.ts';

/**
 * Time in ms for which an idle connection is kept. Most servers drop one after 5 s, and a request that is
 * written at that moment may or may not have been read.
 */
const idleMs = 2_000;
const mostRedirects = 5;
/** Number of times that a request is sent in all when it is refused for its login. */
const mostLogins = 3;

/**
 * Error for a request that got no complete answer. `isReached`: the connection was established, so the server may have read
 * the request.
 */
export class Unreached extends Error {
  override readonly name = 'Unreached';
  override readonly cause: string;
  readonly isReached: boolean;
  /** True when the request went through a proxy, which may be the part that was not reached. */
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
}
export interface Exchange {
  /**
   * Answer of the server, whose body the caller has to read or to destroy. Rejects with `Unreached`, or with
   * `Refused` when a header cannot be sent.
   */
  readonly answer: Promise<IncomingMessage>;
  isReached(): boolean;
  abort(): void;
}

/**
 * HTTP client without hidden behavior: no time-outs but `timeoutMs`, no retries, header names and values
 * exactly as given. `fetch` is not used, because it has time-outs of its own (5 min for headers and between
 * two chunks) and writes header names in lower case.
 */
export class Http {
  readonly url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;
  readonly #defaults: Readonly<Record<string, string>>;
  readonly #credentials: Credentials | undefined;
  readonly #around: HttpAround;
  readonly #agent: Agent;
  readonly #isProxied: boolean;
  readonly #trust: { readonly ca?: string };
  readonly #live = new Set<ClientRequest>();
  #last: Attempt | undefined;
  #isQuiet = false;
  #isClosed = false;

  /** Creates a client for one server; `timeoutMs` in ms, 0 for no limit. */
  constructor({ url, headers, timeoutMs, credentials, proxy, ca }: HttpOptions, around: HttpAround) {
    // Accepts no compressed answers, although they can be read. Sends a user agent, because some gateways refuse requests
    // without one.
    this.#defaults = { 'accept-encoding': 'identity', 'user-agent': around.userAgent };
    this.url = url;
    this.#headers = headers;
    this.#timeoutMs = timeoutMs;
    this.#credentials = credentials;
    this.#around = around;
    this.#agent = agentFor(url, proxy);
    this.#isProxied = proxy !== undefined;
    this.#trust = ca === undefined ? {} : { ca };
  }

  send(sending: Sending): Exchange {
    const state: Attempt = { isReached: false, isAborted: false, step: this.#stepNow('connection') };
    this.#last = state;
    const answer = new Promise<IncomingMessage>((resolve, reject) => {
      const url = sending.url ?? this.url;
      if (!this.#credentials) return this.#go(sending, url, state, { resolve, reject, followed: 0 });
      this.#goLoggedIn(sending, url, state, this.#credentials).then(resolve, reject);
    });
    return {
      answer,
      isReached: () => state.isReached,
      abort: () => {
        state.isAborted = true;
        state.request?.destroy(aborted());
      },
    };
  }
  /** Step that the latest request waits for (connection, headers or answer), with the time of its start. */
  get step(): Step | undefined {
    return this.#last?.step;
  }
  /** Lets the process exit although requests are still under way. */
  rest(): void {
    this.#isQuiet = true;
    for (const live of this.#live) live.socket?.unref();
  }
  /** Aborts all requests and closes all connections. */
  close(): void {
    this.#isClosed = true;
    for (const live of this.#live) live.destroy(aborted());
    this.#agent.destroy();
  }
  async closed(): Promise<void> {
    await Promise.all([...this.#live].map((live) => new Promise((resolve) => live.once('close', resolve))));
  }

  /**
   * Sends a request with credentials. When its login was refused, sends it again with a new token, `mostLogins`
   * times in all, because the server has not worked on a refused request.
   */
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
  #stepNow(step: Waits['for']): Step {
    return { for: step, since: this.#around.now() };
  }
  #unreached(cause: string, isReached: boolean): Unreached {
    return new Unreached(cause, isReached, this.#isProxied);
  }
  #go(sending: Sending, url: URL, state: Attempt, then: Then): void {
    const { method, body } = sending;
    const { reject } = then;
    if (this.#isClosed || state.isAborted) return reject(this.#unreached('ECONNABORTED', state.isReached));
    const ask: OpenRequest =
      this.#around.openRequest ?? (url.protocol === 'https:' ? secureRequest : request);
    let asked: ClientRequest;
    try {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const headers = {
        ...this.#defaults,
        ...this.#headers,
        ...ownOver(this.#headers, { ...sending.headers, ...length }),
      };
      const failure = unsendable(headers);
      if (failure) return reject(new Refused(failure, 'unsent'));
      const agent = url.protocol === this.url.protocol && this.#agent;
      asked = ask(url, { method, headers, agent, ...this.#trust });
    } catch (error) {
      return reject(this.#unreached(causeOf(error), false));
    }
    state.request = asked;
    this.#live.add(asked);
    const timer =
      this.#timeoutMs > 0 && this.#around.timers.setTimeout(() => asked.destroy(timedOut()), this.#timeoutMs);
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
      const target = redirectOf(answer, url, method);
      if (!target || then.followed >= mostRedirects) return then.resolve(answer);
      answer.resume();
      isElsewhere = true;
      this.#go(sending, target, state, { ...then, followed: then.followed + 1 });
    });
    asked.on('error', (error) => reject(this.#unreached(causeOf(error), state.isReached)));
    asked.on('close', () => {
      inTime();
      this.#live.delete(asked);
      if (!isElsewhere) reject(this.#unreached('ECONNRESET', state.isReached));
    });
    asked.end(body);
  }
}
/** Creates the agent for connections: through a proxy, `https:` is tunnelled and `http:` is requested by its whole URL. */
function agentFor({ protocol }: URL, proxy: string | undefined): Agent {
  const options = { keepAlive: true, timeout: idleMs };
  const isSecure = protocol === 'https:';
  if (proxy === undefined) return isSecure ? new SecureAgent(options) : new Agent(options);
  return isSecure ? new HttpsProxyAgent(proxy, options) : new HttpProxyAgent(proxy, options);
}
interface HttpAround {
  readonly timers: Timers;
  /** Clock in ms since 1970. */
  readonly now: () => number;
  readonly userAgent: string;
  readonly openRequest?: OpenRequest | undefined;
}
interface HttpOptions {
  readonly proxy?: string | undefined;
  readonly ca?: string | undefined;
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
  readonly reject: (error: Unreached | Refused) => void;
  readonly followed: number;
}

/**
 * Returns a failure for the first header that HTTP cannot carry, with the position of the bad character; the
 * value itself stays hidden.
 */
function unsendable(headers: Readonly<Record<string, string>>): Failure | undefined {
  for (const [name, value] of Object.entries(headers)) {
    const at = value.search(/[^\t\x20-\x7e\x80-\xff]/);
    if (at < 0) continue;
    const char = `U+${(value.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
    return notStartable(
      `its header ${JSON.stringify(name)} cannot be sent: character ${at + 1} of its value is ${char}`,
      'write the value of this header again, without what a copy from a document has brought along',
    );
  }
  return undefined;
}

const withCode = (code: string): Error => Object.assign(new Error(code), { code });
const aborted = (): Error => withCode('ECONNABORTED');
const timedOut = (): Error => withCode('ETIMEDOUT');

/** Returns our own headers, which win over those of the user, with the spelling of the names that the user chose. */
function ownOver(
  users: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const names = new Map(Object.keys(users).map((name) => [name.toLowerCase(), name]));
  return Object.fromEntries(Object.entries(own).map(([name, value]) => [names.get(name) ?? name, value]));
}

/**
 * Returns the target of a redirect that may be followed: only on the same origin, because the headers carry
 * secrets, and with a body only for 307 and 308.
 */
function redirectOf(answer: IncomingMessage, from: URL, method: string): URL | undefined {
  const { statusCode = 0, headers } = answer;
  const keepsMethod = statusCode === 307 || statusCode === 308;
  if (!keepsMethod && !(method === 'GET' && [301, 302, 303].includes(statusCode))) return undefined;
  if (headers.location === undefined || !URL.canParse(headers.location, from.href)) return undefined;
  const target = new URL(headers.location, from);
  return target.origin === from.origin && !target.username ? target : undefined;
}

/**
 * Returns the proxy that the variables of this process (`https_proxy`, `no_proxy` …) name for a URL; undefined
 * when there is none.
 */
export const proxyFromEnvironment = (url: string): string | undefined => {
  const proxy = getProxyForUrl(url);
  return proxy === '' || !URL.canParse(proxy) ? undefined : proxy;
};
