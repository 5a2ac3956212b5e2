import { extended } from '../../../machines/kernel/objects.ts';
import type { SeatFacts } from '../../../machines/kernel/ports.ts';
import { takenText } from '../../../machines/office/rooms/claims.ts';
import { seatKey, type Holder, type Register } from '../../../machines/office/rooms/register.ts';
import type { Failure } from '../../../machines/protocol/failure.ts';
import { apart, overtaken } from './cluster-failures.ts';

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
