/** Changes of files, one after another: in this process by turns, between processes by a lock beside the file. */
import { mkdir, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { during } from '../clock.ts';

export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();
  take<T>(key: string, run: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(run);
    const over = turn.catch(() => {}).finally(() => this.#last.get(key) === over && this.#last.delete(key));
    this.#last.set(key, over);
    return turn;
  }
}
/** Attempts to get a lock, about a minute in all: longer than a stale lock lives or a token endpoint takes, and enough for many waiting processes. */
const retries = { retries: 600, factor: 1, minTimeout: 50, maxTimeout: 100, randomize: true };
const turns = new Turns();

/**
 * `run` gets the path that symbolic links lead to. A lock that was not renewed for `staleMs` counts as left behind by a
 * killed process.
 */
export const locked = <T>(file: string, run: (target: string) => Promise<T>, staleMs = 5_000): Promise<T> =>
  turns.take(file, async () => {
    const target = await realpath(file).catch(() => file);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    // Loads the lock package only here, because it listens to the signals of the whole process as soon as it is loaded.
    const { lock } = (await during(import('proper-lockfile'))).default; // a bundle has no other name for it
    const release = await lock(target, { realpath: false, stale: staleMs, retries, onCompromised: () => {} });
    try {
      return await run(target);
    } finally {
      // Ignores a failed release: another process took the lock over while this one was stopped for long.
      await release().catch(() => {});
    }
  });
