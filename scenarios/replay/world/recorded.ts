import type { ServerInfo } from '../../../machines/kernel/ports.ts';
import type { Failure } from '../../../machines/protocol/index.ts';
import type { Progress } from '../../../machines/protocol/messages/messages.ts';

/** Recorded answer of a server to one request. */
export type RecordedAnswer =
  | { readonly type: 'result'; readonly result: unknown }
  | { readonly type: 'error'; readonly failure: Failure }
  /** Answer that cannot be used, such as one with neither result nor error; the connection survived it. */
  | { readonly type: 'unread'; readonly failure: Failure }
  /** Connection lost before the answer. */
  | { readonly type: 'lost' }
  /** Time limit of the caller reached without an answer. */
  | { readonly type: 'timedOut'; readonly ms: number }
  /** Question taken back by the caller after this time in ms, without an answer. */
  | { readonly type: 'withdrawn'; readonly ms: number }
  /** No answer. With `isCut` the recording ends before it. */
  | { readonly type: 'none'; readonly isCut?: true };
/** Recorded end of a server that was not told to end. */
export interface RecordedDeath {
  /** Number of the record of the end. */
  readonly s: number;
  readonly code: number | null;
  readonly signal: string | null;
  readonly stderr: string;
  /** Tells whether only the output was closed while the process lived on until it was ended. */
  readonly isOutputOnly: boolean;
}
/** Unasked message or death of a server, with its time in ms after the request before it. */
export type Happening = { readonly ms: number } & (
  | { readonly type: 'notification'; readonly method: string; readonly params?: object }
  /** Request of the server to its host. */
  | { readonly type: 'question'; readonly method: string; readonly params?: unknown }
  | { readonly type: 'death'; readonly death: RecordedDeath }
);
/** Recorded request to a server, in terms of MCP. */
export interface RecordedRequest {
  readonly server: string;
  /** Number of the request's record in the trace. */
  readonly s: number;
  /** Index of the session that got the request, counted from 0. */
  readonly session: number;
  readonly method: string;
  readonly params: unknown;
  readonly req: string | undefined;
  /** Time of the request in ms since the beginning of the trace. */
  readonly t: number;
  /** Time in ms from the request to its answer. */
  readonly ms: number;
  /** Number of the record of the answer, or with which its caller gave up; Infinity when there was neither. */
  readonly answeredAt: number;
  readonly answer: RecordedAnswer;
  readonly progress: readonly (Progress & { readonly ms: number })[];
  /** Unasked messages before the next request. */
  readonly unasked: readonly Happening[];
}
/** Recorded start of a server, or connection to it. */
export interface RecordedSession {
  /** Number of the record that started the process or opened the connection. */
  readonly s: number;
  readonly process:
    | { readonly ms: number; readonly failed?: { readonly message: string; readonly isFinal: boolean } }
    | undefined;
  /** Answer to `initialize`; undefined when there was none. */
  readonly info: ServerInfo | undefined;
  readonly failure: Failure | undefined;
  /** Time of the start, later of the opening of the connection, in ms since the beginning of the trace. */
  readonly t: number;
  /** Time in ms from the beginning to the answer to `initialize`. */
  readonly ms: number;
  readonly unasked: readonly Happening[];
  /** Exit code after the server was told to end. */
  readonly endCode: number | null;
}
export interface RecordedServer {
  readonly name: string;
  readonly sessions: readonly RecordedSession[];
  readonly requests: readonly RecordedRequest[];
}
