/** Questions of agents to this computer over one connection, each with its answer. */
import type { z } from 'zod';
import * as messages from '../../machines/protocol/messages/messages.ts';
import { TransientMap, extended } from '../../machines/kernel/objects.ts';
import type { LinkFact } from '../../machines/link/questions.ts';
import type { AgentCalled, LinkInput } from '../../machines/ports/link.ts';
import type { Emit } from '../../machines/kernel/ports.ts';
import { questions, type Question, type QuestionFact } from '../../machines/link/questions.ts';
import { adviceOnTooLarge } from '../../machines/resources/collections.ts';
import { collectionOfUri } from '../../machines/resources/uri-collection.ts';
import { badPayload, errorAck, refusal, unanswered } from '../../machines/protocol/messages/answers.ts';
import { isObject, excessBytes, mostLevels } from '../../machines/protocol/json.ts';
import { events, notices, toTimeoutMs } from '../../machines/protocol/protocol.ts';
import { sizes } from '../../machines/protocol/sizes.ts';
import { type Failure, wireCodes } from '../../machines/protocol/failure.ts';
import {
  traceIn,
  type Progress,
  type ToolCallProgress,
  mostProgressText,
  toldOf,
} from '../../machines/protocol/messages/messages.ts';
import type { Timers } from '../../machines/office/rooms/pending.ts';
import type { Tracing } from '../../machines/kernel/tracing.ts';
import { type Ack, OpenCalls, tracedCall } from './office-wire.ts';

interface AgentRequest {
  readonly req_id: string;
  readonly computer: string;
}
export interface RequestsParts {
  readonly timers: Timers;
  readonly say: (told: ToolCallProgress) => void;
  readonly tracing: Tracing | undefined;
  readonly newId: () => string;
}
interface Waiting {
  readonly event: string;
  readonly reqId: string;
  readonly agent?: string;
  part?: Uint8Array;
  readonly ack: Ack;
}

const withBytes = (body: unknown, { event, part }: Waiting): unknown =>
  event === events.getBlob && part && isObject(body) && 'blob' in body
    ? { ...body, blob: Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString('base64') }
    : body;

/** Room in bytes for the text that Socket.IO puts around a body: event name or ack number, and brackets. */
const envelopeBytes = 1024;
export const bodyLimitBytes = sizes.officePayloadBytes - envelopeBytes;
/** Foreign offices may accept less than ours, and close a connection that sends more. */
export const bodyLimitOf = (payloadBytes: number): number =>
  Math.max(Math.min(payloadBytes, sizes.officePayloadBytes) - envelopeBytes, envelopeBytes);

/** Only this message fails; sending it would close the whole connection. */
export const tooLarge = (bytes: number, limitBytes: number): Failure =>
  bytes === Infinity
    ? {
        code: wireCodes.tooLarge,
        message: `The message is nested too deep, or is no JSON: an office carries at most ${mostLevels} levels`,
        details: { limit_levels: mostLevels },
      }
    : {
        code: wireCodes.tooLarge,
        message: `The message has ${bytes} bytes; this office carries at most ${limitBytes}`,
        details: { bytes, limit_bytes: limitBytes },
      };

/** Tickets are `<incarnation of the link>.<req_id>`, so that two connections never share one. */
export class AgentRequests {
  readonly #incarnation: string;
  readonly #link: LinkInput;
  readonly #emit: Emit<LinkFact>;
  readonly #waiting = new TransientMap<string, Waiting>();
  readonly #calls = new TransientMap<string, string>();
  readonly #progress: ProgressSender;
  readonly #tracing: Tracing | undefined;
  readonly #open = new OpenCalls();
  readonly #newId: () => string;
  #copies = 0;
  /** For one answer; the office closes a connection that sends more. */
  limitBytes = bodyLimitBytes;

  constructor(
    at: string,
    input: LinkInput,
    emit: Emit<LinkFact>,
    { timers, say, tracing, newId }: RequestsParts,
  ) {
    this.#incarnation = at.slice(at.lastIndexOf('#') + 1);
    this.#link = input;
    this.#emit = emit;
    this.#newId = newId;
    this.#progress = new ProgressSender(timers, (ticket, progress) => {
      const { agent = '', reqId = '' } = this.#waiting.get(ticket) ?? {};
      say({ agent, req_id: reqId, computer: this.#link.name, ...progress });
    });
    this.#tracing = tracing;
  }

