/**
 * A Map for entries that come and go, such as calls in flight. V8 links each table that a Map has outgrown to the next one: once one
 * of them is old, everything that is ever put into the Map outlives two collections of young objects, and costs a copy in each. This
 * one takes a fresh Map before its table is full of holes. Iteration is in the order of insertion, over what is there at its start.
 */
export class TransientMap<K, V> {
  #map = new Map<K, V>();
  #holes = 0;

  get size(): number {
    return this.#map.size;
  }
  has(key: K): boolean {
    return this.#map.has(key);
  }
  get(key: K): V | undefined {
    return this.#map.get(key);
  }
  set(key: K, value: V): this {
    this.#map.set(key, value);
    return this;
  }
  delete(key: K): boolean {
    const wasThere = this.#map.delete(key);
    if (!wasThere) return false;
    this.#holes += 1;
    if (this.#holes < 32 || this.#holes < this.#map.size) return true;
    const fresh = new Map<K, V>();
    this.#map.forEach((value, key) => fresh.set(key, value));
    this.#map = fresh;
    this.#holes = 0;
    return true;
  }
  clear(): void {
    this.#map = new Map();
    this.#holes = 0;
  }
  keys(): K[] {
    return [...this.#map.keys()];
  }
  values(): V[] {
    return [...this.#map.values()];
  }
  [Symbol.iterator](): Iterator<[K, V]> {
    return [...this.#map][Symbol.iterator]();
  }
}
