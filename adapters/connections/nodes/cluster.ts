/** Offices of several nodes as one: messages between them, and nodes that come and go. */
import { Questions, type LocalOffice } from './questions.ts';
import { gone, newAfterLeases, OwnSeats, RemoteSeats } from './seats.ts';
import type { SeatFacts } from '../../../machines/ports/office.ts';
import type { Timers } from '../../../machines/office/rooms/pending.ts';
import {
  type Holder,
  type Register,
  type RegisterNews,
  type RenewedLease,
  type Seating,
  type Lookup,
  type Member,
} from '../../../machines/office/rooms/register.ts';

const both = [() => performance.now(), () => Date.now()];
/** The faster clock counts: a monotonic one stops during suspension, and the system clock is set at times. */
export function unsleepingClock(clocks: readonly (() => number)[] = both): () => number {
  const last = clocks.map((now) => now());
  let time = 0;
  return () => {
    let passed = 0;
    for (const [n, now] of clocks.entries()) {
      const next = now();
      passed = Math.max(passed, next - (last[n] ?? next));
      last[n] = next;
    }
    return (time += passed);
  };
}

export interface ClusterOptions {
  readonly register: Register;
  readonly timers: Timers;
  readonly now: () => number;
  /** In ms, from the last renewal until a node loses its seats. */
  readonly leaseMs: number;
}
/** Renewals after which all seats are read again, regardless of the register's news. */
const beatsToResync = 10;

/** The register decides who holds a seat; the node only has a copy, which it can read at once. */
export class Cluster {
  readonly #options: ClusterOptions;
  readonly #local: LocalOffice;
  readonly #remote: RemoteSeats;
  readonly own: OwnSeats;
  readonly seating: Seating;
  readonly #questions: Questions;
  /** News that came while all seats were being read; applied afterwards. */
  #later: RegisterNews[] | undefined;
  #leaseUntil = 0;
  #beats = 0;
  /** Beginning of the data of the register that this node last reached. */
  #since: number | undefined;
  #timer: unknown;
  #isClosed = false;
  /** The register confirmed all seats under this lease; under another one they are claimed again. */
  #heldUnder: number | undefined;

