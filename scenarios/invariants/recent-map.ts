const mostYoung = 4096;

/**
 * What is over, remembered for a while: a host may live for weeks, and of a call that ended an hour ago nothing
 * comes any more. At least the last few thousand are known.
 */
export class RecentMap<Key, Value> {
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();

  get(key: Key): Value | undefined {
    return this.#young.get(key) ?? (this.#old.size > 0 ? this.#old.get(key) : undefined);
  }
  set(key: Key, value: Value): void {
    if (this.#young.size >= mostYoung) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
