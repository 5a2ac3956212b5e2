/** Documents that a server shows (seed 000): their parts, formats and texts, and the answers of each level. */
import type { Fields } from './protocol/json.ts';
import type { DpeCategory, DpeFormat } from './resources/dpe-uri.ts';
import { encodePart } from './resources/uri.ts';

// ── documents ─────────────────────────────────────────────────────────────────────────────────────────
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

// ── formats ───────────────────────────────────────────────────────────────────────────────────────────
/** Formats that have a reader. */
export type DocumentFormat = 'md' | 'txt' | 'html' | 'csv' | 'json' | 'xlsx' | 'docx' | 'pptx' | 'pdf';

const byExtension: Readonly<Record<string, DocumentFormat>> = {
  md: 'md',
  markdown: 'md',
  txt: 'txt',
  text: 'txt',
  html: 'html',
  htm: 'html',
  csv: 'csv',
  tsv: 'csv',
  json: 'json',
  xlsx: 'xlsx',
  docx: 'docx',
  pptx: 'pptx',
  pdf: 'pdf',
};

/** The extension of a path in lower case, without its dot; empty where there is none. */
export const fileTypeOf = (path: string): string => {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
};

/** Undefined: not a document. */
export const formatOf = (path: string): DocumentFormat | undefined => {
  const type = fileTypeOf(path);
  return Object.hasOwn(byExtension, type) ? byExtension[type] : undefined;
};

const starts: Partial<Record<DocumentFormat, readonly number[]>> = {
  pdf: [0x25, 0x50, 0x44, 0x46],
  xlsx: [0x50, 0x4b],
  docx: [0x50, 0x4b],
  pptx: [0x50, 0x4b],
};
/**
 * Whether a file may be what its extension says. A PDF may begin with other bytes, up to the first 1,024; an office
 * file is a ZIP; what is text has no NUL, unless it begins with the mark of UTF-16.
 */
export function isPlausible(format: DocumentFormat, start: Uint8Array): boolean {
  const wanted = starts[format];
  if (format === 'pdf') {
    const text = String.fromCharCode(...start.subarray(0, 1024));
    return text.includes('%PDF-');
  }
  if (wanted !== undefined) return wanted.every((byte, index) => start[index] === byte);
  const isWide = (start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0xfe && start[1] === 0xff);
  return isWide || !start.subarray(0, 8192).includes(0);
}

// ── words ─────────────────────────────────────────────────────────────────────────────────────────────
/** Letters and digits in a row; of Chinese and Japanese each letter is one. */
const word =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|(?:(?!\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana})[\p{L}\p{N}_])+/gu;

/** The words of a text, without regard to case, in order. Longer ones than 64 letters are cut. */
export const wordsIn = (text: string): readonly string[] =>
  (text.toLowerCase().normalize('NFKC').match(word) ?? []).map((each) => each.slice(0, 64));

const gather = (value: unknown, into: string[]): void => {
  if (typeof value === 'string') into.push(value);
  else if (Array.isArray(value)) for (const each of value) gather(each, into);
  else if (typeof value === 'object' && value !== null)
    for (const each of Object.values(value)) gather(each, into);
};
/** All that an element says, for a search: its texts, cells, addresses. */
export const textIn = ({ content, summary }: Element): string => {
  const parts: string[] = summary === undefined ? [] : [summary];
  gather(content, parts);
  return parts.join('\n');
};
export const textOfPage = ({ title, elements }: Page): string => [title, ...elements.map(textIn)].join('\n');

/** The part of a text around the first of these words that it has; undefined where it has none. */
export function snippet(text: string, words: readonly string[], most = 160): string | undefined {
  const lower = text.toLowerCase();
  const at = Math.min(
    ...words.map((each) => lower.indexOf(each)).map((index) => (index < 0 ? Infinity : index)),
  );
  if (!Number.isFinite(at)) return undefined;
  const from = Math.max(0, at - Math.floor(most / 3));
  const cut = text.slice(from, from + most).replace(/\s+/g, ' ');
  return `${from > 0 ? '…' : ''}${cut}${from + most < text.length ? '…' : ''}`;
}

