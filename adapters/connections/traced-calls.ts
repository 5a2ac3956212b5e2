import { abandonedEnd, type Span, type SpanStart, type Tracing } from '../../machines/kernel/tracing.ts';
import { events } from '../../machines/protocol/protocol.ts';
import { traceIn } from '../../machines/protocol/messages/messages.ts';
import { endingOf } from '../../machines/protocol/reading.ts';
import type { Ack } from './office-wire.ts';
import { fieldsOf, isObject } from '../../machines/protocol/json.ts';

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Call with a span: the payload carries the trace on, and the ack ends the span. */
export interface TracedCall {
  readonly payload: unknown;
  readonly ack: Ack;
}

/**
 * Spans of the calls at an office or computer, from arrival to answer. A span is ended by the answer, by the
 * end of the connection of its call (`left`), or by `close`.
 */
export class TracedCalls {
  readonly #tracing: Tracing;
  readonly #layer: SpanStart['layer'];
  readonly #open = new Map<string, Set<Span>>();

  constructor(tracing: Tracing, layer: SpanStart['layer']) {
    this.#tracing = tracing;
    this.#layer = layer;
  }
  arrived(
    connection: string,
    office: string | undefined,
    payload: unknown,
    ack: Ack | undefined,
  ): TracedCall {
    const fields = fieldsOf(payload);
    const span = this.#tracing.start({
      layer: this.#layer,
      kind: 'server',
      method: events.toolCall,
      tool: textOf(fields['tool_name']),
      reqId: textOf(fields['req_id']),
      office,
      computer: textOf(fields['computer']),
      parent: traceIn(fields),
    });
    const open = this.#open.get(connection) ?? new Set<Span>();
    this.#open.set(connection, open.add(span));
    return {
      payload:
        isObject(payload) && span.trace ? { ...payload, tracestate: undefined, ...span.trace } : payload,
      ack: (...answer) => {
        open.delete(span);
        if (open.size === 0) this.#open.delete(connection);
        span.end(endingOf(answer[0]));
        ack?.(...answer);
      },
    };
  }
  /** Ends the spans of a connection that is gone, because an answer can no longer be delivered. */
  left(connection: string): void {
    for (const span of this.#open.get(connection) ?? []) span.end(abandonedEnd);
    this.#open.delete(connection);
  }
  close(): void {
    for (const connection of [...this.#open.keys()]) this.left(connection);
  }
}
