import type { Logins, LoginsOptions } from './logins.ts';
import type { Servers } from './servers.ts';
import type { RemoteSpec } from './render.ts';
import { during } from '../../adapters/clock.ts';
import { lazyPort } from '../../adapters/lazy-port.ts';
import type { Credentials } from '../../adapters/mcp/http/remote.ts';
import type { LoggedOut } from '../../adapters/oauth/login-options.ts';
import { loginPort } from '../../machines/client/client.events.ts';
import type { RequestPort } from '../../machines/kernel/ports.ts';

/** Logins to servers, loaded with the first server that has a URL. */
export class LazyLogins {
  readonly #options: LoginsOptions;
  #loading: Promise<Logins> | undefined;

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
  #load(): Promise<Logins> {
    return (this.#loading ??= during(import('./logins.ts')).then(
      ({ Logins: Loaded }) => new Loaded(this.#options),
    ));
  }
  async of(server: string, spec: RemoteSpec): Promise<Credentials | undefined> {
    return (await this.#load()).of(server, spec);
  }
  async logOut(servers: Servers, name: string): Promise<LoggedOut> {
    const { logOut } = await during(import('./logins.ts'));
    return logOut(servers, await this.#load(), name);
  }
  async close(): Promise<void> {
    (await this.#loading)?.close();
  }
}
