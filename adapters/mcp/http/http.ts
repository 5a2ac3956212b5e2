import { HttpProxyAgent } from 'http-proxy-agent';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { getProxyForUrl } from 'proxy-from-env';
import type { Timers } from '../../clock.ts';
import { causeOf, notStartable } from './http-failures.ts';
import type { Credentials } from './remote.ts';
import { Refused } from '../transport.ts';
import type { Waits } from '../../../machines/kernel/ports.ts';
import type { Failure } from '../../../machines/protocol/failure.ts';

/** Most servers drop an idle connection after 5 s; one that drops it while we write has perhaps read the request. */
const idleMs = 2_000;
const mostRedirects = 5;
/** A request that is refused for its login is sent so often in all. */
const mostLogins = 3;

/** No answer, or not the whole of it. `isReached`: the connection stood, so the server may have read the request. */
export class Unreached extends Error {
  override readonly name = 'Unreached';
  override readonly cause: string;
  readonly isReached: boolean;
  /** It went through a proxy, which may be who was not reached. */
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
  /** Only connecting is bounded: nobody knows how long the server works before it answers. */
  readonly isPatient?: boolean;
}
export interface Exchange {
  /** Rejects with `Unreached`, or with `Refused` where a header cannot be sent. The body is the receiver's to read or to destroy. */
  readonly answer: Promise<IncomingMessage>;
  isReached(): boolean;
  abort(): void;
}

/**
 * HTTP with nothing hidden: no time-outs but `timeoutMs`, no retries, header names and values as they were given.
 * `fetch` has time-outs of its own (5 min for headers and between two chunks) and writes names in lower case.
 */
export class Http {
  readonly url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;
  readonly #defaults: Readonly<Record<string, string>>;
  readonly #credentials: Credentials | undefined;
  readonly #timers: Timers;
  readonly #agent: Agent;
  readonly #isProxied: boolean;
  readonly #trust: { readonly ca?: string };
  readonly #live = new Set<ClientRequest>();
  #last: Attempt | undefined;
  #isQuiet = false;
  #isClosed = false;

  /** `timeoutMs`: 0 is without limit. */
  constructor(
    { url, headers, timeoutMs, credentials, proxy, ca }: HttpOptions,
    { timers, userAgent }: { timers: Timers; userAgent: string },
  ) {
    // What is packed all the same is unpacked. Gateways turn away who does not say his name.
    this.#defaults = { 'accept-encoding': 'identity', 'user-agent': userAgent };
    this.url = url;
    this.#headers = headers;
    this.#timeoutMs = timeoutMs;
    this.#credentials = credentials;
    this.#timers = timers;
    this.#agent = agentFor(url, proxy);
    this.#isProxied = proxy !== undefined;
    this.#trust = ca === undefined ? {} : { ca };
  }

  send(sending: Sending): Exchange {
    const state: Attempt = { isReached: false, isAborted: false, step: stepNow('connection') };
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
  /** Of the request that was sent last. */
  get step(): Step | undefined {
    return this.#last?.step;
  }
  /** What is still under way keeps no host alive. */
  rest(): void {
    this.#isQuiet = true;
    for (const live of this.#live) live.socket?.unref();
  }
  /** Cuts everything. */
  close(): void {
    this.#isClosed = true;
    for (const live of this.#live) live.destroy(aborted());
    this.#agent.destroy();
  }
  async closed(): Promise<void> {
    await Promise.all([...this.#live].map((live) => new Promise((resolve) => live.once('close', resolve))));
  }

  /** Refused for its login, it has not been worked on: with another token it may go out again. */
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
  #unreached(cause: string, isReached: boolean): Unreached {
    return new Unreached(cause, isReached, this.#isProxied);
  }
  #go(sending: Sending, url: URL, state: Attempt, then: Then): void {
    const { method, body } = sending;
    const { reject } = then;
    if (this.#isClosed || state.isAborted) return reject(this.#unreached('ECONNABORTED', state.isReached));
    const ask = url.protocol === 'https:' ? secureRequest : request;
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
      this.#timeoutMs > 0 && this.#timers.setTimeout(() => asked.destroy(timedOut()), this.#timeoutMs);
    const inTime = (): void => this.#timers.clearTimeout(timer);
    asked.on('socket', (socket) => {
      const reached = (): void => {
        state.isReached = true;
        state.step = stepNow('headers');
        if (sending.isPatient) inTime();
      };
      // For TLS the bytes of the request leave after its own handshake.
      if (!socket.connecting) reached();
      else socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', reached);
      if (this.#isQuiet) socket.unref();
      else socket.ref();
    });
    let isElsewhere = false;
    asked.on('response', (answer) => {
      inTime();
      state.step = stepNow('initialize');
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
/** Through a proxy `https:` is tunnelled, and `http:` is asked for by its whole URL. */
function agentFor({ protocol }: URL, proxy: string | undefined): Agent {
  const options = { keepAlive: true, timeout: idleMs };
  const isSecure = protocol === 'https:';
  if (proxy === undefined) return isSecure ? new SecureAgent(options) : new Agent(options);
  return isSecure ? new HttpsProxyAgent(proxy, options) : new HttpProxyAgent(proxy, options);
}
interface HttpOptions {
  readonly proxy?: string | undefined;
  readonly ca?: string | undefined;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly credentials?: Credentials | undefined;
}
/** What it waits for, since when; of the first request, which is `initialize` or opens the stream for it. */
interface Step {
  readonly for: Waits['for'];
  readonly since: number;
}
const stepNow = (step: Waits['for']): Step => ({ for: step, since: Date.now() });
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

/** Names the first header that HTTP cannot carry, and where in its value, which stays hidden. */
function unsendable(headers: Readonly<Record<string, string>>): Failure | undefined {
  for (const [name, value] of Object.entries(headers)) {
    const at = value.search(/[^\t\x20-\x7e\x80-\xff]/);
    if (at < 0) continue;
    const char = `U+${(value.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
    return notStartable(
      `its header ${JSON.stringify(name)} cannot be sent: character ${at + 1} of its value is ${char}`,
      'write the value of this header anew, without what a copy from a document has brought along',
    );
  }
  return undefined;
}

const withCode = (code: string): Error => Object.assign(new Error(code), { code });
const aborted = (): Error => withCode('ECONNABORTED');
const timedOut = (): Error => withCode('ETIMEDOUT');

/** Ours win over the user's, under the name that the user gave them. */
function ownOver(
  users: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const names = new Map(Object.keys(users).map((name) => [name.toLowerCase(), name]));
  return Object.fromEntries(Object.entries(own).map(([name, value]) => [names.get(name) ?? name, value]));
}

/** Followed only to the same origin, because the headers carry secrets; a body goes along only where it may. */
function redirectOf(answer: IncomingMessage, from: URL, method: string): URL | undefined {
  const { statusCode = 0, headers } = answer;
  const keepsMethod = statusCode === 307 || statusCode === 308;
  if (!keepsMethod && !(method === 'GET' && [301, 302, 303].includes(statusCode))) return undefined;
  if (headers.location === undefined || !URL.canParse(headers.location, from.href)) return undefined;
  const target = new URL(headers.location, from);
  return target.origin === from.origin && !target.username ? target : undefined;
}

/** The proxy that the variables of this process (`https_proxy`, `no_proxy` …) name for a URL; undefined: none. */
export const proxyFromEnvironment = (url: string): string | undefined => {
  const proxy = getProxyForUrl(url);
  return proxy === '' || !URL.canParse(proxy) ? undefined : proxy;
};
