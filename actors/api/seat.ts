import type { AnyEventObject } from 'xstate';
import { wireCodes } from '../../machines/protocol/index.ts';
import type { ComputerEvents } from './computer/computer-handle.ts';
import type { OfficeSeat } from './link-status.ts';
import { deferred } from './deferred.ts';
import { A2cError } from './errors.ts';
import { notJoined } from './not-joined.ts';
import type { Listeners } from './listeners.ts';

/** How a computer takes its seat in an office, and leaves it. */
export class Seat {
  readonly #name: string;
  readonly #listeners: Listeners<ComputerEvents>;
  readonly #machine: { isTaken(): boolean; send(event: AnyEventObject): void };

  constructor(
    name: string,
    listeners: Listeners<ComputerEvents>,
    machine: { isTaken(): boolean; send(event: AnyEventObject): void },
  ) {
    this.#name = name;
    this.#listeners = listeners;
    this.#machine = machine;
  }
  /** Resolves when it sits there; rejects, and tries no more, when the first try fails. */
  async join({ url, id = 'local' }: OfficeSeat): Promise<void> {
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
    const link = { url, role: 'computer', name: this.#name, office: id } as const;
    this.#machine.send({ type: 'office.join', link });
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
