import type { RefusedPeer } from '../../adapters/index.ts';

/** Lines that are told of the same address and reason before they are only counted. */
const firstOnes = 3;
const minuteMs = 60_000;
/** Pairs of an address and a reason that are known at once; what comes from others is counted in one line. */
const mostKnown = 50;

interface Known {
  readonly address: string;
  readonly detail: string;
  told: number;
  /** Refusals not told since the last minute ended. */
  more: number;
  isNew: boolean;
}

/**
 * Tells who was not let in, by so few lines that nobody can fill a log with them: the first ones of each address and reason, then
 * once a minute how many more there were. What the office itself is the cause of (503) is one reason for all addresses, and told
 * once. `close` tells what was only counted so far.
 */
export class Refusals {
  readonly #tell: (address: string, text: string) => void;
  readonly #known = new Map<string, Known>();
  #others: Known | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: (address: string, text: string) => void) {
    this.#tell = tell;
  }
  heard({ address, code, detail }: RefusedPeer): void {
    this.#timer ??= setInterval(() => this.#minute(), minuteMs).unref();
    const isOurs = code === 503;
    const from = isOurs ? 'several addresses' : address;
    const key = `${from} ${detail}`;
    let known = this.#known.get(key);
    if (!known && this.#known.size < mostKnown) {
      known = { address: from, detail, told: 0, more: 0, isNew: true };
      this.#known.set(key, known);
    }
    if (!known) {
      const more = (this.#others?.more ?? 0) + 1;
      this.#others = { address: 'other addresses', detail, told: 0, more, isNew: true };
      return;
    }
    known.isNew = true;
    if (known.told >= (isOurs ? 1 : firstOnes)) known.more += 1;
    else {
      known.told += 1;
      this.#tell(address, detail);
    }
  }
  close(): void {
    clearInterval(this.#timer);
    this.#count();
    this.#known.clear();
  }
  #minute(): void {
    this.#count();
    for (const [key, known] of this.#known)
      if (known.isNew) known.isNew = false;
      else this.#known.delete(key);
    if (this.#known.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
  #count(): void {
    for (const known of this.#known.values()) this.#countOf(known, 'more in a minute');
    if (this.#others) this.#countOf(this.#others, 'more of other addresses in a minute, the last');
    this.#others = undefined;
  }
  #countOf(known: Known, what: string): void {
    if (known.more > 0) this.#tell(known.address, `${known.more} ${what}: ${known.detail}`);
    known.more = 0;
  }
}
