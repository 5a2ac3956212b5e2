import { TransientMap } from '../../../machines/kernel/transient-map.ts';
import type { Address } from '../../../machines/kernel/address.ts';

/** Values by an address and an id that never comes again. Most addresses hold one: no key is made for it. */
export class Held<V> {
  readonly #first = new TransientMap<Address, { readonly id: unknown; readonly value: V }>();
  readonly #others = new TransientMap<string, V>();

  set(a: Address, id: unknown, value: V): void {
    if (this.#first.has(a)) this.#others.set(`${a} ${String(id)}`, value);
    else this.#first.set(a, { id, value });
  }
  get(a: Address, id: unknown): V | undefined {
    const first = this.#first.get(a);
    return first?.id === id ? first?.value : this.#others.get(`${a} ${String(id)}`);
  }
  delete(a: Address, id: unknown): void {
    if (this.#first.get(a)?.id === id) this.#first.delete(a);
    else this.#others.delete(`${a} ${String(id)}`);
  }
  *values(): Generator<V> {
    for (const { value } of this.#first.values()) yield value;
    yield* this.#others.values();
  }
}
