/** A first-in-first-out queue: `shift` is O(1), and its tail can be cut off. */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }
  push(item: T): void {
    this.#items.push(item);
  }
  shift(): T | undefined {
    if (this.#head >= this.#items.length) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head] = undefined;
    this.#head += 1;
    if (this.#head === this.#items.length) {
      this.#items.length = 0;
      this.#head = 0;
    }
    return item;
  }
  /** Forgets what was pushed after the queue had `length` items. */
  cut(length: number): void {
    this.#items.length = this.#head + length;
  }
}
