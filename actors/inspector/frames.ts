import { nameOf, type Address } from '../../machines/kernel/address.ts';
import { keysOf } from './frame-keys.ts';
import type { Frame } from '../../machines/trace/index.ts';

/** A longer message is cut: who looks at it sees its beginning. */
const mostChars = 64 * 1024;

/** The messages on the wires of those whom somebody looks at. Of all others nothing is read or kept. */
export class Frames {
  /** By name of an actor: how many look at it. */
  readonly #watched = new Map<Address, number>();
  /** Hears each of them. */
  heard: (frame: Frame) => void = () => {};

  /** Those of this client, link or seat, from now on until what is returned is called. */
  watch(actor: Address): () => void {
    const name = nameOf(actor);
    this.#watched.set(name, (this.#watched.get(name) ?? 0) + 1);
    return () => {
      const left = (this.#watched.get(name) ?? 1) - 1;
      if (left > 0) this.#watched.set(name, left);
      else this.#watched.delete(name);
    };
  }
  /** Takes those of sockets; undefined while nobody looks at anything. */
  get ofSockets(): ((a: Address, dir: Frame['dir'], message: unknown) => void) | undefined {
    return this.#watched.size === 0 ? undefined : this.#takeOfSocket;
  }
  readonly #takeOfSocket = (a: Address, dir: Frame['dir'], message: unknown): void =>
    this.take(a, 'socket', dir, message);
  /** `a`: the port instance that the message passes. */
  readonly take = (a: Address, via: Frame['via'], dir: Frame['dir'], message: unknown): void => {
    if (this.#watched.size === 0 || !this.#isWatched(a)) return;
    try {
      const text = JSON.stringify(message) ?? 'null';
      const cut = text.length - mostChars;
      const body = cut > 0 ? { text: text.slice(0, mostChars), cut } : { json: JSON.parse(text) as unknown };
      this.heard({ k: 'frame', a, via, dir, ...keysOf(message), ...body });
    } catch {
      // What cannot be written as JSON was not on the wire either.
    }
  };
  #isWatched(a: Address): boolean {
    for (const name of this.#watched.keys())
      if (a.startsWith(name) && (a[name.length] === '#' || a[name.length] === '/')) return true;
    return false;
  }
}