// ── as Markdown ───────────────────────────────────────────────────────────────────────────────────────
/** Elements as texts for people and models (a2c-wire §3.13). */
type Content = Element['content'];
const text = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : (JSON.stringify(value) ?? '');
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const cell = (value: unknown): string => text(value).replace(/\r?\n/g, ' ').replaceAll('|', '\\|');
const line = (cells: readonly unknown[]): string => `| ${cells.map(cell).join(' | ')} |`;
/** Longer than every run of backticks inside, so that a text cannot end its own block. */
const fenceFor = (code: string): string =>
  '`'.repeat(Math.max(3, ...(code.match(/`+/g) ?? []).map((run) => run.length + 1)));

type Render = (content: Content) => string;
const tableOf: Render = ({ columns, rows }) =>
  [
    line(list(columns)),
    line(list(columns).map(() => '---')),
    ...list(rows).map((row) => line(list(row))),
  ].join('\n');
const markdown: Partial<Record<Element['category'], Render>> = {
  heading: (c) => `${'#'.repeat(Number(c['level']) || 1)} ${text(c['text'])}`,
  text: (c) => text(c['text']),
  list: (c) =>
    list(c['items'])
      .map((item, at) => `${c['ordered'] === true ? `${at + 1}.` : '-'} ${text(item)}`)
      .join('\n'),
  code: (c) => {
    const code = text(c['text']);
    return `${fenceFor(code)}${text(c['language'])}\n${code}\n${fenceFor(code)}`;
  },
  table: tableOf,
  pivot_table: tableOf,
  chart: (c) => `[图表: ${text(c['title'])}] ${text(c['data_summary'])}`.trim(),
  image: (c) =>
    typeof c['url'] === 'string'
      ? `![${text(c['alt'])}](${c['url']})`
      : `[图片: ${text(c['description'] ?? c['alt'])}]`,
  link: (c) => `[${text(c['text'])}](${text(c['url'])})`,
  formula: (c) => `$ ${text(c['expression'])} $`,
  separator: () => '---',
};
const plain: Partial<Record<Element['category'], Render>> = {
  heading: (c) => text(c['text']),
  text: (c) => text(c['text']),
  list: (c) => list(c['items']).map(text).join('\n'),
  code: (c) => text(c['text']),
  table: ({ columns, rows }) =>
    [columns, ...list(rows)].map((row) => list(row).map(text).join('\t')).join('\n'),
  chart: (c) => [c['title'], c['data_summary']].map(text).filter(Boolean).join('\n'),
  image: (c) => text(c['description'] ?? c['alt']),
  link: (c) => `${text(c['text'])} ${text(c['url'])}`,
  formula: (c) => [c['cell'], c['expression'], c['value']].map(text).filter(Boolean).join(' '),
  annotation: (c) => text(c['text']),
  separator: () => '',
};

/** What has no text of its own is named with its summary. */
export const renderElement = (element: Element, format: Exclude<DpeFormat, 'json'>): string =>
  (format === 'markdown' ? markdown : plain)[element.category]?.(element.content) ??
  `[${element.category}: ${element.summary ?? (text(element.content['text']) || element.element_id)}]`;

/** A page as one text, its elements with an empty line between them. */
export const renderPage = (page: Page, format: Exclude<DpeFormat, 'json'>): string =>
  page.elements
    .map((element) => renderElement(element, format))
    .filter((part) => part !== '')
    .join('\n\n');

// ── answers, by level ─────────────────────────────────────────────────────────────────────────────────
/** A file that is a document, and what is known without reading it. */
export interface Listed {
  /** The key of the document within its host: its path, `/` between names. Percent-encoded in URIs alone. */
  readonly ref: string;
  readonly fileUri: string;
  readonly fileType: string;
  readonly sizeBytes: number;
  /** ISO 8601. */
  readonly lastModified: string;
}

/** A document's own URI. */
export const documentUri = (host: string, ref: string): string => `dpe://${host}/${encodePart(ref) ?? ''}`;
/** What has no UTF-8 (half a surrogate pair) is no document. */
export const isNameable = (ref: string): boolean => encodePart(ref) !== undefined;
const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

/** Level 1. A document that nobody has read yet has its file's name for a title, and 0 pages. */
export const metadataAnswer = (host: string, listed: Listed, read: ReadDocument | undefined): Fields => ({
  doc_ref: listed.ref,
  uri: documentUri(host, listed.ref),
  file_uri: listed.fileUri,
  file_type: listed.fileType,
  title: read?.title ?? nameOf(listed.ref),
  page_count: read?.pageCount ?? 0,
  ...(read?.keywords && { keywords: read.keywords }),
  ...(read?.summary !== undefined && { summary: read.summary }),
  last_modified: listed.lastModified,
});

/** Level 1 with `depth=pages`. */
export function pagesAnswer(
  host: string,
  listed: Listed,
  read: ReadDocument,
  offset: number,
  limit: number,
): Fields {
  const uri = documentUri(host, listed.ref);
  const end = Math.min(offset + limit, read.pageCount);
  const pages = [];
  for (let index = offset; index < end; index += 1) {
    const page = read.pages[index];
    const counts = { page_index: index, title: page?.title ?? '', element_count: page?.elements.length ?? 0 };
    pages.push({ ...counts, uri: `${uri}/pages/${index}`, doc_ref: listed.ref });
  }
  return {
    ...metadataAnswer(host, listed, read),
    pages,
    page_offset: offset,
    page_limit: limit,
    page_total: read.pageCount,
  };
}

/** The elements of these categories; all without any. */
export const ofCategories = (
  elements: readonly Element[],
  categories: readonly DpeCategory[] | undefined,
): readonly Element[] =>
  categories === undefined ? elements : elements.filter(({ category }) => categories.includes(category));

/** Level 2. */
export const pageAnswer = (
  host: string,
  { ref }: Listed,
  index: number,
  title: string,
  elements: readonly Element[],
): Fields => ({
  page_index: index,
  title,
  doc_ref: ref,
  uri: `${documentUri(host, ref)}/pages/${index}`,
  elements,
  element_count: elements.length,
});

/** Level 3. */
export const elementAnswer = (host: string, { ref }: Listed, index: number, element: Element): Fields => ({
  ...element,
  doc_ref: ref,
  page_index: index,
  uri: `${documentUri(host, ref)}/elements/${encodePart(element.element_id) ?? ''}`,
});
