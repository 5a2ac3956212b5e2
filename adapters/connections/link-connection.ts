/** Port of the seat of a computer or an agent: one Socket.IO connection to an office. */
import type { RequestFact, Emit, PortInstance, RequestPort } from '../../machines/kernel/ports.ts';
import type { LinkFact } from '../../machines/link/questions.ts';
import type { LinkCommand, LinkInput } from '../../machines/ports/link.ts';
import type { Tracing } from '../../machines/kernel/tracing.ts';
import { noOffice } from '../../machines/office/rooms/loopback.ts';
import type { Timers } from '../../machines/office/rooms/pending.ts';
import { wireCodes, type Failure } from '../../machines/protocol/failure.ts';
import { refusal } from '../../machines/protocol/messages/answers.ts';
import { computerUpdate, disconnecting, seatNotice } from '../../machines/protocol/messages/messages.ts';
import type { ClientToServer } from '../../machines/protocol/messages/socket-events.ts';
import { notificationOf } from '../../machines/protocol/notifications.ts';
import {
  events,
  notices,
  type EventName,
  PROTOCOL_VERSION,
  spoken,
} from '../../machines/protocol/protocol.ts';
import { jsonIn, fieldsOf } from '../../machines/protocol/json.ts';
import { readAnswer } from '../../machines/protocol/reading.ts';
import { AgentRequests, bodyLimitOf } from './agent-requests.ts';
import { type Parts, type WireEmit, type LinkRequest, LinkRequests, refuseUnsent } from './link-requests.ts';
import { splitArgs } from './office-wire.ts';

const mostText = 400;

export interface LinkBytes {
  readonly newId: () => string;
  readonly parts?: Parts | undefined;
}
interface LinkParts {
  readonly input: LinkInput;
  readonly emit: Emit<LinkFact>;
  readonly wire: LinkWire;
  /** Called once, when the port instance is closed. */
  readonly ended: () => void;
}
/** One connection: it is opened once, and never opened again after its end. */
export interface LinkWire {
  readonly emit: WireEmit;
  close(): void;
}

/** `(ok, text)`, from some peers as one list, or an error object. */
function readJoin(ack: readonly unknown[]): LinkFact {
  const [ok, text] = Array.isArray(ack[0]) ? (ack[0] as unknown[]) : ack;
  if (ok === true) return { type: 'join.accepted' };
  if (typeof text === 'string') return { type: 'join.refused', text };
  const answer = readAnswer(ok);
  const known = !answer.ok && typeof ok === 'object';
  return { type: 'join.refused', text: known ? answer.failure.message : 'The office gave no reason' };
}

/** Undefined for notices about other offices or agents. */
function readNotice(event: string, payload: unknown, office: string): LinkFact | undefined {
  const notification = notificationOf(event);
  if (notification) {
    const read = computerUpdate.safeParse(payload);
    return read.success ? { ...notification.fact, computer: read.data.computer } : undefined;
  }
  if (event !== notices.enterOffice && event !== notices.leaveOffice) return undefined;
  const read = seatNotice.safeParse(payload);
  if (!read.success || read.data.office_id !== office || typeof read.data.computer !== 'string')
    return undefined;
  const type = event === notices.enterOffice ? 'computer.entered' : 'computer.left';
  return { type, computer: read.data.computer };
}

function notOurs(role: LinkInput['role'], method: string): Failure | undefined {
  const foreign = role === 'agent' ? /^(notify|agent):/ : /^(notify|client):/;
  if (!foreign.test(method)) return undefined;
  return { code: wireCodes.notAllowed, message: `The ${role}'s side never sends ${method.slice(0, 80)}` };
}

/** Without a connection nothing is sent or kept for later, because a tool call must not run late. */
export class LinkConnection implements PortInstance<LinkCommand> {
  readonly #parts: LinkParts;
  readonly #agentRequests: AgentRequests;
  readonly #requests: LinkRequests;
  #state: 'connecting' | 'up' | 'over' = 'connecting';
  #wasUp = false;
  #isLeaving = false;
  #goodbye: string | undefined;

