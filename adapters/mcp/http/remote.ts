import type { Transport } from '@modelcontextprotocol/client';
import type { Place } from './place.ts';

export interface Credentials {
  /** With an access token that is renewed before it expires; undefined without a login. */
  signed(request: { readonly method: string; readonly url: URL }): Promise<Signed | undefined>;
  readonly place?: Place;
  /** `DPoP-Nonce` of an answer, expected in the next request. */
  noted(nonce: string): void;
  /** True when there is another token now, so that the request may be sent again. `header`: `WWW-Authenticate`. */
  challenged(refusal: Refused): Promise<boolean>;
}
export interface Refused {
  readonly status: number;
  readonly header: string | undefined;
  readonly token: string | undefined;
  readonly isFirst: boolean;
}
export interface Signed {
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
}
export interface Web {
  readonly url: string;
  /** Names and values are sent unchanged; placeholders are filled in before. */
  readonly headers: Readonly<Record<string, string>>;
  /** Time-out in ms for connecting, and for the answer to messages other than requests; 0 for no limit. */
  readonly timeoutMs: number;
  /** Longest silence of an event stream in ms; afterwards it is opened again (streamable HTTP) or the server is pinged (SSE). */
  readonly sseReadTimeoutMs: number;
  readonly proxy?: string;
  readonly ca?: string;
  readonly credentials?: Credentials;
}
export interface StreamableSpec extends Web {
  readonly kind: 'streamable';
  /** Ends the session with DELETE when it is closed. */
  readonly terminateOnClose: boolean;
  /** True when the URL was given without a type. A server that refuses the first POST is then tried as SSE, once. */
  readonly fallbackToSse?: boolean;
}
export interface SseSpec extends Web {
  readonly kind: 'sse';
}
export interface InMemorySpec {
  readonly kind: 'inmemory';
  connect(): Transport | Promise<Transport>;
}
export interface OwnSpec {
  readonly kind: 'own';
  /** A rejection gives the reason; with `isFinal: true` another try without a change cannot help. */
  connect(signal: AbortSignal): Transport | Promise<Transport>;
}
export type RemoteSpec = StreamableSpec | SseSpec | InMemorySpec | OwnSpec;
