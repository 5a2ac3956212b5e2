import { lookup as lookUp, type LookupAddress } from 'node:dns';
import { request, type IncomingMessage } from 'node:http';
import { request as secureRequest } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { Unpackable, unpacked } from '../unpacked.ts';

/** Largest answer in bytes; metadata and token answers are always smaller. */
const mostBytes = 256 * 1024;
const answerMs = 10_000;
const brokenOff = 'the answer was broken off';

/**
 * Address ranges that an unknown server must not make this host connect to: loopback, private, link-local, shared,
 * unspecified, multicast.
 */
const inside = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['224.0.0.0', 3],
] as const)
  inside.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of [
  ['::', 127],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  inside.addSubnet(net, bits, 'ipv6');
/** Tells whether an IP address is in a private range; IPv4 written as IPv6 is judged as IPv4. */
export const isInside = (address: string): boolean =>
  inside.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Advice for a failed login: put a client or an issuer into the config, or start the login again. */
export type Remedy = 'clientId' | 'issuer' | 'again';
/**
 * Error that gives the reason for a failed login; its message holds nothing from a foreign server except
 * addresses and names of members.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly remedy: Remedy | undefined;

  constructor(message: string, remedy?: Remedy) {
    super(message);
    this.remedy = remedy;
  }
}
const bare = (host: string): string => host.replace(/^\[|\]$/g, '');

/** Tells whether a host name is on this machine or in a private network; false when it cannot be resolved. */
function isHostInside(host: string): Promise<boolean> {
  if (isIP(bare(host))) return Promise.resolve(isInside(bare(host)));
  return new Promise((resolve) => {
    lookUp(host, { all: true }, (error, all) =>
      resolve(!error && all.some(({ address }) => isInside(address))),
    );
  });
}

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Returns a fetch function for addresses that an untrusted server names: metadata, registration, tokens.
 * Addresses in private networks are allowed only when the server itself is in one, plain HTTP only when the
 * server itself uses it; the address that was checked is the one that is connected to. Redirects are not
 * followed, and answers are limited in size and time.
 */
export function guardedFetch(server: URL, signal: AbortSignal, timeoutMs = answerMs): Fetch {
  let mayGoInside: Promise<boolean> | undefined;
  return async (to, init = {}) => {
    const url = new URL(to);
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && server.protocol === 'http:'))
      throw new Refusal(`${url.origin} is no https:// address, and is not asked about a login`);
    mayGoInside ??= isHostInside(server.hostname);
    const mayEnter = await mayGoInside;
    const refused = (): Refusal =>
      new Refusal(`${url.host} is in a private network, where the server itself is not`);
    if (isIP(bare(url.hostname)) && !mayEnter && isInside(bare(url.hostname))) throw refused();
    const lookup: LookupFunction = (host, options, done) => {
      lookUp(host, { ...options, all: true }, (error, found) => {
        const all: LookupAddress[] = error ? [] : found;
        const [first] = all;
        if (error || !first) return done(error ?? new Error('ENOTFOUND'), '', 4);
        if (!mayEnter && all.some(({ address }) => isInside(address))) return done(refused(), '', 4);
        if (options.all) (done as unknown as (e: null, all: LookupAddress[]) => void)(null, all);
        else done(null, first.address, first.family);
      });
    };
    return exchanged(url, init, lookup, { signal, timeoutMs }).catch((error: unknown) => {
      throw unanswered(url, error);
    });
  };
}

const mostRedirects = 5;
/**
 * Returns a fetch function that follows redirects within one origin; a request with a body is only redirected
 * with 307 and 308. Other redirects are returned as the answer.
 */
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
  if (location === null || !URL.canParse(location, from)) return undefined;
  const to = new URL(location, from);
  const isSecured =
    from.protocol === 'http:' && to.protocol === 'https:' && from.port === '' && to.port === '';
  const isSame = to.hostname === from.hostname && (to.origin === from.origin || isSecured);
  return isSame && to.username === '' && to.password === '' ? to : undefined;
}

const isAbort = (error: unknown): boolean => (error as { readonly code?: unknown }).code === 'ABORT_ERR';
function unanswered({ origin }: URL, error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const { code } = error as { readonly code?: unknown };
  return new Refusal(
    isAbort(error)
      ? `${origin} gave no answer in time`
      : `${origin} cannot be reached${typeof code === 'string' ? ` (${code})` : ''}`,
  );
}

interface Around {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}
function exchanged(
  url: URL,
  init: RequestInit,
  lookup: LookupFunction,
  { signal, timeoutMs }: Around,
): Promise<Response> {
  const headers = Object.fromEntries(new Headers(init.headers));
  const body = init.body === undefined || init.body === null ? undefined : bodyOf(init.body);
  return new Promise((resolve, reject) => {
    const ask = url.protocol === 'https:' ? secureRequest : request;
    const asked = ask(url, {
      method: init.method ?? 'GET',
      headers: {
        'accept-encoding': 'identity',
        'user-agent': 'a2c-actors',
        ...headers,
        ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
      },
      lookup,
      agent: false,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    // Rejects with the error of Node, which is no `TypeError`, because the SDK takes a `TypeError` for a CORS problem of
    // browsers and asks once more.
    asked.on('error', reject);
    asked.on('response', (answer) => {
      read(answer).then((text) => resolve(responseOf(answer, text)), reject);
    });
    asked.end(body);
  });
}
const bodyOf = (body: NonNullable<RequestInit['body']>): string =>
  body instanceof URLSearchParams ? body.toString() : typeof body === 'string' ? body : '';

async function read(answer: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of unpacked(answer) as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > mostBytes) throw new Refusal(`the answer is larger than ${mostBytes} bytes`);
      parts.push(part);
    }
  } catch (error) {
    if (error instanceof Unpackable) throw new Refusal(`the answer ${error.message}`);
    if (error instanceof Refusal || isAbort(error)) throw error;
    throw new Refusal(brokenOff);
  } finally {
    answer.destroy();
  }
  if (!answer.complete) throw new Refusal(brokenOff);
  return Buffer.concat(parts);
}
function responseOf({ statusCode = 500, headers }: IncomingMessage, body: Buffer): Response {
  const status = statusCode >= 200 && statusCode <= 599 ? statusCode : 500;
  const plain = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  const hasBody = ![204, 205, 304].includes(status);
  return new Response(hasBody ? new Uint8Array(body) : null, { status, headers: plain });
}
