import { resultBytes } from '../../../machines/call/policy/index.ts';

/** Results that are kept whole, and their bytes of JSON together. */
const bounds = { most: 20, mostBytes: 64 * 1024 * 1024 };

/** Results that were too large to be passed on. The oldest go first; what is asked for stays until then. */
export class CachedResults {
  readonly #results = new Map<string, { readonly result: unknown; readonly bytes: number }>();
  readonly #bounds: typeof bounds;
  #bytes = 0;

  constructor(given: Partial<typeof bounds> = {}) {
    this.#bounds = { ...bounds, ...given };
  }
  keep(handle: string, result: unknown): void {
    this.#drop(handle);
    const bytes = resultBytes(result);
    // It cannot be written, so nobody could be given it; what is passed on of it names no whole.
    if (bytes === Infinity) return;
    this.#results.set(handle, { result, bytes });
    this.#bytes += bytes;
    const { most, mostBytes } = this.#bounds;
    for (const oldest of this.#results.keys()) {
      if (this.#results.size <= most && (this.#bytes <= mostBytes || this.#results.size === 1)) return;
      this.#drop(oldest);
    }
  }
  /** Undefined: never kept, or gone by now. */
  get(handle: string): unknown {
    return this.#results.get(handle)?.result;
  }
  #drop(handle: string): void {
    this.#bytes -= this.#results.get(handle)?.bytes ?? 0;
    this.#results.delete(handle);
  }
}
