import type { IncomingMessage } from 'node:http';
import { readBody } from '../mcp/bodies.ts';
import { causeWords, isUnsigned, remedyFor } from '../mcp/http/http-failures.ts';
import { type Http, Inside, Unreached } from '../mcp/http/http.ts';

/** Largest answer in bytes; metadata and token answers are always smaller. */
const mostBytes = 256 * 1024;
const answerMs = 10_000;

/** Put a client or an issuer into the config, start anew, log in, or have the owner correct the servers. */
export type Remedy = 'clientId' | 'issuer' | 'again' | 'login' | 'owner' | { readonly words: string };
/** Its message holds nothing from a foreign server except addresses and names of members. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly remedy: Remedy | undefined;

  constructor(message: string, remedy?: Remedy) {
    super(message);
    this.remedy = remedy;
  }
}

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** `named`: by an untrusted server, so private networks and plain HTTP only where the server itself uses them. */
export function guardedFetch(
  http: Http,
  signal: AbortSignal,
  { timeoutMs = answerMs, login = 'named' }: { timeoutMs?: number; login?: 'named' | 'given' } = {},
): Fetch {
  return async (to, init = {}) => {
    const url = new URL(to);
    const isPlain = url.protocol === 'http:' && (http.url.protocol === 'http:' || login === 'given');
    if (url.protocol !== 'https:' && !isPlain)
      throw new Refusal(`${url.origin} is no https:// address, and is not asked about a login`, 'owner');
    const over = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const method = (init.method ?? 'GET') as 'GET' | 'POST';
    const headers = Object.fromEntries(new Headers(init.headers));
    const body = init.body ? { body: bodyOf(init.body) } : {};
    const { answer, abort } = http.send({ method, url, headers, ...body, login });
    over.addEventListener('abort', abort, { once: true });
    try {
      if (over.aborted) abort();
      const came = await answer;
      return responseOf(came, await read(came));
    } catch (error) {
      throw unanswered(url, error, over.aborted);
    } finally {
      over.removeEventListener('abort', abort);
    }
  };
}

const mostRedirects = 5;
/** A request with a body only for 307 and 308. Other redirects are returned as the answer. */
export function withinOrigin(fetch: Fetch): Fetch {
  const follow = async (url: URL, init: RequestInit, followed: number): Promise<Response> => {
    const answer = await fetch(url, { ...init, redirect: 'manual' });
    const target = redirectIn(answer, url, init.method ?? 'GET');
    return target && followed < mostRedirects ? follow(target, init, followed + 1) : answer;
  };
  return (url, init = {}) => follow(new URL(url), init, 0);
}
function redirectIn({ status, headers }: Response, from: URL, method: string): URL | undefined {
  const isFollowed =
    status === 307 || status === 308 || (method === 'GET' && [301, 302, 303].includes(status));
  const location = isFollowed ? headers.get('location') : null;
  if (location === null || !URL.canParse(location, from.href)) return undefined;
  const to = new URL(location, from);
  const isSecured =
    from.protocol === 'http:' && to.protocol === 'https:' && from.port === '' && to.port === '';
  const isSame = to.hostname === from.hostname && (to.origin === from.origin || isSecured);
  return isSame && to.username === '' && to.password === '' ? to : undefined;
}

function unanswered({ origin, host }: URL, error: unknown, isOver: boolean): Refusal {
  if (error instanceof Refusal && !isOver) return error;
  if (error instanceof Inside)
    return new Refusal(`${host} is in a private network, where the server itself is not`, 'owner');
  const { cause, isProxied } = error instanceof Unreached ? error : { cause: '', isProxied: false };
  const known = isProxied || isUnsigned(cause) ? remedyFor(cause, isProxied) : '';
  const words = known || `let this host reach ${origin}; where only a proxy does, name it as a2c.proxy`;
  return new Refusal(
    isOver ? `${origin} gave no answer in time` : `${origin} cannot be reached: ${causeWords(cause)}`,
    { words },
  );
}

const bodyOf = (body: NonNullable<RequestInit['body']>): string =>
  body instanceof URLSearchParams ? body.toString() : typeof body === 'string' ? body : '';

async function read(answer: IncomingMessage): Promise<string> {
  const body = await readBody(answer, mostBytes);
  if ('text' in body) return body.text;
  if ('unpackable' in body) throw new Refusal(`the answer ${body.unpackable}`);
  throw new Refusal(
    'overlong' in body ? `the answer is larger than ${mostBytes} bytes` : 'the answer was broken off',
  );
}
function responseOf({ statusCode = 500, headers }: IncomingMessage, body: string): Response {
  const status = statusCode >= 200 && statusCode <= 599 ? statusCode : 500;
  const plain = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  const hasBody = ![204, 205, 304].includes(status);
  return new Response(hasBody ? body : null, { status, headers: plain });
}
