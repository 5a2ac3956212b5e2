import type { DPEDocumentSummary, GetFinder } from '../../protocol/messages/collections.ts';

/** Which documents are wanted, and which part of them. */
export interface FinderQuery {
  /** One of them must be in the title, the keywords or the summary, whatever its case. None: any document. */
  readonly keywords?: readonly string[];
  /** Exactly this; empty: any. */
  readonly fileType?: string;
  /** How many are passed over; 0 by default. */
  readonly offset?: number;
  /** How many are given: 20 by default, 100 at the most, none for 0 or less. */
  readonly limit?: number;
  /** Servers are asked anew. */
  readonly fresh?: boolean;
}
export const defaultLimit = 20;
export const mostLimit = 100;

/** As `client:get_finder` has it. */
export const finderQueryOf = (asked: GetFinder): FinderQuery => ({
  ...(asked.keywords && { keywords: asked.keywords }),
  ...(typeof asked.file_type === 'string' && { fileType: asked.file_type }),
  ...(typeof asked.offset === 'number' && { offset: asked.offset }),
  ...(typeof asked.limit === 'number' && { limit: asked.limit }),
  ...(asked.fresh === true && { fresh: true }),
});

/** The fields of the question; what is not wanted, or what is so by default, is not sent. */
export const finderQuestion = ({
  keywords,
  fileType,
  offset = 0,
  limit = defaultLimit,
  fresh = false,
}: FinderQuery) => ({
  ...(keywords !== undefined && { keywords: [...keywords] }),
  ...(fileType !== undefined && { file_type: fileType }),
  ...(offset !== 0 && { offset }),
  ...(limit !== defaultLimit && { limit }),
  ...(fresh && { fresh }),
});

/** The part that is wanted, in whole numbers. */
export function partOf({ offset = 0, limit = defaultLimit }: FinderQuery): { from: number; count: number } {
  const whole = (value: number): number => Math.trunc(value) || 0;
  return { from: Math.max(0, whole(offset)), count: Math.max(0, Math.min(mostLimit, whole(limit))) };
}

/** Whether a document is one of those that are wanted. */
export function testOf({ keywords = [], fileType = '' }: FinderQuery): (d: DPEDocumentSummary) => boolean {
  const words = keywords.map((word) => word.toLowerCase());
  const speaksOf = ({ title, keywords: own, summary }: DPEDocumentSummary): boolean => {
    const texts = [title, (own ?? []).join(' '), summary ?? ''].map((text) => text.toLowerCase());
    return words.some((word) => texts.some((text) => text.includes(word)));
  };
  return (document) =>
    (fileType === '' || document.file_type === fileType) && (words.length === 0 || speaksOf(document));
}
