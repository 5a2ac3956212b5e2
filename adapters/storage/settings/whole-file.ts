import { chown, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** End of a name that no person gives a file: a draft that a killed writer has left is known by it. */
const ending = 'a2c-draft';
/** A draft this old was left by a process that died while it wrote. */
const oldMs = 5_000;
let written = 0;

/**
 * Writes a file whole or not at all: a new one beside it, with the same owner, takes its place. `mode` is that of the new one.
 * Rejects with what the file system says; then nothing is left behind.
 */
export async function writeWhole(
  file: string,
  text: string,
  { mode }: { readonly mode: number },
): Promise<void> {
  const draft = `${file}.${process.pid}-${(written += 1)}.${ending}`;
  const before = await stat(file).catch(() => undefined);
  try {
    const handle = await open(draft, 'w', mode);
    try {
      await handle.writeFile(text);
      // The mask of the process takes from the mode that `open` is given.
      await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // Only root may give a file away; for everybody else the file is their own.
    if (before && before.uid !== process.getuid?.())
      await chown(draft, before.uid, before.gid).catch(() => {});
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}
/** Removes what killed writers of this file have left. For the one who holds its lock. */
export async function sweepDrafts(file: string): Promise<void> {
  const folder = dirname(file);
  const names = await readdir(folder).catch((): string[] => []);
  const drafts = names.filter((name) => name.startsWith(`${basename(file)}.`) && name.endsWith(`.${ending}`));
  for (const draft of drafts.map((name) => join(folder, name))) {
    const facts = await stat(draft).catch(() => undefined);
    if (facts && Date.now() - facts.mtimeMs > oldMs) await rm(draft, { force: true }).catch(() => {});
  }
}
