import type { Library } from './library.ts';
import { rankOf, snippet, textOfPage, wordsIn, textIn, type ReadDocument } from '../../machines/documents.ts';

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
async function atMost(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((done) => {
    timer = setTimeout(done, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
const pagesAtOnce = 25;
const readAtOnce = 4;

/** Built with the first search. A changed document is read again before the next answer. */
export class WordIndex {
  readonly #library: Library;
  readonly #byWord = new Map<string, Set<number>>();
  /** A changed document gets a new number, and its old number is no longer listed here. */
  readonly #documents = new Map<number, { readonly ref: string; readonly names: ReadonlySet<string> }>();
  readonly #numbers = new Map<string, number>();
  readonly #unread = new Set<string>();
  readonly #stop: () => void;
  #next = 0;
  #isClosed = false;
  #running: Promise<void> | undefined;

  constructor(library: Library) {
    this.#library = library;
    this.#stop = library.onChange(({ removed, changed }) => {
      for (const ref of [...removed, ...changed]) this.#forget(ref);
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
  }

  get searched(): number {
    return this.#numbers.size;
  }

  get unread(): number {
    return this.#unread.size;
  }

  /** Waits for the complete index, at most `waitMs`. */
  async ready(waitMs: number): Promise<void> {
    this.#running ??= this.#catchUp().finally(() => {
      this.#running = undefined;
    });
    await atMost(this.#running, waitMs);
  }

  async #catchUp(): Promise<void> {
    const waiting = [...this.#library.documents.keys()].filter((ref) => !this.#numbers.has(ref));
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
    this.#forget(ref);
    if (!isRead) this.#unread.add(ref);
    const number = (this.#next += 1);
    this.#documents.set(number, { ref, names });
    this.#numbers.set(ref, number);
    for (const word of [...words, ...names]) {
      const numbers = this.#byWord.get(word);
      if (numbers) numbers.add(number);
      else this.#byWord.set(word, new Set([number]));
    }
  }

  #forget(ref: string): void {
    this.#unread.delete(ref);
    const number = this.#numbers.get(ref);
    if (number === undefined) return;
    this.#numbers.delete(ref);
    this.#documents.delete(number);
  }

  ranked(words: readonly string[], isWanted: (ref: string) => boolean): Ranked[] {
    const grades = words.map((word) => this.#grades(word));
    const [smallest] = grades.toSorted((a, b) => a.size - b.size);
    return [...(smallest?.keys() ?? [])].flatMap((number): Ranked[] => {
      const { ref, names } = this.#documents.get(number) ?? {};
      if (ref === undefined || names === undefined || !isWanted(ref)) return [];
      const rank = rankOf(words, names, (word) => grades[words.indexOf(word)]?.get(number) ?? 0);
      const time = this.#library.documents.get(ref)?.lastModified ?? '';
      return rank === 0 ? [] : [{ path: ref, rank, time }];
    });
  }

  /** 2 for documents with the whole word, 1 for those with a word that begins so. */
  #grades(word: string): ReadonlyMap<number, number> {
    const grades = new Map<number, number>();
    for (const [each, numbers] of this.#byWord)
      if (each.startsWith(word))
        for (const number of numbers) {
          if (!this.#documents.has(number)) numbers.delete(number);
          else if (each === word || !grades.has(number)) grades.set(number, each === word ? 2 : 1);
        }
    return grades;
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
