/** What a host is given of a document, level by level (seed 000). Wire keys on purpose: their schemas are in `a2c-actors/wire`. */
import type { DocumentMetadata, FinderShown } from '../computer/systems-handle.ts';

/** A page as its document lists it. */
export interface PageSummary {
  /** From 0. */
  readonly page_index: number;
  readonly title: string;
  readonly element_count: number;
  readonly uri: string;
  readonly doc_ref?: string | null | undefined;
  readonly [more: string]: unknown;
}
/** Level 1 with a part of the pages; `page_total` counts all of them. */
export interface DocumentPages extends DocumentMetadata {
  readonly pages: readonly PageSummary[];
  readonly page_offset: number;
  readonly page_limit: number;
  readonly page_total: number;
}
/** Level 3. */
export interface ElementDetail {
  readonly element_id: string;
  /** One of the 19 kinds of docs/wire.md, or a server's own. */
  readonly category: string;
  readonly summary?: string | null | undefined;
  readonly content: Readonly<Record<string, unknown>>;
  readonly doc_ref?: string | null | undefined;
  readonly page_index?: number | null | undefined;
  readonly uri?: string | null | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  readonly [more: string]: unknown;
}
/** Level 2. */
export interface DocumentPage {
  readonly page_index: number;
  readonly title: string;
  readonly doc_ref: string;
  readonly uri: string;
  readonly elements: readonly ElementDetail[];
  readonly element_count: number;
  readonly [more: string]: unknown;
}
/** A Finder that is followed: 1,000 documents at the most. */
export interface FinderFollowed extends FinderShown {
  /** How many there are beside `documents`. */
  readonly left_out: number;
}
