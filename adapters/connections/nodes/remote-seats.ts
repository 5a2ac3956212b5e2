import type { SeatFacts } from '../../../machines/kernel/ports.ts';
import { seatKey, type Holder } from '../../../machines/office/rooms/register.ts';
import { Seating } from '../../../machines/office/rooms/seating.ts';

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
