import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import {
  contentsIn,
  collections,
  type ResourceCollection,
} from '../../../machines/resources/collections/index.ts';
import type { RecordOf, Said } from '../invariant.ts';
import { rootOf } from '../places.ts';

/** What a server has given of one system, as invariants read it from the records: by URI. */
export interface ServerCache {
  readonly a: Address;
  readonly collection: ResourceCollection;
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
  isInvalidated: boolean;
}
type Fields = Said<{ id: string; method: string; result: unknown }>;
const mark = 'read ';

export class ServerCaches {
  readonly #all = new Map<Address, ServerCache>();

  open({ a, kind, input }: RecordOf<'open'>): void {
    if (kind !== 'cache') return;
    const { server, collection } = input as {
      readonly server: string;
      readonly collection: ResourceCollection;
    };
    this.#all.set(a, { a, collection, server, whole: nameOf(rootOf(a)), reads: new Map() });
  }
  end(a: Address): void {
    this.#all.delete(a);
  }
  at(a: Address): ServerCache | undefined {
    return this.#all.get(a);
  }
  of(whole: Address, server?: string): ServerCache[] {
    const name = nameOf(whole);
    return [...this.#all.values()].filter(
      (cache) => cache.whole === name && (server === undefined || cache.server === server),
    );
  }
  /** The URI of a question that a server cache asks, or has an answer to. */
  asked({ ev }: RecordOf<'out'>): string | undefined {
    const { id } = ev as Fields;
    return id?.startsWith(mark) === true ? id.slice(mark.length) : undefined;
  }
  answered({ a, ev }: RecordOf<'in'>): void {
    const cache = this.#all.get(a);
    const { id = '', type, result } = (ev ?? {}) as Fields;
    const uri = id.slice(mark.length);
    const reading = cache?.reads.get(uri);
    if (!cache || !reading) return;
    const given = contentsIn(result);
    const { itemsOf } = collections[cache.collection];
    const items = given.ok ? itemsOf(given.body, uri, cache.server) : given;
    reading.isGood = type === 'ask.answered' && items.ok && items.body.refused.length === 0;
    reading.isAsked = false;
  }
}
