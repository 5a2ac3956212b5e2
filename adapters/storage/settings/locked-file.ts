import { mkdir, readFile, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A lock that nobody renewed for so long was left by a process that was killed. */
const staleMs = 5_000;
/** A minute in all: longer than a stale lock and any crowd of processes. */
const retries = { retries: 600, factor: 1, minTimeout: 50, maxTimeout: 100, randomize: true };
/** Of two processes that find one stale lock at the same moment, both may get it: then one writes over the other. */
const mostTries = 5;

/** By file: in this process one after another; the lock is for other processes. */
const queues = new Map<string, Promise<unknown>>();

export interface LockedFile {
  /** Writes a file whole or not at all. Default: `write-file-atomic`. */
  readonly write?:
    | ((file: string, text: string, options: { readonly mode: number }) => Promise<void>)
    | undefined;
  /** Keeps what was there before under this name, beside the file. */
  readonly backup?: string;
}
/** What is to be in a file: another text, or the same one; null: it is not written. */
export type ChangeText = (text: string | null) => string | null | Promise<string | null>;

/** The file that is meant: a symbolic link stays one, and what it points to is written. */
const targetOf = (file: string): Promise<string> => realpath(file).catch(() => file);
export const textIn = async (file: string): Promise<string | null> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
};

/**
 * Reads a file, changes it and writes it as one, under a lock that all processes share: the new text is there whole or not at
 * all, for nobody else to read (0600). `change` is asked again when somebody else wrote over it, so it has to be the same
 * for its own result. Rejects with what the file system says, or when others hold the lock for a minute.
 */
export function changeFile(file: string, change: ChangeText, how: LockedFile = {}): Promise<void> {
  const before = queues.get(file) ?? Promise.resolve();
  const done = before.then(() => changed(file, change, how));
  const quiet = done.catch(() => {}).finally(() => queues.get(file) === quiet && queues.delete(file));
  queues.set(file, quiet);
  return done;
}
async function changed(
  file: string,
  change: ChangeText,
  { backup, write: given }: LockedFile,
): Promise<void> {
  const target = await targetOf(file);
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  // Only here: they listen to the signals of the whole process from the moment they are loaded.
  const { lock } = await import('proper-lockfile');
  const write = given ?? (await import('write-file-atomic')).default;
  for (let tries = 0; ; tries++) {
    const release = await lock(target, { realpath: false, stale: staleMs, retries, onCompromised: () => {} });
    try {
      const text = await textIn(target);
      const next = await change(text);
      if (next === null || next === text) return;
      if (tries === mostTries)
        throw new Error(`what is written to ${file} does not stay: others write over it`);
      if (backup !== undefined && text !== null) await write(`${target}${backup}`, text, { mode: 0o600 });
      await write(target, next, { mode: 0o600 });
    } finally {
      // Whoever found it stale, for this process was stopped for long, has it now.
      await release().catch(() => {});
    }
    // Written, and still there: nobody who had the lock as well wrote over it.
    const now = await textIn(target);
    if (now !== null && (await change(now)) === now) return;
  }
}
