import type { Give, LinkFact, LinkInput } from '../ports.ts';
import { badPayload, refusal } from '../wire/answers.ts';
import { events, notices } from '../wire/events.ts';
import { type Failure, wireCodes } from '../wire/failure.ts';
import * as messages from '../wire/messages.ts';
import { sizes, toTimeoutMs } from '../wire/protocol.ts';
import { excessBytes } from '../wire/size.ts';
import type { Ack } from './office-desk.ts';

interface Waiting {
  readonly event: string;
  readonly reqId: string;
  readonly ack: Ack;
}

/** What Socket.IO writes around a body: event or ack number, brackets. */
const envelopeBytes = 1024;
export const bodyLimitBytes = sizes.officePayloadBytes - envelopeBytes;

/** Over the office's limit the connection would be closed: so the one message fails, with its size. */
export const tooLarge = (bytes: number): Failure =>
  bytes === Infinity
    ? { code: wireCodes.internal, message: 'The message cannot be written as JSON' }
    : {
        code: wireCodes.tooLarge,
        message: `The message has ${bytes} bytes; an office carries at most ${bodyLimitBytes}`,
        details: { bytes, limit_bytes: bodyLimitBytes },
      };

/**
 * The door of a computer: what an agent asks of it becomes a fact with a ticket, the one answer to a ticket becomes
 * the ack. Tickets are `<incarnation of the link>.<req_id>`, so that two connections never share one; what cannot
 * be asked of this computer is answered here.
 */
export class ComputerDoor {
  readonly #incarnation: string;
  readonly #name: string;
  readonly #give: Give<LinkFact>;
  readonly #waiting = new Map<string, Waiting>();
  /** The ticket of the call that runs under a `req_id`. */
  readonly #calls = new Map<string, string>();
  #copies = 0;

  constructor(at: string, input: LinkInput, give: Give<LinkFact>) {
    this.#incarnation = at.slice(at.lastIndexOf('#') + 1);
    this.#name = input.name;
    this.#give = give;
  }

  received(event: string, payload: unknown, ack: Ack): void {
    if (event === events.toolCall) return this.#called(payload, ack);
    if (event === events.getTools) return this.#askedTools(payload, ack);
    if (event === notices.toolCallCancelled) return this.#cancelled(payload);
    const failure = {
      code: wireCodes.notBuilt,
      message: `This computer does not answer ${event.slice(0, 80)}`,
    };
    ack(...refusal(event, failure));
  }

  /** An unknown ticket was answered before, or its connection is gone: dropped. */
  answer(ticket: string, body: unknown): void {
    const waiting = this.#waiting.get(ticket);
    if (!waiting) return;
    this.#waiting.delete(ticket);
    if (this.#calls.get(waiting.reqId) === ticket) this.#calls.delete(waiting.reqId);
    const bytes = excessBytes(body, bodyLimitBytes);
    waiting.ack(...(bytes === undefined ? [body] : refusal(waiting.event, tooLarge(bytes))));
  }

  /** The connection is gone; the office has answered for us. */
  clear(): void {
    this.#waiting.clear();
    this.#calls.clear();
  }

  #called(payload: unknown, ack: Ack): void {
    const read = messages.toolCall.safeParse(payload);
    if (!read.success) return ack(...refusal(events.toolCall, badPayload(read.error, events.toolCall)));
    const { computer, req_id: reqId, tool_name: tool, params, timeout } = read.data;
    if (computer !== this.#name) return this.#notMe(events.toolCall, computer, ack);
    const running = this.#calls.has(reqId);
    const ticket = this.#ticket({ event: events.toolCall, reqId, ack });
    if (running) return this.#give({ type: 'agent.repeated', ticket, reqId });
    this.#calls.set(reqId, ticket);
    this.#give({ type: 'agent.called', ticket, reqId, tool, params, timeoutMs: toTimeoutMs(timeout) });
  }

  #askedTools(payload: unknown, ack: Ack): void {
    const read = messages.getTools.safeParse(payload);
    if (!read.success) return ack(...refusal(events.getTools, badPayload(read.error, events.getTools)));
    const { computer, req_id: reqId } = read.data;
    if (computer !== this.#name) return this.#notMe(events.getTools, computer, ack);
    const ticket = this.#ticket({ event: events.getTools, reqId, ack });
    this.#give({ type: 'agent.askedTools', ticket, reqId });
  }

  #cancelled(payload: unknown): void {
    const read = messages.toolCallCancel.safeParse(payload);
    const ticket = read.success ? this.#calls.get(read.data.req_id) : undefined;
    if (ticket !== undefined) this.#give({ type: 'agent.cancelled', ticket });
  }

  #notMe(event: string, computer: string, ack: Ack): void {
    const message = `This computer is not '${computer}'`;
    ack(...refusal(event, { code: wireCodes.notFound, message, details: { reason: 'unknown', computer } }));
  }

  #ticket(waiting: Waiting): string {
    let ticket = `${this.#incarnation}.${waiting.reqId}`;
    while (this.#waiting.has(ticket)) ticket = `${this.#incarnation}.${waiting.reqId}~${++this.#copies}`;
    this.#waiting.set(ticket, waiting);
    return ticket;
  }
}
