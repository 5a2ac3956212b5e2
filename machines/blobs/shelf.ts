/** Contents that a computer keeps for agents: who may read each, and which are dropped for time or room. */
import type { BlobRefusal } from '../protocol/messages/blobs.ts';
import type { BlobFacts, BlobRead } from './blobs.rules.ts';

export interface StoreLimits {
  /** Largest number of bytes of all contents together; the content that was read the longest ago is dropped first. */
  readonly mostBytes: number;
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
export type Found<Where> =
  | { readonly ok: true; readonly kept: BlobFacts & { readonly where: Where } }
  | { readonly ok: false; readonly reason: BlobRefusal };

const isHandle = (handle: string): boolean => /^[0-9a-f]{64}$/.test(handle);

export class ContentStore<Where> {
  readonly #limits: StoreLimits;
  /** Contents in the order of their last use. */
  readonly #kept = new Map<string, Kept<Where>>();
  #bytes = 0;

  constructor(limits: StoreLimits = storeLimits) {
    this.#limits = limits;
  }
  fits(bytes: number): boolean {
    return bytes <= this.#limits.mostBytes;
  }
  has(handle: string): boolean {
    return this.#kept.has(handle);
  }
  /** Returns the places of contents that were dropped, to make room or for age. */
  keep(
    facts: BlobFacts & { readonly where: Where; readonly weight: number },
    reader: string,
    nowMs: number,
  ): Where[] {
    this.#kept.set(facts.handle, { ...facts, readers: new Set([reader]), touchedMs: nowMs });
    this.#bytes += facts.weight;
    return this.expire(nowMs);
  }
  share(handle: string, reader: string, nowMs: number): void {
    this.#kept.get(handle)?.readers.add(reader);
    this.#touch(handle, nowMs);
  }
  find({ handle, offset, reader }: BlobRead, nowMs: number): Found<Where> {
    if (!isHandle(handle)) return { ok: false, reason: 'invalid_handle' };
    const kept = this.#kept.get(handle);
    if (!kept) return { ok: false, reason: 'gone' };
    if (!kept.readers.has(reader)) return { ok: false, reason: 'forbidden' };
    if (offset < 0 || offset > kept.bytes) return { ok: false, reason: 'range' };
    this.#touch(handle, nowMs);
    return { ok: true, kept };
  }
  expire(nowMs: number): Where[] {
    const dropped: Where[] = [];
    for (const [handle, { touchedMs }] of this.#kept) {
      const isOld = nowMs - touchedMs >= this.#limits.keepMs;
      if (!isOld && (this.#bytes <= this.#limits.mostBytes || this.#kept.size === 1)) break;
      dropped.push(...this.#drop(handle));
    }
    return dropped;
  }
  forget(handle: string): Where[] {
    return this.#drop(handle);
  }
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
