/** Documents: their structure, formats and texts, and the answers for each level of detail. */
import type { Fields } from './protocol/json.ts';
import type { DpeCategory, DpeFormat } from './resources/dpe-uri.ts';
import { encodePart } from './resources/uri.ts';

// ── documents ─────────────────────────────────────────────────────────────────────────────────────────
/** Part of a page as the reader of a file format found it. */
export interface Draft {
  readonly category: DpeCategory;
  /** The fields depend on its category (docs/documents.md). */
  readonly content: Readonly<Record<string, unknown>>;
  readonly summary?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Position in the file format, such as a cell; the id is made from it instead of the content. */
  readonly key?: string;
}
export interface DraftPage {
  readonly title: string;
  readonly drafts: readonly Draft[];
}
export interface DraftDocument {
  readonly title?: string;
  readonly summary?: string;
  readonly keywords?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly pageCount: number;
  /** By index, from 0; formats that read single pages give only the requested range. */
  readonly pages: Readonly<Record<number, DraftPage>>;
}

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

/** Page, category and digest of the content: ids survive a restart, and a change leaves others as they are. */
export function named(draft: DraftDocument, isPart: boolean, digest: (text: string) => string): ReadDocument {
  const seen = new Map<string, number>();
  const pages: Record<number, Page> = {};
  for (const [index, { title, drafts }] of Object.entries(draft.pages)) {
    const elements = drafts.map(({ key, ...rest }): Element => {
      const said = key ?? JSON.stringify(rest.content);
      const base = `${isPart ? `p${index}-` : ''}${rest.category}-${digest(said)}`;
      const count = (seen.get(base) ?? 0) + 1;
      seen.set(base, count);
      return { element_id: count === 1 ? base : `${base}-${count}`, ...rest };
    });
    pages[Number(index)] = { title, elements };
  }
  return { ...draft, pages };
}

/** Undefined when the format is not read by page. */
export function pageOfId(id: string): number | undefined {
  const [, index] = /^p(\d{1,9})-/.exec(id) ?? [];
  return index === undefined ? undefined : Number(index);
}

/** At each heading of level 1 or 2, for formats without pages. */
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
/** The endings of the names of their files. */
const endings = {
  md: ['md', 'markdown'],
  txt: ['txt', 'text', 'rst'],
  html: ['html', 'htm', 'xhtml'],
  csv: ['csv', 'tsv'],
  json: ['json', 'jsonl', 'ndjson'],
  yaml: ['yaml', 'yml'],
  xml: ['xml'],
  ipynb: ['ipynb'],
  epub: ['epub'],
  rtf: ['rtf'],
  eml: ['eml', 'mht', 'mhtml'],
  odt: ['odt'],
  odp: ['odp'],
  ods: ['ods'],
  xls: ['xls'],
  xlsx: ['xlsx', 'xlsm', 'xltx'],
  docx: ['docx', 'docm', 'dotx'],
  pptx: ['pptx', 'pptm', 'ppsx'],
  pdf: ['pdf'],
} as const;
export type DocumentFormat = keyof typeof endings;
const byEnding: ReadonlyMap<string, DocumentFormat> = new Map(
  Object.entries(endings).flatMap(([format, all]) =>
    all.map((ending) => [ending, format as DocumentFormat] as const),
  ),
);

/** In lower case, without the dot; empty when there is none. */
export const fileTypeOf = (path: string): string => {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
};

export const formatOf = (path: string): DocumentFormat | undefined => byEnding.get(fileTypeOf(path));

const written: ReadonlySet<DocumentFormat> = new Set(['md', 'txt', 'csv', 'json', 'yaml', 'xml']);
/** Its file is a text that is best read as it is; of HTML and others only when single lines are asked for. */
export const isWritten = (format: DocumentFormat, isByLine: boolean): boolean =>
  written.has(format) || (isByLine && starts[format] === undefined && format !== 'xls');

/** Read in parts, so that the id of an element has its page. */
export const isByPage = (format: DocumentFormat | undefined): boolean => format === 'pdf' || format === 'csv';

