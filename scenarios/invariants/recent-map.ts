const mostYoung = 4096;

/** An hour after the end of a call nothing more comes of it. At least the last few thousand are kept. */
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
