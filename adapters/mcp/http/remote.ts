import type { Transport } from '@modelcontextprotocol/client';

/** The login of one server. */
export interface Credentials {
  /** What this request is sent with besides, its access token renewed before it ends; undefined: there is none. */
  signed(request: { readonly method: string; readonly url: URL }): Promise<Signed | undefined>;
  /** The server gave this with an answer, and wants to read it in the next request (`DPoP-Nonce`). */
  noted(nonce: string): void;
  /**
   * The server refused a request with 401 or 403. True: there is another token now, so it may be sent once more.
   * `header`: its `WWW-Authenticate`. `token`: what the request was sent with. `isFirst`: it was not sent before.
   */
  challenged(refusal: {
    readonly status: number;
    readonly header: string | undefined;
    readonly token: string | undefined;
    readonly isFirst: boolean;
  }): Promise<boolean>;
}
export interface Signed {
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
}
/** Where a server listens for HTTP. */
export interface Web {
  readonly url: string;
  /** Sent as they are, names and values, with every request. Placeholders are rendered before. */
  readonly headers: Readonly<Record<string, string>>;
  /** Bounds connecting, and the headers of whatever is no question. 0: without limit. */
  readonly timeoutMs: number;
  /** An event stream that is silent for so long is opened again (streamable) or asked for a sign of life (SSE). */
  readonly sseReadTimeoutMs: number;
  /** The proxy that it is reached through: an http:// or https:// URL. Absent: none. */
  readonly proxy?: string;
  /** PEM: whose signature on its certificate is trusted, in the place of the authorities that Node knows. */
  readonly ca?: string;
  /** Without them requests go out with `headers` alone. */
  readonly credentials?: Credentials;
}
export interface StreamableSpec extends Web {
  readonly kind: 'streamable';
  /** The session ends with DELETE. */
  readonly terminateOnClose: boolean;
  /** The URL was given without a type: a server that refuses the first POST is tried as SSE, once. */
  readonly fallbackToSse?: boolean;
}
export interface SseSpec extends Web {
  readonly kind: 'sse';
}
/** A server inside this host, which gives our end of a linked pair, such as the SDK's `InMemoryTransport`. */
export interface InMemorySpec {
  readonly kind: 'inmemory';
  connect(): Transport | Promise<Transport>;
}
/** A kind of the host's own, which gives our end of a connection. */
export interface OwnSpec {
  readonly kind: 'own';
  /**
   * `signal` aborts when nobody wants it any more. A rejection says why there is none, and with `isFinal: true` that
   * trying again without a change cannot help.
   */
  connect(signal: AbortSignal): Transport | Promise<Transport>;
}
/** What is known of a server that needs no process. */
export type RemoteSpec = StreamableSpec | SseSpec | InMemorySpec | OwnSpec;