const zip = [0x50, 0x4b];
const starts: Partial<Record<DocumentFormat, readonly number[]>> = {
  rtf: [0x7b, 0x5c, 0x72, 0x74],
  pdf: [0x25, 0x50, 0x44, 0x46],
  xlsx: zip,
  docx: zip,
  pptx: zip,
  epub: zip,
  odt: zip,
  odp: zip,
  ods: zip,
};
/** Office files before 2007; encrypted newer ones are in the same container. */
const container = [0xd0, 0xcf, 0x11, 0xe0];
/** A PDF header may start within the first 1,024 bytes; text has no NUL unless it is UTF-16. */
export function misfit(format: DocumentFormat, bytes: Uint8Array): string | undefined {
  const wanted = starts[format];
  const begins = (start: readonly number[]): boolean => start.every((byte, index) => bytes[index] === byte);
  const isFit = ((): boolean => {
    // Old workbooks begin in many ways, and programs write HTML and others under this name.
    if (format === 'xls') return bytes.length > 0;
    if (format === 'pdf') return String.fromCharCode(...bytes.subarray(0, 1024)).includes('%PDF-');
    if (wanted !== undefined) return begins(wanted);
    return wideEncodingOf(bytes) !== undefined || !bytes.subarray(0, 8192).includes(0);
  })();
  if (isFit) return undefined;
  if (format === 'pdf' || wanted === undefined || !begins(container)) return 'it is not what its name says';
  return 'it is encrypted and needs a password, or it is of an Office before 2007 under a newer name';
}

/** By the byte order mark, or where the first 8,192 bytes are text with more of ASCII in it than the other way round. */
export function wideEncodingOf(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const start = bytes.subarray(0, 8192);
  const [little, big] = [asciiIn(start, 1), asciiIn(start, 0)];
  if (Math.max(little, big) * 64 < start.length || start.length < 6) return undefined;
  return little > big ? 'utf-16le' : 'utf-16be';
}
/** Number of ASCII characters; 0 when it has what no text has: control characters, or half of a pair. */
function asciiIn(bytes: Uint8Array, high: 0 | 1): number {
  let [count, isOpen] = [0, false];
  if (bytes.length % 2 === 1) return 0;
  for (let at = 0; at < bytes.length; at += 2) {
    const unit = (bytes[at + high] ?? 0) * 256 + (bytes[at + 1 - high] ?? 0);
    const isSecond = unit >= 0xdc00 && unit < 0xe000;
    if (isSecond !== isOpen || (unit < 32 && ![9, 10, 12, 13].includes(unit))) return 0;
    isOpen = unit >= 0xd800 && unit < 0xdc00;
    if (unit < 127) count += 1;
  }
  return count;
}

// ── words ─────────────────────────────────────────────────────────────────────────────────────────────
const single = String.raw`\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}`;
const letter = String.raw`(?!${single})[\p{L}\p{N}]`;
/** A run of letters and digits, at most 1,000, or a single Chinese or Japanese character. */
const word = new RegExp(`${single}|(?:${letter}){1,1000}`, 'gu');
const isLetter = new RegExp(letter, 'u');

/** In lower case and in order, each cut after 64 characters. */
export const wordsIn = (text: string): readonly string[] =>
  (text.toLowerCase().normalize('NFKC').match(word) ?? []).map((each) => each.slice(0, 64));

const gather = (value: unknown, into: string[]): void => {
  if (typeof value === 'string') into.push(value);
  else if (Array.isArray(value)) for (const each of value) gather(each, into);
  else if (typeof value === 'object' && value !== null)
    for (const each of Object.values(value)) gather(each, into);
};
export const textIn = (element: Element): string => {
  const { category, content, summary } = element;
  // Numbers count there alone.
  if (category === 'chart') return renderElement(element, 'text');
  const parts: string[] = summary === undefined ? [] : [summary];
  gather(content, parts);
  return parts.join('\n');
};
export const textOfPage = ({ title, elements }: Page): string => [title, ...elements.map(textIn)].join('\n');

/** 2 where it is a whole word, 1 where a word begins with it, and the place of the best. */
function found(lower: string, each: string): { readonly grade: number; readonly at: number } {
  let first = -1;
  for (let at = lower.indexOf(each); at >= 0; at = lower.indexOf(each, at + 1)) {
    if (!isLetter.test(each)) return { grade: 2, at };
    if (at > 0 && isLetter.test(lower.charAt(at - 1))) continue;
    if (!isLetter.test(lower.charAt(at + each.length))) return { grade: 2, at };
    if (first < 0) first = at;
  }
  return { grade: first < 0 ? 0 : 1, at: first };
}
export const gradeAt = (lower: string, each: string): number => found(lower, each).grade;

