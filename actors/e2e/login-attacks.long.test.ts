import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { metadataOf, startGuarded, type GuardedOptions } from '../../scenarios/fixtures/guarded-server.ts';
import { servedUrl } from '../../scenarios/fixtures/local-server.ts';
import type { ServerStatus } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';

/** Tests of hostile servers and authorization servers, against a host whose person opens every page. */
const json = (response: ServerResponse, body: object): true => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  return true;
};
const authorization = '/.well-known/oauth-authorization-server';

interface Attempt {
  /** Addresses of the pages that the person was shown. */
  readonly shown: readonly string[];
  /** Final pages in the browser of the person. */
  readonly pages: readonly { readonly status: number; readonly url: string }[];
  /** Status in which the server came to rest: ready, or without a login. */
  readonly rested: ServerStatus;
}
/** Connects to a hostile server and waits until it rests. */
async function attempt(instead: NonNullable<GuardedOptions['instead']>): Promise<Attempt> {
  const server = await startGuarded({ instead });
  const [shown, opened]: [string[], Promise<Response>[]] = [[], []];
  const computer = await bootedComputer({
    stateDir: false,
    config: { mcpServers: { far: { type: 'http', url: server.url, autoApprove: ['all'] } } },
    authorize: async ({ url }) => {
      shown.push(url);
      opened.push(fetch(url));
      await opened.at(-1);
    },
  });
  onTestFinished(() => computer.close());
  const isAtRest = ({ state, reason = '' }: Partial<ServerStatus>): boolean =>
    state === 'ready' ||
    state === 'open' ||
    (state === 'unauthorized' && !reason.includes('waits for a person'));
  const status = (): ServerStatus => computer.status().servers[0] as ServerStatus;
  if (!isAtRest(status()))
    await new Promise<void>((resolve) => {
      computer.on('server.changed', (now) => isAtRest(now) && resolve());
    });
  return { shown, pages: await Promise.all(opened), rested: status() };
}
/** Answers the login page with a changed redirect. */
const redirects =
  (change: (query: URLSearchParams) => void): NonNullable<GuardedOptions['instead']> =>
  ({ pathname, searchParams }, response) => {
    if (pathname !== '/authorize') return false;
    const back = new URL(searchParams.get('redirect_uri') ?? '');
    back.searchParams.set('code', 'stolen');
    back.searchParams.set('state', searchParams.get('state') ?? '');
    change(back.searchParams);
    response.writeHead(302, { location: back.href }).end();
    return true;
  };
describe('a login that somebody else takes part in', () => {
  it('sends a browser nowhere else: its end is a page of our own, whatever the redirect asks for', async () => {
    const { pages, rested } = await attempt(
      redirects((query) => {
        query.set('error', 'access_denied');
        query.set('error_uri', 'https://evil.test');
        query.set('redirect_uri', 'https://evil.test');
      }),
    );
    expect(rested.reason).toContain('the login was refused (access_denied)');
    expect(pages.map(({ status, url }) => [status, new URL(url).hostname])).toEqual([[200, '127.0.0.1']]);
  });
});

describe('an address that a server names', () => {
  it.each(['javascript:alert(1)', 'file:///etc/passwd', 'vscode://open', 'http://user@127.0.0.1/'])(
    'is not opened as a page: %s',
    async (page) => {
      const { shown, rested } = await attempt(
        ({ pathname }, response, url) =>
          pathname === authorization && json(response, { ...metadataOf(url), authorization_endpoint: page }),
      );
      expect([shown, rested.state]).toEqual([[], 'unauthorized']);
      expect(rested.reason).not.toContain(page);
    },
  );
});

describe('a token', () => {
  it.each([307, 308, 302, 301])('goes to no other origin after a redirect with HTTP %i', async (status) => {
    const heard: IncomingHttpHeaders[] = [];
    const other = await servedUrl(({ headers }, response) => {
      heard.push(headers);
      response.writeHead(200).end();
    });
    let isLoggedIn = false;
    const { rested } = await attempt(({ pathname }, response) => {
      if (pathname === '/token') isLoggedIn = true;
      if (pathname !== '/mcp' || !isLoggedIn) return false;
      response.writeHead(status, { location: `${other}/mcp` }).end();
      return true;
    });
    expect(rested.state).not.toBe('ready');
    expect(heard.filter(({ authorization: sent }) => sent !== undefined)).toEqual([]);
  });
});
