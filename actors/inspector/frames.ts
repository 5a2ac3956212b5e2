import { nameOf, type Address } from '../../machines/kernel/address.ts';
import type { Frame } from '../../machines/trace/index.ts';

/** The messages on the wires of those whom somebody looks at, and of sessions for a recorder. Of all others nothing is kept. */
export class Frames {
  /** By name of an actor: how many look at it. */
  readonly #watched = new Map<Address, number>();
  /** Hears those that somebody looks at. */
  heard: (frame: Frame) => void = () => {};
  /** Hears those of all MCP sessions. */
  kept: ((frame: Frame) => void) | undefined;

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
    const isSeen = this.#watched.size > 0 && this.#isWatched(a);
    const kept = via === 'mcp' ? this.kept : undefined;
    if (!isSeen && !kept) return;
    const frame: Frame = { k: 'frame', a, via, dir, json: message };
    if (isSeen) this.heard(frame);
    kept?.(frame);
  };
  #isWatched(a: Address): boolean {
    for (const name of this.#watched.keys())
      if (a.startsWith(name) && (a[name.length] === '#' || a[name.length] === '/')) return true;
    return false;
  }
}
