import { formatOf, type DocumentFormat, type DraftDocument } from '../../../machines/documents.ts';
import { isInstalled, missingPackage, type OptionalPackage } from '../../optional-packages.ts';

/** What a reader is given. */
export interface Source {
  readonly bytes: Uint8Array;
  /** What stands for a title where the document has none. */
  readonly name: string;
  readonly fileType: string;
  /** Pages from `from` up to and without `to`, for formats that read pages one by one. */
  readonly from: number;
  readonly to: number;
}
/** Runs in a thread of its own, which may be ended at any moment. Throws `Unreadable` for what can be said in words. */
export type Reader = (source: Source) => Promise<DraftDocument>;

/** Why a document cannot be read, in words that name no folder. */
export class Unreadable extends Error {
  /** The same bytes would fail again. */
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
};
/** Sentence that says what to install before a format can be read; undefined where nothing is missing. */
export function missingReader(format: DocumentFormat): string | undefined {
  const name = packages[format];
  return name && missingPackage(name, `.${format}`);
}
export const isReaderMissing = (): boolean => !Object.values(packages).every((name) => isInstalled(name));
/** A line for each format among these documents that cannot be read. */
export function missingReaders(refs: Iterable<string>): string[] {
  const formats = Array.from(refs, (ref) => formatOf(ref));
  return [...new Set(formats)].flatMap((format) => {
    const why = format && missingReader(format);
    const count = formats.filter((each) => each === format).length;
    return why === undefined ? [] : [`${count} ${count === 1 ? 'document' : 'documents'} not read: ${why}`];
  });
}

/** UTF-8, or UTF-16 where its mark says so; the mark is left out. */
export const decoded = (bytes: Uint8Array): string => {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return new TextDecoder().decode(bytes);
};
