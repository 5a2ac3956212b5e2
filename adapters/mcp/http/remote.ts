import type { Transport } from '@modelcontextprotocol/client';
import type { Place } from './place.ts';

/** Login of one server: signs requests and renews tokens. */
export interface Credentials {
  /**
   * Returns the headers that log in this request, with an access token that is renewed before it expires;
   * undefined without a login.
   */
  signed(request: { readonly method: string; readonly url: URL }): Promise<Signed | undefined>;
  /** Place of the server, as its connections have it. */
  readonly place?: Place;
  /** Remembers the nonce that the server sent with an answer (`DPoP-Nonce`) and expects in the next request. */
  noted(nonce: string): void;
  /**
   * Handles a refusal with 401 or 403; returns true when there is another token now, so that the request may
   * be sent once more. `header`: the `WWW-Authenticate` of the refusal. `token`: token of the refused request.
   * `isFirst`: the request was sent for the first time.
   */
  challenged(refusal: {
    readonly status: number;
    readonly header: string | undefined;
    readonly token: string | undefined;
    readonly isFirst: boolean;
  }): Promise<boolean>;
}
interface Signed {
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
}
/** Address and HTTP settings of a remote MCP server. */
export interface Web {
  readonly url: string;
  /** Headers that every request carries, names and values unchanged; placeholders are filled in before. */
  readonly headers: Readonly<Record<string, string>>;
  /** Time-out in ms for connecting, and for the answer to messages other than requests; 0 for no limit. */
  readonly timeoutMs: number;
  /** Longest silence of an event stream in ms; afterwards it is opened again (streamable HTTP) or the server is pinged (SSE). */
  readonly sseReadTimeoutMs: number;
  /** URL (http:// or https://) of the proxy before the server; without it requests go directly. */
  readonly proxy?: string;
  /** PEM certificates of the authorities that are trusted for the certificate of the server, instead of those that Node knows. */
  readonly ca?: string;
  /** Login of the server; without it requests carry only `headers`. */
  readonly credentials?: Credentials;
}
export interface StreamableSpec extends Web {
  readonly kind: 'streamable';
  /** True when the session is ended with DELETE when it is closed. */
  readonly terminateOnClose: boolean;
  /** True when the URL was given without a type. A server that refuses the first POST is then tried as SSE, once. */
  readonly fallbackToSse?: boolean;
}
export interface SseSpec extends Web {
  readonly kind: 'sse';
}
/** Server inside this host, reached by one end of a linked pair such as `InMemoryTransport` of the SDK. */
export interface InMemorySpec {
  readonly kind: 'inmemory';
  connect(): Transport | Promise<Transport>;
}
/** Server behind a transport that the host provides. */
export interface OwnSpec {
  readonly kind: 'own';
  /**
   * Opens the connection; `signal` aborts when it is no longer wanted. A rejection gives the reason, and with
   * `isFinal: true` that another try without a change cannot help.
   */
  connect(signal: AbortSignal): Transport | Promise<Transport>;
}
/** Connection data of a server that needs no process. */
export type RemoteSpec = StreamableSpec | SseSpec | InMemorySpec | OwnSpec;
