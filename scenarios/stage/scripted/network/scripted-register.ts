import type { SeatFacts } from '../../../../machines/ports/office.ts';
import {
  placeOf,
  type ClaimAnswer,
  type Holder,
  type NodeMessage,
  type Register,
  type RegisterNews,
  type RegisterCallback,
} from '../../../../machines/office/rooms/register.ts';

interface Clock {
  now(): number;
  setTimeout(run: () => void, ms: number): unknown;
}
export interface RegisterFaults {
  /** Called for each message or news; `lost` means that it never comes. */
  delay: () => number | 'lost';
  /** Called for each message that is not lost. */
  copies: () => number;
  /** Called for each question; on false the request is done and its answer lost. */
  isAnswered: () => boolean;
  /** It answers nothing; its contents stay. */
  isDown: boolean;
}
const unreachedMs = 3_000;
const keyOf = (seat: SeatFacts): string => `${seat.office}\n${placeOf(seat)}`;

/** Register of several nodes in virtual time, with the same rules as the one in Redis. */
export class ScriptedRegister {
  readonly faults: RegisterFaults = {
    delay: () => 1,
    copies: () => 1,
    isAnswered: () => true,
    isDown: false,
  };
  readonly #clock: Clock;
  readonly #leaseMs: number;
  readonly #leases = new Map<string, { readonly until: number; readonly since: number }>();
  readonly #seats = new Map<string, Holder>();
  readonly #killed = new Set<string>();
  readonly #listeners = new Map<string, (news: RegisterNews) => void>();
  /** It cannot reach the register, nor be reached. */
  apart: string | undefined;
  /** Its news are lost: it can ask, but is not reached. */
  deaf: string | undefined;
  /** When the register was last empty. */
  #since: number | undefined = -Infinity;
  #fence = 0;
  #nodes = 0;

  constructor(clock: Clock, leaseMs: number) {
    this.#clock = clock;
    this.#leaseMs = leaseMs;
  }
  /** As a Redis without persistence; the nodes hear of it when the register is back. */
  forget(): void {
    this.#since = undefined;
    this.#leases.clear();
    this.#seats.clear();
    this.#fence = 0;
  }
  /** To another server, which has received the leases but no claims. */
  failOver(): void {
    this.#since = this.#clock.now();
    this.#seats.clear();
  }
  back(): void {
    this.faults.isDown = false;
    for (const node of this.#listeners.keys()) this.#tell(node, { type: 'resumed' });
  }
  hearsAgain(): void {
    const node = this.deaf;
    this.deaf = undefined;
    if (node !== undefined) this.#tell(node, { type: 'resumed' });
  }
  get holders(): readonly Holder[] {
    return [...this.#seats.values()].filter(({ node }) => this.#lives(node));
  }
  #lives(node: string): boolean {
    return (this.#leases.get(node)?.until ?? 0) > this.#clock.now();
  }
  #tell(node: string, news: RegisterNews): void {
    if (node === this.apart || node === this.deaf) return;
    const ms = this.faults.delay();
    if (ms === 'lost') return;
    for (let n = 0; n < this.faults.copies(); n += 1)
      this.#clock.setTimeout(() => this.#listeners.get(node)?.(news), ms + n);
  }
  #tellAll(news: RegisterNews): void {
    for (const node of this.#listeners.keys()) this.#tell(node, news);
  }
  /** At once, but answers a moment later; never while the register is down. */
  #asked<T>(node: string, told: RegisterCallback<T>, what: () => T): void {
    if (this.#killed.has(node)) return;
    const isDown = this.faults.isDown || node === this.apart;
    const result = isDown ? undefined : what();
    const isHeard = !isDown && this.faults.isAnswered();
    this.#clock.setTimeout(() => told(isHeard ? result : undefined), isHeard ? 1 : unreachedMs);
  }
  #free(seat: SeatFacts, fence: number): void {
    if (this.#seats.get(keyOf(seat))?.fence !== fence) return;
    this.#seats.delete(keyOf(seat));
    this.#tellAll({ type: 'freed', seat, fence });
  }

  open(): Register {
    const node = `n${++this.#nodes}`;
    return {
      node,
      listen: (hear, told) =>
        this.#asked<true>(node, told, () => {
          this.#listeners.set(node, (news) => hear(structuredClone(news)));
          return true;
        }),
      claim: (wanted, told) =>
        this.#asked<ClaimAnswer>(node, told, () => {
          const ageMs = this.#clock.now() - (this.#since ?? this.#clock.now());
          if (!this.#lives(node) || ageMs < wanted.minAgeMs) return { ok: false };
          const old = this.#seats.get(keyOf(wanted.seat));
          const isMine = old?.node === node && old.socket === wanted.socket;
          if (old && !isMine && this.#lives(old.node)) return { ok: false, holder: old };
          if (old && !isMine) this.#free(old.seat, old.fence);
          const { socket, seat, version } = wanted;
          this.#fence = Math.max(this.#fence + 1, this.#clock.now());
          const fence = this.#fence;
          const holder = { node, socket, seat, fence, ...(version !== undefined && { version }) };
          this.#seats.set(keyOf(seat), holder);
          this.#tellAll({ type: 'taken', holder });
          return { ok: true, fence };
        }),
      release: (seat, fence, told) =>
        this.#asked<true>(node, told, () => {
          this.#free(seat, fence);
          return true;
        }),
      renew: (told) =>
        this.#asked(node, told, () => {
          const now = this.#clock.now();
          const since = this.#lives(node) ? (this.#leases.get(node)?.since ?? now) : now;
          this.#leases.set(node, { until: now + this.#leaseMs, since });
          this.#since ??= now;
          return { lease: since, since: this.#since, ageMs: now - this.#since };
        }),
      dead: (nodes, told) => this.#asked(node, told, () => nodes.filter((one) => !this.#lives(one))),
      seats: (told) => this.#asked(node, told, () => [...this.#seats.values()]),
      at: (seat, told) =>
        this.#asked<Holder | 'nobody'>(node, told, () => this.#seats.get(keyOf(seat)) ?? 'nobody'),
      send: (to, message: NodeMessage, told) =>
        this.#asked(node, told, () => {
          if (!this.#listeners.has(to) || to === this.deaf) return false;
          this.#tell(to, { type: 'message', from: node, message });
          return true;
        }),
      close: () => {
        this.#listeners.delete(node);
        this.#leases.delete(node);
        this.#tellAll({ type: 'ended', node });
        return Promise.resolve();
      },
    };
  }
  /** As by a power cut: the node hears nothing any more, and its lease runs out. */
  kill(node: string): void {
    this.#killed.add(node);
    this.#listeners.delete(node);
  }
}