  received(event: string, payload: unknown, ack: Ack): void {
    switch (event) {
      case events.toolCall: {
        if (!this.#tracing) return this.#called(payload, ack);
        const call = tracedCall(this.#tracing, 'computer', this.#link.office, payload);
        return this.#called(call.payload, this.#open.opened(this.#incarnation, call.end, ack));
      }
      case notices.toolCallCancelled:
        return this.#cancelled(payload);
      case notices.leaveOffice:
        return this.#left(payload);
      default: {
        const question = Object.hasOwn(questions, event) ? questions[event] : undefined;
        if (question) return this.#asked(event, question, payload, ack);
        if (!event.startsWith('notify:'))
          this.#refuse(
            event,
            ack,
            wireCodes.notSupported,
            `This computer does not answer ${event.slice(0, 80)}`,
          );
      }
    }
  }

  partOf(ticket: string): Uint8Array | undefined {
    return this.#waiting.get(ticket)?.part;
  }
  /** Kept here, so that the bytes get into no machine and no trace. */
  holdPart(ticket: string, bytes: Uint8Array): void {
    const waiting = this.#waiting.get(ticket);
    if (waiting) waiting.part = bytes;
  }
  get calls(): number {
    return this.#calls.size;
  }
  progress(ticket: string, progress: ToldProgress): void {
    if (this.#waiting.has(ticket)) this.#progress.tell(ticket, progress);
  }
  /** An unknown ticket is ignored: it was answered before, or its connection is gone. */
  answer(ticket: string, held: unknown): void {
    const waiting = this.#waiting.get(ticket);
    if (!waiting) return;
    const body = withBytes(held, waiting);
    this.#waiting.delete(ticket);
    this.#progress.end(ticket);
    if (this.#calls.get(waiting.reqId) === ticket) this.#calls.delete(waiting.reqId);
    const bytes = excessBytes(body, this.limitBytes);
    if (bytes === undefined) return waiting.ack(body);
    const remedy = adviceOnTooLarge[waiting.event];
    const failure = { ...tooLarge(bytes, this.limitBytes), ...(remedy !== undefined && { remedy }) };
    // Reports the outcome as unknown, because the call has already run.
    waiting.ack(...refusal(waiting.event, failure, unanswered));
  }

  /** The connection is gone, and the office answers the requests itself. */
  clear(): void {
    this.#waiting.clear();
    this.#calls.clear();
    this.#progress.clear();
    this.#open.close();
  }

  #called(payload: unknown, ack: Ack): void {
    const call = this.#read(events.toolCall, messages.toolCall, payload, ack);
    if (!call) return;
    const { req_id: reqId, agent, tool_name: tool, params, timeout, timeout_total: most = 0 } = call;
    const running = this.#calls.has(reqId);
    const ticket = this.#ticket({ event: events.toolCall, reqId, agent, ack });
    const timeoutMs = toTimeoutMs(timeout);
    if (running) return this.#emit({ type: 'agent.repeated', ticket, reqId, agent, tool, params, timeoutMs });
    this.#calls.set(reqId, ticket);
    const traced = traceIn(call);
    const trace = call.meta ? { ...call.meta, ...traced } : traced;
    const plain: AgentCalled = { type: 'agent.called', ticket, reqId, agent, tool, params, timeoutMs };
    const waitsForPersons = (call.timeout_person ?? 0) > 0;
    const called =
      call.progress === true
        ? extended(plain, { wantsProgress: true, ...(waitsForPersons && { waitsForPersons }) })
        : plain;
    const limited = most > timeout && timeout > 0 ? extended(called, { mostMs: toTimeoutMs(most) }) : called;
    this.#emit(trace ? extended(limited, { trace }) : limited);
  }

  #asked(event: string, question: Question, payload: unknown, ack: Ack): void {
    const asked = this.#read(event, question.schema, payload, ack);
    if (!asked) return;
    const reqId = asked.req_id;
    const { blob } = asked as { readonly blob?: string };
    const part = event === events.putBlob && blob !== undefined ? Buffer.from(blob, 'base64') : undefined;
    const reading = { link: this.#link, newId: this.#newId, bytes: part?.length ?? 0, collectionOfUri };
    const read = question.read(asked as never, reading);
    if ('failure' in read) return ack({ ...errorAck(read.failure), req_id: reqId });
    const ticket = this.#ticket({ event, reqId, ...(part && { part }), ack });
    this.#emit({ type: question.fact, ticket, reqId, ...read } as QuestionFact);
  }

  #read<T extends AgentRequest>(
    event: string,
    schema: z.ZodType<T>,
    payload: unknown,
    ack: Ack,
  ): T | undefined {
    const read = schema.safeParse(payload);
    if (!read.success) return void ack(...refusal(event, badPayload(read.error, event)));
    const { computer } = read.data;
    if (computer === this.#link.name) return read.data;
    const details = { reason: 'unknown', computer };
    return this.#refuse(event, ack, wireCodes.notFound, `This computer is not '${computer}'`, details);
  }

  #cancelled(payload: unknown): void {
    const read = messages.toolCallCancelled.safeParse(payload);
    const ticket = read.success ? this.#calls.get(read.data.req_id) : undefined;
    if (ticket === undefined) return;
    const reason = read.data?.reason;
    this.#emit(reason ? { type: 'agent.cancelled', ticket, reason } : { type: 'agent.cancelled', ticket });
  }

  /** Its calls get no answer any more; the next agent may use the same ids. */
  #left(payload: unknown): void {
    const read = messages.seatNotice.safeParse(payload);
    if (!read.success || read.data.office_id !== this.#link.office || typeof read.data.agent !== 'string')
      return;
    this.#calls.clear();
    this.#emit({ type: 'agent.left', agent: read.data.agent });
  }

  #refuse(event: string, ack: Ack, code: Failure['code'], message: string, details?: object): undefined {
    ack(...refusal(event, { code, message, ...(details && { details: { ...details } }) }));
  }

