/** Objects that stay cheap in V8: copies with one hidden class, answers kept by object, a map for entries that come and go. */
import type { Fields } from '../protocol/json.ts';

/**
 * Copies of objects that keep one hidden class. V8 gives the result of a spread, of `Object.assign` and of an object that grows a class
 * of its own each time, which costs up to thirty times as much as the copy. A function that names all fields does not, so one is
 * written for each list of names; where code from strings is not allowed, the copy is an ordinary one.
 */
type Make = (base: Fields, more: Fields) => Record<string, unknown>;
interface Shape {
  readonly base: readonly string[];
  readonly more: readonly string[];
  readonly make: Make;
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
  // In a literal this name would set the prototype.
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
/** Lists of names for which functions are kept, of one place. */
const most = 32;
/**
 * A function that makes `{ ...base, ...more }` without some names of `base`, for one place in the code: it knows the lists of names
 * that it has met there.
 */
export function merging<Left extends string = never>(
  ...without: readonly Left[]
): <A extends object, B extends object>(base: A, more: B) => Omit<A, Left> & B {
  const shapes: Shape[] = [];
  return <A extends object, B extends object>(base: A, more: B) => {
    const [one, other] = [base as Fields, more as Fields];
    const known = shapes.find((shape) => has(other, shape.more) && has(one, shape.base));
    if (known) return known.make(one, other) as Omit<A, Left> & B;
    if (shapes.length === most) return plainly(without)(one, other) as Omit<A, Left> & B;
    const names = { base: Object.keys(one), more: Object.keys(other) };
    const make = written(names.base, names.more, without);
    shapes.push({ ...names, make });
    return make(one, other) as Omit<A, Left> & B;
  };
}

/**
 * `{ ...base, ...more }` where it is hot and `more` has names that `base` has not: Node 20 gives an object that grows
 * after a spread a hidden class of its own, every time, which costs twenty times as much and outlives its object.
 */
export const extended = <A extends object, B extends object>(base: A, more: B): A & B =>
  Object.assign({}, base, more);

/**
 * A function of an object, worked out once for each: what machines hold and are sent never changes, so that the answer
 * is good for as long as the object is there. It is forgotten with the object.
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

/** The same for the last object alone, where several ask for one in a row and then for another: a WeakMap costs at each garbage collection. */
export function rememberedLast<Key extends object, Value>(work: (key: Key) => Value): (key: Key) => Value {
  let last: { readonly key: Key; readonly value: Value } | undefined;
  return (key) => {
    if (last?.key !== key) last = { key, value: work(key) };
    return last.value;
  };
}

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
