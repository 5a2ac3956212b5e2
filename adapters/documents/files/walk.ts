import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { isSkipped, joinPath, limits } from '../../../machines/documents/index.ts';
import type { Place } from './place.ts';

export interface Found {
  /** Relative to the root. */
  readonly path: string;
  /** Relative to the folder that was asked for. */
  readonly below: string;
  readonly real: string;
  /** A link is told and never followed: its target may be outside, or an ancestor. */
  readonly kind: 'file' | 'folder' | 'link';
}

/** What a walk cost and left out. */
export interface Walk {
  visited: number;
  /** Folders that could not be opened. */
  unreadable: number;
  /** It ended at the limit of visited entries. */
  isCut: boolean;
}

/**
 * Everything below a folder, nearest level first and by name within a folder, except what is skipped.
 * `depth` 1 is the folder's own entries. Memory and time are bounded by `limits.visited`.
 */
export async function* walk(
  start: Place,
  depth: number,
  cost: Walk,
  signal: AbortSignal,
): AsyncGenerator<Found> {
  let level: Pick<Found, 'path' | 'below' | 'real'>[] = [{ path: start.path, below: '', real: start.real }];
  for (let at = 1; at <= depth && level.length > 0; at += 1) {
    const next: typeof level = [];
    for (const folder of level) {
      for (const entry of await entriesOf(folder.real, cost)) {
        signal.throwIfAborted();
        const kind = kindOf(entry);
        if (kind === undefined || isSkipped(entry.name, kind === 'folder')) continue;
        const found = {
          path: joinPath(folder.path, entry.name),
          below: folder.below === '' ? entry.name : joinPath(folder.below, entry.name),
          real: join(folder.real, entry.name),
          kind,
        };
        if (kind === 'folder') next.push(found);
        yield found;
      }
      if (cost.isCut) return;
    }
    level = next;
  }
}

const kindOf = (entry: Dirent): Found['kind'] | undefined => {
  if (entry.isSymbolicLink()) return 'link';
  if (entry.isDirectory()) return 'folder';
  return entry.isFile() ? 'file' : undefined;
};

const entriesOf = async (folder: string, cost: Walk): Promise<readonly Dirent[]> => {
  const entries: Dirent[] = [];
  try {
    // Not readdir: a folder of a million entries would be read to its end first.
    for await (const entry of await opendir(folder, { bufferSize: 256 })) {
      if (cost.visited >= limits.visited) {
        cost.isCut = true;
        break;
      }
      cost.visited += 1;
      entries.push(entry);
    }
  } catch {
    cost.unreadable += 1;
  }
  return entries.sort((left, right) => (left.name < right.name ? -1 : 1));
};
