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

/** Throws what the file system says when the list cannot be written. */
export async function trust(folder: string, file = trustFile()): Promise<void> {
  const real = await realpath(folder);
  const list = await trusted(file);
  if (list.includes(real)) return;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  // Whole or not at all: two commands may trust at the same time.
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, `${JSON.stringify([...list, real], null, 2)}\n`, { mode: 0o600 });
  await rename(draft, file);
}
