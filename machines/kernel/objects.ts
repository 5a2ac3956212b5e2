/** Helpers for objects that stay cheap in V8. */
import type { Fields } from '../protocol/json.ts';

/** V8 gives each spread a class of its own, at up to thirty times the cost; a generated function avoids this. */
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
  // `__proto__` would set the prototype in an object literal.
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
/** Uses of a list of field names, because generating takes longer than several ordinary copies. */
const generatedAt = 8;
/** Lists of field names for which one call site keeps generated functions. */
const most = 32;
/** Create one per call site: it remembers the lists of field names that occur there. */
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

/** In Node 20 an object that grows after a spread gets a hidden class of its own, at twenty times the cost. */
export const extended = <A extends object, B extends object>(base: A, more: B): A & B =>
  Object.assign({}, base, more);

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
