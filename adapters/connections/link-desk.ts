import type {
  AskFact,
  Give,
  LinkCommand,
  LinkFact,
  LinkInput,
  Leaf,
  Ports,
} from '../../machines/kernel/ports.ts';
import { refusal } from '../../machines/protocol/messages/answers.ts';
import { events, notices, type EventName } from '../../machines/protocol/events.ts';
import { wireCodes, type Failure } from '../../machines/protocol/failure.ts';
import { seatNotice } from '../../machines/protocol/messages/messages.ts';
import { notificationOf } from '../../machines/protocol/notifications.ts';
import { readAnswer } from '../../machines/protocol/reading.ts';
import type { ClientToServer } from '../../machines/protocol/messages/socket-events.ts';
import { ComputerDoor } from './computer-door.ts';
import { splitArgs } from './office-desk.ts';
import { type Emit, type LinkQuestion, Questions, refuseUnsent } from './questions.ts';

/** What a link needs of a transport: one connection, that is opened once and never again. */
export interface LinkWire {
  /** Only called while connected. */
  readonly emit: Emit;
  close(): void;
}

/** Join acks are `(ok, text)`; some peers put both into one list, others answer with an error object. */
function readJoin(ack: readonly unknown[]): LinkFact {
  const [ok, text] = Array.isArray(ack[0]) ? (ack[0] as unknown[]) : ack;
  if (ok === true) return { type: 'join.accepted' };
  if (typeof text === 'string') return { type: 'join.refused', text };
  const answer = readAnswer(ok);
  const known = !answer.ok && typeof ok === 'object';
  return { type: 'join.refused', text: known ? answer.failure.message : 'The office gave no reason' };
}

/** What an agent hears of its own office; notices of other offices and of agents are nothing to it. */
function readNotice(event: string, payload: unknown, office: string): LinkFact | undefined {
  const notification = notificationOf(event);
  if (notification) {
    const read = notification.schema.safeParse(payload);
    return read.success ? { ...notification.fact, computer: read.data.computer } : undefined;
  }
  if (event !== notices.enterOffice && event !== notices.leaveOffice) return undefined;
  const read = seatNotice.safeParse(payload);
  if (!read.success || read.data.office_id !== office || typeof read.data.computer !== 'string')
    return undefined;
  const type = event === notices.enterOffice ? 'computer.entered' : 'computer.left';
  return { type, computer: read.data.computer };
}

/** What the other role says, or only an office, goes out from nobody of ours (R18). */
function notOurs(role: LinkInput['role'], method: string): Failure | undefined {
  const foreign = role === 'agent' ? /^(notify|agent):/ : /^(notify|client):/;
  if (!foreign.test(method)) return undefined;
  return { code: wireCodes.forbidden, message: `The ${role}'s side never sends ${method.slice(0, 80)}` };
}

/**
 * The door of a link, without a transport: commands and questions become events of the wire, events become facts.
 * Nothing goes out while there is no connection, and nothing is kept for later: a tool call must not run late.
 */
export class LinkDesk implements Leaf<LinkCommand> {
  readonly #input: LinkInput;
  readonly #give: Give<LinkFact>;
  readonly #wire: LinkWire;
  readonly #door: ComputerDoor;
  readonly #questions: Questions;
  readonly #ended: () => void;
  #state: 'connecting' | 'up' | 'over' = 'connecting';
  /** It is to leave as soon as the calls that it has are answered. */
  #isLeaving = false;

  /** `ended` is called once, when the leaf is closed. */
  constructor(at: string, input: LinkInput, give: Give<LinkFact>, wire: LinkWire, ended: () => void) {
    this.#input = input;
    this.#wire = wire;
    this.#ended = ended;
    this.#give = give;
    this.#door = new ComputerDoor(at, input, give);
    this.#questions = new Questions((event, ...args) => this.#emit(event, ...args), input);
  }

  get isUp(): boolean {
    return this.#state === 'up';
  }

  up(): void {
    if (this.#state !== 'connecting') return;
    this.#state = 'up';
    this.#give({ type: 'link.up' });
  }

  /** There was no connection, and this one will never be. */
  refused(reason: string): void {
    if (this.#state !== 'connecting') return;
    this.#state = 'over';
    this.#give({ type: 'link.refused', reason });
  }

  down(reason: string): void {
    if (this.#state !== 'up') return;
    this.#state = 'over';
    this.#door.clear();
    this.#questions.lose();
    this.#give({ type: 'link.down', reason });
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
    const { role, name, office: office_id } = this.#input;
    switch (command.type) {
      case 'link.join':
        return this.#emit(events.joinOffice, { role, name, office_id }, (...ack) =>
          this.#fact(readJoin(ack)),
        );
      case 'link.leave':
        this.#isLeaving = true;
        return this.#leave();
      case 'link.answer':
        this.#door.answer(command.ticket, command.body);
        return this.#leave();
      case 'link.announce':
        return this.#emit(command.event, { computer: name });
    }
  }

  ask(question: LinkQuestion, give: Give<AskFact>): () => void {
    if (this.#state !== 'up') return refuseUnsent(question.id, give);
    const forbidden = notOurs(this.#input.role, question.method);
    return forbidden ? refuseUnsent(question.id, give, forbidden) : this.#questions.ask(question, give);
  }

  /** No facts after this. Calls of agents are answered by the office, as of a computer that left. */
  close(): void {
    this.#state = 'over';
    this.#door.clear();
    this.#questions.lose();
    this.#ended();
    this.#wire.close();
  }

  #hear(event: string, payload: unknown, ack: (...args: unknown[]) => void): void {
    if (this.#input.role === 'computer') return this.#door.received(event, payload, ack);
    const fact = readNotice(event, payload, this.#input.office);
    if (fact) this.#give(fact);
    else if (!event.startsWith('notify:'))
      ack(...refusal(event, { code: wireCodes.notBuilt, message: 'An agent answers no questions' }));
  }

  /** After the answers, which an office does not pass on from somebody who has left. */
  #leave(): void {
    if (!this.#isLeaving || this.#door.calls > 0) return;
    this.#isLeaving = false;
    const { office: office_id } = this.#input;
    this.#emit(events.leaveOffice, { office_id }, () => this.#fact({ type: 'leave.done' }));
  }
  #fact(fact: LinkFact): void {
    if (this.#state === 'up') this.#give(fact);
  }

  #emit<E extends EventName>(event: E, ...args: Parameters<ClientToServer[E]>): void {
    if (this.#state === 'up') this.#wire.emit(event, ...args);
  }
}

/** The links that are open, by the key under which questions reach them: the `ask` side of the port. */
export class LinkBook {
  readonly #desks = new Map<string, LinkDesk>();

  has(key: string): boolean {
    return this.#desks.has(key);
  }

  open(at: string, input: LinkInput, give: Give<LinkFact>, wire: LinkWire): LinkDesk {
    const desk: LinkDesk = new LinkDesk(at, input, give, wire, () => {
      // A successor may use the same key already.
      if (this.#desks.get(input.key) === desk) this.#desks.delete(input.key);
    });
    this.#desks.set(input.key, desk);
    return desk;
  }

  readonly ask: Ports['ask'] = (_from, question, give) => {
    const desk = this.#desks.get(question.session);
    return desk ? desk.ask(question, give) : refuseUnsent(question.id, give);
  };
}
