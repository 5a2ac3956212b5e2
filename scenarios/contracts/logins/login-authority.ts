import { text } from 'node:stream/consumers';
import type { LoginConfig } from '../../../adapters/oauth/login-options.ts';
import type { Authorize } from '../../../adapters/mcp/http/login.ts';
import { Login } from '../../../adapters/oauth/login.ts';
import { memoryLogins } from '../../../adapters/oauth/login-store.ts';
import { waitingTimers } from '../../../adapters/clock.ts';
import { Http } from '../../../adapters/mcp/http/http.ts';
import type { Place } from '../../../adapters/mcp/http/place.ts';
import { servedUrl } from '../../fixtures/local-server.ts';

export const httpTo = (url: string | URL, place: Place = {}): Http =>
  new Http(
    { url: new URL(url), headers: {}, timeoutMs: 0, place },
    { timers: waitingTimers, now: () => Date.now(), userAgent: 'test' },
  );

export const never = new AbortController().signal;
export const noNews = { shown: (): void => {}, returned: (): void => {} };
/** A person whose browser comes back at once. */
export const agrees: Authorize = ({ url }) => {
  const { searchParams } = new URL(url);
  const back = new URL(searchParams.get('redirect_uri') ?? '');
  back.searchParams.set('code', 'k');
  back.searchParams.set('state', searchParams.get('state') ?? '');
  return back;
};
type Said = Readonly<Record<string, unknown>> | string;
export type Answers = (url: string) => {
  /** Members of the resource metadata that differ; `undefined` removes a member. */
  readonly resource?: Said;
  readonly authority?: Said;
  /** Issuer of the authorization server; the URL of the server by default. */
  readonly issuer?: string;
  readonly registration?: Said;
  readonly token?: Said;
  readonly status?: number;
  /** Returns the HTTP status of the login page for a client. */
  readonly page?: (client: string | null) => number;
};

const without = (value: object): object => JSON.parse(JSON.stringify(value)) as object;
const bodyOf = (usual: object, said: Said | undefined): string =>
  typeof said === 'string' ? said : JSON.stringify(without({ ...usual, ...said }));

/** Also its own authorization server, whose login page agrees at once. */
export async function startAuthority(answers: Answers) {
  const sent = {
    registered: [] as object[],
    pages: [] as URLSearchParams[],
    tokens: [] as URLSearchParams[],
  };
  const url = await servedUrl((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', url);
    const now = answers(url);
    const { issuer = url } = now;
    const say = (body: string, status = 200): void => {
      response
        .writeHead(status, body.startsWith('{') ? { 'content-type': 'application/json' } : {})
        .end(body);
    };
    if (pathname.startsWith('/.well-known/oauth-protected-resource'))
      return say(bodyOf({ resource: `${url}/mcp`, authorization_servers: [issuer] }, now.resource));
    if (
      pathname === `/.well-known/oauth-authorization-server${new URL(issuer).pathname}`.replace(/\/$/, '')
    ) {
      const [authorization_endpoint, token_endpoint] = [`${url}/authorize`, `${url}/token`];
      const usual = {
        issuer,
        authorization_endpoint,
        token_endpoint,
        registration_endpoint: `${url}/register`,
      };
      return say(bodyOf({ ...usual, response_types_supported: ['code'] }, now.authority));
    }
    if (pathname === '/authorize') {
      sent.pages.push(searchParams);
      const status = now.page?.(searchParams.get('client_id')) ?? 200;
      return say(status === 200 ? '<html>agree?' : '{"message":"Unrecognized client_id"}', status);
    }
    void text(request).then((body) => {
      if (pathname === '/register') {
        sent.registered.push(JSON.parse(body) as object);
        const client_id = `c${sent.registered.length}`;
        return say(bodyOf({ ...(JSON.parse(body) as object), client_id }, now.registration), now.status);
      }
      if (pathname !== '/token') return say('<html>nothing here', 404);
      sent.tokens.push(new URLSearchParams(body));
      const usual = {
        access_token: `access-${sent.tokens.length}`,
        token_type: 'Bearer',
        refresh_token: `refresh-${sent.tokens.length}`,
      };
      say(bodyOf(usual, now.token), now.status);
    });
  });
  return { url, sent };
}
type Authority = Awaited<ReturnType<typeof startAuthority>>;

interface Attempted {
  readonly token: string | undefined;
  readonly why: string;
  readonly remedy: unknown;
}
export function loginTo({ url }: Authority, config: LoginConfig = {}, path = '/mcp') {
  let now = 0;
  const login = new Login({
    server: 'far',
    url: url + path,
    config,
    store: memoryLogins(),
    authorize: agrees,
    hide: () => {},
    now: () => now,
  });
  const attempt = async (): Promise<Attempted> => {
    const failed = await login
      .login(noNews, never)
      .catch((error: unknown) => error as Error & { readonly remedy?: unknown });
    return {
      token: await login.token(),
      why: failed?.message.replaceAll(url, 'O') ?? '',
      remedy: failed?.remedy,
    };
  };
  const refused = (token: string): Promise<boolean> => {
    now += 3_600_000;
    return login.challenged({ status: 401, header: undefined, token, isFirst: true });
  };
  return { attempt, refused };
}
export async function attempted(answers: Answers, config?: LoginConfig, path?: string) {
  const authority = await startAuthority(answers);
  return { ...(await loginTo(authority, config, path).attempt()), ...authority };
}
