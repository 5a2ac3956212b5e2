import { lstat } from 'node:fs/promises';
import { isText, startOf, walk, type ServedPath, type Walk, type WalkedEntry } from './files.ts';
import { decoded } from './parsing/encoding.ts';
import type { Shared } from './sharing.ts';
import { bestOf, type Ranked } from './word-index.ts';
import { limits, patternTest, sizeText } from '../../machines/document-files.ts';
import { gradeAt, linesOfWords, rankOf, snippet, wordsIn } from '../../machines/documents.ts';

/** Longest time in ms that a search waits for documents that are not read yet. */
const waitMs = 20_000;

/** Documents by the index of their words; other files by their names and, of texts up to 1 MiB, their lines. */
export async function search(
  { library, words: index }: Shared,
  starts: readonly ServedPath[],
  { query, pattern, limit }: { query: string; pattern?: string | undefined; limit: number },
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly advice?: string | undefined }> {
  const words = [...new Set(wordsIn(query))];
  const isNamed = pattern === undefined ? () => true : patternTest(pattern);
  const isBelow = (ref: string): boolean =>
    starts.some(({ path }) => {
      const below = path === '.' ? ref : ref.slice(path.length + 1);
      return path === ref || ((path === '.' || ref.startsWith(`${path}/`)) && isNamed(below));
    });
  await index.ready(waitMs);
  const others = new Others(words);
  for (const start of starts)
    for await (const file of filesOf(start, others.cost, signal)) {
      if (others.cut !== undefined) break;
      if (isNamed(file.below) && !library.documents.has(file.path)) await others.look(file);
    }
  const all: Ranked[] = [...index.ranked(words, isBelow), ...others.found];
  all.sort((a, b) => b.rank - a.rank || (a.time < b.time ? 1 : -1));
  const lines: string[] = [];
  for (const { path, places } of all.slice(0, limit)) {
    const found = places ? { title: path, places } : await index.places(path, words);
    lines.push(found.title === path ? path : `${path}  (${found.title})`);
    for (const { at, text } of found.places) lines.push(`  ${at}: ${text}`);
  }
  const [searched, documents] = [index.searched, library.documents.size];
  const advice = [
    searched < documents
      ? `${searched} of ${documents} documents are searched so far; ${documents - searched} are not read yet. Ask again.`
      : '',
    library.cut === undefined ? '' : `Not all documents are served: ${library.cut}.`,
    all.length > limit ? `There are ${all.length} files; this shows ${limit}.` : '',
    index.unread > 0 ? `Of ${index.unread} documents that cannot be read only the names are searched.` : '',
    ...others.left(),
  ].filter((each) => each !== '');
  return {
    text: lines.join('\n') || `nothing found in ${searched + others.searched} files`,
    advice: advice.length > 0 ? advice.join(' ') : undefined,
  };
}

type Walked = Omit<WalkedEntry, 'kind'>;
async function* filesOf(place: ServedPath, cost: Walk, signal: AbortSignal): AsyncGenerator<Walked> {
  if (place.facts.isFile()) yield { ...place, below: place.path };
  else if (place.facts.isDirectory())
    for await (const each of walk(place, limits.depth, cost, signal)) if (each.kind === 'file') yield each;
}

/** Files that are no documents, such as sources, logs and images. */
class Others {
  readonly cost: Walk = { visited: 0, unreadable: 0, isCut: false };
  readonly found: Ranked[] = [];
  readonly #words: readonly string[];
  #chars = 0;
  #large = 0;
  searched = 0;

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  get cut(): string | undefined {
    if (this.cost.isCut) return `the folder has more than ${limits.visited} entries`;
    return this.#chars > limits.searchBytes ? 'this is as much as one search reads' : undefined;
  }

  left(): string[] {
    return [
      this.cut === undefined ? '' : `Incomplete: ${this.cut}. Name a smaller folder or a pattern.`,
      this.#large > 0
        ? `Of ${this.#large} large files the first ${sizeText(limits.fileBytes)} is searched.`
        : '',
      this.cost.unreadable > 0 ? `${this.cost.unreadable} files or folders may not be read.` : '',
    ];
  }

  async look({ real, path }: Walked): Promise<void> {
    this.searched += 1;
    const facts = await lstat(real).catch(() => undefined);
    const start = async (most: number): Promise<Buffer | undefined> =>
      facts && startOf({ path, real, facts }, most).catch(() => undefined);
    const sniffed = await start(limits.sniffBytes);
    const bytes = sniffed && isText(sniffed) ? await start(limits.fileBytes) : undefined;
    if (!facts || !sniffed) this.cost.unreadable += 1;
    else if (bytes && facts.size > limits.fileBytes) this.#large += 1;
    const text = bytes ? decoded(bytes).text : '';
    this.#chars += text.length;
    const lower = text.toLowerCase();
    const rank = rankOf(this.#words, linesOfWords(wordsIn(path)), (word) => gradeAt(lower, word));
    if (rank === 0) return;
    const places = text.split('\n').flatMap((line, at) => {
      const found = snippet(line, this.#words);
      return found ? [{ at: `line ${at + 1}`, ...found }] : [];
    });
    this.found.push({ path, rank, time: facts?.mtime.toISOString() ?? '', places: bestOf(places) });
  }
}
