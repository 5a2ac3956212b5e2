/** What an agent reads of a computer, as its host sees it. */
import type { DpeCategory, DpeFormat } from '../../../machines/resources/finder/index.ts';
import type { DocumentPage, DocumentPages, ElementDetail, PageSummary } from './documents-handle.ts';
import type {
  DesktopQuery,
  DesktopShown,
  DocumentMetadata,
  DocumentSummary,
  FinderQuery,
  FinderShown,
  ResourceContent,
} from '../computer/collections-handle.ts';

/** What every question to a computer takes. */
export interface ReadOptions {
  /** ms; default as long as an office lets a computer think, and a margin. */
  readonly timeoutMs?: number;
  /** Ends the wait: the promise rejects with `ToolCallCancelled`. */
  readonly signal?: AbortSignal;
}
/** Which server is asked for a resource. */
export interface ResourceOptions extends ReadOptions {
  /** The one MCP server that is asked, where several have this URI. Default: who lists it, then whose tool was called last. */
  readonly server?: string;
}
/** Which windows are wanted, and how long to wait for them. */
export interface DesktopOptions extends DesktopQuery, ReadOptions {}
/** Which documents are wanted, and how long to wait for them. */
export interface FinderOptions extends FinderQuery, ReadOptions {}
/** `json` is read as what it says; `markdown` and `text` are texts. */
export interface FormatOptions<Format extends DpeFormat> extends ReadOptions {
  /** Default `json`. */
  readonly format?: Format;
}
/** In which format a page is wanted, and which of its elements. */
export interface PageOptions<Format extends DpeFormat> extends FormatOptions<Format> {
  /** Of its elements only those of these kinds. */
  readonly categories?: readonly DpeCategory[];
}
/** What a read in a format gives: `json` is read as its value, the others are texts. */
export type ReadAs<Format extends DpeFormat, Value> = Format extends 'json' ? Value : string;

/**
 * All reject with an `A2cError`: 4201 no such document, 4202 no such page, 4203 no such element, 4204 the URI breaks a
 * rule (nobody was asked), 404 no such computer or window, 408 no answer in time, 500 what came is not readable, 501 not
 * built there. `details.req_id` names the question, the rest of `details` is as whoever refused it gave it.
 */
export interface AgentReading {
  /** All windows of a computer, each as one text; `missing` are servers of which not all could be had. */
  getDesktop(computer: string, options?: DesktopOptions): Promise<DesktopShown>;
  /** A page of the documents of a computer. `total_count` counts all that the query finds. */
  getFinder(computer: string, options?: FinderOptions): Promise<FinderShown>;
  /** A window or a place in a document, as its server gives it: it is asked each time, and so below. */
  readResource(computer: string, uri: string, options?: ResourceOptions): Promise<readonly ResourceContent[]>;
  /** Level 1. `uri` is that of the document; what it has behind the document is dropped, here and below. */
  readDocumentMetadata(computer: string, uri: string, options?: ReadOptions): Promise<DocumentMetadata>;
  /** Level 1 with its pages from `offset` (default 0), at most `limit` (1 to 100, default 20). */
  readDocumentPages(
    computer: string,
    uri: string,
    options?: ReadOptions & { readonly offset?: number; readonly limit?: number },
  ): Promise<DocumentPages>;
  /** Level 2. `index` counts from 0. */
  readPage<Format extends DpeFormat = 'json'>(
    computer: string,
    uri: string,
    index: number,
    options?: PageOptions<Format>,
  ): Promise<ReadAs<Format, DocumentPage>>;
  /** Level 3. */
  readElement<Format extends DpeFormat = 'json'>(
    computer: string,
    uri: string,
    elementId: string,
    options?: FormatOptions<Format>,
  ): Promise<ReadAs<Format, ElementDetail>>;
  /**
   * All pages of a document in their order, listed `pageSize` (1 to 100, default 20) at a time, when they are wanted. No
   * page comes twice; of a document that changes meanwhile those that were listed before it did are as they were.
   */
  pagesOf(
    computer: string,
    uri: string,
    options?: ReadOptions & { readonly pageSize?: number },
  ): AsyncIterableIterator<PageSummary>;
  /**
   * All documents that a query finds, asked for `pageSize` (2 to 100, default 100) at a time, when they are wanted. No
   * document of a server comes twice. One that is there all the while is given: where the total changes between two
   * pages, or one does not begin where the other ended, it is gone through again for what has not been given yet. When
   * that does not come to rest it rejects with 409. What is new meanwhile may come or not; documents of servers that do
   * not answer are not there. `fresh` counts for the first page.
   */
  documentsOf(
    computer: string,
    query?: Omit<FinderOptions, 'offset' | 'limit'> & { readonly pageSize?: number },
  ): AsyncIterableIterator<DocumentSummary>;
}
