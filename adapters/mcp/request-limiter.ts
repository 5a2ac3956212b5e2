/** So many calls of one session are under way over HTTP; more wait in the limiters, where they are seen to. */
export const mostCalls = 32;
/** So many requests; the rest waits its turn. Lists, reads and pings have room beside the calls. */
const limiterWidth = mostCalls + 8;

/** Runs at most `width` at once, in the order in which they came. */
export class RequestLimiter<Key> {
  readonly #width: number;
  readonly #waiting = new Map<Key, () => Promise<void>>();
  #running = 0;

  constructor(width: number = limiterWidth) {
    this.#width = width;
  }
  /** `run` never rejects. */
  add(key: Key, run: () => Promise<void>): void {
    this.#waiting.set(key, run);
    this.#next();
  }
  /** True: it waited, and will never run. */
  drop(key: Key): boolean {
    return this.#waiting.delete(key);
  }
  waiting(): readonly Key[] {
    return [...this.#waiting.keys()];
  }
  #next(): void {
    for (const [key, run] of this.#waiting) {
      if (this.#running >= this.#width) return;
      this.#waiting.delete(key);
      this.#running += 1;
      void run().finally(() => {
        this.#running -= 1;
        this.#next();
      });
    }
  }
}
