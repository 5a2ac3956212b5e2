import { keep, readCached, systemClock } from '../../adapters/index.ts';
import type { CatalogNews } from '../../machines/catalog/catalog.machine.ts';
import type { Lists } from '../../machines/catalog/index.ts';

/** Lists that change often are written once. */
const quietMs = 1_000;

/** What servers last listed, kept in files for those that start only when they are needed. Ends by `close`. */
export class CachedCatalogs {
  readonly #stateDir: string | undefined;
  readonly #notice: (text: string) => void;
  readonly #lists = new Map<string, Lists>();
  readonly #due = new Set<string>();
  #timer: unknown;
  #writing: Promise<void> = Promise.resolve();

  /** Without a folder nothing is kept. */
  constructor(stateDir: string | undefined, notice: (text: string) => void) {
    this.#stateDir = stateDir;
    this.#notice = notice;
  }
  async of(fingerprint: string): Promise<Lists | null> {
    if (this.#stateDir === undefined) return null;
    const cached = await readCached(this.#stateDir, fingerprint);
    if (cached) this.#lists.set(fingerprint, cached.lists);
    return cached?.lists ?? null;
  }
  /** What was withdrawn because it could not be had is kept as it was. */
  hear(fingerprint: string, { list, entries, isWithdrawn }: CatalogNews): void {
    if (this.#stateDir === undefined || isWithdrawn) return;
    this.#lists.set(fingerprint, { ...this.#lists.get(fingerprint), [list]: entries });
    this.#due.add(fingerprint);
    this.#timer ??= systemClock.setTimeout(() => this.#write(), quietMs);
  }
  #write(): void {
    systemClock.clearTimeout(this.#timer);
    this.#timer = undefined;
    const { due, dir } = { due: [...this.#due], dir: this.#stateDir };
    this.#due.clear();
    if (dir === undefined) return;
    this.#writing = this.#writing.then(async () => {
      for (const fingerprint of due) {
        const done = await keep(dir, fingerprint, this.#lists.get(fingerprint) ?? {});
        if (!done.cached) this.#notice(`a list of tools was not kept for the next start: ${done.because}`);
      }
    });
  }
  /** Resolves when all that was due is written. */
  async close(): Promise<void> {
    this.#write();
    await this.#writing;
  }
}
