import type { Failure } from '../protocol/failure.ts';
import type { Outcome } from '../protocol/messages/answers.ts';
import type { TraceContext } from '../protocol/messages/messages.ts';

/**
 * Start of a tracing span: one tool call at one stop on its way (agent, office, computer or server). Never holds
 * arguments, results or tokens.
 */
export interface SpanStart {
  /** Part of the system that handles the call, named as in the logs. */
  readonly layer: 'agent' | 'office' | 'computer' | 'server';
  /**
   * Kind of the span, as in OpenTelemetry: a question to another host, a question from one, or work inside this host.
   */
  readonly kind: 'client' | 'server' | 'internal';
  /** Name of the method: an event of the A2C wire, a method of MCP, or a function of our API. */
  readonly method: string;
  readonly tool?: string | undefined;
  readonly reqId?: string | undefined;
  readonly office?: string | undefined;
  readonly computer?: string | undefined;
  /** Further attributes of the span, by name. */
  readonly more?: Readonly<Record<string, string | undefined>>;
  /**
   * Trace context that the caller sent. With `isOurs`, the span that is active in the surrounding program is used
   * when the caller sent none.
   */
  readonly parent: TraceContext | undefined;
  readonly isOurs?: boolean;
}
export interface SpanEnd {
  readonly outcome: Outcome;
  /**
   * Error code of the call. `tool_error`: the tool itself reported a failure; `cancelled`: the caller withdrew the
   * call.
   */
  readonly code?: Failure['code'] | 'tool_error' | 'cancelled' | undefined;
  /** JSON-RPC error code, when the server answered with an error. */
  readonly rpcCode?: number | undefined;
}
/** Tracing span (OpenTelemetry) of one tool call at one stop on its way. */
export interface Span {
  /** Trace context to pass on to the next host; undefined when tracing is off and the caller sent no context. */
  readonly trace: TraceContext | undefined;
  set(attribute: string, value: string): void;
  /** Runs a function with this span as the active one, so that spans of other libraries become its children. */
  within<T>(run: () => T): T;
  /** Ends the span; later calls are ignored. */
  end(ending: SpanEnd): void;
}
/** Creates tracing spans for calls. */
export interface Tracing {
  start(span: SpanStart): Span;
  /** Ends all spans that are still open. */
  close(): void;
}
/** Ending of a span whose call can no longer be followed: the effect of the call is unknown. */
export const abandonedEnd: SpanEnd = { outcome: 'unknown', code: 'LinkLost' };
