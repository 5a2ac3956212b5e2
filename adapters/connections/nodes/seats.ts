/** Holders of the seats of an office with several nodes: at this node, and at all others. */
import { extended } from '../../../machines/kernel/objects.ts';
import type { SeatFacts } from '../../../machines/ports/office.ts';
import { takenText } from '../../../machines/office/rooms/claims.ts';
import { seatKey, type Holder, type Register, Seating } from '../../../machines/office/rooms/register.ts';
import { wireCodes, type Failure } from '../../../machines/protocol/failure.ts';

/** While the register cannot be reached; nothing was done. */
export const apartFailure: Failure = {
  code: wireCodes.unavailable,
  message: 'The office cannot reach its register now: try again',
  details: { reason: 'register' },
};
export const unreached: Failure = {
  code: wireCodes.unavailable,
  message: 'The server at which this computer sits cannot be reached now: nothing was sent',
  details: { reason: 'node' },
};
export const unsure: Failure = {
  code: wireCodes.notFound,
  message: 'The connection to the server at which this computer sits broke off',
  details: { reason: 'left' },
};
export const gone: Failure = {
  code: wireCodes.notFound,
  message: 'The computer is not in this office any more',
  details: { reason: 'left' },
};
const overtaken: Failure = {
  code: wireCodes.conflict,
  message: 'Another connection has taken this seat while the office was apart from its register',
  details: { reason: 'overtaken' },
};
const forgotten: Failure = {
  code: wireCodes.unavailable,
  message: 'The office was apart from its register, which has lost its data meanwhile: join again',
  details: { reason: 'register' },
};

/** The later claim of a seat counts, in whatever order the news arrive. */
export class RemoteSeats {
  readonly seating = new Seating();
  readonly #holders = new Map<string, Holder>();
  readonly #sockets = new Map<string, Holder>();
  readonly #left: (holder: Holder, isLost: boolean) => void;

