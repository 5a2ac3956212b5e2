import { randomBytes } from 'node:crypto';
import { isOfAnother, mayAskFor, PersonNeeded } from './client-provider.ts';
import { scopeFor, startFlow, type FlowStart } from './flow.ts';
import { guardedFetch, Refusal } from './guarded-fetch.ts';
import { Loopback } from './loopback.ts';
import type { LoginNews } from './login-options.ts';
import type { Kept } from './login-store.ts';
import { codeIn, mustBeFrom } from './redirect-checks.ts';

/** A person logs in. A client that the authorization server has forgotten is registered again, once. */
export async function byPerson(kept: Kept, start: FlowStart, news: LoginNews): Promise<Kept> {
  try {
    return await once(kept, start, news);
  } catch (error) {
    if (!kept.client || start.options.config.clientId !== undefined || !isForgotten(error)) throw error;
    const { client: _, ...unknown } = kept;
    return once(unknown, start, news);
  }
}
/** Another client would be taken, or the same one of another login. */
export const isForgotten = (error: unknown): boolean => error instanceof Refusal && error.remedy === 'again';

async function once(kept: Kept, start: FlowStart, news: LoginNews): Promise<Kept> {
  const loopback = await Loopback.open(kept.port);
  try {
    return await through(loopback, kept, start, news);
  } finally {
    loopback.close();
  }
}
async function through(loopback: Loopback, kept: Kept, start: FlowStart, news: LoginNews): Promise<Kept> {
  const { redirectUri } = loopback;
  const { found, options, signal } = start;
  const port = Number(new URL(redirectUri).port);
  const state = randomBytes(32).toString('base64url');
  // With its tokens the flow would renew and ask nobody; registered for another port, for less, or elsewhere, we are nobody there.
  const { tokens: _, client, ...rest } = kept;
  const isGiven = options.config.clientId !== undefined;
  const isSame =
    kept.port === port &&
    client !== undefined &&
    !isOfAnother(client, found) &&
    mayAskFor(client['scope'], scopeFor(kept, start));
  const before = { ...rest, port, ...((isGiven || isSame) && client && { client }) };
  const flow = await startFlow(before, { ...start, person: { redirectUri, state } });
  await flow.run();
  const { page } = flow;
  const server = new URL(options.url);
  if (!page) throw new Refusal('the authorization server showed no page');
  mustBeFrom(page, server);
  if (!isGiven && isSame) await mustKnowUs(page, server, signal);
  loopback.expect(state);
  const back = await redirected(loopback, page, start, news);
  news.returned();
  await flow.run(codeIn(back, { redirectUri, state, found }));
  return flow.kept;
}

/** How the page of an authorization server answers for a client that it does not know (RFC 6749 §4.1.2.1: no redirect). */
const unknownClient: readonly unknown[] = [400, 401, 404, 410, 422];
/** Asks for the page of a client of an earlier login, before a person would be shown an error that they cannot mend. */
async function mustKnowUs(page: URL, server: URL, signal: AbortSignal): Promise<void> {
  const ask = guardedFetch(server, signal);
  const answer = await ask(page, { headers: { accept: 'text/html' } }).catch(() => undefined);
  if (unknownClient.includes(answer?.status))
    throw new Refusal(`${page.origin} no longer knows this client`, 'again');
}

/** By the loopback redirect, or by a host that saw it itself; whichever comes first. */
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
