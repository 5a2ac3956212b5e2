import type { Failure } from '../protocol/failure.ts';
import type { Outcome } from '../protocol/messages/answers.ts';
import type { TraceContext } from '../protocol/messages/messages.ts';

/** What is known of a call when one of those on its way has it. No argument, no result and no token is among it. */
export interface SpanStart {
  /** Who has it, by the word that logs have for it. */
  readonly layer: 'agent' | 'office' | 'computer' | 'server';
  /** It asks another host, it is asked by one, or it stays inside of this one. */
  readonly kind: 'client' | 'server' | 'internal';
  /** Of the wire, of MCP, or of our API. */
  readonly method: string;
  readonly tool?: string | undefined;
  readonly reqId?: string | undefined;
  readonly office?: string | undefined;
  readonly computer?: string | undefined;
  /** Further attributes, by their names. */
  readonly more?: Readonly<Record<string, string | undefined>>;
  /** Where it was sent from; without one that of the program around it, which only a host that calls has (`isOurs`). */
  readonly parent: TraceContext | undefined;
  readonly isOurs?: boolean;
}
export interface SpanEnd {
  readonly outcome: Outcome;
  /** `tool_error`: the tool itself says that it failed; `cancelled`: its asker has withdrawn it. */
  readonly code?: Failure['code'] | 'tool_error' | 'cancelled' | undefined;
  /** Of JSON-RPC, where a server has answered with one. */
  readonly rpcCode?: number | undefined;
}
/** One call at one of those on its way. */
export interface Span {
  /** Its place in the trace, for whoever is asked next; undefined: nobody keeps traces, and none was given. */
  readonly trace: TraceContext | undefined;
  set(attribute: string, value: string): void;
  /** What `run` does at once, other libraries see as done for this call. */
  within<T>(run: () => T): T;
  /** The first one counts. */
  end(ending: SpanEnd): void;
}
/** Whoever makes spans. */
export interface Tracing {
  start(span: SpanStart): Span;
  /** Ends what is still open. */
  close(): void;
}
/** It is over for us, and nobody has told how it ended. */
export const abandonedEnd: SpanEnd = { outcome: 'unknown', code: 'LinkLost' };
