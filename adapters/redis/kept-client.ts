import type { Redis } from 'ioredis';
import { connected } from './clients.ts';
import { A2cRedisError } from './redis-errors.ts';

/** A connection that was lost is tried again, after so long at most. */
const retryMs = 1_000;
const firstRetryMs = 50;

export interface KeptHearing<C> {
  /** Before anything else is sent over this connection; rejected: it is not used. */
  readonly opened?: (client: C) => Promise<void>;
  /** After the first time. */
  readonly back?: () => void;
  readonly lost?: () => void;
  /** Redis does not take the credential any more; told once until it does. */
  readonly refused?: (error: A2cRedisError) => void;
}
/** A connection that is opened anew whenever it ends, until `close`. */
export class KeptClient<C extends Pick<Redis, 'connect' | 'on' | 'once' | 'disconnect' | 'status'>> {
  readonly #make: () => C;
  readonly #hearing: KeptHearing<C>;
  #client: C | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #tries = 0;
  #isClosed = false;
  #isRefused = false;

  private constructor(make: () => C, hearing: KeptHearing<C>) {
    this.#make = make;
    this.#hearing = hearing;
  }
  /** Rejects with an `A2cRedisError` where it cannot be opened the first time. */
  static async open<C extends Pick<Redis, 'connect' | 'on' | 'once' | 'disconnect' | 'status'>>(
    make: () => C,
    hearing: KeptHearing<C> = {},
  ): Promise<KeptClient<C>> {
    const kept = new KeptClient(make, hearing);
    await kept.#open();
    return kept;
  }
  /** Undefined: it cannot be sent anything now. */
  get now(): C | undefined {
    return this.#client?.status === 'ready' ? this.#client : undefined;
  }
  /** It hears nothing any more, whatever it says. */
  drop(): void {
    this.#client?.disconnect();
  }
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#client?.disconnect();
  }
  async #open(): Promise<void> {
    const client = await connected(this.#make());
    try {
      await this.#hearing.opened?.(client);
    } catch (error) {
      client.disconnect();
      throw error;
    }
    if (this.#isClosed || client.status !== 'ready') {
      client.disconnect();
      throw new Error('it was closed meanwhile');
    }
    this.#client = client;
    this.#tries = 0;
    this.#isRefused = false;
    client.once('end', () => this.#lost(client));
  }
  #lost(client: C): void {
    if (this.#isClosed || this.#client !== client) return;
    this.#client = undefined;
    this.#hearing.lost?.();
    this.#later();
  }
  #later(): void {
    if (this.#isClosed) return;
    this.#tries += 1;
    this.#timer = setTimeout(() => void this.#again(), Math.min(this.#tries * firstRetryMs, retryMs));
  }
  async #again(): Promise<void> {
    try {
      await this.#open();
    } catch (error) {
      if (error instanceof A2cRedisError && error.kind === 'refused' && !this.#isRefused) {
        this.#isRefused = true;
        this.#hearing.refused?.(error);
      }
      return this.#later();
    }
    this.#hearing.back?.();
  }
}
