/** Login to a server by a person or by the host: what the host is asked, and what came of it. */
/** Request to the host for a JWT that proves its identity. */
export interface AssertionRequest {
  /** Name of the server in the config. */
  readonly server: string;
  /** Audience of the JWT: the issuer of the authorization server, or the token endpoint of the identity provider. */
  readonly audience: string;
  /** Signal that aborts after 10 s, and when the JWT is no longer needed. */
  readonly signal: AbortSignal;
}
/** Function of the host that returns a JWT; called once for each token. */
export type GiveAssertion = (request: AssertionRequest) => string | Promise<string>;
/** Request to show a person the login page of an authorization server. */
export interface AuthorizeRequest {
  /** Name of the server in the config. */
  readonly server: string;
  /** Address of the page, http or https. */
  readonly url: string;
  /** Text that the person enters at the page, which may be opened on any device (`oauth.grant: "device_code"`). */
  readonly code?: string;
  /** Signal that aborts when the login is no longer awaited. */
  readonly signal: AbortSignal;
}
/**
 * Function of the host that shows a login page. Resolves with the address that the page redirected to, if the
 * host saw it; otherwise the redirect is received on the loopback address.
 */
export type Authorize = (
  request: AuthorizeRequest,
) => string | URL | undefined | void | Promise<string | URL | undefined | void>;
/** Result of a logout. */
export interface LoggedOut {
  /** True when there were tokens, which are now forgotten. */
  readonly wasLoggedIn: boolean;
  /** True when the authorization server has revoked the tokens; false also when it does not say. */
  readonly isRevoked: boolean;
}
