import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Lists } from '../../../machines/catalog/index.ts';
import { readCatalog, textOfCatalog, type CachedCatalog } from './format.ts';

/** A catalog of more bytes is not kept. */
export const largestCatalog = 4 * 1024 * 1024;
/** Of more servers than this the oldest are forgotten. */
export const mostCatalogs = 200;
/** A draft this old was left by somebody who died while writing. */
const staleMs = 60_000;

/** `KEPT/FINGERPRINT.json`; a draft has one more name in between. */
export const catalogsDir = (stateDir: string): string => join(stateDir, 'catalogs');
const isFingerprint = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);
const fileOf = (stateDir: string, fingerprint: string): string =>
  join(catalogsDir(stateDir), `${fingerprint}.json`);

const remove = async (file: string): Promise<void> => {
  try {
    await rm(file, { force: true });
  } catch {
    // A folder in its place, or not ours to remove: it is no catalog either way.
  }
};

/**
 * What the server with this fingerprint listed when it was last seen, by this host or another. Undefined when nobody
 * knows; a file that is none of ours is removed. Never rejects.
 */
export async function readCached(stateDir: string, fingerprint: string): Promise<CachedCatalog | undefined> {
  if (!isFingerprint(fingerprint)) return undefined;
  const file = fileOf(stateDir, fingerprint);
  let written: string | undefined;
  try {
    written = await textIn(file);
  } catch {
    // There is none, or it cannot be read at the moment.
    return undefined;
  }
  const cached = written === undefined ? undefined : readCatalog(written);
  if (!cached) await remove(file);
  return cached;
}
/** Undefined: it is larger than what we write, so its end is not looked at. */
async function textIn(file: string): Promise<string | undefined> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    return size > largestCatalog ? undefined : await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/** It is only a memory: nobody has to stop because it could not be written. */
export type Keeping = { readonly cached: true } | { readonly cached: false; readonly because: string };

/**
 * Remembers what a server lists, whole or not at all: who reads meanwhile has the old one or the new one. What is too
 * large is not kept, and the old one forgotten, because it is not the last one any more. Never rejects.
 */
export async function keep(
  stateDir: string,
  fingerprint: string,
  lists: Lists,
  now: Date = new Date(),
): Promise<Keeping> {
  if (!isFingerprint(fingerprint)) return { cached: false, because: 'the fingerprint is none' };
  const file = fileOf(stateDir, fingerprint);
  const draft = `${file.slice(0, -'.json'.length)}.${randomUUID()}.draft`;
  try {
    const text = textOfCatalog({ savedAt: now.toISOString(), lists });
    const bytes = Buffer.byteLength(text);
    if (bytes > largestCatalog) {
      await remove(file);
      return { cached: false, because: `it has ${bytes} bytes, the limit is ${largestCatalog}` };
    }
    await mkdir(catalogsDir(stateDir), { recursive: true, mode: 0o700 });
    await writeFile(draft, text, { mode: 0o600 });
    await rename(draft, file);
    await prune(catalogsDir(stateDir), now);
    return { cached: true };
  } catch (error) {
    await remove(draft);
    return { cached: false, because: error instanceof Error ? error.message : String(error) };
  }
}

async function prune(folder: string, now: Date): Promise<void> {
  const names = await readdir(folder);
  const drafts = names.filter((name) => name.endsWith('.draft'));
  const files = names.filter((name) => name.endsWith('.json'));
  const surplus = files.length - mostCatalogs;
  const aged = async (name: string): Promise<{ file: string; at: number }> => {
    const file = join(folder, name);
    // Whoever removed it meanwhile did what we wanted.
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Infinity }));
    return { file, at: mtimeMs };
  };
  const stale = (await Promise.all(drafts.map(aged))).filter(({ at }) => at < now.getTime() - staleMs);
  const oldest =
    surplus > 0 ? (await Promise.all(files.map(aged))).toSorted((a, b) => a.at - b.at).slice(0, surplus) : [];
  await Promise.all([...stale, ...oldest].map(({ file }) => remove(file)));
}
