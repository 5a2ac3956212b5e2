import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { JsonObject, Lists } from '../../machines/catalog/entries.ts';
import { isObject } from '../../machines/protocol/json.ts';

/** Not `z.record`: a schema of a stranger may have any keys, and is given back as it is. */
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

/** The last good catalog of a server. */
export interface CachedCatalog {
  /** ISO 8601. */
  readonly savedAt: string;
  readonly lists: Lists;
}

export const textOfCatalog = ({ savedAt, lists }: CachedCatalog): string =>
  `${JSON.stringify({ format, savedAt, lists })}\n`;

/** Undefined: not what we write. Given back as it stands, for a schema may drop what it does not know. */
export function readCatalog(written: string): CachedCatalog | undefined {
  try {
    const value: unknown = JSON.parse(written);
    return schema.safeParse(value).success ? (value as CachedCatalog) : undefined;
  } catch {
    return undefined;
  }
}

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
