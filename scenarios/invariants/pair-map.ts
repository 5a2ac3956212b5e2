import { nameOf, type Address } from '../../machines/kernel/address.ts';

/** Values by two texts, such as who waits and for which ticket, without making a third text of them. */
export class PairMap<Value> {
  readonly #all = new Map<string, Map<string, Value>>();

  get(first: string, second: string): Value | undefined {
    return this.#all.get(first)?.get(second);
  }
  set(first: string, second: string, value: Value): void {
    const inner = this.#all.get(first);
    if (inner) inner.set(second, value);
    else this.#all.set(first, new Map([[second, value]]));
  }
  delete(first: string, second: string): void {
    this.#all.get(first)?.delete(second);
  }
  *values(): Generator<Value> {
    for (const inner of this.#all.values()) yield* inner.values();
  }
}

/** Addresses without their incarnations, of few that come again and again: each is cut once. */
export function naming(): (a: Address) => Address {
  const known = new Map<Address, Address>();
  return (a) => {
    let name = known.get(a);
    if (name === undefined) known.set(a, (name = nameOf(a)));
    return name;
  };
}
