import type { AnyEventObject } from 'xstate';
import type { PeerCredential } from '../../adapters/index.ts';
import { wireCodes } from '../../machines/protocol/index.ts';
import type { ComputerEvents } from './computer/computer-handle.ts';
import type { OfficeSeat } from './link-status.ts';
import { deferred } from '../kernel/deferred.ts';
import { A2cError } from '../kernel/errors.ts';
import { notJoined } from './not-joined.ts';
import type { Listeners } from '../kernel/listeners.ts';

interface SeatMachine {
  isTaken(): boolean;
  send(event: AnyEventObject): void;
  /** Keeps what the office at this address is shown. */
  show(url: string, credential: PeerCredential): void;
}
/** How a computer takes its seat in an office, and leaves it. */
export class Seat {
  readonly #name: string;
  readonly #listeners: Listeners<ComputerEvents>;
  readonly #machine: SeatMachine;

  constructor(name: string, listeners: Listeners<ComputerEvents>, machine: SeatMachine) {
    this.#name = name;
    this.#listeners = listeners;
    this.#machine = machine;
  }
  /** What its link is told. The credential goes another way. */
  linkTo(seat: OfficeSeat): { url: string; role: 'computer'; name: string; office: string } {
    this.#machine.show(seat.url, seat);
    return { url: seat.url, role: 'computer', name: seat.name ?? this.#name, office: seat.id ?? 'local' };
  }
  /** Resolves when it sits there; rejects, and tries no more, when the first try fails. */
  async join(office: OfficeSeat): Promise<void> {
    if (this.#machine.isTaken())
      throw new A2cError({
        code: wireCodes.conflict,
        message: 'Already in an office',
        remedy: 'leave() first',
      });
    const joined = deferred();
    const stop = this.#listeners.on('link.changed', ({ state, reason, refusal }) => {
      if (state === 'joined') joined.resolve();
      if (state === 'waiting' || state === 'closed')
        joined.reject(notJoined('computer', reason ?? state, refusal));
    });
    this.#machine.send({ type: 'office.join', link: this.linkTo(office) });
    try {
      await joined.promise;
    } catch (error) {
      await this.leave();
      throw error;
    } finally {
      stop();
    }
  }
  async leave(): Promise<void> {
    if (!this.#machine.isTaken()) return;
    const left = deferred();
    const stop = this.#listeners.on('link.changed', ({ state }) => state === 'closed' && left.resolve());
    this.#machine.send({ type: 'office.leave' });
    await left.promise;
    stop();
  }
}
