/**
 * Clock on which time passes only when told, timer by timer: a timer that sets another fires it at its own due time,
 * which XState's SimulatedClock does not. Timers due at the same instant fire in the order set, or, with a seed, in a
 * random order, to try unexpected orders too.
 */
interface Entry {
  readonly at: number;
  readonly tie: number;
  readonly seq: number;
  fire: (() => void) | undefined;
}

/** mulberry32: small, fast, and equal on every machine. Numbers in [0, 1). */
export function randomOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Timers at one instant that count as an endless loop. */
const budget = 20_000;

export class VirtualClock {
  #now = 0;
  #seq = 0;
  #atOnce = 0;
  #fired = 0;
  readonly #most: number;
  readonly #heap: Entry[] = [];
  readonly #live = new Map<number, Entry>();
  readonly #tie: () => number;

  /** `most` is the number of timers after which a play counts as endless. */
  constructor(seed?: number, most = Infinity) {
    this.#most = most;
    this.#tie = seed === undefined ? () => 0 : randomOf(seed);
  }
  now(): number {
    return this.#now;
  }
  get fired(): number {
    return this.#fired;
  }
  get pending(): number {
    return this.#live.size;
  }
  setTimeout = (fire: () => void, ms: number): number => {
    const entry: Entry = { at: this.#now + Math.max(0, ms), tie: this.#tie(), seq: (this.#seq += 1), fire };
    this.#live.set(entry.seq, entry);
    this.#push(entry);
    return entry.seq;
  };
  clearTimeout = (id: unknown): void => {
    const entry = this.#live.get(id as number);
    if (!entry) return;
    entry.fire = undefined;
    this.#live.delete(entry.seq);
  };
  /** False when no timer is due by `limit`. */
  step(limit = Infinity): boolean {
    for (;;) {
      const next = this.#heap[0];
      if (!next || (next.fire && next.at > limit)) return false;
      this.#pop();
      if (!next.fire) continue;
      this.#live.delete(next.seq);
      this.#atOnce = next.at > this.#now ? 0 : this.#atOnce + 1;
      if (this.#atOnce > budget) throw new Error(`livelock: more than ${budget} timers at ${this.#now} ms`);
      this.#now = Math.max(this.#now, next.at);
      this.#fired += 1;
      if (this.#fired > this.#most)
        throw new Error(`endless: more than ${this.#most} timers by ${this.#now} ms`);
      next.fire();
      return true;
    }
  }
  /** Fires no timers, as when an event loop hangs: those due meanwhile fire late. */
  stall(ms: number): void {
    this.#now += ms;
  }
  advance(ms: number): void {
    const end = this.#now + ms;
    while (this.step(end));
    this.#now = end;
  }

  #isBefore(a: Entry, b: Entry): boolean {
    if (a.at !== b.at) return a.at < b.at;
    return a.tie === b.tie ? a.seq < b.seq : a.tie < b.tie;
  }
  #push(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(entry, heap[parent] as Entry)) break;
      heap[at] = heap[parent] as Entry;
      at = parent;
    }
    heap[at] = entry;
  }
  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && this.#isBefore(heap[child + 1] as Entry, heap[child] as Entry))
        child += 1;
      if (!this.#isBefore(heap[child] as Entry, last)) break;
      heap[at] = heap[child] as Entry;
      at = child;
    }
    heap[at] = last;
  }
}
