import { randomUUID } from 'node:crypto';
import { type Tracing, abandonedEnd, type Span, type SpanStart } from '../../machines/kernel/tracing.ts';
import type { Gate } from '../../machines/office/rooms/limits.ts';
import type { CallLimits } from '../../machines/office/rooms/pending.ts';
import { wireCodes, type Failure } from '../../machines/protocol/failure.ts';
import type { SeatFacts } from '../../machines/ports/office.ts';
import { type Fields, fieldsOf, isObject } from '../../machines/protocol/json.ts';
import { refusal, unanswered } from '../../machines/protocol/messages/answers.ts';
import { traceIn } from '../../machines/protocol/messages/messages.ts';
import { type CarriedName, type NoticeName, events } from '../../machines/protocol/protocol.ts';
import { endingOf } from '../../machines/protocol/reading.ts';
import type { Cluster } from './nodes/cluster.ts';
import type { LocalOffice } from './nodes/questions.ts';

export type Ack = (...args: unknown[]) => void;

/** Socket.IO, or the scripted network of tests. None of its functions may call back at once. */
export interface OfficeWire {
  send(socket: string, event: CarriedName, body: object, onAck: Ack): void;
  deliver(sockets: readonly string[], event: NoticeName, body: object): void;
  /** The connection is closed after all messages were sent. */
  part(socket: string, failure: Failure): void;
  probe(socket: string, onAlive: () => void): void;
  cut(socket: string): void;
  notify(socket: string, event: NoticeName, body: object): void;
}

export type OfficeAnswered = (
  event: string,
  payload: unknown,
  ack: readonly unknown[],
  ms: number | undefined,
) => void;

export type CallTold = (dir: 'in' | 'out', told: Fields) => void;

/** Told once for each join that was refused; `seat`: where the payload could be read. */
export type JoinRefused = (socket: string, failure: Failure, seat?: SeatFacts) => void;

export interface OfficeWatch {
  readonly answered?: OfficeAnswered | undefined;
  readonly called?: CallTold | undefined;
  readonly refused?: JoinRefused | undefined;
  readonly clock?: (() => number) | undefined;
  readonly gate?: Gate;
  readonly limits?: CallLimits;
  readonly tracing?: Tracing | undefined;
  readonly cluster?: ((local: LocalOffice) => Cluster) | undefined;
}

export const draining: Failure = {
  code: wireCodes.unavailable,
  message: 'The office is closing: connect again',
  details: { reason: 'closing' },
};
export const internal: Failure = { code: wireCodes.internal, message: 'The office failed on this event' };
export const silent: Ack = () => {};

export function splitArgs(args: readonly unknown[]): { payload: unknown; ack: Ack | undefined } {
  const last = args.at(-1);
  const ack = typeof last === 'function' ? (last as Ack) : undefined;
  return { payload: ack && args.length === 1 ? undefined : args[0], ack };
}
export function heardBy(
  { answered, clock }: Pick<OfficeWatch, 'answered' | 'clock'>,
  event: string,
  payload: unknown,
  ack: Ack | undefined,
): Ack | undefined {
  if (!answered || !ack) return ack;
  const began = clock?.();
  return (...args) => {
    ack(...args);
    try {
      answered(event, payload, args, clock && clock() - (began ?? 0));
    } catch {
      // Ignores an error of the callback, which must not affect the answer.
    }
  };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Its payload carries the trace context on, and its ack ends the span. */
interface TracedCall {
  readonly payload: unknown;
  readonly ack: Ack;
}

/** A span ends with the answer, the end of the connection of its call (`left`), or `close`. */
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
  left(connection: string): void {
    for (const span of this.#open.get(connection) ?? []) span.end(abandonedEnd);
    this.#open.delete(connection);
  }
  close(): void {
    for (const connection of [...this.#open.keys()]) this.left(connection);
  }
}

/** Key that no peer knows, so that none can send what stands for a payload that was not parsed. */
const unreadKey = `unread ${randomUUID()}`;
export const unread = (failure: Failure): object => ({ [unreadKey]: failure });
export const unreadIn = (payload: unknown): Failure | undefined =>
  fieldsOf(payload)[unreadKey] as Failure | undefined;
/** In place of an answer that was not parsed, an error for the asker. */
export function answerRead(event: string, answer: readonly unknown[]): readonly unknown[] {
  const failure = unreadIn(answer[0]);
  if (!failure) return answer;
  const message = `The office did not read the answer of the computer ("${failure.message}")`;
  return refusal(event, { ...failure, message }, unanswered);
}
