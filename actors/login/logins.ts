import type { RemoteSpec } from '../servers/render.ts';
import type { HeldLogins, LoginsOptions } from '../extras.ts';
import { proxyFor } from '../servers/surroundings.ts';
import { asksNobody, PersonNeeded, type LoginConfig } from '../../adapters/oauth/login-options.ts';
import type { LoggedOut } from '../../adapters/mcp/http/login.ts';
import { keyringIfAny } from '../../adapters/storage/keyring.ts';
import { Login } from '../../adapters/oauth/login.ts';
import { memoryLogins, sharedLogins, type LoginStore } from '../../adapters/oauth/login-store.ts';
import { Refusal } from '../../adapters/oauth/guarded-fetch.ts';
import type { Credentials } from '../../adapters/mcp/http/remote.ts';
import { type LogIn } from '../../machines/client/client.events.ts';
import type { RequestPort } from '../../machines/kernel/ports.ts';
import type { Failure } from '../../machines/protocol/failure.ts';

export class Logins implements HeldLogins {
  readonly #options: LoginsOptions;
  readonly #store: LoginStore;
  readonly #logins = new Map<
    string,
    { readonly text: string; readonly login: Login; readonly config: LoginConfig }
  >();

  constructor(options: LoginsOptions) {
    const { stateDir } = options;
    this.#options = options;
    this.#store =
      stateDir === false ? memoryLogins() : sharedLogins(stateDir, () => keyringIfAny('a2c-actors logins'));
  }
  /** Undefined when the config has its own `Authorization` header. */
  of(
    server: string,
    { url, headers, oauth: config = {}, ca, proxies = {} }: RemoteSpec,
  ): Credentials | undefined {
    if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')) return undefined;
    const text = JSON.stringify([url, config, headers, ca, proxies]);
    const known = this.#logins.get(server);
    if (known?.text === text) return known.login;
    known?.login.close();
    const { authorize, assertion, hide, now } = this.#options;
    const login = new Login({
      server,
      url,
      config,
      headers,
      ca,
      proxyFor: (to) => proxyFor(to, proxies),
      authorize,
      assertion,
      now,
      // Keeps tokens of an assertion in memory only: the next assertion may name another user.
      store: config.grant === 'jwt_bearer' ? memoryLogins() : this.#store,
      hide: (secrets) => hide(server, secrets),
    });
    this.#logins.set(server, { text, login, config });
    return login;
  }
  /** Undefined when no request has asked for its credentials yet. */
  async logout(server: string): Promise<LoggedOut | undefined> {
    return this.#logins.get(server)?.login.logout();
  }
  close(): void {
    for (const { login } of this.#logins.values()) login.close();
  }
  readonly ask: RequestPort = (_from, { id, params }, emit) => {
    const { server, said } = params as LogIn;
    const end = new AbortController();
    const unlessOver = (tell: () => void): void => {
      if (!end.signal.aborted) tell();
    };
    const refuse = (failure: Failure): void =>
      unlessOver(() => emit({ type: 'ask.refused', id, sent: false, failure }));
    const { login, config = {} } = this.#logins.get(server) ?? {};
    if (!login) {
      queueMicrotask(() => refuse(wrongHeader(server, said)));
      return () => end.abort();
    }
    const news = {
      shown: (origin: string) =>
        unlessOver(() => emit({ type: 'ask.progress', id, progress: 0, message: origin })),
      returned: () => unlessOver(() => emit({ type: 'ask.began', id })),
    };
    login.login(news, end.signal).then(
      () => unlessOver(() => emit({ type: 'ask.answered', id, result: {} })),
      (error: unknown) => refuse(notLoggedIn(server, config, error)),
    );
    return () => end.abort();
  };
}

/** Returns the reason of a failed login. The texts of unknown errors are not passed on. */
const wordsOf = (error: unknown): string =>
  error instanceof Refusal || error instanceof PersonNeeded
    ? error.message
    : 'its authorization server cannot be used, for a reason that is not known here';
const remedyFor = (server: string, config: LoginConfig, error: unknown): string => {
  const { remedy } = error instanceof Refusal ? error : {};
  const again = asksNobody(config)
    ? `start it again: startServer('${server}'); in the prompt: start ${server}`
    : `log in: a2c login ${server}`;
  if (typeof remedy === 'object')
    return `${remedy.words.replace(/^[a-z]/, (first) => first.toUpperCase())}, then ${again}`;
  if (remedy === 'owner')
    return `Have the owner of server '${server}' correct it; another login would fail in the same way.`;
  if (remedy === 'issuer')
    return `If that is the right one, write that issuer, as it is, as oauth.issuer of server '${server}'.`;
  if (remedy === 'again') return `Log in from the start: a2c login ${server} --again`;
  if (remedy === 'clientId')
    return `Register a client there by hand, and name it as oauth.clientId of server '${server}', with oauth.clientSecret if it has one.`;
  return asksNobody(config)
    ? `Correct oauth of this server, or what it is given, then ${again}`
    : `Log in: a2c login ${server}`;
};
const notLoggedIn = (server: string, config: LoginConfig, error: unknown): Failure => ({
  code: 'Unauthorized',
  message: `Server '${server}' wants a login (HTTP 401): ${wordsOf(error)}`,
  details: { server_name: server, http_status: 401 },
  remedy: remedyFor(server, config, error),
});
const wrongHeader = (server: string, said?: string): Failure => ({
  code: 'Unauthorized',
  message: `Server '${server}' wants a login (HTTP 401): it does not take the one in its headers${said === undefined ? '' : `, and says: ${said}`}`,
  details: { server_name: server, http_status: 401 },
  remedy: 'Give this server a valid token in its headers, or remove that header and log in.',
});
