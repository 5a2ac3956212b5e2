import type { Holder, NodeMessage, Register } from '../../../machines/office/rooms/register.ts';
import type { Failure } from '../../../machines/protocol/failure.ts';
import { gone, unreached, unsure, type OwnSeats } from './seats.ts';

type Ack = (...args: unknown[]) => void;
/** Functions of the local office that serve the other nodes. */
export interface LocalOffice {
  ask(socket: string, event: string, body: object, onAck: Ack): void;
  notify(socket: string, event: string, body: object): void;
  broadcast(office: string, except: string, event: string, body: object): void;
  /** Tells whether a request of this node still waits for its answer. */
  isWaiting(id: number): boolean;
  /** Marks a request whose large answer is on its way: the answer comes or is lost, even if a peer leaves meanwhile. */
  answering(id: number): void;
  /** Delivers the answer to a request that another node has sent. */
  answered(id: number, ack: readonly unknown[]): void;
  /** Refuses a request that was not sent: the computer has no seat, or its node cannot be reached. */
  unasked(id: number, failure: Failure): void;
  /** Ends a request whose sending failed in a way that leaves open whether it was received. */
  lost(id: number, failure: Failure): void;
  /** Takes note that a peer at another node left, or that its node was lost. */
  left(holder: Holder, isLost: boolean): void;
  /** Disconnects a peer of this node whose seat another node holds now. */
  evict(socket: string, failure: Failure): void;
}
/** Number of received requests that are remembered, to detect repetitions. */
const mostHeard = 10_000;
/** Number of messages that are kept for a node that cannot be reached. */
const mostUnsent = 10_000;

/** Message that waits for its node; `sent` is called once it was sent or dropped. */
interface Unsent {
  readonly message: NodeMessage;
  readonly sent: () => void;
}
type Asked = Extract<NodeMessage, { type: 'ask' }>;

/**
 * Messages between the nodes of an office. A request is handled only once. Messages to a node out of reach are
 * kept and sent later in their order. Since messages may still be lost, `check` asks the other nodes about the
 * requests that wait for an answer.
 */
export class Questions {
  readonly #register: Register;
  readonly #local: LocalOffice;
  readonly #own: OwnSeats;
  readonly #isCurrent: () => boolean;
  /** Nodes to which requests of this node were sent, by the id of the request. */
  readonly #asked = new Map<number, string>();
  /** Ids of our requests that are being sent to another node. */
  readonly #asking = new Set<number>();
  /** Sockets that were asked here on behalf of other nodes and have not answered yet. */
  readonly #open = new Map<string, string>();
  /** Requests of other nodes whose answers are being sent. */
  readonly #answering = new Set<string>();
  readonly #heard = new Set<string>();
  readonly #unsent = new Map<string, Unsent[]>();

  /** Creates the sender and receiver of this node's messages; `isCurrent` tells whether the node may relay. */
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
  /** Sends a message other than a request; it is kept and sent again when its node cannot be reached. */
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
  /** Sends the kept messages, because the register can be reached again. */
  sendAgain(): void {
    for (const [node, messages] of [...this.#unsent]) {
      this.#unsent.delete(node);
      for (const { message, sent } of messages) this.send(node, message, sent);
    }
  }
  /** Nodes for which messages are kept. */
  get unreached(): readonly string[] {
    return [...this.#unsent.keys()];
  }
  /** Drops all messages and requests of a node that is dead. */
  forget(node: string): void {
    this.#unsent.delete(node);
    for (const known of [...this.#open.keys(), ...this.#answering])
      if (known.startsWith(`${node} `)) {
        this.#open.delete(known);
        this.#answering.delete(known);
      }
  }
  /** Notes that the answer to a request is on its way, so that `check` need not ask for it. */
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
  /** Asks the other nodes about requests that wait for an answer, because a request or its answer may have been lost. */
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
  /** Tells whether a request is received for the first time. */
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
