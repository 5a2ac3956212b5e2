import type { SeatFacts } from '../../machines/kernel/ports.ts';
import { takenText } from '../../machines/office/rooms/claims.ts';
import {
  placeOf,
  type Holder,
  type NodeMessage,
  type Register,
  type RegisterNews,
} from '../../machines/office/rooms/register.ts';
import type { Timers } from '../../machines/office/rooms/pending.ts';
import { Seating } from '../../machines/office/rooms/seating.ts';
import { wireCodes, type Failure } from '../../machines/protocol/failure.ts';
import type { Ack } from './office-wire.ts';

/** What the office of this node does for the others. */
export interface LocalOffice {
  ask(socket: string, event: string, body: object, onAck: Ack): void;
  notify(socket: string, event: string, body: object): void;
  broadcast(office: string, except: string, event: string, body: object): void;
  /** The answer to one of its questions has come from another node. */
  answered(id: number, ack: readonly unknown[]): void;
  /** It was not asked: it sits nowhere, or its node cannot be reached. */
  unasked(id: number, failure: Failure): void;
  /** Somebody at another node left, or lost its node. */
  left(holder: Holder, isLost: boolean): void;
  /** A seat of this node is held by another: its connection has to go. */
  evict(socket: string, failure: Failure): void;
}
export interface ClusterOptions {
  readonly register: Register;
  readonly timers: Timers;
  readonly now: () => number;
  /** So long a node keeps its seats after it was last heard of. */
  readonly leaseMs: number;
}
const keyOf = (seat: SeatFacts): string => `${seat.office}\n${placeOf(seat)}`;
/** Said where the register is not reached: nothing was done. */
export const apart: Failure = {
  code: wireCodes.unavailable,
  message: 'The office cannot reach its register now: try again',
  details: { reason: 'register' },
};
const unreached: Failure = {
  code: wireCodes.unavailable,
  message: 'The server at which this computer sits cannot be reached now: nothing was sent',
  details: { reason: 'node' },
};
const gone: Failure = {
  code: wireCodes.notFound,
  message: 'The computer is not in this office any more',
  details: { reason: 'left' },
};
const overtaken: Failure = {
  code: wireCodes.conflict,
  message: 'Another connection has taken this seat while the office was apart from its register',
  details: { reason: 'overtaken' },
};
/** Questions that were heard already, in case they come twice. */
const mostHeard = 10_000;
/** Everything is read anew after so many beats, whatever news have come. */
const beatsToResync = 10;

/**
 * One node among those of an office: who sits at the others, and how they are reached. What is decided stands in the register; this
 * is its copy, which the relay may ask at once. It ends with `close`, which frees the seats of this node at once.
 */
export class Cluster {
  readonly #options: ClusterOptions;
  readonly #local: LocalOffice;
  readonly #remote = new Map<string, Holder>();
  readonly #sockets = new Map<string, Holder>();
  readonly #own = new Map<string, Holder>();
  /** Who holds a claim of this node, by its fence. */
  readonly #holders = new Map<number, string>();
  readonly seating = new Seating();
  readonly #heard = new Set<string>();
  /** Answers that could not be sent. */
  #unsent: (readonly [node: string, message: NodeMessage])[] = [];
  /** News that came while everything was read anew. */
  #later: RegisterNews[] | undefined;
  #leaseUntil = 0;
  #beats = 0;
  #timer: unknown;
  #isClosed = false;

  constructor(options: ClusterOptions, local: LocalOffice) {
    this.#options = options;
    this.#local = local;
  }
  /** Rejects when the register cannot be reached. */
  async start(): Promise<void> {
    const { register } = this.#options;
    await register.listen((news) => this.#hear(news));
    await this.#renew();
    await this.#resync();
    this.#schedule();
  }
  /** False: others may hold by now what this node holds, so nothing may be relayed. */
  get isCurrent(): boolean {
    return this.#options.now() < this.#leaseUntil;
  }
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#options.timers.clearTimer(this.#timer);
    await this.#options.register.close();
  }