  constructor(left: (holder: Holder, isLost: boolean) => void) {
    this.#left = left;
  }
  all(): readonly Holder[] {
    return [...this.#holders.values()];
  }
  at(socket: string): Holder | undefined {
    return this.#sockets.get(socket);
  }
  take(holder: Holder): void {
    const key = seatKey(holder.seat);
    const before = this.#holders.get(key);
    if (before && before.fence >= holder.fence) return;
    // Ignores news of a seat that this connection has already left for another.
    if ((this.#sockets.get(holder.socket)?.fence ?? 0) > holder.fence) return;
    if (before) this.drop(before, false);
    this.#holders.set(key, holder);
    this.#sockets.set(holder.socket, holder);
    this.seating.opened(holder.socket, holder.version, false);
    this.seating.seat(holder.socket, holder.seat);
  }
  free(seat: SeatFacts, fence: number): void {
    const before = this.#holders.get(seatKey(seat));
    if (before?.fence === fence) this.drop(before, false);
  }
  /** `isLost`: its node is dead and cannot announce that its peers have left. */
  drop(holder: Holder, isLost: boolean): void {
    this.#holders.delete(seatKey(holder.seat));
    // Keeps the connection's other seat, because a computer that changes its office takes the new seat before it leaves the old one.
    if (this.#sockets.get(holder.socket) === holder) {
      this.#sockets.delete(holder.socket);
      this.seating.unseat(holder.socket);
      this.seating.closed(holder.socket);
    }
    this.#left(holder, isLost);
  }
}

/** Multiple of the lease for which a register that lost its data gives seats only to nodes that hold them. */
export const newAfterLeases = 1.5;

export class OwnSeats {
  readonly #register: Register;
  readonly #leaseMs: number;
  readonly #evict: (socket: string, failure: Failure) => void;
  readonly #own = new Map<string, Holder>();
  /** Sockets by the fence (the number of the claim) of their seat. */
  readonly #sockets = new Map<number, string>();
  #claiming = 0;
  #isUnsure = false;

  constructor(register: Register, leaseMs: number, evict: (socket: string, failure: Failure) => void) {
    this.#register = register;
    this.#leaseMs = leaseMs;
    this.#evict = evict;
  }
  /** It is unknown whether a request to the register was carried out. */
  get isUnsure(): boolean {
    return this.#isUnsure;
  }
  all(): readonly Holder[] {
    return [...this.#own.values()];
  }
  get sockets(): ReadonlySet<string> {
    return new Set(this.#sockets.values());
  }
  has(fence: number, socket: string): boolean {
    return this.#sockets.get(fence) === socket;
  }
  /** `settled` gets null when it is granted, otherwise the reason for the refusal. */
  claim(
    socket: string,
    seat: SeatFacts,
    version: string | undefined,
    settled: (text: string | null) => void,
  ): void {
    const wanted = { socket, seat, ...(version !== undefined && { version }) };
    this.#claiming += 1;
    const minAgeMs = this.#leaseMs * newAfterLeases;
    this.#register.claim(extended(wanted, { minAgeMs }), (answer) => {
      this.#claiming -= 1;
      // If the claim was carried out after all, the next comparison with the register frees it.
      if (!answer) this.#isUnsure = true;
      if (!answer) return settled(apartFailure.message);
      if (!answer.ok)
        return settled(answer.holder ? takenText(seat, answer.holder.seat.name) : apartFailure.message);
      this.#hold(extended(wanted, { node: this.#register.node, fence: answer.fence }));
      settled(null);
    });
  }
  release(socket: string, seat: SeatFacts): void {
    const held = this.#own.get(seatKey(seat));
    if (held?.socket !== socket) return;
    this.#letGo(held);
    this.free(seat, held.fence);
  }
  /** When that fails, the next comparison with the register (`compared`) frees the seat. */
  free(seat: SeatFacts, fence: number): void {
    this.#register.release(seat, fence, (isDone) => {
      if (isDone === undefined) this.#isUnsure = true;
    });
  }
  giveUp(): void {
    for (const held of this.all()) {
      this.#letGo(held);
      this.#evict(held.socket, forgotten);
    }
  }
  /** Whatever the age of the register; a seat that another node has taken meanwhile is given up. */
  claimAgain([held, ...rest]: readonly Holder[], then: (isWhole: boolean) => void): void {
    if (!held) return then(true);
    if (this.#own.get(seatKey(held.seat)) !== held) return this.claimAgain(rest, then);
    this.#claiming += 1;
    this.#register.claim(extended(held, { minAgeMs: 0 }), (answer) => {
      this.#claiming -= 1;
      if (!answer || (!answer.ok && !answer.holder)) {
        this.#isUnsure = true;
        return then(false);
      }
      // Reads the seat again, which may have been claimed once more or given up while the register was asked.
      const now = this.#own.get(seatKey(held.seat));
      const isHeld = now?.socket === held.socket;
      if (isHeld) this.#letGo(now);
      if (answer.ok && isHeld) this.#hold(extended(held, { fence: answer.fence }));
      else if (answer.ok) this.free(held.seat, answer.fence);
      else if (isHeld) this.#evict(held.socket, overtaken);
      this.claimAgain(rest, then);
    });
  }
  /** The returned function takes the seats that were read and corrects the differences. */
  compared(): (found: readonly Holder[]) => void {
    const held = this.all();
    const isQuiet = this.#claiming === 0;
    return (found) => {
      const there = new Set(found.map(({ fence }) => fence));
      const missing = held.filter(({ fence }) => !there.has(fence));
      this.#isUnsure = false;
      if (missing.length > 0) this.claimAgain(missing, () => {});
      // Repeats the comparison later when the seats that were read may include a claim that is not answered yet.
      if (!isQuiet || this.#claiming > 0) this.#isUnsure = true;
      else
        for (const { node, seat, fence } of found)
          if (node === this.#register.node && !this.#sockets.has(fence)) this.free(seat, fence);
    };
  }
  #hold(holder: Holder): void {
    const before = this.#own.get(seatKey(holder.seat));
    if (before) this.#sockets.delete(before.fence);
    this.#own.set(seatKey(holder.seat), holder);
    this.#sockets.set(holder.fence, holder.socket);
  }
  #letGo({ seat, fence }: Holder): void {
    this.#own.delete(seatKey(seat));
    this.#sockets.delete(fence);
  }
}
