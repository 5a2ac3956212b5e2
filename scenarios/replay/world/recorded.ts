import type { ServerInfo } from '../../../machines/ports/session.ts';
import type { Failure } from '../../../machines/protocol/failure.ts';
import type { Progress } from '../../../machines/protocol/messages/messages.ts';

export type RecordedAnswer =
  | { readonly type: 'result'; readonly result: unknown }
  | { readonly type: 'error'; readonly failure: Failure }
  /** Such as one with neither result nor error; the connection survived it. */
  | { readonly type: 'unread'; readonly failure: Failure }
  | { readonly type: 'lost' }
  | { readonly type: 'timedOut'; readonly ms: number }
  | { readonly type: 'withdrawn'; readonly ms: number }
  /** With `isCut` the recording ends before it. */
  | { readonly type: 'none'; readonly isCut?: true };
/** Of a server that was not told to end. */
export interface RecordedDeath {
  /** Number of the record of the end. */
  readonly s: number;
  readonly code: number | null;
  readonly signal: string | null;
  readonly stderr: string;
  /** Only the output was closed; the process lived on until it was ended. */
  readonly isOutputOnly: boolean;
}
/** `ms` counts from the request before it. */
export type Happening = { readonly ms: number } & (
  | { readonly type: 'notification'; readonly method: string; readonly params?: object }
  | { readonly type: 'question'; readonly method: string; readonly params?: unknown }
  | { readonly type: 'death'; readonly death: RecordedDeath }
);
export interface RecordedRequest {
  readonly server: string;
  readonly s: number;
  readonly session: number;
  readonly method: string;
  readonly params: unknown;
  readonly req: string | undefined;
  /** In ms since the beginning of the trace. */
  readonly t: number;
  readonly ms: number;
  /** Or number of the record with which its caller gave up; Infinity when there was neither. */
  readonly answeredAt: number;
  readonly answer: RecordedAnswer;
  readonly progress: readonly (Progress & { readonly ms: number })[];
  readonly unasked: readonly Happening[];
}
export interface RecordedSession {
  readonly s: number;
  readonly process:
    | { readonly ms: number; readonly failed?: { readonly message: string; readonly isFinal: boolean } }
    | undefined;
  readonly info: ServerInfo | undefined;
  readonly failure: Failure | undefined;
  /** Of the start, later of the opening of the connection; in ms since the beginning of the trace. */
  readonly t: number;
  readonly ms: number;
  readonly unasked: readonly Happening[];
  /** After the server was told to end. */
  readonly endCode: number | null;
}
export interface RecordedServer {
  readonly name: string;
  readonly sessions: readonly RecordedSession[];
  readonly requests: readonly RecordedRequest[];
}
