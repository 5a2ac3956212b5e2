import { mkdir, readFile, realpath, rename, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * Folders whose config may start programs. A checkout must not run commands because somebody typed `a2c tools` in
 * it: its folder has to be trusted once. Kept in `$XDG_STATE_HOME/a2c/trusted.json`, a list of real paths.
 */
export const trustFile = (env: NodeJS.ProcessEnv = process.env): string =>
  join(env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'a2c', 'trusted.json');

async function trusted(file: string): Promise<string[]> {
  try {
    const list: unknown = JSON.parse(await readFile(file, 'utf8'));
    return Array.isArray(list) ? list.filter((f): f is string => typeof f === 'string') : [];
  } catch {
    // No file yet, or one that nobody can read: then nothing is trusted, which is the safe side.
    return [];
  }
}

export const isTrusted = async (folder: string, file = trustFile()): Promise<boolean> =>
  (await trusted(file)).includes(await realpath(folder));

/** A lock that nobody renewed for so long was left by a process that was killed. */
const staleMs = 5_000;
/** A minute in all: longer than a stale lock and any crowd of commands. */
const retries = { retries: 600, factor: 1, minTimeout: 50, maxTimeout: 100, randomize: true };

/** In this process one after another; the lock is for other processes. */
let last: Promise<void> = Promise.resolve();

/**
 * Adds a folder to the list, which is written whole or not at all, under a lock that all processes share. Rejects with
 * what the file system says when it cannot be written, or when others hold the lock for a minute.
 */
export function trust(folder: string, file = trustFile()): Promise<void> {
  const added = last.then(() => add(folder, file));
  last = added.catch(() => {});
  return added;
}
async function add(folder: string, file: string): Promise<void> {
  const real = await realpath(folder);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  // Only here: it listens to the signals of the whole process from the moment it is loaded.
  const { lock } = await import('proper-lockfile');
  // Of two processes that find one stale lock at the same moment, both may get it: then one writes over the other.
  for (let tries = 0; !(await trusted(file)).includes(real); tries++) {
    if (tries === 5) throw new Error(`'${real}' does not stay in ${file}: other processes write over it`);
    const release = await lock(file, { realpath: false, stale: staleMs, retries, onCompromised: () => {} });
    try {
      await write(file, [...(await trusted(file)), real]);
    } finally {
      // Whoever found it stale, for this process was stopped for long, has it now.
      await release().catch(() => {});
    }
  }
}
async function write(file: string, folders: readonly string[]): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, `${JSON.stringify([...new Set(folders)], null, 2)}\n`, { mode: 0o600 });
  await rename(draft, file);
}
