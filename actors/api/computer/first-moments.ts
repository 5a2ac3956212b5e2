import { systemClock } from '../../../adapters/index.ts';
import type { Listeners } from '../../kernel/listeners.ts';
import { deferred } from '../../kernel/deferred.ts';
import type { ComputerEvents } from './computer-handle.ts';
import type { ServerStatus } from '../../servers/server-handle.ts';

/**
 * The time in which a computer begins: its servers start, and it takes its seat. Questions wait for that, `toolsMs` at
 * most; then they are answered with what is there. It ends with the computer.
 */
export class FirstMoments {
  readonly #booted = deferred();
  readonly #seated = deferred();
  readonly #late = deferred();
  readonly #listeners: Listeners<ComputerEvents>;
  #timer: unknown;
  /** Resolves when each server has come up or has failed once, or when the time is over. */
  readonly gathered = Promise.race([this.#booted.promise, this.#late.promise]);
  /** Resolves when its office has answered, or when the time is over. */
  readonly seated = Promise.race([this.#seated.promise, this.#late.promise]);

  constructor(listeners: Listeners<ComputerEvents>) {
    this.#listeners = listeners;
    listeners.on('link.changed', ({ state }) => state !== 'connecting' && this.#seated.resolve());
  }
  begin(toolsMs: number): void {
    this.#timer = systemClock.setTimeout(() => this.#late.resolve(), toolsMs);
  }
  booted(): void {
    this.#booted.resolve();
  }
  close(): void {
    systemClock.clearTimeout(this.#timer);
    this.#late.resolve();
  }
  /** Resolves when this server has come up or has failed, or when the time is over. */
  async settled(statusOf: () => ServerStatus | undefined): Promise<void> {
    if (statusOf()?.state !== 'connecting') return;
    const settled = deferred();
    const stop = this.#listeners.on('server.changed', () => {
      if (statusOf()?.state !== 'connecting') settled.resolve();
    });
    await Promise.race([settled.promise, this.gathered]);
    stop();
  }
}
