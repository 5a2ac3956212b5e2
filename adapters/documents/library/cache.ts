import type { ReadDocument } from '../../../machines/documents/index.ts';

/** What a file was read as, or why it could not be. */
export type Known = { readonly document: ReadDocument } | { readonly reason: string };

/** What was read, by the digest of its content; what was used longest ago leaves first. */
export class ContentCache {
  readonly #most: number;
  readonly #known = new Map<string, { readonly known: Known; readonly chars: number }>();
  #chars = 0;

  constructor(mostChars: number) {
    this.#most = mostChars;
  }

  get(digest: string): Known | undefined {
    const found = this.#known.get(digest);
    if (!found) return undefined;
    this.#known.delete(digest);
    this.#known.set(digest, found);
    return found.known;
  }

  set(digest: string, known: Known): void {
    this.#drop(digest);
    const chars = JSON.stringify(known).length;
    this.#known.set(digest, { known, chars });
    this.#chars += chars;
    for (const oldest of this.#known.keys()) {
      if (this.#chars <= this.#most || oldest === digest) break;
      this.#drop(oldest);
    }
  }

  #drop(digest: string): void {
    this.#chars -= this.#known.get(digest)?.chars ?? 0;
    this.#known.delete(digest);
  }
}
