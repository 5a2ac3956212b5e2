import type { CodeName, Failure } from '../protocol/failure.ts';
import type { Outcome } from '../protocol/messages/answers.ts';
import type { TraceContext } from '../protocol/messages/messages.ts';

/** One tool call at one stop on its way. Never holds arguments, results or tokens. */
export interface SpanStart {
  readonly layer: 'agent' | 'office' | 'computer' | 'server';
  /** As in OpenTelemetry: a question to another host, a question from one, or work inside this host. */
  readonly kind: 'client' | 'server' | 'internal';
  /** Event of the A2C wire, method of MCP, or function of our API. */
  readonly method: string;
  readonly tool?: string | undefined;
  readonly reqId?: string | undefined;
  readonly office?: string | undefined;
  readonly computer?: string | undefined;
  readonly more?: Readonly<Record<string, string | undefined>>;
  /** With `isOurs`, the active span of the surrounding program is used when the caller sent none. */
  readonly parent: TraceContext | undefined;
  readonly isOurs?: boolean;
}
export interface SpanEnd {
  readonly outcome: Outcome;
  /** `tool_error`: the tool itself reported a failure; `cancelled`: the caller withdrew the call. */
  readonly code?: Failure['code'] | CodeName | 'tool_error' | 'cancelled' | undefined;
  readonly rpcCode?: number | undefined;
}
export interface Span {
  /** For the next host; undefined when tracing is off and the caller sent none. */
  readonly trace: TraceContext | undefined;
  set(attribute: string, value: string): void;
  /** As the active span, so that spans of other libraries become its children. */
  within<T>(run: () => T): T;
  /** Later calls are ignored. */
  end(ending: SpanEnd): void;
}
export interface Tracing {
  start(span: SpanStart): Span;
  close(): void;
}
/** The call can no longer be followed; its effect is unknown. */
export const abandonedEnd: SpanEnd = { outcome: 'unknown', code: 'LinkLost' };
