import type { DpeCategory } from '../resources/dpe-uri.ts';

/** A part of a page as a reader of its format found it. */
export interface Draft {
  readonly category: DpeCategory;
  /** What it holds, by its category: see docs/documents.md. */
  readonly content: Readonly<Record<string, unknown>>;
  readonly summary?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Its place by the format's own name, such as a cell: it names the element in place of its content. */
  readonly key?: string;
}
export interface DraftPage {
  readonly title: string;
  readonly drafts: readonly Draft[];
}
/** What a reader gives: all about a document, and the pages that were wanted. */
export interface DraftDocument {
  readonly title?: string;
  readonly summary?: string;
  readonly keywords?: readonly string[];
  readonly pageCount: number;
  /** By index, from 0. Formats that read a page by itself give those in the wanted range only. */
  readonly pages: Readonly<Record<number, DraftPage>>;
}

/** An element of the protocol. */
export interface Element {
  readonly element_id: string;
  readonly category: DpeCategory;
  readonly summary?: string;
  readonly content: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
}
export interface Page {
  readonly title: string;
  readonly elements: readonly Element[];
}
export interface ReadDocument extends Omit<DraftDocument, 'pages'> {
  readonly pages: Readonly<Record<number, Page>>;
}

/**
 * Names every element: by its page where pages are read one by one (`p7-…`), by its category and by a digest of what
 * it says, so that the same file has the same ids after a restart, and a change in one place leaves the ids elsewhere
 * as they are. Of equal elements the second is `…-2`.
 */
export function named(
  draft: DraftDocument,
  isByPage: boolean,
  digest: (text: string) => string,
): ReadDocument {
  const seen = new Map<string, number>();
  const pages: Record<number, Page> = {};
  for (const [index, { title, drafts }] of Object.entries(draft.pages)) {
    const elements = drafts.map(({ key, ...rest }): Element => {
      const said = key ?? JSON.stringify(rest.content);
      const base = `${isByPage ? `p${index}-` : ''}${rest.category}-${digest(said)}`;
      const count = (seen.get(base) ?? 0) + 1;
      seen.set(base, count);
      return { element_id: count === 1 ? base : `${base}-${count}`, ...rest };
    });
    pages[Number(index)] = { title, elements };
  }
  return { ...draft, pages };
}

/** The page that an id of `named` names, where pages are read one by one. */
export function pageOfId(id: string): number | undefined {
  const [, index] = /^p(\d{1,9})-/.exec(id) ?? [];
  return index === undefined ? undefined : Number(index);
}

/** Breaks a run of parts at each heading of the first two levels: how flowing formats have pages. */
export function inSections(drafts: readonly Draft[], title: string): readonly DraftPage[] {
  const pages: { title: string; drafts: Draft[] }[] = [];
  for (const draft of drafts) {
    const level = draft.category === 'heading' ? Number(draft.content['level']) : 9;
    if (level <= 2) pages.push({ title: String(draft.content['text']), drafts: [draft] });
    else if (pages.length === 0) pages.push({ title, drafts: [draft] });
    else pages.at(-1)?.drafts.push(draft);
  }
  return pages.length > 0 ? pages : [{ title, drafts: [] }];
}

export const pagesOf = (pages: readonly DraftPage[]): Pick<DraftDocument, 'pageCount' | 'pages'> => ({
  pageCount: pages.length,
  pages: Object.fromEntries(pages.entries()),
});
