import type { DraftDocument } from '../../../machines/documents/index.ts';

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

/** UTF-8, or UTF-16 where its mark says so; the mark is left out. */
export const decoded = (bytes: Uint8Array): string => {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return new TextDecoder().decode(bytes);
};