  #ticket(waiting: Waiting): string {
    let ticket = `${this.#incarnation}.${waiting.reqId}`;
    while (this.#waiting.has(ticket)) ticket = `${this.#incarnation}.${waiting.reqId}~${++this.#copies}`;
    this.#waiting.set(ticket, waiting);
    return ticket;
  }
}

type ToldProgress = Progress & { readonly held?: boolean };
/** Shortest interval in ms between two progress messages of one call. */
const pauseMs = 200;

/** Sends the first message at once, and of those within `pauseMs` after it only the last. */
class ProgressSender {
  readonly #timers: Timers;
  readonly #send: (ticket: string, progress: ToldProgress) => void;
  readonly #pausing = new Map<string, { timer: unknown; next: ToldProgress | undefined }>();

  constructor(timers: Timers, send: (ticket: string, progress: ToldProgress) => void) {
    this.#timers = timers;
    this.#send = send;
  }
  tell(ticket: string, told: ToldProgress): void {
    const progress = {
      ...toldOf(told),
      ...(told.message && { message: told.message.slice(0, mostProgressText) }),
    };
    const pausing = this.#pausing.get(ticket);
    // Only the last one is sent, but never without what it says of the limit.
    if (pausing)
      pausing.next = { ...(pausing.next?.held !== undefined && { held: pausing.next.held }), ...progress };
    else this.#say(ticket, progress);
  }
  end(ticket: string): void {
    this.#timers.clearTimer(this.#pausing.get(ticket)?.timer);
    this.#pausing.delete(ticket);
  }
  clear(): void {
    for (const ticket of [...this.#pausing.keys()]) this.end(ticket);
  }
  #say(ticket: string, progress: ToldProgress): void {
    this.#send(ticket, progress);
    const timer = this.#timers.setTimer(() => {
      const next = this.#pausing.get(ticket)?.next;
      this.#pausing.delete(ticket);
      if (next) this.#say(ticket, next);
    }, pauseMs);
    this.#pausing.set(ticket, { timer, next: undefined });
  }
}
