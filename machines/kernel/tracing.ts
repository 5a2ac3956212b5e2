import type { Failure } from '../protocol/failure.ts';
import type { Outcome } from '../protocol/messages/answers.ts';
import type { TraceContext } from '../protocol/messages/messages.ts';

/** Beginning of a span: a call as it comes to one of those on its way. No argument, result or token is among it. */
export interface SpanStart {
  /** Part of the system that has the call, by the word of the logs. */
  readonly layer: 'agent' | 'office' | 'computer' | 'server';
  /** Question to another host, question from one, or work inside of this one. */
  readonly kind: 'client' | 'server' | 'internal';
  /** Method of the wire, of MCP, or of our API. */
  readonly method: string;
  readonly tool?: string | undefined;
  readonly reqId?: string | undefined;
  readonly office?: string | undefined;
  readonly computer?: string | undefined;
  /** Further attributes, by their names. */
  readonly more?: Readonly<Record<string, string | undefined>>;
  /** Place that it was sent from; with `isOurs` that of the program around it, where there is no other. */
  readonly parent: TraceContext | undefined;
  readonly isOurs?: boolean;
}
export interface SpanEnd {
  readonly outcome: Outcome;
  /** `tool_error`: the tool itself says that it failed; `cancelled`: its asker has withdrawn it. */
  readonly code?: Failure['code'] | 'tool_error' | 'cancelled' | undefined;
  /** Code of JSON-RPC, where a server has answered with one. */
  readonly rpcCode?: number | undefined;
}
/** One call at one of those on its way: a span of OpenTelemetry. */
export interface Span {
  /** Place in the trace, for the next one that is asked; undefined: no traces are kept, and none was given. */
  readonly trace: TraceContext | undefined;
  set(attribute: string, value: string): void;
  /** Runs a function: other libraries see what it does at once as done for this call. */
  within<T>(run: () => T): T;
  /** Ends the span; the first ending counts. */
  end(ending: SpanEnd): void;
}
/** Maker of spans. */
export interface Tracing {
  start(span: SpanStart): Span;
  /** Ends what is still open. */
  close(): void;
}
/** Ending of a call that we lost sight of. */
export const abandonedEnd: SpanEnd = { outcome: 'unknown', code: 'LinkLost' };
