import { extended } from '../../../machines/kernel/objects.ts';
import type { SeatFacts } from '../../../machines/kernel/ports.ts';
import { takenText } from '../../../machines/office/rooms/claims.ts';
import { seatKey, type Holder, type Register } from '../../../machines/office/rooms/register.ts';
import { Seating } from '../../../machines/office/rooms/seating.ts';
import { wireCodes, type Failure } from '../../../machines/protocol/failure.ts';

/** What is said where one node of an office is not enough. */

/** Said where the register is not reached: nothing was done. */
export const apart: Failure = {
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

/** Who sits at other nodes, as far as this node has heard: the later claim of a place counts, in whatever order news come. */
export class RemoteSeats {
  readonly seating = new Seating();
  readonly #holders = new Map<string, Holder>();
  readonly #sockets = new Map<string, Holder>();
  readonly #left: (holder: Holder, isLost: boolean) => void;

  /** `left`: hears of each who sits there no more. */
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
    // News of a seat that this connection has left for another.
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
  /** `isLost`: its node can tell nobody. */
  drop(holder: Holder, isLost: boolean): void {
    this.#holders.delete(seatKey(holder.seat));
    // A computer that changes its office takes the new seat first.
    if (this.#sockets.get(holder.socket) === holder) {
      this.#sockets.delete(holder.socket);
      this.seating.unseat(holder.socket);
      this.seating.closed(holder.socket);
    }
    this.#left(holder, isLost);
  }
}

/** A register that has forgotten everything gives seats to those who had them before, and from then on to anybody. */
export const newAfterLeases = 1.5;

/** What this node holds in the register. */
export class OwnSeats {
  readonly #register: Register;
  readonly #leaseMs: number;
  readonly #evict: (socket: string, failure: Failure) => void;
  readonly #own = new Map<string, Holder>();
  /** Who holds each claim, by its fence. */
  readonly #sockets = new Map<number, string>();
  /** Claims that are not answered yet. */
  #claiming = 0;
  #isUnsure = false;

  /** `evict`: hears of a connection whose seat another node has. */
  constructor(register: Register, leaseMs: number, evict: (socket: string, failure: Failure) => void) {
    this.#register = register;
    this.#leaseMs = leaseMs;
    this.#evict = evict;
  }
  /** Something was asked of the register that may or may not have been done. */
  get isUnsure(): boolean {
    return this.#isUnsure;
  }
  all(): readonly Holder[] {
    return [...this.#own.values()];
  }
  /** Those who sit here. */
  get sockets(): ReadonlySet<string> {
    return new Set(this.#sockets.values());
  }
  has(fence: number, socket: string): boolean {
    return this.#sockets.get(fence) === socket;
  }
  /** `settled`: null, it is granted; else why not. */
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
      // It may have been done all the same: the next beat finds it, and frees it.
      if (!answer) this.#isUnsure = true;
      if (!answer) return settled(apart.message);
      if (!answer.ok)
        return settled(answer.holder ? takenText(seat, answer.holder.seat.name) : apart.message);
      this.#hold(extended(wanted, { node: this.#register.node, fence: answer.fence }));
      settled(null);
    });
  }
  /** Nobody of this node sits there any more. */
  release(socket: string, seat: SeatFacts): void {
    const held = this.#own.get(seatKey(seat));
    if (held?.socket !== socket) return;
    this.#letGo(held);
    this.free(seat, held.fence);
  }
  /** What cannot be freed now is found by the next beat. */
  free(seat: SeatFacts, fence: number): void {
    this.#register.release(seat, fence, (isDone) => {
      if (isDone === undefined) this.#isUnsure = true;
    });
  }
  /**
   * What this node held before; what others have taken meanwhile is theirs. `again`: as far as this node knows its lease has not
   * ended. `then`: whether the register has answered for each.
   */
  claimAgain([held, ...rest]: readonly Holder[], again: boolean, then: (isWhole: boolean) => void): void {
    if (!held) return then(true);
    if (this.#own.get(seatKey(held.seat)) !== held) return this.claimAgain(rest, again, then);
    this.#claiming += 1;
    // What was held without a break nobody else can have, however young the register is.
    this.#register.claim(extended(held, { minAgeMs: again ? 0 : this.#leaseMs }), (answer) => {
      this.#claiming -= 1;
      if (!answer || (!answer.ok && !answer.holder)) {
        this.#isUnsure = true;
        return then(false);
      }
      // It may have been claimed once more meanwhile, or given up.
      const now = this.#own.get(seatKey(held.seat));
      const isHeld = now?.socket === held.socket;
      if (isHeld) this.#letGo(now);
      if (answer.ok && isHeld) this.#hold(extended(held, { fence: answer.fence }));
      else if (answer.ok) this.free(held.seat, answer.fence);
      else if (isHeld) this.#evict(held.socket, overtaken);
      this.claimAgain(rest, again, then);
    });
  }
  /**
   * What the register has of this node, and what this node holds, have to be the same: the returned function is given what was found,
   * and makes it so.
   */
  compared(isCurrent: () => boolean): (found: readonly Holder[]) => void {
    const held = this.all();
    const isQuiet = this.#claiming === 0;
    return (found) => {
      const there = new Set(found.map(({ fence }) => fence));
      const missing = held.filter(({ fence }) => !there.has(fence));
      this.#isUnsure = false;
      if (missing.length > 0) this.claimAgain(missing, isCurrent(), () => {});
      // A claim that is under way may be among those that were found.
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