/** With the number of words found, as beginnings of words; undefined when there is none. */
export function snippet(
  text: string,
  words: readonly string[],
  most = 160,
): { readonly text: string; readonly count: number } | undefined {
  const lower = text.toLowerCase();
  const places = words.map((each) => found(lower, each).at).filter((at) => at >= 0);
  if (places.length === 0) return undefined;
  const from = Math.max(0, Math.min(...places) - Math.floor(most / 3));
  const cut = text
    .slice(from, from + most)
    .replace(/\s+/g, ' ')
    .trim();
  const [before, after] = [from > 0 ? '…' : '', from + most < text.length ? '…' : ''];
  return { text: `${before}${cut}${after}`, count: places.length };
}

/** Each once, with a line end before and after it. */
export const linesOfWords = (words: Iterable<string>): string => ['', ...new Set(words), ''].join('\n');
/** 2 for a whole word, 1 for its beginning. */
export const gradeIn = (lines: string, each: string): number =>
  lines.includes(`\n${each}\n`) ? 2 : Number(lines.includes(`\n${each}`));
/** The grade of each word, and 2 more where it is in a name; 0 when one is nowhere. */
export function rankOf(words: readonly string[], names: string, gradeOf: (word: string) => number): number {
  let sum = 0;
  for (const each of words) {
    const named = gradeIn(names, each);
    const grade = named > 0 ? named + 2 : gradeOf(each);
    if (grade === 0) return 0;
    sum += grade;
  }
  return sum;
}

