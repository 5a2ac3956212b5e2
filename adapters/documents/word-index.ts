import { setTimeout as later } from 'node:timers/promises';
import type { Library } from './library.ts';
import {
  gradeIn,
  linesOfWords,
  rankOf,
  snippet,
  textOfPage,
  wordsIn,
  textIn,
  type ReadDocument,
} from '../../machines/documents.ts';

interface Place {
  /** Where a read goes on. */
  readonly at: string;
  readonly text: string;
}
type Counted = Place & { readonly count: number };
/** Those with the most of the words, in their order. */
export const bestOf = (places: readonly Counted[]): readonly Place[] => {
  const kept = new Set(places.toSorted((a, b) => b.count - a.count).slice(0, 3));
  return places.filter((each) => kept.has(each));
};
export interface Ranked {
  readonly path: string;
  readonly rank: number;
  /** ISO 8601, of its last change. */
  readonly time: string;
  readonly places?: readonly Place[];
}
const pagesAtOnce = 25;
const readAtOnce = 4;

/** Words, each on a line. */
interface Indexed {
  readonly names: string;
  readonly words: string;
  readonly isRead: boolean;
}

/** Built with the first search. A changed document is read again before the next answer. */
export class WordIndex {
  readonly #library: Library;
  readonly #documents = new Map<string, Indexed>();
  readonly #stop: () => void;
  #isClosed = false;
  #running: Promise<void> | undefined;

  constructor(library: Library) {
    this.#library = library;
    this.#stop = library.onChange(({ removed, changed }) => {
      for (const ref of [...removed, ...changed]) this.#documents.delete(ref);
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
  }

  get searched(): number {
    return this.#documents.size;
  }

  get unread(): number {
    return [...this.#documents.values()].filter(({ isRead }) => !isRead).length;
  }

  /** Waits for the complete index, at most `waitMs`. */
  async ready(waitMs: number): Promise<void> {
    this.#running ??= this.#catchUp().finally(() => {
      this.#running = undefined;
    });
    await Promise.race([this.#running, later(waitMs, undefined, { ref: false })]);
  }

  async #catchUp(): Promise<void> {
    const waiting = [...this.#library.documents.keys()].filter((ref) => !this.#documents.has(ref));
    const work = async (): Promise<void> => {
      for (let ref = waiting.pop(); ref !== undefined && !this.#isClosed; ref = waiting.pop())
        await this.#add(ref);
    };
    await Promise.all(Array.from({ length: readAtOnce }, work));
  }

  async #add(ref: string): Promise<void> {
    const words = new Set<string>();
    const names = new Set(wordsIn(ref));
    let isRead = false;
    try {
      let from = 0;
      let document: ReadDocument;
      do {
        document = await this.#library.read(ref, { from, to: from + pagesAtOnce });
        const end = Math.min(from + pagesAtOnce, document.pageCount);
        for (; from < end; from += 1) {
          const page = document.pages[from];
          if (page) for (const word of wordsIn(textOfPage(page))) words.add(word);
        }
      } while (from < document.pageCount && !this.#isClosed);
      for (const word of wordsIn(document.summary ?? '')) words.add(word);
      const titles = [document.title, ...(document.keywords ?? [])].join(' ');
      for (const word of wordsIn(titles)) names.add(word);
      isRead = true;
    } catch {
      // It is found by its name.
    }
    this.#documents.set(ref, { names: linesOfWords(names), words: linesOfWords(words), isRead });
  }

  ranked(words: readonly string[], isWanted: (ref: string) => boolean): Ranked[] {
    return [...this.#documents].flatMap(([ref, { names, words: own }]): Ranked[] => {
      const rank = isWanted(ref) ? rankOf(words, names, (word) => gradeIn(own, word)) : 0;
      const time = this.#library.documents.get(ref)?.lastModified ?? '';
      return rank === 0 ? [] : [{ path: ref, rank, time }];
    });
  }

  async places(ref: string, words: readonly string[]): Promise<{ title: string; places: readonly Place[] }> {
    const places: Counted[] = [];
    let title = ref;
    let pageCount = 1;
    const isEnough = (): boolean => places.filter(({ count }) => count === words.length).length >= 3;
    for (let from = 0; from < pageCount && !isEnough(); from += pagesAtOnce) {
      const range = { from, to: from + pagesAtOnce };
      const read = await this.#library.read(ref, range).catch(() => undefined);
      if (!read) break;
      [title, pageCount] = [read.title ?? ref, read.pageCount];
      for (let page = from; page < Math.min(range.to, pageCount); page += 1)
        for (const element of read.pages[page]?.elements ?? []) {
          const found = snippet(textIn(element), words);
          if (found) places.push({ at: `page ${page} (${read.pages[page]?.title ?? ''})`, ...found });
        }
    }
    return { title, places: bestOf(places) };
  }
}
