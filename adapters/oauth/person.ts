/** Logins that need a person: a page with a redirect to this host, or a code for another device. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { scopeFor, startFlow, type FlowStart } from './flow.ts';
import { guardedFetch, Refusal, type Fetch } from './guarded-fetch.ts';
import {
  codeEndpoint,
  codeIn,
  isOfAnother,
  mayAskFor,
  mustBeFrom,
  PersonNeeded,
  type LoginNews,
} from './login-options.ts';
import type { StoredLogin } from './login-store.ts';

const path = '/callback';
const page = (text: string): string =>
  `<!doctype html><meta charset="utf-8"><title>a2c</title><p>${text}</p>`;
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'",
  connection: 'close',
} as const;

/** Only the first redirect with the expected state counts; all other requests change nothing. */
export class Loopback {
  readonly redirectUri: string;
  readonly redirected: Promise<URL>;
  readonly #server: Server;
  #state: string | undefined;

  private constructor(server: Server) {
    this.#server = server;
    const { port } = server.address() as AddressInfo;
    this.redirectUri = `http://127.0.0.1:${port}${path}`;
    this.redirected = new Promise((resolve) => {
      server.on('request', (request, response) => {
        const url = new URL(request.url ?? '/', this.redirectUri);
        // Refuses a request under another host name, which may come from a foreign web page (DNS rebinding).
        const isOurs = request.headers.host === `127.0.0.1:${port}` && request.method === 'GET';
        if (!isOurs || url.pathname !== path || this.#state === undefined) {
          response.writeHead(404, headers).end(page('Nothing is here.'));
          return;
        }
        if (url.searchParams.get('state') !== this.#state) {
          response.writeHead(400, headers).end(page('This is not the login that a2c waits for.'));
          return;
        }
        this.#state = undefined;
        const isRefused = url.searchParams.has('error');
        const said = isRefused ? 'The login was refused.' : 'a2c has what it needs.';
        response.writeHead(200, headers).end(page(`${said} You can close this page.`));
        resolve(url);
      });
    });
  }
  /** At another port when this one is in use. */
  static async open(port = 0): Promise<Loopback> {
    const server = createServer();
    const listening = once(server, 'listening');
    server.listen({ port, host: '127.0.0.1' });
    try {
      await listening;
    } catch (error) {
      if (port === 0) throw error;
      return Loopback.open();
    }
    return new Loopback(server);
  }
  expect(state: string): void {
    this.#state = state;
  }
  close(): void {
    this.#server.close();
    this.#server.closeIdleConnections();
  }
}

/** A client that the authorization server has forgotten is registered again, once. */
export async function byPerson(kept: StoredLogin, start: FlowStart, news: LoginNews): Promise<StoredLogin> {
  const { options, found } = start;
  const login = async (before: StoredLogin): Promise<StoredLogin> =>
    (codeEndpoint(options.config, found) !== undefined && (await throughCode(before, start, news))) ||
    loginThroughPage(before, start, news);
  try {
    return await login(kept);
  } catch (error) {
    if (!kept.client || options.config.clientId !== undefined || !isForgotten(error)) throw error;
    const { client: _, ...unknown } = kept;
    return login(unknown);
  }
}
/** The client was forgotten; another try may succeed with another client or from the start. */
export const isForgotten = (error: unknown): boolean => error instanceof Refusal && error.remedy === 'again';

/** True for a client of this authorization server that may ask for what is needed. */
const fits = (kept: StoredLogin, start: FlowStart): boolean =>
  kept.client !== undefined &&
  !isOfAnother(kept.client, start.found) &&
  mayAskFor(kept.client['scope'], scopeFor(kept, start));

/** Undefined where this client is given no code: a page may do then. */
async function throughCode(
  { tokens: _, ...kept }: StoredLogin,
  start: FlowStart,
  news: LoginNews,
): Promise<StoredLogin | undefined> {
  const { authorize, config, server, url } = start.options;
  const { client, port: __, ...unknown } = kept;
  const gone = new AbortController();
  const signal = AbortSignal.any([start.signal, gone.signal]);
  let isShown = false;
  const showCode: FlowStart['showCode'] = ({ user_code: code, verification_uri }) => {
    const page = new URL(verification_uri);
    mustBeFrom(page, new URL(url));
    isShown = true;
    news.shown(page.origin);
    Promise.resolve()
      .then(() => authorize?.({ server, url: page.href, code, signal }))
      .catch((error: unknown) => gone.abort(error));
  };
  const isKnown = config.clientId !== undefined || fits(kept, start);
  const flow = await startFlow(isKnown ? kept : unknown, { ...start, signal, showCode });
  try {
    await flow.run();
  } catch (error) {
    if (gone.signal.aborted) throw gone.signal.reason;
    if (signal.aborted) throw new PersonNeeded('nobody has logged in');
    if (isShown || !(error instanceof Refusal) || (isForgotten(error) && client)) throw error;
    return undefined;
  } finally {
    gone.abort();
  }
  news.returned();
  return flow.kept;
}

async function loginThroughPage(kept: StoredLogin, start: FlowStart, news: LoginNews): Promise<StoredLogin> {
  const loopback = await Loopback.open(kept.port);
  try {
    return await through(loopback, kept, start, news);
  } finally {
    loopback.close();
  }
}
async function through(
  loopback: Loopback,
  kept: StoredLogin,
  start: FlowStart,
  news: LoginNews,
): Promise<StoredLogin> {
  const { redirectUri } = loopback;
  const { found, options, signal, http } = start;
  const port = Number(new URL(redirectUri).port);
  const state = randomBytes(32).toString('base64url');
  // Tokens would be renewed instead of asking the person; a client must fit the port, scopes and server.
  const { tokens: _, client, ...rest } = kept;
  const isGiven = options.config.clientId !== undefined;
  const isSame = kept.port === port && fits(kept, start);
  const before = { ...rest, port, ...((isGiven || isSame) && client && { client }) };
  const flow = await startFlow(before, { ...start, person: { redirectUri, state } });
  await flow.run();
  const { page } = flow;
  const server = new URL(options.url);
  if (!page) throw new Refusal('the authorization server showed no page');
  mustBeFrom(page, server);
  if (!isGiven && isSame) await mustKnowUs(page, guardedFetch(http, signal));
  loopback.expect(state);
  const back = await redirected(loopback, page, start, news);
  news.returned();
  await flow.run(codeIn(back, { redirectUri, state, found }));
  return flow.kept;
}

/** HTTP statuses with which a login page answers for an unknown client; such a client gets no redirect (RFC 6749 §4.1.2.1). */
const unknownClient: readonly unknown[] = [400, 401, 404, 410, 422];
/** So that no person sees an error about an unknown client. */
async function mustKnowUs(page: URL, ask: Fetch): Promise<void> {
  const answer = await ask(page, { headers: { accept: 'text/html' } }).catch(() => undefined);
  if (unknownClient.includes(answer?.status))
    throw new Refusal(`${page.origin} no longer knows this client`, 'again');
}

/** From the loopback server or from the host, whichever comes first. */
async function redirected(
  loopback: Loopback,
  page: URL,
  { options: { authorize, server }, signal }: FlowStart,
  news: LoginNews,
): Promise<URL> {
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