  constructor(
    at: string,
    parts: LinkParts,
    timers: Timers,
    { newId, parts: bytes }: LinkBytes,
    tracing: Tracing | undefined,
  ) {
    this.#parts = parts;
    const { input, emit } = parts;
    this.#agentRequests = new AgentRequests(at, input, emit, {
      timers,
      tracing,
      newId,
      say: (told) => this.#send(events.toolCallProgress, told),
    });
    this.#requests = new LinkRequests((event, ...args) => this.#send(event, ...args), input, timers, bytes);
  }

  partOf(ticket: string): Uint8Array | undefined {
    return this.#agentRequests.partOf(ticket);
  }
  holdPart(ticket: string, bytes: Uint8Array): void {
    this.#agentRequests.holdPart(ticket, bytes);
  }
  get isUp(): boolean {
    return this.#state === 'up';
  }

  /** `payloadBytes`: largest payload that the office accepts, if it says so. */
  up(payloadBytes?: number): void {
    if (this.#state !== 'connecting') return;
    if (payloadBytes !== undefined)
      this.#requests.limitBytes = this.#agentRequests.limitBytes = bodyLimitOf(payloadBytes);
    this.#state = 'up';
    this.#wasUp = true;
    this.#parts.emit({ type: 'link.up' });
  }

  refused(refusal: Refusal): void {
    if (this.#state !== 'connecting') return;
    this.#state = 'over';
    this.#parts.emit({ type: 'link.refused', ...refusal });
  }

  down(reason: string): void {
    if (this.#state !== 'up') return;
    this.#state = 'over';
    this.#agentRequests.clear();
    this.#requests.lose();
    this.#parts.emit({ type: 'link.down', reason: this.#goodbye ?? reason });
  }

  /** The host failed on something that came over the connection. */
  fault(reason: string): void {
    this.#state = 'over';
    this.#agentRequests.clear();
    try {
      this.#requests.lose();
    } finally {
      this.#parts.emit({ type: this.#wasUp ? 'link.down' : 'link.refused', reason });
    }
  }

  received(event: string, args: readonly unknown[]): void {
    if (this.#state !== 'up') return;
    const { payload, ack = () => {} } = splitArgs(args);
    try {
      this.#hear(event, payload, ack);
    } catch {
      ack(...refusal(event, { code: wireCodes.internal, message: 'The peer failed on this event' }));
    }
  }

  tell(command: LinkCommand): void {
    const { role, name, office: office_id } = this.#parts.input;
    switch (command.type) {
      case 'link.join':
        return this.#send(events.joinOffice, { role, name, office_id }, (...ack) =>
          this.#fact(readJoin(ack)),
        );
      case 'link.leave':
        this.#isLeaving = true;
        return this.#leave();
      case 'link.answer':
        this.#agentRequests.answer(command.ticket, command.body);
        return this.#leave();
      case 'link.progress':
        return this.#agentRequests.progress(command.ticket, command);
      case 'link.announce':
        return this.#send(command.event, { computer: name });
    }
  }

  request(request: LinkRequest, emit: Emit<RequestFact>): () => void {
    if (this.#state !== 'up') return refuseUnsent(request.id, emit);
    const notAllowed = notOurs(this.#parts.input.role, request.method);
    return notAllowed ? refuseUnsent(request.id, emit, notAllowed) : this.#requests.request(request, emit);
  }

  /** No facts follow. The office answers the calls of agents as it does for a computer that left. */
  close(): void {
    this.#state = 'over';
    this.#agentRequests.clear();
    this.#requests.lose();
    this.#parts.ended();
    this.#parts.wire.close();
  }

  #hear(event: string, payload: unknown, ack: (...args: unknown[]) => void): void {
    if (event === notices.disconnecting) {
      const read = disconnecting.safeParse(payload);
      if (read.success) this.#goodbye = read.data.message.slice(0, mostText);
      return;
    }
    if (this.#parts.input.role === 'computer') return this.#agentRequests.received(event, payload, ack);
    if (event === notices.toolCallProgress) return this.#requests.progressed(payload);
    const fact = readNotice(event, payload, this.#parts.input.office);
    if (fact) this.#parts.emit(fact);
    else if (!event.startsWith('notify:'))
      ack(...refusal(event, { code: wireCodes.notSupported, message: 'An agent answers no questions' }));
  }

  /** After all answers were sent: an office does not pass on answers of a peer that has left. */
  #leave(): void {
    if (!this.#isLeaving || this.#agentRequests.calls > 0) return;
    this.#isLeaving = false;
    const { office: office_id } = this.#parts.input;
    this.#send(events.leaveOffice, { office_id }, () => this.#fact({ type: 'leave.done' }));
  }
  #fact(fact: LinkFact): void {
    if (this.#state === 'up') this.#parts.emit(fact);
  }

  #send<E extends EventName>(event: E, ...args: Parameters<ClientToServer[E]>): void {
    if (this.#state === 'up') this.#parts.wire.emit(event, ...args);
  }
}

export class LinkRegistry {
  readonly #connections = new Map<string, LinkConnection>();
  readonly #timers: Timers;
  readonly #bytes: LinkBytes;
  readonly #tracing: Tracing | undefined;

  constructor(timers: Timers, bytes: LinkBytes, tracing?: Tracing) {
    this.#timers = timers;
    this.#bytes = bytes;
    this.#tracing = tracing;
  }

  has(key: string): boolean {
    return this.#connections.has(key);
  }

  open(at: string, input: LinkInput, emit: Emit<LinkFact>, wire: LinkWire): LinkConnection {
    const ended = (): void => {
      // Removes only this link from the registry, because the key may already belong to a newer one.
      if (this.#connections.get(input.key) === connection) this.#connections.delete(input.key);
    };
    const parts = { input, emit, wire, ended };
    const connection = new LinkConnection(at, parts, this.#timers, this.#bytes, this.#tracing);
    this.#connections.set(input.key, connection);
    return connection;
  }

  holdPart(ticket: string, bytes: Uint8Array): void {
    for (const connection of this.#connections.values()) connection.holdPart(ticket, bytes);
  }
  partOf(ticket: string): Uint8Array | undefined {
    for (const connection of this.#connections.values()) {
      const part = connection.partOf(ticket);
      if (part !== undefined) return part;
    }
    return undefined;
  }

  readonly request: RequestPort = (_from, request, emit) => {
    const connection = this.#connections.get(request.target);
    return connection ? connection.request(request, emit) : refuseUnsent(request.id, emit);
  };
}

type Refused = Extract<LinkFact, { readonly type: 'link.refused' }>;
export type Refusal = Omit<Refused, 'type'>;

/** The body is JSON from our offices and those in Python. */
export function readDenial(status: number, body: string, address: string): Refusal {
  const { code, message, server_version: server } = fieldsOf(jsonIn(body));
  const text = typeof message === 'string' ? message.slice(0, mostText) : undefined;
  if (code === wireCodes.versionMismatch) {
    const version = typeof server === 'string' ? server.slice(0, 20) : undefined;
    const ours = `we speak ${PROTOCOL_VERSION}, and enter offices of 0.${spoken.minors[0]} to 0.${spoken.minors[1]}`;
    return {
      reason: `${text ?? 'Protocol version mismatch'}: it speaks ${version ?? 'another one'}; ${ours}`,
      refusal: 'version',
      ...(version !== undefined && { version }),
    };
  }
  if (status === 401) return { reason: text ?? 'HTTP 401', refusal: 'credential' };
  const isPage = status < 500 && /^\s*<(?:!doctype|html)\b/i.test(body);
  if (text === undefined && (isPage || status === 404))
    return { reason: `${noOffice} ${address}: ${isPage ? 'a web page answers there, ' : ''}HTTP ${status}` };
  return { reason: text === undefined ? `HTTP ${status}` : `${text} (HTTP ${status})` };
}
