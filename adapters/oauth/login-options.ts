import type { GiveAssertion } from './proofs/assertion.ts';
import type { LoginConfig } from './client-provider.ts';
import type { LoginStore } from './login-store.ts';

/** Shows a person the page of an authorization server. */
export interface AuthorizeRequest {
  /** Its name in the config. */
  readonly server: string;
  /** The page, an http(s) address. */
  readonly url: string;
  /** Aborts when nobody waits for the login any more. */
  readonly signal: AbortSignal;
}
/** Resolves with the address that the page redirected to, where the host saw it; else the loopback redirect brings it. */
export type Authorize = (
  request: AuthorizeRequest,
) => string | URL | undefined | void | Promise<string | URL | undefined | void>;

export interface LoginOptions {
  readonly server: string;
  readonly url: string;
  readonly config: LoginConfig;
  readonly store: LoginStore;
  readonly authorize: Authorize | undefined;
  /** Gives the JWT of a `jwt_bearer` whose config names none. */
  readonly assertion?: GiveAssertion | undefined;
  /** Texts that nobody may see, before anybody could. */
  readonly hide: (secrets: readonly string[]) => void;
  /** Hears what an authorization server writes otherwise than the standard does, where that changes nothing. */
  readonly noted?: (text: string) => void;
  readonly now: () => number;
}
/** What a login that needs a person tells on its way. */
export interface LoginNews {
  /** The page is shown; `origin`: of whom. */
  readonly shown: (origin: string) => void;
  /** The person came back. */
  readonly returned: () => void;
}
/** What a request is sent with. */
export interface Signed {
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
}
/** A request that the server refused. */
export interface Refused {
  readonly status: number;
  /** Its `WWW-Authenticate`. */
  readonly header: string | undefined;
  /** What it was sent with. */
  readonly token: string | undefined;
  /** It was not sent before. */
  readonly isFirst: boolean;
}
/** What came of a logout. */
export interface LoggedOut {
  /** There were tokens, which are forgotten now. */
  readonly wasLoggedIn: boolean;
  /** Its authorization server takes them no more. False also where it does not say. */
  readonly isRevoked: boolean;
}