// ── elements as Markdown ──────────────────────────────────────────────────────────────────────────────
/** See a2c-wire §3.13. */
type Content = Element['content'];
const text = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const cell = (value: unknown): string => text(value).replace(/\r?\n/g, '<br>').replaceAll('|', '\\|');
const line = (cells: readonly unknown[]): string => `| ${cells.map(cell).join(' | ')} |`;
/** Longer than any run of backticks, so that the code cannot close its own block. */
const fenceFor = (code: string): string =>
  '`'.repeat(Math.max(3, ...(code.match(/`+/g) ?? []).map((run) => run.length + 1)));

/** All lines but the first are indented, so that they belong to the item in Markdown. */
const itemOf = (item: unknown, mark: string): string =>
  mark + text(item).replace(/\n(?=.)/g, `\n${' '.repeat(mark.length)}`);
const labelled = (label: string, title: string): string => `[${title === '' ? label : `${label}: ${title}`}]`;

type Render = (content: Content) => string;
const rowsOf = ({ columns, rows }: Content): (readonly unknown[])[] => [
  list(columns),
  ...list(rows).map(list),
];
const tableOf = ([columns = [], ...rows]: readonly (readonly unknown[])[]): string =>
  [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n');
const plainTableOf = (rows: readonly (readonly unknown[])[]): string =>
  rows.map((row) => row.map((each) => text(each).replace(/(?<!\s)\s*\n\s*/g, ' ')).join('\t')).join('\n');
/** One table for all series over the same categories. */
function chartTables(c: Content): (readonly unknown[])[][] {
  const groups = new Map<string, { name?: unknown; categories?: unknown; values?: unknown }[]>();
  for (const series of list(c['series']) as { categories?: unknown }[]) {
    const key = JSON.stringify(series.categories);
    groups.set(key, [...(groups.get(key) ?? []), series]);
  }
  return [...groups.values()].map((all) => {
    const [categories, ...values] = [list(all[0]?.categories), ...all.map((each) => list(each.values))];
    const longest = [categories, ...values].reduce((a, b) => (b.length > a.length ? b : a));
    const rows = longest.map((_, at) => [categories[at] ?? at + 1, ...values.map((each) => each[at])]);
    return [['', ...all.map(({ name }) => name)], ...rows];
  });
}
const listItems: Render = (c) =>
  list(c['items'])
    .map((item, at) => itemOf(item, c['ordered'] === true ? `${(Number(c['start']) || 1) + at}. ` : '- '))
    .join('\n');
const formOf: Render = (c) => `[form: ${[c['name'], c['value']].map(text).filter(Boolean).join(' = ')}]`;
const markdown: Partial<Record<Element['category'], Render>> = {
  heading: (c) => `${'#'.repeat(Number(c['level']) || 1)} ${text(c['text'])}`,
  text: (c) => text(c['text']),
  list: listItems,
  code: (c) => {
    const code = text(c['text']);
    return `${fenceFor(code)}${text(c['language'])}\n${code}\n${fenceFor(code)}`;
  },
  table: (c) => tableOf(rowsOf(c)),
  chart: (c) => [labelled('chart', text(c['title'])), ...chartTables(c).map(tableOf)].join('\n\n'),
  form: formOf,
  diagram: listItems,
  image: (c) => {
    if (typeof c['url'] === 'string') return `![${text(c['alt'])}](${c['url']})`;
    return labelled('image', text(c['description'] ?? c['alt']));
  },
  link: (c) => `[${text(c['text'])}](${text(c['url'])})`,
  formula: (c) => `$ ${text(c['expression'])} $`,
  separator: () => '---',
};
const plain: Partial<Record<Element['category'], Render>> = {
  heading: (c) => text(c['text']),
  text: (c) => text(c['text']),
  list: (c) => list(c['items']).map(text).join('\n'),
  diagram: (c) => list(c['items']).map(text).join('\n'),
  code: (c) => text(c['text']),
  table: (c) => plainTableOf(rowsOf(c)),
  chart: (c) => [text(c['title']), ...chartTables(c).map(plainTableOf)].filter(Boolean).join('\n'),
  image: (c) => text(c['description'] ?? c['alt']),
  link: (c) => `${text(c['text'])} ${text(c['url'])}`,
  formula: (c) => [c['cell'], c['expression'], c['value']].map(text).filter(Boolean).join(' '),
  annotation: (c) => text(c['text']),
  form: formOf,
  separator: () => '',
};

/** An element without text is shown by its summary. */
export const renderElement = (element: Element, format: Exclude<DpeFormat, 'json'>): string =>
  (format === 'markdown' ? markdown : plain)[element.category]?.(element.content) ??
  `[${element.category}: ${element.summary ?? (text(element.content['text']) || element.element_id)}]`;

/** With its title, unless it is empty or one of its headings. */
export function renderPage({ title, elements }: Page, format: Exclude<DpeFormat, 'json'>): string {
  const isSaid =
    title === '' || elements.some(({ content }) => text(content['text']).trim() === title.trim());
  const parts = elements.map((element) => renderElement(element, format));
  const named = isSaid ? '' : format === 'markdown' ? `## ${title}` : title;
  return [named, ...parts].filter((part) => part !== '').join('\n\n');
}

// ── answers, by level ─────────────────────────────────────────────────────────────────────────────────
export interface Listed {
  /** Path with `/` between names; percent-encoded only in URIs. */
  readonly ref: string;
  readonly fileUri: string;
  readonly fileType: string;
  readonly sizeBytes: number;
  /** ISO 8601. */
  readonly lastModified: string;
}

export const documentUri = (host: string, ref: string): string => `dpe://${host}/${encodePart(ref) ?? ''}`;
/** An unpaired surrogate cannot be encoded in a URI. */
export const isNameable = (ref: string): boolean => encodePart(ref) !== undefined;
const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

/** Level 1. A document that was not read yet has its file name as title, and 0 pages. */
export const metadataAnswer = (host: string, listed: Listed, read: ReadDocument | undefined): Fields => ({
  doc_ref: listed.ref,
  uri: documentUri(host, listed.ref),
  file_uri: listed.fileUri,
  file_type: listed.fileType,
  title: read?.title ?? nameOf(listed.ref),
  page_count: read?.pageCount ?? 0,
  ...(read?.keywords && { keywords: read.keywords }),
  ...(read?.summary !== undefined && { summary: read.summary }),
  ...(read?.metadata && { metadata: read.metadata }),
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

export const elementAnswer = (host: string, { ref }: Listed, index: number, element: Element): Fields => ({
  ...element,
  doc_ref: ref,
  page_index: index,
  uri: `${documentUri(host, ref)}/elements/${encodePart(element.element_id) ?? ''}`,
});
