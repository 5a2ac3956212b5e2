import { lstat } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { fileTypeOf, formatOf, isNameable, limits, type Listed } from '../../../machines/documents/index.ts';
import { locate, type Folder } from '../files/place.ts';
import { walk, type Walk } from '../files/walk.ts';

export interface Scan {
  readonly documents: Map<string, Listed>;
  /** Why documents are missing, if some are. */
  readonly cut?: { readonly reason: string; readonly isEarly: boolean };
}

/** All documents below the folders. Links are not followed. */
export async function scan(folders: readonly Folder[], signal: AbortSignal): Promise<Scan> {
  const documents = new Map<string, Listed>();
  const cost: Walk = { visited: 0, unreadable: 0, isCut: false };
  for (const folder of folders) {
    const start = await locate([folder], folder.name === '' ? '.' : folder.name);
    let batch: Promise<void>[] = [];
    for await (const { path, real, kind } of walk(start, limits.depth, cost, signal)) {
      if (kind !== 'file' || formatOf(path) === undefined || !isNameable(path)) continue;
      if (documents.size + batch.length >= limits.documents) break;
      batch.push(listedAt(path, real).then((listed) => void (listed && documents.set(path, listed))));
      if (batch.length >= 64) await Promise.all(batch.splice(0));
    }
    await Promise.all(batch);
    batch = [];
  }
  if (cost.isCut || documents.size >= limits.documents)
    return {
      documents,
      cut: { reason: `only the first ${limits.visited} entries were looked at`, isEarly: true },
    };
  if (cost.unreadable === 0) return { documents };
  return { documents, cut: { reason: `${cost.unreadable} folders may not be read`, isEarly: false } };
}

/** Undefined: there is no such file any more. */
export async function listedAt(ref: string, real: string): Promise<Listed | undefined> {
  const facts = await lstat(real).catch(() => undefined);
  if (!facts?.isFile()) return undefined;
  return {
    ref,
    fileUri: pathToFileURL(real).href,
    fileType: fileTypeOf(ref),
    sizeBytes: facts.size,
    lastModified: facts.mtime.toISOString(),
  };
}
