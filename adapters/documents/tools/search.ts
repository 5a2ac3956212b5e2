import { findLines, isBinary, limits, patternTest, type Hit } from '../../../machines/documents/index.ts';
import { firstBytes } from '../files/part.ts';
import { openFile, Refusal, type Place } from '../files/place.ts';
import { walk, type Walk } from '../files/walk.ts';

export interface Query {
  readonly text: string;
  readonly isCaseSensitive: boolean;
  readonly pattern?: string | undefined;
  /** At most `limits.results`. */
  readonly most: number;
}
export interface Answer {
  readonly matches: readonly (Hit & { readonly path: string })[];
  readonly searched: number;
  /** Files that hold no text, are too large, or could not be opened. */
  readonly skipped: { readonly binary: number; readonly large: number; readonly unreadable: number };
  /** Why the search ended early, if it did. */
  readonly cut?: string;
}

/** Searches one file, or all files below a folder, for a literal text. */
export const searchFiles = async (place: Place, query: Query, signal: AbortSignal): Promise<Answer> => {
  const matches: (Hit & { readonly path: string })[] = [];
  const skipped = { binary: 0, large: 0, unreadable: 0 };
  const cost: Walk = { visited: 0, unreadable: 0, isCut: false };
  const isWanted = query.pattern === undefined ? () => true : patternTest(query.pattern);
  let searched = 0;
  let bytes = 0;
  const answer = (cut?: string): Answer => ({
    matches,
    searched,
    skipped: { ...skipped, unreadable: skipped.unreadable + cost.unreadable },
    ...(cut === undefined ? {} : { cut }),
  });
  for await (const file of filesOf(place, cost, signal)) {
    if (!isWanted(file.below)) continue;
    const text = await textOf(file.real, file.path);
    if (typeof text === 'string') {
      skipped[text] += 1;
      continue;
    }
    searched += 1;
    bytes += text.length;
    // One more than may be shown, to know whether there are more.
    const left = query.most - matches.length;
    const hits = findLines(new TextDecoder().decode(text), query.text, query.isCaseSensitive, left + 1);
    matches.push(...hits.slice(0, left).map((hit) => ({ path: file.path, ...hit })));
    if (hits.length > left) return answer(`there are more than ${query.most} matches`);
    if (bytes > limits.searchBytes) return answer('this is as much as one search reads');
  }
  return answer(cost.isCut ? `the folder has more than ${limits.visited} entries` : undefined);
};

interface Searched {
  readonly path: string;
  readonly below: string;
  readonly real: string;
}
async function* filesOf(place: Place, cost: Walk, signal: AbortSignal): AsyncGenerator<Searched> {
  if (place.facts.isDirectory()) {
    for await (const found of walk(place, limits.depth, cost, signal)) if (found.kind === 'file') yield found;
  } else if (place.facts.isFile()) yield { ...place, below: place.path };
  else throw new Refusal(`"${place.path}" is neither a folder nor a regular file`);
}

const textOf = async (real: string, path: string): Promise<Buffer | 'binary' | 'large' | 'unreadable'> => {
  try {
    const handle = await openFile(real, path);
    try {
      const { size } = await handle.stat();
      if (size > limits.fileBytes) return 'large';
      // Not always the largest: filling a megabyte with zeros for each of thousands of files takes seconds.
      const bytes = await firstBytes(handle, size);
      return isBinary(bytes) ? 'binary' : bytes;
    } finally {
      await handle.close();
    }
  } catch {
    return 'unreadable';
  }
};
