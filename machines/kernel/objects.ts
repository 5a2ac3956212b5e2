/** Helpers for objects that stay cheap in V8. */
/** Used for all merges: a spread is fast in Node 20 where it meets many shapes, and `Object.assign({}, …)` makes dictionaries of 20 fields. */
export function extended<A extends object, B extends object>(base: A, more: B): A & B {
  return { ...base, ...more };
}

/** For immutable objects; the result is released together with its object. */
export function remembered<Key extends object, Value>(work: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, { readonly value: Value }>();
  return (key) => {
    const before = known.get(key);
    if (before) return before.value;
    const value = work(key);
    known.set(key, { value });
    return value;
  };
}

/** For the last object only; cheaper than a WeakMap, which costs time at each garbage collection. */
export function rememberedLast<Key extends object, Value>(work: (key: Key) => Value): (key: Key) => Value {
  let last: { readonly key: Key; readonly value: Value } | undefined;
  return (key) => {
    if (last?.key !== key) last = { key, value: work(key) };
    return last.value;
  };
}

/** V8 links the outgrown tables of a Map, so that later entries survive young collections; a fresh Map is taken. */
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
