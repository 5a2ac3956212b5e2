import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../host-files.ts';
import type { JsonObject, Lists } from '../../machines/catalog/entries.ts';
import { isObject } from '../../machines/protocol/json.ts';

/** Schema of any JSON object. Not `z.record`, because a server's schema may have any keys and must be returned unchanged. */
const object = z.custom<JsonObject>((value) => isObject(value), 'expected an object');
const text = z.string();
const more = object.optional();
const icon = z.strictObject({
  src: text,
  mimeType: text.optional(),
  sizes: z.array(text).optional(),
  theme: z.enum(['light', 'dark']).optional(),
  more,
});
const described = {
  title: text.optional(),
  description: text.optional(),
  icons: z.array(icon).optional(),
  meta: object.optional(),
  more,
};
const flag = z.boolean().optional();
const tool = z.strictObject({
  name: text.min(1),
  ...described,
  inputSchema: object,
  outputSchema: object.optional(),
  annotations: z
    .strictObject({
      title: text.optional(),
      readOnlyHint: flag,
      destructiveHint: flag,
      idempotentHint: flag,
      openWorldHint: flag,
      more,
    })
    .optional(),
  execution: z
    .strictObject({ taskSupport: z.enum(['required', 'optional', 'forbidden']).optional(), more })
    .optional(),
  unusable: text.optional(),
});
const content = {
  name: text,
  ...described,
  mimeType: text.optional(),
  annotations: z
    .strictObject({
      audience: z.array(text).optional(),
      priority: z.number().optional(),
      lastModified: text.optional(),
      more,
    })
    .optional(),
};
const resource = z.strictObject({ uri: text.min(1), ...content, size: z.number().optional() });
const resourceTemplate = z.strictObject({ uriTemplate: text.min(1), ...content });
const argument = z.strictObject({
  name: text,
  title: text.optional(),
  description: text.optional(),
  required: flag,
  more,
});
const prompt = z.strictObject({
  name: text.min(1),
  ...described,
  arguments: z.array(argument).optional(),
});

const format = 'a2c-catalog/1';
const schema = z.strictObject({
  format: z.literal(format),
  savedAt: z.iso.datetime(),
  lists: z.strictObject({
    tools: z.array(tool).optional(),
    resources: z.array(resource).optional(),
    resourceTemplates: z.array(resourceTemplate).optional(),
    prompts: z.array(prompt).optional(),
  }),
});

export interface CachedCatalog {
  readonly savedAt: string;
  readonly lists: Lists;
}

export const textOfCatalog = ({ savedAt, lists }: CachedCatalog): string =>
  `${JSON.stringify({ format, savedAt, lists })}\n`;

/** Returns the value itself and not the schema's output, which may lack unknown properties. */
export function readCatalog(written: string): CachedCatalog | undefined {
  try {
    const value: unknown = JSON.parse(written);
    return schema.safeParse(value).success ? (value as CachedCatalog) : undefined;
  } catch {
    return undefined;
  }
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
    await replaceFile(draft, file);
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
  const file = greetingFile(stateDir, fingerprint);
  const draft = `${file}.${randomUUID()}.draft`;
  try {
    const text = JSON.stringify(greeting);
    if (text.length > largestGreeting || !isFingerprint(fingerprint)) return;
    await mkdir(catalogsDir(stateDir), { recursive: true, mode: 0o700 });
    await writeFile(draft, text, { mode: 0o600 });
    await replaceFile(draft, file);
  } catch {
    await remove(draft);
  }
}
