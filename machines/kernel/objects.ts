/**
 * Helpers for objects that stay cheap in V8: copies that share one hidden class, results cached by object, and a map
 * for short-lived entries.
 */
import type { Fields } from '../protocol/json.ts';

/**
 * Copies objects with one shared hidden class. V8 gives the result of a spread, of `Object.assign` and of a growing
 * object a class of its own each time, which can cost thirty times the copy itself. A generated function that names
 * all fields avoids this, one per list of field names that comes often; where code generation is forbidden, an ordinary copy is made.
 */
type Make = (base: Fields, more: Fields) => Record<string, unknown>;
interface Shape {
  readonly base: readonly string[];
  readonly more: readonly string[];
  uses: number;
  make: Make;
}
const has = (object: Fields, names: readonly string[]): boolean => {
  let n = 0;
  for (const name in object) {
    if (names[n] !== name) return false;
    n += 1;
  }
  return n === names.length;
};
function written(base: readonly string[], more: readonly string[], without: readonly string[]): Make {
  const plain = plainly(without);
  const names = new Set([...base.filter((name) => !without.includes(name)), ...more]);
  // Makes an ordinary copy for the key `__proto__`, which would set the prototype in an object literal.
  if (names.has('__proto__')) return plain;
  const fields = [...names].map((name) => {
    const text = JSON.stringify(name);
    return `${text}:${more.includes(name) ? 'more' : 'base'}[${text}]`;
  });
  try {
    // oxlint-disable-next-line no-new-func, typescript/no-implied-eval
    return new Function('base', 'more', `return {${fields.join()}}`) as Make;
  } catch {
    return plain;
  }
}
const plainly =
  (without: readonly string[]): Make =>
  (base, more) => ({
    ...(without.length === 0
      ? base
      : Object.fromEntries(Object.entries(base).filter(([name]) => !without.includes(name)))),
    ...more,
  });
/**
 * Number of uses of a list of field names after which its function is generated, because that takes longer than several
 * ordinary copies.
 */
const generatedAt = 8;
/** Largest number of field-name lists for which one call site keeps generated functions. */
const most = 32;
/**
 * Returns a function that computes `{ ...base, ...more }` without some fields of `base`. Create one per call site: it
 * remembers the field-name lists that occur there.
 */
export function merging<Left extends string = never>(
  ...without: readonly Left[]
): <A extends object, B extends object>(base: A, more: B) => Omit<A, Left> & B {
  const shapes: Shape[] = [];
  return <A extends object, B extends object>(base: A, more: B) => {
    const [one, other] = [base as Fields, more as Fields];
    const known = shapes.find((shape) => has(other, shape.more) && has(one, shape.base));
    if (known) {
      known.uses += 1;
      if (known.uses === generatedAt) known.make = written(known.base, known.more, without);
      return known.make(one, other) as Omit<A, Left> & B;
    }
    const make = plainly(without);
    if (shapes.length < most)
      shapes.push({ base: Object.keys(one), more: Object.keys(other), uses: 1, make });
    return make(one, other) as Omit<A, Left> & B;
  };
}

/**
 * Returns `{ ...base, ...more }` for hot code whose `more` adds new fields. Node 20 gives an object that grows after
 * a spread a hidden class of its own each time, which costs twenty times as much and outlives the object.
 */
export const extended = <A extends object, B extends object>(base: A, more: B): A & B =>
  Object.assign({}, base, more);

/**
 * Caches the result of a function for each argument object. Messages and machine data are immutable, so a result
 * stays valid as long as its object exists, and is released together with it.
 */
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

/**
 * Caches the result of a function for the last argument object only. Cheaper than a WeakMap, which costs time at each
 * garbage collection, when callers ask for the same object several times in a row.
 */
export function rememberedLast<Key extends object, Value>(work: (key: Key) => Value): (key: Key) => Value {
  let last: { readonly key: Key; readonly value: Value } | undefined;
  return (key) => {
    if (last?.key !== key) last = { key, value: work(key) };
    return last.value;
  };
}

/**
 * Map for short-lived entries, such as calls in flight. V8 links each outgrown table of a Map to the next one; once
 * an old table is promoted, every later entry survives two young collections, and is copied in each. This class
 * switches to a fresh Map before its table fills with holes. Iteration follows insertion order, over the entries that
 * exist when it starts.
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
