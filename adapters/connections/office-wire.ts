import { randomUUID } from 'node:crypto';
import { type Tracing, abandonedEnd, type SpanStart } from '../../machines/kernel/tracing.ts';
import { TransientMap } from '../../machines/kernel/objects.ts';
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

/** Called once: with the answer, or undefined when the connection of the call ended before. */
export type CallEnd = (answer: readonly unknown[] | undefined) => void;

/** Calls that are not answered yet, by their connection. */
export class OpenCalls {
  readonly #open = new TransientMap<string, TransientMap<CallEnd, CallEnd>>();

  opened(connection: string, end: CallEnd, ack: Ack | undefined): Ack {
    const open = this.#open.get(connection) ?? new TransientMap<CallEnd, CallEnd>();
    this.#open.set(connection, open.set(end, end));
    return (...answer) => {
      if (open.delete(end)) {
        if (open.size === 0) this.#open.delete(connection);
        end(answer);
      }
      ack?.(...answer);
    };
  }
  left(connection: string): void {
    const open = this.#open.get(connection);
    this.#open.delete(connection);
    for (const end of open?.values() ?? []) if (open?.delete(end)) end(undefined);
  }
  close(): void {
    for (const connection of this.#open.keys()) this.left(connection);
  }
}

/** The payload carries the trace context on. */
export function tracedCall(
  tracing: Tracing,
  layer: SpanStart['layer'],
  office: string | undefined,
  payload: unknown,
): { readonly payload: unknown; readonly end: CallEnd } {
  const fields = fieldsOf(payload);
  const span = tracing.start({
    layer,
    kind: 'server',
    method: events.toolCall,
    tool: textOf(fields['tool_name']),
    reqId: textOf(fields['req_id']),
    office,
    computer: textOf(fields['computer']),
    parent: traceIn(fields),
  });
  const carried = isObject(payload) && span.trace && { ...payload, tracestate: undefined, ...span.trace };
  return {
    payload: carried || payload,
    end: (answer) => span.end(answer ? endingOf(answer[0]) : abandonedEnd),
  };
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
