/** What an agent reads of a computer: its windows, its documents, level by level, and resources as they are. */
import { desktopQuestion } from '../machines/desktop/index.ts';
import {
  elementPlace,
  finderQuestion,
  metadataPlace,
  pagePlace,
  pagesPlace,
  readElement,
  readMetadata,
  readPage,
  readPages,
  type BuiltDpeUri,
  type DpeCategory,
  type DpeFormat,
} from '../machines/finder/index.ts';
import { systemOfUri, withRemedy } from '../machines/systems/index.ts';
import {
  events,
  readContents,
  readDesktop,
  readFinder,
  wireCodes,
  type Failure,
  type FinderRead,
  type Read,
} from '../machines/wire/index.ts';
import { questionError } from './agent-calls.ts';
import { documentsOf, pagesOf } from './agent-pages.ts';
import type { DocumentPage, DocumentPages, ElementDetail, PageSummary } from './documents-handle.ts';
import { A2cError } from './errors.ts';
import type {
  DesktopQuery,
  DesktopShown,
  DocumentMetadata,
  DocumentSummary,
  FinderQuery,
  FinderShown,
  ResourceContent,
} from './systems-handle.ts';

export interface ReadOptions {
  /** ms; default as long as an office lets a computer think, and a margin. */
  readonly timeoutMs?: number;
  /** Ends the wait: the promise rejects with `ToolCallCancelled`. */
  readonly signal?: AbortSignal;
}
export interface ResourceOptions extends ReadOptions {
  /** The one MCP server that is asked, where several have this URI. Default: who lists it, then whose tool was called last. */
  readonly server?: string;
}
export interface DesktopOptions extends DesktopQuery, ReadOptions {}
export interface FinderOptions extends FinderQuery, ReadOptions {}
/** `json` is read as what it says; `markdown` and `text` are texts. */
export interface FormatOptions<Format extends DpeFormat> extends ReadOptions {
  readonly format?: Format;
}
export interface PageOptions<Format extends DpeFormat> extends FormatOptions<Format> {
  /** Of its elements only those of these kinds. */
  readonly categories?: readonly DpeCategory[];
}
type As<Format extends DpeFormat, Value> = Format extends 'json' ? Value : string;

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
  ): Promise<As<Format, DocumentPage>>;
  /** Level 3. */
  readElement<Format extends DpeFormat = 'json'>(
    computer: string,
    uri: string,
    elementId: string,
    options?: FormatOptions<Format>,
  ): Promise<As<Format, ElementDetail>>;
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

/** One question to a computer: its raw ack, and the `req_id` that it has to echo. Rejects when there is none. */
export type Ask = (
  method: string,
  request: object,
  options: ReadOptions,
) => Promise<{ readonly ack: unknown; readonly reqId: string }>;

/** What the wire does not carry is refused before anybody is asked. */
function demand(isSo: boolean, message: string): void {
  if (!isSo) throw new A2cError({ code: wireCodes.badRequest, message });
}
const isWhole = (value: number | undefined): boolean => value === undefined || Number.isSafeInteger(value);

function bodyOf<T>(read: Read<T>, reqId: string): T {
  if (read.ok) return read.body;
  throw questionError(read.failure, reqId);
}
const noText: Failure = {
  code: wireCodes.internal,
  message: 'The server gave no text where one was to be',
};
/** Of a format that is no JSON: all its texts. */
function textIn(contents: readonly ResourceContent[]): Read<string> {
  const texts = contents.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  return texts.length > 0 ? { ok: true, body: texts.join('\n\n') } : { ok: false, failure: noText };
}

export function createReading(ask: Ask): AgentReading {
  const readRaw = async (computer: string, uri: string, options: ResourceOptions) => {
    const { server } = options;
    const request = { computer, uri, ...(server !== undefined && { server }) };
    const { ack, reqId } = await ask(events.readResource, request, options);
    return { contents: bodyOf(readContents(ack, reqId), reqId).contents, reqId };
  };
  const readPlace = async <T>(
    computer: string,
    place: BuiltDpeUri,
    options: ReadOptions,
    read: (contents: readonly ResourceContent[]) => Read<T>,
  ): Promise<T> => {
    if (!place.ok) throw new A2cError(withRemedy(place.failure));
    const { contents, reqId } = await readRaw(computer, place.uri, options);
    return bodyOf(read(contents), reqId);
  };
  const readIn = async <Format extends DpeFormat, T>(
    computer: string,
    place: BuiltDpeUri,
    options: FormatOptions<Format>,
    read: (contents: readonly ResourceContent[]) => Read<T>,
  ): Promise<As<Format, T>> => {
    const isText = options.format === 'markdown' || options.format === 'text';
    return (await readPlace<unknown>(computer, place, options, isText ? textIn : read)) as As<Format, T>;
  };
  const readList = async (computer: string, options: FinderOptions): Promise<FinderRead> => {
    demand(isWhole(options.offset), 'offset must be a whole number');
    demand(isWhole(options.limit), 'limit must be a whole number');
    const { ack, reqId } = await ask(events.getFinder, { computer, ...finderQuestion(options) }, options);
    return bodyOf(readFinder(ack, reqId), reqId);
  };
  const reading: AgentReading = {
    getDesktop: async (computer, options = {}) => {
      const { size = null, window = null, fresh = false } = options;
      demand(isWhole(size ?? undefined), 'size must be a whole number');
      const request = { computer, ...desktopQuestion({ size, window, fresh }) };
      const { ack, reqId } = await ask(events.getDesktop, request, options);
      const body = bodyOf(readDesktop(ack, reqId), reqId);
      return { desktops: body.desktops, missing: body.missing };
    },
    getFinder: async (computer, options = {}) => {
      const { documents, total_count, missing } = await readList(computer, options);
      return { documents, total_count, missing };
    },
    readResource: async (computer, uri, options = {}) => {
      const system = systemOfUri(uri);
      if (!system.ok) throw new A2cError(withRemedy(system.failure));
      return (await readRaw(computer, uri, options)).contents;
    },
    readDocumentMetadata: async (computer, uri, options = {}) =>
      readPlace(computer, metadataPlace(uri), options, readMetadata),
    readDocumentPages: async (computer, uri, options = {}) =>
      readPlace(computer, pagesPlace(uri, options.offset ?? 0, options.limit ?? 20), options, readPages),
    readPage: async (computer, uri, index, options = {}) =>
      readIn(
        computer,
        pagePlace(uri, index, options.format ?? 'json', options.categories),
        options,
        readPage,
      ),
    readElement: async (computer, uri, elementId, options = {}) =>
      readIn(computer, elementPlace(uri, elementId, options.format), options, readElement),
    pagesOf: (computer, uri, options = {}) => pagesOf(reading, computer, uri, options),
    documentsOf: (computer, query = {}) => documentsOf((page) => readList(computer, page), query),
  };
  return reading;
}
