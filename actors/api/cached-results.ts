/** Results of calls, kept to be read again by a handle. */
import { resultBytes } from '../../machines/call/policy/truncate.ts';

/** The bytes are those of the JSON of all results together. */
const bounds = { most: 20, mostBytes: 64 * 1024 * 1024 };

/** The oldest results are dropped first. */
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
    // Caches no result that cannot be written as JSON: it cannot be passed on, so nobody gets a handle to ask for it.
    if (bytes === Infinity) return;
    this.#results.set(handle, { result, bytes });
    this.#bytes += bytes;
    const { most, mostBytes } = this.#bounds;
    for (const oldest of this.#results.keys()) {
      if (this.#results.size <= most && (this.#bytes <= mostBytes || this.#results.size === 1)) return;
      this.#drop(oldest);
    }
  }
  /** Undefined when it was never kept or has been dropped. */
  get(handle: string): unknown {
    return this.#results.get(handle)?.result;
  }
  #drop(handle: string): void {
    this.#bytes -= this.#results.get(handle)?.bytes ?? 0;
    this.#results.delete(handle);
  }
}
