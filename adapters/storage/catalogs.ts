import { open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { writePrivate } from '../host-files.ts';
import type { JsonObject, Lists } from '../../machines/catalog/entries.ts';
import { jsonIn, fieldsOf, isObject } from '../../machines/protocol/json.ts';

const format = 'a2c-catalog/1';
/** Key that each entry of a list has. */
const keys = { tools: 'name', resources: 'uri', resourceTemplates: 'uriTemplate', prompts: 'name' } as const;
const isCatalog = (value: unknown): value is CachedCatalog => {
  if (!isObject(value) || value['format'] !== format || typeof value['savedAt'] !== 'string') return false;
  const lists = fieldsOf(value['lists']);
  return Object.entries(keys).every(([list, key]) => {
    const entries = lists[list] ?? [];
    return (
      Array.isArray(entries) &&
      entries.every((entry) => isObject(entry) && typeof entry[key] === 'string') &&
      (list !== 'tools' || entries.every((entry) => isObject(fieldsOf(entry)['inputSchema'])))
    );
  });
};

export interface CachedCatalog {
  readonly savedAt: string;
  readonly lists: Lists;
}

export const textOfCatalog = ({ savedAt, lists }: CachedCatalog): string =>
  `${JSON.stringify({ format, savedAt, lists })}\n`;

/** Written by this library, so that its form is looked at no closer than another version may have changed it. */
export function readCatalog(written: string): CachedCatalog | undefined {
  const value = jsonIn(written);
  return isCatalog(value) ? value : undefined;
}

export const largestCatalog = 4 * 1024 * 1024;
export const mostCatalogs = 200;
/** Age in ms after which a draft counts as left behind by a process that died while it wrote. */
const staleMs = 60_000;

export const catalogsDir = (stateDir: string): string => join(stateDir, 'catalogs');
const isFingerprint = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);
const fileOf = (stateDir: string, fingerprint: string): string =>
  join(catalogsDir(stateDir), `${fingerprint}.json`);

const remove = async (file: string): Promise<void> => {
  try {
    await rm(file, { force: true });
  } catch {
    // Ignores a failed removal, for example of a folder with that name; it is not a catalog in any case.
  }
};

/** A file in another format is removed. Never rejects. */
export async function readCached(stateDir: string, fingerprint: string): Promise<CachedCatalog | undefined> {
  if (!isFingerprint(fingerprint)) return undefined;
  const file = fileOf(stateDir, fingerprint);
  let written: string | undefined;
  try {
    written = await textIn(file);
  } catch {
    return undefined;
  }
  const cached = written === undefined ? undefined : readCatalog(written);
  if (!cached) await remove(file);
  return cached;
}
async function textIn(file: string): Promise<string | undefined> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    return size > largestCatalog ? undefined : await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/** A failure is only reported, because a host works without saved catalogs. */
export type Keeping = { readonly cached: true } | { readonly cached: false; readonly because: string };

/** Completely or not at all. Too large lists remove the old ones, which are out of date. Never rejects. */
export async function keep(
  stateDir: string,
  fingerprint: string,
  lists: Lists,
  now: Date = new Date(),
): Promise<Keeping> {
  if (!isFingerprint(fingerprint)) return { cached: false, because: 'the fingerprint is none' };
  const file = fileOf(stateDir, fingerprint);
  try {
    const text = textOfCatalog({ savedAt: now.toISOString(), lists });
    const bytes = Buffer.byteLength(text);
    if (bytes > largestCatalog) {
      await remove(file);
      return { cached: false, because: `it has ${bytes} bytes, the limit is ${largestCatalog}` };
    }
    await writePrivate(file, text);
    await prune(catalogsDir(stateDir), now);
    return { cached: true };
  } catch (error) {
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
    // Skips a file that another process has removed meanwhile.
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Infinity }));
    return { file, at: mtimeMs };
  };
  const stale = (await Promise.all(drafts.map(aged))).filter(({ at }) => at < now.getTime() - staleMs);
  const oldest =
    surplus > 0 ? (await Promise.all(files.map(aged))).toSorted((a, b) => a.at - b.at).slice(0, surplus) : [];
  const greetings = oldest.map(({ file }) => ({ file: file.replace(/json$/, 'greeting') }));
  await Promise.all([...stale, ...oldest, ...greetings].map(({ file }) => remove(file)));
}

const largestGreeting = 1024 * 1024;
const greetingFile = (stateDir: string, fingerprint: string): string =>
  join(catalogsDir(stateDir), `${fingerprint}.greeting`);
export async function readGreeting(stateDir: string, fingerprint: string): Promise<JsonObject | undefined> {
  try {
    const value: unknown = JSON.parse((await textIn(greetingFile(stateDir, fingerprint))) ?? '');
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
export async function keepGreeting(
  stateDir: string,
  fingerprint: string,
  greeting: JsonObject,
): Promise<void> {
  const text = JSON.stringify(greeting);
  if (text.length > largestGreeting || !isFingerprint(fingerprint)) return;
  await writePrivate(greetingFile(stateDir, fingerprint), text).catch(() => {});
}
