import type { ServerInfo } from '../../../machines/kernel/ports.ts';
import type { Failure } from '../../../machines/protocol/index.ts';
import type { Progress } from '../../../machines/protocol/messages/messages.ts';

/** Answer of a server to one request. */
export type RecordedAnswer =
  | { readonly type: 'result'; readonly result: unknown }
  | { readonly type: 'error'; readonly failure: Failure }
  /** The connection ended first. */
  | { readonly type: 'lost' }
  /** No answer came in the time that its caller gave it. */
  | { readonly type: 'timedOut'; readonly ms: number }
  /** No answer: the question was taken back, or the recording ends. */
  | { readonly type: 'none' };
/** End of a server without an order. */
export interface RecordedDeath {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stderr: string;
  /** True: only its output was closed, and it lived on until it was ended. */
  readonly isOutputOnly: boolean;
}
/** Something that came unasked, so many ms after the request before it. */
export type Happening = { readonly ms: number } & (
  | { readonly type: 'notification'; readonly method: string; readonly params?: object }
  /** A request of the server to its host. */
  | { readonly type: 'question'; readonly method: string; readonly params?: unknown }
  | { readonly type: 'death'; readonly death: RecordedDeath }
);
/** One request that a server was asked, in words of MCP. */
export interface RecordedRequest {
  readonly server: string;
  /** Number of its record in the trace. */
  readonly s: number;
  /** Which of the sessions it went to, from 0. */
  readonly session: number;
  readonly method: string;
  readonly params: unknown;
  readonly req: string | undefined;
  /** ms from the request to its answer. */
  readonly ms: number;
  /** Record before which it was answered; Infinity: never. */
  readonly answeredAt: number;
  readonly answer: RecordedAnswer;
  readonly progress: readonly (Progress & { readonly ms: number })[];
  /** Everything that came unasked before the next request. */
  readonly unasked: readonly Happening[];
}
/** One start of a server, or one connection to it. */
export interface RecordedSession {
  readonly process:
    | { readonly ms: number; readonly failed?: { readonly message: string; readonly isFinal: boolean } }
    | undefined;
  /** Answer to `initialize`; undefined: none. */
  readonly info: ServerInfo | undefined;
  readonly failure: Failure | undefined;
  /** ms from the beginning to that answer. */
  readonly ms: number;
  readonly unasked: readonly Happening[];
  /** Exit code after it was told to end. */
  readonly endCode: number | null;
}
export interface RecordedServer {
  readonly name: string;
  readonly sessions: readonly RecordedSession[];
  readonly requests: readonly RecordedRequest[];
}
