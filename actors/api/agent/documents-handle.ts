/** What a host is given of a document, level by level (seed 000). Wire keys on purpose: their schemas are in `a2c-actors/wire`. */
import type { DocumentMetadata, FinderShown } from '../computer/collections-handle.ts';

/** A page as its document lists it. */
export interface PageSummary {
  /** From 0. */
  readonly page_index: number;
  /** As its server names the page; may be empty. */
  readonly title: string;
  /** How many elements the page has, of all kinds. */
  readonly element_count: number;
  /** The `dpe://` URI of this page. */
  readonly uri: string;
  /** The key of its document, as `buildDpeUri` takes it. */
  readonly doc_ref?: string | null | undefined;
  readonly [more: string]: unknown;
}
/** Level 1 with a part of the pages; `page_total` counts all of them. */
export interface DocumentPages extends DocumentMetadata {
  /** From `page_offset` on, in the order of the document. */
  readonly pages: readonly PageSummary[];
  /** How many pages were passed over. */
  readonly page_offset: number;
  /** How many pages were wanted at most. */
  readonly page_limit: number;
  /** How many pages the document has. */
  readonly page_total: number;
}
/** Level 3. */
export interface ElementDetail {
  /** Unique within its document: what `readElement` takes. */
  readonly element_id: string;
  /** One of the 19 kinds of docs/wire.md, or a server's own. */
  readonly category: string;
  /** What it says, in short, where its server knows. */
  readonly summary?: string | null | undefined;
  /** What it holds; which keys, its category decides (docs/wire.md). */
  readonly content: Readonly<Record<string, unknown>>;
  /** The key of its document, as `buildDpeUri` takes it. */
  readonly doc_ref?: string | null | undefined;
  /** The page it stands on, from 0. */
  readonly page_index?: number | null | undefined;
  /** The `dpe://` URI of this element. */
  readonly uri?: string | null | undefined;
  /** Whatever else its server tells of it. */
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  readonly [more: string]: unknown;
}
/** Level 2. */
export interface DocumentPage {
  /** From 0. */
  readonly page_index: number;
  /** As its server names the page; may be empty. */
  readonly title: string;
  /** The key of its document, as `buildDpeUri` takes it. */
  readonly doc_ref: string;
  /** The `dpe://` URI of this page. */
  readonly uri: string;
  /** In the order of the page; with `categories` those of these kinds only. */
  readonly elements: readonly ElementDetail[];
  /** How many elements its server says that the page has. */
  readonly element_count: number;
  readonly [more: string]: unknown;
}
/** A Finder that is followed: 1,000 documents at the most. */
export interface FinderFollowed extends FinderShown {
  /** How many there are beside `documents`. */
  readonly left_out: number;
}