  constructor(options: ClusterOptions, local: LocalOffice) {
    this.#options = options;
    this.#local = local;
    this.#remote = new RemoteSeats(local.left);
    this.seating = this.#remote.seating;
    this.own = new OwnSeats(options.register, options.leaseMs, local.evict);
    this.#questions = new Questions(options.register, local, this.own, () => this.isCurrent);
  }
  start(started: (isReached: boolean) => void): void {
    const { register } = this.#options;
    register.listen(
      (news) => this.#hear(news),
      (isHeard) => {
        if (isHeard === undefined) return started(false);
        this.#renew((renewed) => {
          this.#schedule();
          if (!renewed) return started(false);
          // Waits as long as a young register grants no new seats, so that the office does not open earlier.
          const waitMs = Math.max(0, this.#options.leaseMs * newAfterLeases - renewed.ageMs);
          this.#options.timers.setTimer(() => this.#resync(() => started(true)), waitMs);
        });
      },
    );
  }
  /** Without a valid lease other nodes may hold its seats, so nothing may be relayed. */
  get isCurrent(): boolean {
    return this.#options.now() < this.#leaseUntil;
  }
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#options.timers.clearTimer(this.#timer);
    await this.#options.register.close();
  }

  isElsewhere(socket: string): boolean {
    return this.#remote.at(socket) !== undefined;
  }
  /** `then` tells whether the register could be read. */
  refresh(seat: SeatFacts, then: (isRead: boolean) => void): void {
    this.#options.register.at(seat, (found) => {
      if (found && found !== 'nobody') this.#take(found);
      then(found !== undefined);
    });
  }
  ask(id: number, socket: string, event: string, body: object): void {
    const holder = this.#remote.at(socket);
    if (!holder) return this.#local.unasked(id, gone);
    this.#questions.ask(id, holder, event, body);
  }
  notify(socket: string, event: string, body: object): void {
    const node = this.#remote.at(socket)?.node;
    if (node !== undefined) this.#questions.send(node, { type: 'notify', socket, event, body });
  }
  broadcast(office: string, except: string, event: string, body: object): void {
    const nodes = new Set(this.seating.members(office).map(({ socket }) => this.#remote.at(socket)?.node));
    for (const node of nodes)
      if (node !== undefined) this.#questions.send(node, { type: 'broadcast', office, except, event, body });
  }

  #hear(news: RegisterNews): void {
    if (this.#isClosed) return;
    switch (news.type) {
      case 'taken':
      case 'freed':
        this.#later?.push(news);
        return news.type === 'taken' ? this.#take(news.holder) : this.#remote.free(news.seat, news.fence);
      case 'message':
        return this.#questions.receive(news.from, news.message);
      case 'ended':
        return this.#buryAll(new Set([news.node]));
      case 'resumed':
        // Reads all seats again with the renewal of the lease below, because news were missed during the interruption.
        this.#beats = beatsToResync - 1;
        return this.#beat(() => {});
    }
  }
  #take(holder: Holder): void {
    if (holder.node !== this.#options.register.node) this.#remote.take(holder);
  }

  #schedule(): void {
    if (this.#isClosed) return;
    const { timers, leaseMs } = this.#options;
    this.#timer = timers.setTimer(() => {
      this.#beat(() => {});
      this.#schedule();
    }, leaseMs / 3);
  }
  /** When the register cannot be reached, the next run tries again, until the lease has ended. */
  #beat(then: () => void): void {
    this.#renew((renewed) => {
      if (!renewed || this.#isClosed) return then();
      this.#questions.sendAgain();
      this.#beats += 1;
      if (this.own.isUnsure || this.#beats % beatsToResync === 0) this.#resync(() => this.#bury(then));
      else this.#bury(then);
    });
  }
  /** `then` gets undefined when the register could not be reached, or did not answer for all seats. */
  #renew(then: (renewed: RenewedLease | undefined) => void): void {
    const { register, leaseMs, now } = this.#options;
    const asked = now();
    register.renew((renewed) => {
      if (!renewed) return then(undefined);
      const done = (): void => {
        this.#leaseUntil = asked + leaseMs;
        then(renewed);
      };
      const { lease, since } = renewed;
      if (since !== this.#since) {
        this.#since = since;
        this.#heldUnder = undefined;
        // Only now: while the lease was valid, no other node could have the seats.
        if (now() >= this.#leaseUntil) this.own.giveUp();
      }
      if (lease === this.#heldUnder) return done();
      this.own.claimAgain(this.own.all(), (isWhole) => {
        if (!isWhole) return then(undefined);
        this.#heldUnder = lease;
        this.#resync(done);
      });
    });
  }
  /** All nodes free the seats of a node whose lease has ended; only the first attempt has an effect. */
  #bury(then: () => void): void {
    const nodes = [...new Set([...this.#remote.all().map(({ node }) => node), ...this.#questions.unreached])];
    if (nodes.length === 0) return then();
    this.#options.register.dead(nodes, (dead) => {
      this.#buryAll(new Set(dead));
      then();
    });
  }
  #buryAll(dead: ReadonlySet<string>): void {
    for (const node of dead) this.#questions.forget(node);
    for (const holder of this.#remote.all()) {
      if (!dead.has(holder.node)) continue;
      this.#remote.drop(holder, true);
      this.own.free(holder.seat, holder.fence);
    }
  }
  #resync(then: () => void): void {
    const later: RegisterNews[] = [];
    this.#later = later;
    const compare = this.own.compared();
    this.#options.register.seats((found) => {
      if (this.#later === later) this.#later = undefined;
      if (!found) return then();
      const there = new Set(found.map(({ fence }) => fence));
      const freed = new Set<number>();
      for (const news of later) {
        if (news.type === 'taken') there.add(news.holder.fence);
        else if (news.type === 'freed') freed.add(news.fence);
      }
      for (const holder of this.#remote.all()) if (!there.has(holder.fence)) this.#remote.drop(holder, false);
      for (const holder of found) if (!freed.has(holder.fence)) this.#take(holder);
      compare(found);
      this.#questions.check();
      then();
    });
  }
}

/** This node is asked first, because that needs no register. */
export class LookupOfAll implements Lookup {
  readonly #here: Seating;
  readonly #cluster: Cluster;
  /** By the seat that sent them, in their order, so that none overtakes another. */
  readonly #waiting = new Map<SeatFacts, ((isRead: boolean) => void)[]>();

  constructor(here: Seating, cluster: Cluster) {
    this.#here = here;
    this.#cluster = cluster;
  }
  agent(office: string): string | undefined {
    return this.#here.agent(office) ?? this.#cluster.seating.agent(office);
  }
  computer(office: string, name: string): string | undefined {
    return this.#here.computer(office, name) ?? this.#cluster.seating.computer(office, name);
  }
  members(office: string): readonly Member[] {
    return [...this.#here.members(office), ...this.#cluster.seating.members(office)];
  }
  versionOf(socket: string): string | undefined {
    return this.#here.versionOf(socket) ?? this.#cluster.seating.versionOf(socket);
  }
  known(asker: SeatFacts | undefined, payload: unknown, then: (isKnown: boolean) => void): void {
    if (!asker) return then(true);
    const before = this.#waiting.get(asker);
    // Refuses the waiting events at once after a failed read, because each further try would take as long.
    const later = (isRead: boolean): void =>
      isRead ? this.known(asker, payload, then) : then(!this.#unknown(asker, payload));
    if (before) return void before.push(later);
    const wanted = this.#unknown(asker, payload);
    if (!wanted) return then(true);
    const waiting: ((isRead: boolean) => void)[] = [];
    this.#waiting.set(asker, waiting);
    this.#cluster.refresh(wanted, (isRead) => {
      this.#waiting.delete(asker);
      then(isRead);
      for (const next of waiting) next(isRead);
    });
  }
  #unknown({ office }: SeatFacts, payload: unknown): SeatFacts | undefined {
    const name = (payload as { readonly computer?: unknown } | null | undefined)?.computer;
    const isKnown = typeof name !== 'string' || this.computer(office, name) !== undefined;
    return isKnown ? undefined : { office, role: 'computer', name };
  }
}
