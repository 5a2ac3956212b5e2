import type { HeldLogins, LoginsOptions } from '../extras.ts';
import type { RemoteSpec } from '../servers/render.ts';
import type { Servers } from '../servers/servers.ts';
import { extra } from '../extras.ts';
import { A2cError } from '../kernel/errors.ts';
import { lazyPort } from '../../adapters/lazy-port.ts';
import type { Credentials } from '../../adapters/mcp/http/remote.ts';
import { loginPort } from '../../machines/client/client.events.ts';
import type { RequestPort } from '../../machines/kernel/ports.ts';
import type { LoggedOut } from '../../adapters/mcp/http/login.ts';

/** Logins to servers, loaded with the first server that has a URL. */
export class LazyLogins {
  readonly #options: LoginsOptions;
  #loading: Promise<HeldLogins> | undefined;

  constructor(
    { hide, answer }: Pick<LoginsOptions, 'hide'> & { answer(target: string, port: RequestPort): void },
    { authorize, assertion }: Pick<Partial<LoginsOptions>, 'authorize' | 'assertion'>,
    stateDir: string | false,
  ) {
    this.#options = { stateDir, authorize, assertion, hide, now: () => Date.now() };
    answer(
      loginPort,
      lazyPort(async () => (await this.#load()).ask),
    );
  }
  #load(): Promise<HeldLogins> {
    return (this.#loading ??= extra('login').then(({ Logins }) => new Logins(this.#options)));
  }
  async of(server: string, spec: RemoteSpec): Promise<Credentials | undefined> {
    return (await this.#load()).of(server, spec);
  }
  /** Also for a server that was never started here. Rejects when its URL cannot be resolved. */
  async logOut(servers: Servers, name: string): Promise<LoggedOut> {
    const logins = await this.#load();
    const known = await logins.logout(name);
    if (known) return known;
    const resolved = await servers.resolveNow(name, new AbortController().signal);
    if (!resolved.ok) throw new A2cError(resolved.failure);
    return (await logins.logout(name)) ?? { wasLoggedIn: false, isRevoked: false };
  }
  async close(): Promise<void> {
    (await this.#loading)?.close();
  }
}
