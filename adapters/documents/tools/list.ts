import { lstat } from 'node:fs/promises';
import { limits, patternTest } from '../../../machines/documents/index.ts';
import { Refusal, type Place } from '../files/place.ts';
import { walk, type Found, type Walk } from '../files/walk.ts';

export interface Listed {
  readonly path: string;
  readonly kind: Found['kind'];
  /** Of a file. */
  readonly sizeBytes?: number;
}
export interface Listing {
  readonly entries: readonly Listed[];
  /** Why entries are missing, if some are. */
  readonly cut?: string;
}
export interface Wanted {
  readonly pattern?: string | undefined;
  readonly depth: number;
  /** At most `limits.results`. */
  readonly most: number;
}

/** What is below a folder, nearest level first. */
export const listFiles = async (place: Place, wanted: Wanted, signal: AbortSignal): Promise<Listing> => {
  if (!place.facts.isDirectory())
    throw new Refusal(`"${place.path}" is a file; read_file shows what is in it`);
  const cost: Walk = { visited: 0, unreadable: 0, isCut: false };
  const isWanted = wanted.pattern === undefined ? () => true : patternTest(wanted.pattern);
  const entries: Listed[] = [];
  for await (const found of walk(place, wanted.depth, cost, signal)) {
    if (!isWanted(found.below)) continue;
    if (entries.length >= wanted.most) return { entries, cut: `there are more than ${wanted.most}` };
    entries.push(await listed(found));
  }
  if (cost.isCut) return { entries, cut: `only the first ${limits.visited} entries were looked at` };
  if (cost.unreadable > 0) return { entries, cut: `${cost.unreadable} folders may not be read` };
  return { entries };
};

const listed = async ({ path, kind, real }: Found): Promise<Listed> => {
  // It may be gone since the walk saw it; then it is listed without a size.
  const facts = kind === 'file' ? await lstat(real).catch(() => undefined) : undefined;
  return facts === undefined ? { path, kind } : { path, kind, sizeBytes: facts.size };
};
