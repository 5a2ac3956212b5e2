import type { Holder, NodeMessage, Register } from '../../../machines/office/rooms/register.ts';
import type { Failure } from '../../../machines/protocol/failure.ts';
import { gone, unreached, unsure, type OwnSeats } from './seats.ts';

type Ack = (...args: unknown[]) => void;
/** What the office of this node does for the others. */
export interface LocalOffice {
  ask(socket: string, event: string, body: object, onAck: Ack): void;
  notify(socket: string, event: string, body: object): void;
  broadcast(office: string, except: string, event: string, body: object): void;
  /** Whether this question of its own is not settled yet. */
  isWaiting(id: number): boolean;
  /** The answer to one of its questions is large and on its way: it comes, or is lost, whoever leaves meanwhile. */
  answering(id: number): void;
  /** The answer to one of its questions has come from another node. */
  answered(id: number, ack: readonly unknown[]): void;
  /** It was not asked: it sits nowhere, or its node cannot be reached. */
  unasked(id: number, failure: Failure): void;
  /** Nobody knows whether it was asked. */
  lost(id: number, failure: Failure): void;
  /** Somebody at another node left, or lost its node. */
  left(holder: Holder, isLost: boolean): void;
  /** A seat of this node is held by another: its connection has to go. */
  evict(socket: string, failure: Failure): void;
}
/** Questions that were heard already, in case they come twice. */
const mostHeard = 10_000;
/** What waits for one node that cannot be reached now. */
const mostUnsent = 10_000;

/** `sent`: told once it is sent, or given up. */
interface Unsent {
  readonly message: NodeMessage;
  readonly sent: () => void;
}
type Asked = Extract<NodeMessage, { type: 'ask' }>;

/**
 * What the nodes of an office say to each other. A question is heard once. What cannot be sent now is sent later, in its order. A
 * message may be lost all the same: so `check` asks the other nodes whether they still have what this one waits for.
 */
export class Questions {
  readonly #register: Register;
  readonly #local: LocalOffice;
  readonly #own: OwnSeats;
  readonly #isCurrent: () => boolean;
  /** Our own, and the node that was asked. */
  readonly #asked = new Map<number, string>();
  /** Questions that are on their way there. */
  readonly #asking = new Set<number>();
  /** Of others: who was asked here and has not answered. */
  readonly #open = new Map<string, string>();
  /** Of others: the answer is on its way. */
  readonly #answering = new Set<string>();
  readonly #heard = new Set<string>();
  readonly #unsent = new Map<string, Unsent[]>();

  /** `isCurrent`: whether this node may relay. */
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
      // Nobody knows whether it has come there.
      else this.#local.lost(id, unsure);
    });
  }
  /** What is not a question: once more, if need be. */
  send(node: string, message: NodeMessage, sent = (): void => {}): void {
    const unsent = { message, sent };
    if (this.#unsent.has(node)) return this.#keep(node, unsent);
    this.#register.send(node, message, (isSent) => {
      // Nobody listens there now: it connects again, or is dead.
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
  /** The register is reached again. */
  sendAgain(): void {
    for (const [node, messages] of [...this.#unsent]) {
      this.#unsent.delete(node);
      for (const { message, sent } of messages) this.send(node, message, sent);
    }
  }
  /** Nodes for which something waits. */
  get unreached(): readonly string[] {
    return [...this.#unsent.keys()];
  }
  /** This node lives no more. */
  forget(node: string): void {
    this.#unsent.delete(node);
    for (const known of [...this.#open.keys(), ...this.#answering])
      if (known.startsWith(`${node} `)) {
        this.#open.delete(known);
        this.#answering.delete(known);
      }
  }
  /** From now on nobody has to ask whether it is on its way. */
  coming(id: number): void {
    this.#asked.delete(id);
    this.#local.answering(id);
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
  /** Settles what nobody will answer any more, because the question or its answer was lost. */
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
  /** False: it came before. */
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
      // If it still comes it is not asked.
      this.#isNew(known);
      this.send(from, { type: 'lost', id });
    }
  }
}
