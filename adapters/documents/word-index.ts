import type { Library } from './library.ts';
import { snippet, textOfPage, wordsIn, textIn, type ReadDocument } from '../../machines/documents.ts';

interface Place {
  readonly pageIndex: number;
  readonly pageTitle: string;
  readonly elementId: string;
  readonly category: string;
  readonly text: string;
}
interface Found {
  readonly ref: string;
  readonly title: string;
  readonly places: readonly Place[];
}
interface SearchAnswer {
  readonly found: readonly Found[];
  readonly total: number;
  /** Documents that were searched; `documents` is the number of all. */
  readonly indexed: number;
  readonly documents: number;
  readonly unread: readonly { readonly ref: string; readonly reason: string }[];
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
  readonly #refs = new Map<number, string>();
  readonly #numbers = new Map<string, number>();
  readonly #unread = new Map<string, string>();
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

  /** Waits for the complete index, at most `waitMs`. */
  async search(query: string, most: number, waitMs: number): Promise<SearchAnswer> {
    const words = [...new Set(wordsIn(query))];
    this.#running ??= this.#catchUp().finally(() => {
      this.#running = undefined;
    });
    await atMost(this.#running, waitMs);
    const refs = this.#matching(words);
    const found: Found[] = [];
    for (const ref of refs.slice(0, most)) found.push(await this.#places(ref, words));
    return {
      found,
      total: refs.length,
      indexed: this.#numbers.size,
      documents: this.#library.documents.size,
      unread: [...this.#unread].map(([ref, reason]) => ({ ref, reason })),
    };
  }

  async #catchUp(): Promise<void> {
    const waiting = [...this.#library.documents.keys()].filter(
      (ref) => !this.#numbers.has(ref) && !this.#unread.has(ref),
    );
    const work = async (): Promise<void> => {
      for (let ref = waiting.pop(); ref !== undefined && !this.#isClosed; ref = waiting.pop())
        await this.#add(ref);
    };
    await Promise.all(Array.from({ length: readAtOnce }, work));
  }

  async #add(ref: string): Promise<void> {
    try {
      const words = new Set(wordsIn(ref));
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
      for (const word of wordsIn([document.title, document.summary, ...(document.keywords ?? [])].join(' ')))
        words.add(word);
      this.#forget(ref);
      const number = (this.#next += 1);
      this.#refs.set(number, ref);
      this.#numbers.set(ref, number);
      for (const word of words) {
        const numbers = this.#byWord.get(word);
        if (numbers) numbers.add(number);
        else this.#byWord.set(word, new Set([number]));
      }
    } catch (error) {
      this.#unread.set(ref, error instanceof Error ? error.message : 'it cannot be read');
    }
  }

  #forget(ref: string): void {
    this.#unread.delete(ref);
    const number = this.#numbers.get(ref);
    if (number === undefined) return;
    this.#numbers.delete(ref);
    this.#refs.delete(number);
  }

  /** First those with a word in title, keywords or name, then the most recently modified. */
  #matching(words: readonly string[]): readonly string[] {
    const sets = words
      .map((word) => this.#byWord.get(word) ?? new Set<number>())
      .toSorted((a, b) => a.size - b.size);
    const [smallest, ...others] = sets;
    if (!smallest) return [];
    const refs: string[] = [];
    for (const number of smallest) {
      const ref = this.#refs.get(number);
      if (ref === undefined) smallest.delete(number);
      else if (others.every((set) => set.has(number))) refs.push(ref);
    }
    const rank = (ref: string): string => {
      const known = this.#library.known(ref);
      const named = wordsIn([ref, known?.title, ...(known?.keywords ?? [])].join(' '));
      const isNamed = words.some((word) => named.includes(word));
      return `${isNamed ? 1 : 0}${this.#library.documents.get(ref)?.lastModified ?? ''}`;
    };
    const ranked = refs.map((ref) => ({ ref, rank: rank(ref) }));
    return ranked.toSorted((a, b) => (a.rank < b.rank ? 1 : -1)).map(({ ref }) => ref);
  }

  async #places(ref: string, words: readonly string[]): Promise<Found> {
    const places: Place[] = [];
    const document = await this.#library.read(ref, { from: 0, to: 1 }).catch(() => undefined);
    const pageCount = document?.pageCount ?? 0;
    for (let index = 0; index < pageCount && places.length < 3; index += 1) {
      const read = await this.#library.read(ref, { from: index, to: index + 1 }).catch(() => undefined);
      const page = read?.pages[index];
      for (const element of page?.elements ?? []) {
        const text = snippet(textIn(element), words);
        if (text === undefined || places.length >= 3) continue;
        const { element_id: elementId, category } = element;
        places.push({ pageIndex: index, pageTitle: page?.title ?? '', elementId, category, text });
      }
    }
    return { ref, title: document?.title ?? ref, places };
  }
}
