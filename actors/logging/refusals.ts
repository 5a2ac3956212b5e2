import type { RefusedPeer } from '../../adapters/socket/entry/refusing.ts';

/** Refusals of peers in a minute that get a line each; further ones are only counted. */
const mostLines = 20;
const minuteMs = 60_000;
/** No peer can fill the log, from whatever addresses it comes. */
export class Refusals {
  readonly #tell: (address: string, text: string) => void;
  #count = 0;
  #last = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: (address: string, text: string) => void) {
    this.#tell = tell;
  }
  heard({ address, detail }: RefusedPeer): void {
    this.#timer ??= setInterval(() => this.#minute(), minuteMs).unref();
    this.#count += 1;
    this.#last = detail;
    if (this.#count <= mostLines) this.#tell(address, detail);
  }
  close(): void {
    this.#minute();
    this.#minute();
  }
  /** After a minute without refusals the timer ends. */
  #minute(): void {
    const more = this.#count - mostLines;
    if (more > 0) this.#tell('all addresses', `${more} more in a minute, the last: ${this.#last}`);
    if (this.#count === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    this.#count = 0;
  }
}