  // ── seats of this node ─────────────────────────────────────────────────────────────────────────────
  /** Undefined: granted. Else why not. Never rejects. */
  async claim(socket: string, seat: SeatFacts, version: string | undefined): Promise<string | undefined> {
    const wanted = { socket, seat, ...(version !== undefined && { version }) };
    try {
      const answer = await this.#options.register.claim(wanted);
      if (!answer.ok) return answer.holder ? takenText(seat, answer.holder.seat.name) : apart.message;
      this.#hold({ ...wanted, node: this.#options.register.node, fence: answer.fence });
      return undefined;
    } catch {
      // It may have been done: what nobody knows of is freed with the lease, or when it is claimed again.
      return apart.message;
    }
  }
  /** Nobody of this node sits there any more. */
  release(socket: string, seat: SeatFacts): void {
    const held = this.#own.get(keyOf(seat));
    if (held?.socket !== socket) return;
    this.#letGo(held);
    void this.#options.register.release(seat, held.fence).catch(() => {});
  }
  #hold(holder: Holder): void {
    const before = this.#own.get(keyOf(holder.seat));
    if (before) this.#holders.delete(before.fence);
    this.#own.set(keyOf(holder.seat), holder);
    this.#holders.set(holder.fence, holder.socket);
  }
  #letGo({ seat, fence }: Holder): void {
    this.#own.delete(keyOf(seat));
    this.#holders.delete(fence);
  }

  // ── seats of others ────────────────────────────────────────────────────────────────────────────────
  isElsewhere(socket: string): boolean {
    return this.#sockets.has(socket);
  }
  /** Reads this office anew: somebody may have joined it a moment ago. Never rejects. */
  async refresh(office: string): Promise<void> {
    const found = await this.#options.register.seats(office).catch(() => undefined);
    for (const holder of found ?? []) this.#take(holder);
  }
  ask(id: number, socket: string, event: string, body: object): void {
    const holder = this.#sockets.get(socket);
    if (!holder) return this.#local.unasked(id, gone);
    const { node, fence } = holder;
    this.#options.register.send(node, { type: 'ask', id, socket, fence, event, body }).then(
      (isSent) => isSent || this.#local.unasked(id, unreached),
      () => this.#local.unasked(id, unreached),
    );
  }
  notify(socket: string, event: string, body: object): void {
    const node = this.#sockets.get(socket)?.node;
    if (node !== undefined) this.#send(node, { type: 'notify', socket, event, body });
  }
  /** To all nodes with somebody in this office. */
  broadcast(office: string, except: string, event: string, body: object): void {
    const nodes = new Set(this.seating.members(office).map(({ socket }) => this.#sockets.get(socket)?.node));
    for (const node of nodes)
      if (node !== undefined) this.#send(node, { type: 'broadcast', office, except, event, body });
  }
  #send(node: string, message: NodeMessage): void {
    this.#options.register.send(node, message).catch(() => {
      if (this.#unsent.length < mostHeard) this.#unsent.push([node, message]);
    });
  }

  // ── news ───────────────────────────────────────────────────────────────────────────────────────────
  #hear(news: RegisterNews): void {
    if (this.#isClosed) return;
    switch (news.type) {
      case 'taken':
      case 'freed':
        this.#later?.push(news);
        return news.type === 'taken' ? this.#take(news.holder) : this.#free(news.seat, news.fence);
      case 'message':
        return this.#receive(news.from, news.message);
      case 'ended':
        return this.#buryAll(new Set([news.node]));
      case 'resumed':
        return void this.#beat();
    }
  }
  #receive(from: string, message: NodeMessage): void {
    switch (message.type) {
      case 'ask':
        return this.#asked(from, message);
      case 'answer':
        if (message.ack) return this.#local.answered(message.id, message.ack);
        return this.#local.unasked(message.id, gone);
      case 'notify':
        return this.#local.notify(message.socket, message.event, message.body);
      case 'broadcast':
        return this.#local.broadcast(message.office, message.except, message.event, message.body);
    }
  }
  #asked(from: string, { id, socket, fence, event, body }: Extract<NodeMessage, { type: 'ask' }>): void {
    const known = `${from} ${id}`;
    if (this.#heard.has(known)) return;
    this.#heard.add(known);
    const [oldest] = this.#heard;
    if (this.#heard.size > mostHeard && oldest !== undefined) this.#heard.delete(oldest);
    if (this.#holders.get(fence) !== socket || !this.isCurrent)
      return this.#send(from, { type: 'answer', id });
    this.#local.ask(socket, event, body, (...ack) => this.#send(from, { type: 'answer', id, ack }));
  }
  #take(holder: Holder): void {
    if (holder.node === this.#options.register.node) return;
    const key = keyOf(holder.seat);
    const before = this.#remote.get(key);
    if (before && before.fence >= holder.fence) return;
    if (before) this.#drop(before, false);
    this.#remote.set(key, holder);
    this.#sockets.set(holder.socket, holder);
    this.seating.opened(holder.socket, holder.version, false);
    this.seating.seat(holder.socket, holder.seat);
  }
  #free(seat: SeatFacts, fence: number): void {
    const before = this.#remote.get(keyOf(seat));
    if (before?.fence === fence) this.#drop(before, false);
  }
  #drop(holder: Holder, isLost: boolean): void {
    this.#remote.delete(keyOf(holder.seat));
    // A computer that changes its office takes the new seat first.
    if (this.#sockets.get(holder.socket) === holder) {
      this.#sockets.delete(holder.socket);
      this.seating.unseat(holder.socket);
      this.seating.closed(holder.socket);
    }
    this.#local.left(holder, isLost);
  }

  // ── the lease ──────────────────────────────────────────────────────────────────────────────────────
  #schedule(): void {
    if (this.#isClosed) return;
    const { timers, leaseMs } = this.#options;
    this.#timer = timers.setTimer(() => void this.#beat().finally(() => this.#schedule()), leaseMs / 3);
  }
  /** Never rejects. */
  async #beat(): Promise<void> {
    try {
      await this.#renew();
      const unsent = this.#unsent;
      this.#unsent = [];
      for (const [node, message] of unsent) this.#send(node, message);
      this.#beats += 1;
      if (this.#beats % beatsToResync === 0) await this.#resync();
      await this.#bury();
    } catch {
      // The next beat tries again; without one the lease ends by itself.
    }
  }
  async #renew(): Promise<void> {
    const { register, leaseMs, now } = this.#options;
    const asked = now();
    const isKept = await register.renew();
    if (!isKept) await this.#reclaim();
    this.#leaseUntil = asked + leaseMs;
  }
  /** The lease had ended: what others have taken meanwhile is theirs. */
  async #reclaim(): Promise<void> {
    const { register } = this.#options;
    for (const [key, held] of [...this.#own]) {
      const answer = await register.claim(held);
      if (this.#own.get(key) !== held) continue;
      this.#letGo(held);
      if (answer.ok) this.#hold({ ...held, fence: answer.fence });
      else this.#local.evict(held.socket, overtaken);
    }
    await this.#resync();
  }
  /** Frees the seats of nodes whose lease has ended. Each node does so, and the first one counts. */
  async #bury(): Promise<void> {
    const { register } = this.#options;
    const nodes = [...new Set([...this.#remote.values()].map(({ node }) => node))];
    if (nodes.length === 0) return;
    this.#buryAll(new Set(await register.dead(nodes)));
  }
  #buryAll(dead: ReadonlySet<string>): void {
    const { register } = this.#options;
    for (const holder of [...this.#remote.values()]) {
      if (!dead.has(holder.node)) continue;
      this.#drop(holder, true);
      void register.release(holder.seat, holder.fence).catch(() => {});
    }
  }
  async #resync(): Promise<void> {
    this.#later = [];
    try {
      const found = await this.#options.register.seats();
      const there = new Set(found.map(({ fence }) => fence));
      for (const news of this.#later) if (news.type === 'taken') there.add(news.holder.fence);
      for (const holder of [...this.#remote.values()])
        if (!there.has(holder.fence)) this.#drop(holder, false);
      const freed = new Set(this.#later.flatMap((news) => (news.type === 'freed' ? [news.fence] : [])));
      for (const holder of found) if (!freed.has(holder.fence)) this.#take(holder);
    } finally {
      this.#later = undefined;
    }
  }
}
