import type { Call, CallOptions } from './pending-calls.ts';
import type {
  DesktopShown,
  DocumentSummary,
  DesktopQuery,
  DocumentMetadata,
  FinderQuery,
  FinderShown,
  ResourceContent,
} from './computer-handle.ts';
import type { LinkStatus, OfficeSeat, PlayedOffice } from './seat.ts';
import type { Inspection, InspectOptions } from '../inspector/inspections.ts';
import type { LogOptions } from '../logging/log-entry.ts';
import type { RecordOptions } from '../recording/flight-recorder.ts';
import type { Timing } from '../../machines/kernel/timing.ts';
import type { Failure, RoomMember, SmcpTool } from '../../machines/protocol/index.ts';
import type { ResourceCollection } from '../../machines/kernel/ports.ts';
import type { ShownWindow } from '../../machines/resources/desktop.ts';
import type { DpeCategory, DpeFormat } from '../../machines/resources/dpe-uri.ts';

/** Handle of an agent: its options, methods and events. */

/** Which office an agent sits in, under which name, and how long it waits. */
export interface AgentOptions extends Pick<OfficeSeat, 'url' | 'auth' | 'headers' | 'tls'>, LogOptions {
  /** Default `agent`. */
  readonly name?: string;
  /** The id of the office. Default `local`. */
  readonly office?: string;
  /** Delays in ms in the place of the defaults: `queryMs`, `callTotalMs`, `linkMs` and others of `Timing`. */
  readonly timing?: Partial<Timing>;
  /** Keep trying when the first join fails, instead of rejecting. */
  readonly keepTrying?: boolean;
  /** Gives up joining: `createAgent` rejects. Once the agent has joined, it does nothing. */
  readonly signal?: AbortSignal;
  /** Systems of every computer that are followed from the beginning; a listener to one of them follows it, too. */
  readonly follow?: readonly ResourceCollection[];
  /** Reaches offices in the place of sockets: that of `worldOf(trace)`, for tests. */
  readonly links?: PlayedOffice;
  /** Options of the recording for a replay; on by default, in memory. `false`: nothing is recorded. */
  readonly record?: RecordOptions | false;
  /**
   * Makes a span of OpenTelemetry of each call, a child of `trace` or of the span that is active where it is made.
   * Needs the package `@opentelemetry/api`; where spans go the SDK says that your program sets up (docs/operate.md). Default false.
   */
  readonly tracing?: boolean;
}
/** Events of an agent, by the name for `agent.on`. */
export interface AgentEvents {
  /** A computer sits in the office. Told once for each stay, also for those that sat there before the agent. */
  readonly 'computer.joined': { readonly computer: string };
  /** A computer has left the office, or the agent has lost its own seat. What was known of it is forgotten. */
  readonly 'computer.left': { readonly computer: string };
  /**
   * The tools of a computer are known, or are others than before; `value` is the whole new list. The first time all
   * are `added`.
   */
  readonly 'tools.changed': {
    readonly computer: string;
    readonly value: readonly SmcpTool[];
    /** Names; `changed`: another description, schema or meta under the same name. */
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
  };
  /** Changes of a Desktop; the first time, all windows. A listener makes the agent follow it. */
  readonly 'desktop.changed': {
    readonly computer: string;
    readonly value: DesktopShown;
    readonly added: readonly ShownWindow[];
    readonly removed: readonly ShownWindow[];
    /** Windows whose text has changed, as they are now. */
    readonly changed: readonly ShownWindow[];
  };
  /** Changes of a Finder; the first time, all documents. A listener makes the agent follow it. */
  readonly 'finder.changed': {
    readonly computer: string;
    readonly value: FinderFollowed;
    readonly added: readonly DocumentSummary[];
    readonly removed: readonly DocumentSummary[];
    /** Documents whose `last_modified` has changed, as they are now. */
    readonly changed: readonly DocumentSummary[];
  };
  /** A Desktop, or a Finder, that is followed could not be had: too large (413), not built there (501), … With a remedy. */
  readonly 'desktop.failed': { readonly computer: string; readonly failure: Failure };
  /** A followed Finder could not be read. */
  readonly 'finder.failed': { readonly computer: string; readonly failure: Failure };
  /** A computer says that its servers or inputs have changed: `getConfig` gives the new ones. */
  readonly 'config.changed': { readonly computer: string };
  /** The seat of the agent: told at each change, tries that failed too. */
  readonly 'link.changed': LinkStatus;
}
/** The config of a computer as it shows it to agents. */
export interface ComputerConfig {
  /** Servers by name, in the protocol's own shape (docs/config.md). */
  readonly servers: Readonly<Record<string, object>>;
  /** The inputs that servers name as `${input:id}`; a password comes without its default. */
  readonly inputs: readonly object[];
}
/** An agent that sits in an office. `await using` closes it. */
export interface Agent extends AgentReading, AsyncDisposable {
  /** All that sit in the office, as far as it was told; `tools(name)` waits for those that were not asked yet. */
  computers(): readonly string[];
  /**
   * Waits for a computer that is still being asked. Rejects when its tools are not known within `timeoutMs` (default
   * 30,000): with why they could not be had, or with 404; and with `LinkLost` when the agent is closed.
   */
  tools(computer: string, options?: { readonly timeoutMs?: number }): Promise<readonly SmcpTool[]>;
  /** Never rejects; `result` is the MCP CallToolResult. */
  callTool(
    computer: string,
    tool: string,
    params?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Call;
  /**
   * Cancels a call of this agent by its `reqId`; one that is unknown or over is no error. The call ends as
   * `cancelled`.
   */
  cancel(reqId: string): void;
  /** Lists the members of the office. Rejects with an `A2cError` when the office does not answer. */
  listRoom(): Promise<readonly RoomMember[]>;
  /** The servers and inputs of a computer, as it shows them: unrendered, secrets hidden. */
  getConfig(computer: string): Promise<ComputerConfig>;
  /** Listens until the returned function is called. What a listener throws becomes a warning of the process. */
  on<Name extends keyof AgentEvents>(name: Name, listener: (value: AgentEvents[Name]) => void): () => void;
  /**
   * Shows this host in a browser, from now on until it closes: who lives, in which state and why, what happens. Nothing is
   * recorded for it while no page is open. Resolves with the address; rejects with an `A2cError` when it cannot listen on
   * `port`. A page can order nothing here.
   */
  inspect(options?: InspectOptions): Promise<Inspection>;
  /**
   * Writes what was recorded so far to a new `*.trace.ndjson` in this folder (default: the current one), or, with
   * `record.dir`, to the file that grows there. Resolves to its path; rejects with `record: false`.
   */
  writeTrace(dir?: string): Promise<string>;
  /**
   * Puts a line for people between what is recorded, such as `checkout retry`: `a2c show` has it, no replay compares it. At most
   * 200 characters of it; nothing with `record: false`.
   */
  mark(text: string): void;
  /**
   * Leaves the office and ends; calls in flight are cancelled. Takes `shutdownMs` (10 s) at most, and may
   * be called again.
   */
  close(): Promise<void>;
}

/** Reads of a computer, as the host of an agent sees them. */

/** Options of every question to a computer. */
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
  /** Kinds of elements that are wanted. Default: all. */
  readonly categories?: readonly DpeCategory[];
}
/** Result of a read in a format: `json` gives its value, the others give texts. */
export type ReadAs<Format extends DpeFormat, Value> = Format extends 'json' ? Value : string;

/**
 * Questions of an agent to a computer. All reject with an `A2cError`: 4201 no such document, 4202 no such page, 4203
 * no such element, 4204 the URI breaks a rule (nothing was asked), 404 no such computer or window, 408 no answer in
 * time, 500 the answer is not readable, 501 not built there. `details.req_id` names the question; the rest of
 * `details` comes from the side that refused.
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

/**
 * Parts of a document as a host gets them, level by level. Wire keys on purpose: their schemas are in
 * `a2c-actors/wire`.
 */

/** A page as its document lists it. */
export interface PageSummary {
  /** From 0. */
  readonly page_index: number;
  /** Title of the page, from its server; may be empty. */
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
  /** Category of the element: one of the 19 of docs/wire.md, or one of the server's own. */
  readonly category: string;
  /** Summary of the element, where its server has one. */
  readonly summary?: string | null | undefined;
  /** Content of the element; its keys depend on the category (docs/wire.md). */
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
  /** Title of the page, from its server; may be empty. */
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
