import type { RemoteSpec } from './render.ts';
import type { Authorize, GiveAssertion, LoggedOut } from '../../adapters/mcp/http/login.ts';
import type { Credentials } from '../../adapters/mcp/http/remote.ts';
import type { RequestPort } from '../../machines/kernel/ports.ts';

export interface LoginsOptions {
  /** `false` keeps logins in memory, until this host ends. */
  readonly stateDir: string | false;
  readonly authorize: Authorize | undefined;
  /** JWT for a server whose config has none. */
  readonly assertion: GiveAssertion | undefined;
  readonly hide: (server: string, secrets: readonly string[]) => void;
  readonly now: () => number;
}
/** Logins of one host. */
export interface HeldLogins {
  readonly ask: RequestPort;
  /** Undefined when the config has its own `Authorization` header. */
  of(server: string, spec: RemoteSpec): Credentials | undefined;
  /** Undefined when no request has asked for its credentials yet. */
  logout(server: string): Promise<LoggedOut | undefined>;
  close(): void;
}
