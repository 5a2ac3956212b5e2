/** Contents that a computer keeps for agents: who may read each, and which are dropped for time or room. */
import type { BlobRefusal } from '../protocol/messages/blobs.ts';
import type { BlobFacts, BlobRead } from './blobs.rules.ts';

/** Limits of the contents that one computer keeps. */
export interface StoreLimits {
  /** Largest number of bytes of all contents together; the content that was read the longest ago is dropped first. */
  readonly mostBytes: number;
  /** Time in ms after the last read after which a content is dropped. */
  readonly keepMs: number;
}
export const storeLimits: StoreLimits = { mostBytes: 1024 * 1024 * 1024, keepMs: 600_000 };

interface Kept<Where> extends BlobFacts {
  readonly where: Where;
  /** Number of bytes that count against the limit; 0 for a file that exists anyway, such as one of a skill. */
  readonly weight: number;
  readonly readers: Set<string>;
  touchedMs: number;
}
/** Content with its place, or the reason why a reader does not get it. */
export type Found<Where> =
  | { readonly ok: true; readonly kept: BlobFacts & { readonly where: Where } }
  | { readonly ok: false; readonly reason: BlobRefusal };

const isHandle = (handle: string): boolean => /^[0-9a-f]{64}$/.test(handle);

/** Store of contents. `Where` is the type of their places, which only the caller knows. */
export class ContentStore<Where> {
  readonly #limits: StoreLimits;
  /** Contents in the order of their last use. */
  readonly #kept = new Map<string, Kept<Where>>();
  #bytes = 0;

  constructor(limits: StoreLimits = storeLimits) {
    this.#limits = limits;
  }
  /** Tells whether a content of this size is within the limit of all contents. */
  fits(bytes: number): boolean {
    return bytes <= this.#limits.mostBytes;
  }
  has(handle: string): boolean {
    return this.#kept.has(handle);
  }
  /** Keeps a new content for a reader, and returns the places of contents that were dropped, to make room or for age. */
  keep(
    facts: BlobFacts & { readonly where: Where; readonly weight: number },
    reader: string,
    nowMs: number,
  ): Where[] {
    this.#kept.set(facts.handle, { ...facts, readers: new Set([reader]), touchedMs: nowMs });
    this.#bytes += facts.weight;
    return this.expire(nowMs);
  }
  /** Allows one more reader to read a kept content. */
  share(handle: string, reader: string, nowMs: number): void {
    this.#kept.get(handle)?.readers.add(reader);
    this.#touch(handle, nowMs);
  }
  /** Finds a content for its reader; a read keeps it for longer. */
  find({ handle, offset, reader }: BlobRead, nowMs: number): Found<Where> {
    if (!isHandle(handle)) return { ok: false, reason: 'invalid_handle' };
    const kept = this.#kept.get(handle);
    if (!kept) return { ok: false, reason: 'gone' };
    if (!kept.readers.has(reader)) return { ok: false, reason: 'forbidden' };
    if (offset < 0 || offset > kept.bytes) return { ok: false, reason: 'range' };
    this.#touch(handle, nowMs);
    return { ok: true, kept };
  }
  /** Drops contents that nobody has read for long, and the oldest when there is no room; returns their places. */
  expire(nowMs: number): Where[] {
    const dropped: Where[] = [];
    for (const [handle, { touchedMs }] of this.#kept) {
      const isOld = nowMs - touchedMs >= this.#limits.keepMs;
      if (!isOld && (this.#bytes <= this.#limits.mostBytes || this.#kept.size === 1)) break;
      dropped.push(...this.#drop(handle));
    }
    return dropped;
  }
  /** Forgets a content that can no longer be read at its place, and returns that place. */
  forget(handle: string): Where[] {
    return this.#drop(handle);
  }
  /** Time in ms until the next content may be dropped; undefined when nothing is kept. */
  nextMs(nowMs: number): number | undefined {
    const [first] = this.#kept.values();
    return first && Math.max(0, first.touchedMs + this.#limits.keepMs - nowMs);
  }
  #touch(handle: string, nowMs: number): void {
    const kept = this.#kept.get(handle);
    if (!kept) return;
    kept.touchedMs = nowMs;
    this.#kept.delete(handle);
    this.#kept.set(handle, kept);
  }
  #drop(handle: string): Where[] {
    const kept = this.#kept.get(handle);
    if (!kept) return [];
    this.#kept.delete(handle);
    this.#bytes -= kept.weight;
    return [kept.where];
  }
}
