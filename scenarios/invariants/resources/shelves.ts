import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import { contentsIn, systems, type System } from '../../../machines/resources/systems/index.ts';
import type { RecordOf, Said } from '../law.ts';
import { rootOf } from '../places.ts';

/** What a server has given of one system, as laws read it from the records: by URI. */
export interface Shelf {
  readonly a: Address;
  readonly system: System;
  readonly server: string;
  /** The Desktop or Finder whose it is, by name. */
  readonly whole: Address;
  readonly reads: Map<string, Reading>;
}
export interface Reading {
  /** It was given as it has to be, or was not; undefined: it was never answered. */
  isGood: boolean | undefined;
  isAsked: boolean;
  /** It was told to have changed since it was asked for last. */
  isSpoilt: boolean;
}
type Fields = Said<{ id: string; method: string; result: unknown }>;
const mark = 'read ';

export class Shelves {
  readonly #all = new Map<Address, Shelf>();

  open({ a, kind, input }: RecordOf<'open'>): void {
    if (kind !== 'shelf') return;
    const { server, system } = input as { readonly server: string; readonly system: System };
    this.#all.set(a, { a, system, server, whole: nameOf(rootOf(a)), reads: new Map() });
  }
  end(a: Address): void {
    this.#all.delete(a);
  }
  at(a: Address): Shelf | undefined {
    return this.#all.get(a);
  }
  of(whole: Address, server?: string): Shelf[] {
    const name = nameOf(whole);
    return [...this.#all.values()].filter(
      (shelf) => shelf.whole === name && (server === undefined || shelf.server === server),
    );
  }
  /** The URI of a question that a shelf asks, or has an answer to. */
  asked({ ev }: RecordOf<'out'>): string | undefined {
    const { id } = ev as Fields;
    return id?.startsWith(mark) === true ? id.slice(mark.length) : undefined;
  }
  answered({ a, ev }: RecordOf<'in'>): void {
    const shelf = this.#all.get(a);
    const { id = '', type, result } = (ev ?? {}) as Fields;
    const uri = id.slice(mark.length);
    const reading = shelf?.reads.get(uri);
    if (!shelf || !reading) return;
    const given = contentsIn(result);
    const { itemsOf } = systems[shelf.system];
    const items = given.ok ? itemsOf(given.body, uri, shelf.server) : given;
    reading.isGood = type === 'ask.answered' && items.ok && items.body.refused.length === 0;
    reading.isAsked = false;
  }
}
