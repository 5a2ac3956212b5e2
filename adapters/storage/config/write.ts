import { randomUUID } from 'node:crypto';
import { mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A lock that nobody renewed for so long was left by a process that was killed. */
const staleMs = 5_000;
const retries = { retries: 100, factor: 1, minTimeout: 50, maxTimeout: 100, randomize: true };

/**
 * Changes the text of a file, under a lock that all our processes share: it is written whole or not at all, keeps its mode, and
 * stays a symbolic link where it is one. `edit` gets '' where there is no file; undefined leaves it as it is. Rejects with
 * what the file system says, or what `edit` throws: then nothing has changed.
 */
export async function changeFile(file: string, edit: (text: string) => string | undefined): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const real = await realpath(file).catch(() => file);
  // Only here: it listens to the signals of the whole process from the moment it is loaded.
  const { lock } = await import('proper-lockfile');
  const release = await lock(real, { realpath: false, stale: staleMs, retries, onCompromised: () => {} });
  try {
    const before = await readFile(real, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    const after = edit(before);
    if (after !== undefined) await replace(real, after);
  } finally {
    await release().catch(() => {});
  }
}
async function replace(file: string, text: string): Promise<void> {
  const mode = await stat(file).then(
    (facts) => facts.mode & 0o777,
    () => 0o600,
  );
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, text, { mode });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
