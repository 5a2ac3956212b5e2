import type { Holder, NodeMessage, Register } from '../../../machines/office/rooms/register.ts';
import type { Failure } from '../../../machines/protocol/failure.ts';
import { gone, unreached, unsure, type OwnSeats } from './seats.ts';

type Ack = (...args: unknown[]) => void;
export interface LocalOffice {
  ask(socket: string, event: string, body: object, onAck: Ack): void;
  notify(socket: string, event: string, body: object): void;
  broadcast(office: string, except: string, event: string, body: object): void;
  isWaiting(id: number): boolean;
  answered(id: number, ack: readonly unknown[]): void;
  unasked(id: number, failure: Failure): void;
  /** The sending failed, and it is open whether the request was received. */
  lost(id: number, failure: Failure): void;
  left(holder: Holder, isLost: boolean): void;
  evict(socket: string, failure: Failure): void;
}
const mostHeard = 10_000;
const mostUnsent = 10_000;

interface Unsent {
  readonly message: NodeMessage;
  readonly sent: () => void;
}
type Asked = Extract<NodeMessage, { type: 'ask' }>;

/** A request is handled only once. Messages may be lost, so `check` asks about unanswered requests. */
export class Questions {
  readonly #register: Register;
  readonly #local: LocalOffice;
  readonly #own: OwnSeats;
  readonly #isCurrent: () => boolean;
  readonly #asked = new Map<number, string>();
  readonly #asking = new Set<number>();
  readonly #open = new Map<string, string>();
  readonly #answering = new Set<string>();
  readonly #heard = new Set<string>();
  readonly #unsent = new Map<string, Unsent[]>();

  constructor(register: Register, local: LocalOffice, own: OwnSeats, isCurrent: () => boolean) {
    this.#register = register;
    this.#local = local;
    this.#own = own;
    this.#isCurrent = isCurrent;
  }
  ask(id: number, { node, socket, fence }: Holder, event: string, body: object): void {
    this.#asked.set(id, node);
    this.#asking.add(id);
    this.#register.send(node, { type: 'ask', id, socket, fence, event, body }, (isSent) => {
      this.#asking.delete(id);
      if (isSent === true) return;
      this.#asked.delete(id);
      if (isSent === false) this.#local.unasked(id, unreached);
      // Reports the request as lost when the register could not tell whether it has arrived.
      else this.#local.lost(id, unsure);
    });
  }
  /** Kept and sent again when its node cannot be reached. */
  send(node: string, message: NodeMessage, sent = (): void => {}): void {
    const unsent = { message, sent };
    if (this.#unsent.has(node)) return this.#keep(node, unsent);
    this.#register.send(node, message, (isSent) => {
      // Keeps the message when the node is not listening, because it is reconnecting or dead.
      if (isSent === true) sent();
      else this.#keep(node, unsent);
    });
  }
  #keep(node: string, unsent: Unsent): void {
    const kept = this.#unsent.get(node) ?? [];
    this.#unsent.set(node, kept);
    if (kept.length < mostUnsent) kept.push(unsent);
    else unsent.sent();
  }
  sendAgain(): void {
    for (const [node, messages] of [...this.#unsent]) {
      this.#unsent.delete(node);
      for (const { message, sent } of messages) this.send(node, message, sent);
    }
  }
  get unreached(): readonly string[] {
    return [...this.#unsent.keys()];
  }
  forget(node: string): void {
    this.#unsent.delete(node);
    for (const known of [...this.#open.keys(), ...this.#answering])
      if (known.startsWith(`${node} `)) {
        this.#open.delete(known);
        this.#answering.delete(known);
      }
  }
  receive(from: string, message: NodeMessage): void {
    switch (message.type) {
      case 'ask':
        return this.#askHere(from, message);
      case 'answer':
        this.#asked.delete(message.id);
        if (message.ack) return this.#local.answered(message.id, message.ack);
        return this.#local.unasked(message.id, gone);
      case 'lost':
        this.#asked.delete(message.id);
        return this.#local.lost(message.id, unsure);
      case 'check':
        return this.#checkHere(from, message.ids);
      case 'notify':
        return this.#local.notify(message.socket, message.event, message.body);
      case 'broadcast':
        return this.#local.broadcast(message.office, message.except, message.event, message.body);
    }
  }
  /** A request or its answer may have been lost. */
  check(): void {
    const byNode = new Map<string, number[]>();
    for (const [id, node] of this.#asked) {
      if (!this.#local.isWaiting(id)) this.#asked.delete(id);
      else if (this.#asking.has(id)) continue;
      else if (!byNode.get(node)?.push(id)) byNode.set(node, [id]);
    }
    for (const [node, ids] of byNode) this.send(node, { type: 'check', ids });
    const here = this.#own.sockets;
    for (const [known, socket] of this.#open) if (!here.has(socket)) this.#open.delete(known);
  }
  #isNew(known: string): boolean {
    if (this.#heard.has(known)) return false;
    this.#heard.add(known);
    const [oldest] = this.#heard;
    if (this.#heard.size > mostHeard && oldest !== undefined) this.#heard.delete(oldest);
    return true;
  }
  #askHere(from: string, { id, socket, fence, event, body }: Asked): void {
    const known = `${from} ${id}`;
    if (!this.#isNew(known)) return;
    if (!this.#own.has(fence, socket) || !this.#isCurrent()) return this.send(from, { type: 'answer', id });
    this.#open.set(known, socket);
    this.#local.ask(socket, event, body, (...ack) => {
      this.#open.delete(known);
      this.#answering.add(known);
      this.send(from, { type: 'answer', id, ack }, () => this.#answering.delete(known));
    });
  }
  #checkHere(from: string, ids: readonly number[]): void {
    const here = this.#own.sockets;
    for (const id of ids) {
      const known = `${from} ${id}`;
      if (this.#answering.has(known) || here.has(this.#open.get(known) ?? '')) continue;
      // Marks the request as received, so that it is ignored if it arrives later after all.
      this.#isNew(known);
      this.send(from, { type: 'lost', id });
    }
  }
}
