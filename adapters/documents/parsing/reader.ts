import { limits } from '../../../machines/document-files.ts';
import {
  formatOf,
  inSections,
  pagesOf,
  type DocumentFormat,
  type Draft,
  type DraftDocument,
} from '../../../machines/documents.ts';
import { isInstalled, missingPackage, type OptionalPackage } from '../../optional-packages.ts';

export interface Source {
  readonly bytes: Uint8Array;
  /** Title of a document that has none. */
  readonly name: string;
  readonly fileType: string;
  /** For formats that are read page by page; `to` is the page after the last one. */
  readonly from: number;
  readonly to: number;
}
/** Runs in a worker thread that may be ended at any moment. Throws `Unreadable` when the reason is known. */
export type Reader = (source: Source) => Promise<DraftDocument>;

/** The message names no folder. */
export class Unreadable extends Error {
  readonly isLasting: boolean;

  constructor(message: string, isLasting = true) {
    super(message);
    this.isLasting = isLasting;
  }
}

const packages: Partial<Record<DocumentFormat, OptionalPackage>> = {
  docx: 'mammoth',
  pdf: 'pdfjs-dist',
  xlsx: '@e965/xlsx',
  xls: '@e965/xlsx',
  ods: '@e965/xlsx',
};
export function missingReader(format: DocumentFormat): string | undefined {
  const name = packages[format];
  return name && missingPackage(name, `.${format}`);
}
export const isReaderMissing = (): boolean => !Object.values(packages).every((name) => isInstalled(name));
export function missingReaders(refs: Iterable<string>): string[] {
  const formats = Array.from(refs, (ref) => formatOf(ref));
  return [...new Set(formats)].flatMap((format) => {
    const why = format && missingReader(format);
    const count = formats.filter((each) => each === format).length;
    return why === undefined ? [] : [`${count} ${count === 1 ? 'document' : 'documents'} not read: ${why}`];
  });
}

export const headingIn = (drafts: readonly Draft[]): string | undefined => {
  const text = drafts.find(({ category }) => category === 'heading')?.content['text'];
  return typeof text === 'string' ? text : undefined;
};
interface Told {
  readonly title?: string | undefined;
  readonly summary?: string | undefined;
  /** Several in one text have commas or semicolons between them. */
  readonly keywords?: string | readonly string[] | undefined;
}
/** What a file says of itself, without what is empty. */
export function toldOf({ title, summary, keywords = [] }: Told): Omit<DraftDocument, 'pageCount' | 'pages'> {
  const words = typeof keywords === 'string' ? keywords.split(/[,;]/) : keywords;
  const all = words.map((word) => word.trim()).filter(Boolean);
  return { ...(title && { title }), ...(summary && { summary }), ...(all.length > 0 && { keywords: all }) };
}
/** A document of sections; without a title its first heading is one. */
export function documentOf(drafts: readonly Draft[], name: string, told: Told = {}): DraftDocument {
  const title = told.title || headingIn(drafts);
  return { ...toldOf({ ...told, title }), ...pagesOf(inSections(drafts, title ?? name)) };
}

/** Leads outside of the document. */
export const isTarget = (url: string | undefined): url is string =>
  url !== undefined && url !== '' && !/^(#|javascript:|data:)/i.test(url);
/** The target stays in the text of any element. */
export const linkText = (text: string, url: string | undefined): string => {
  const target = url?.trim().replaceAll(' ', '%20').replaceAll(')', '%29');
  if (!isTarget(target) || text === '') return text;
  return text === target || `mailto:${text}` === target ? text : `[${text}](${target})`;
};

/** 2,000, and fewer when the table is wide. */
export const rowsPerPage = (columns: number): number =>
  Math.max(1, Math.min(limits.tableRows, Math.floor(limits.tableCells / Math.max(1, columns))));
