import type { Fields } from '../../machines/protocol/json.ts';
import { Later } from '../../machines/trace/index.ts';

/**
 * Values that are too large to be sent with each record that has them, such as all tools of a computer. A page gets the
 * size of each instead, and asks for it by its number when a person wants to see it.
 */

/** Number of values inside from which a value is large, such as the tools of a server that has ten. */
const leastLarge = 400;
/** Number of fields from which an object is a list by name, which is left out as a whole. */
const mostFields = 100;
const deepest = 12;
/** Most large values that can be asked for; the oldest are forgotten first. */
const mostKept = 20_000;

/** Counts the values inside of a value, and stops when they are many. */
function countIn(value: unknown, left: number, depth = 0): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  if (depth > deepest) return count;
  for (const key in value) {
    count += countIn((value as Fields)[key], left - count, depth + 1);
    if (count >= left) return count;
  }
  return count;
}
const isPlain = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype;

/** Value as it can be asked for: with the name under which it stands, by which its secrets are found. */
export interface LargeValue {
  readonly key: string;
  readonly value: object;
}
interface Known extends Omit<LargeValue, 'value'> {
  readonly value: WeakRef<object>;
}

export class LargeValues {
  /** Knows which objects are large; objects of machines never change. */
  readonly #isLarge = new WeakMap<object, boolean>();
  readonly #numbers = new WeakMap<object, number>();
  readonly #known = new Map<number, Known>();
  #next = 1;

  /** Returns a record in whose place of each large value `{"$later": [number, size]}` stands. */
  fold(record: Fields & { readonly k: string }): Fields & { readonly k: string } {
    return this.#folded(record, '', 0) as Fields & { readonly k: string };
  }
  /** Returns a large value by its number; undefined when nothing of the host has it any more. */
  find(number: number): LargeValue | undefined {
    const known = this.#known.get(number);
    const value = known?.value.deref();
    return known && value && { key: known.key, value };
  }
  #folded(value: unknown, key: string, depth: number): unknown {
    if (typeof value !== 'object' || value === null || !this.#large(value)) return value;
    // Keeps lists of texts whole: panels show the URIs of a Desktop or a Finder.
    if (Array.isArray(value) && typeof value[0] === 'string') return value;
    if (Array.isArray(value))
      // Top lists of a record are its own, such as the actors of a checkpoint.
      return depth < 2
        ? value.map((each) => this.#folded(each, key, depth + 1))
        : this.#later(value, key, value.length);
    if (!isPlain(value) || depth > deepest) return value;
    const keys = Object.keys(value);
    if (keys.length > mostFields && depth > 1) return this.#later(value, key, keys.length);
    const foldedField = (name: string): unknown => {
      const inner = (value as Fields)[name];
      // Leaves a field `value` whole, because its secrets depend on what stands beside or above it.
      return name === 'value' ? inner : this.#folded(inner, name, depth + 1);
    };
    return Object.fromEntries(keys.map((name) => [name, foldedField(name)]));
  }
  #large(value: object): boolean {
    const known = this.#isLarge.get(value);
    if (known !== undefined) return known;
    const isLarge = countIn(value, leastLarge) >= leastLarge;
    this.#isLarge.set(value, isLarge);
    return isLarge;
  }
  #later(value: object, key: string, size: number): Later {
    const known = this.#numbers.get(value);
    if (known !== undefined) return new Later(known, size);
    const number = this.#next++;
    this.#numbers.set(value, number);
    this.#known.set(number, { key, value: new WeakRef(value) });
    const [oldest] = this.#known.size > mostKept ? this.#known.keys() : [];
    if (oldest !== undefined) this.#known.delete(oldest);
    return new Later(number, size);
  }
}
