/** Types of the handle of an agent, which the package exports. */
import type { BlobOptions, Download } from './downloads.ts';
import type { Debug, DrainOptions, HostOptions, Telling } from './handles.ts';
import type { Call, CallOptions } from './call-outcome.ts';
import type {
  DesktopShown,
  DocumentSummary,
  DesktopQuery,
  DocumentMetadata,
  FinderQuery,
  FinderShown,
  ResourceContent,
  Skill,
  SkillFile,
  WaitOptions,
} from './computer-handle.ts';
import type { MissingServer } from '../servers/server-handle.ts';
import type { LinkStatus } from './link-status.ts';
import type { OfficeSeat, PlayedOffice } from './seat.ts';
import type { GivenTiming } from '../../machines/kernel/timing.ts';
import type { Resource } from '../../machines/catalog/entries.ts';
import type { ListedTool } from '../../machines/catalog/tool.ts';
import type { HostFailure } from '../../machines/protocol/failure.ts';
import type { RoomMember } from '../../machines/protocol/messages/lists.ts';
import type { Followed } from '../../machines/agent/collections.ts';
import type { ShownWindow } from '../../machines/resources/asked.ts';
import type { DpeCategory, DpeFormat } from '../../machines/resources/dpe-uri.ts';

/** Content for a computer: the path of a file, or its bytes. */
export type FileSource = string | Uint8Array;
/** Progress of a file that is put on a computer, in bytes. */
export interface PutProgress {
  /** Bytes that the computer has; fewer than before when it has lost them. */
  readonly sent: number;
  /** Bytes of the whole file. */
  readonly total: number;
}
/** Options of a file that is put on a computer. */
export interface PutOptions {
  /** Name that is proposed for the file; that of the path by default. The computer makes a safe one of it. */
  readonly name?: string | undefined;
  /** Signal that gives the upload up; the computer removes what it has after its idle time. */
  readonly signal?: AbortSignal | undefined;
  /** Longest time in ms without a part that the computer takes, also while the office is away. Default 120,000. */
  readonly timeoutMs?: number | undefined;
  /** Called with the progress after each part. */
  readonly onProgress?: ((progress: PutProgress) => void) | undefined;
}
/** File that an agent has put on a computer. */
export interface LandedFile {
  /** Whole path on the computer, for the arguments of its tools. */
  readonly path: string;
  /** Number of bytes of the file. */
  readonly bytes: number;
  /** Hash of the content, hexadecimal; the computer has checked it. */
  readonly sha256: string;
}

/** Options of an agent: its office, its name and its time limits. */
export interface AgentOptions extends Pick<OfficeSeat, 'url' | 'auth' | 'headers' | 'tls'>, HostOptions {
  /** Name of the agent in its office. Default `agent`. */
  readonly name?: string | undefined;
  /** Id of the office. Default `local`. */
  readonly office?: string | undefined;
  /** Delays in ms that replace the defaults; `callTotalMs`, `toolsMs` and `shutdownMs` mean something to an agent. */
  readonly timing?: GivenTiming | undefined;
  /**
   * Tries again, in the background, when the first try to join fails, instead of rejecting. Default false. Then
   * `createAgent` resolves without a seat, and `agent.joined()` when the seat is taken.
   */
  readonly keepTrying?: boolean | undefined;
  /**
   * Collections (Desktop, Finder, skills) of all computers that are followed from the start; a listener to the changes of
   * a collection follows it, too.
   */
  readonly follow?: readonly Followed[] | undefined;
  /** Office in place of real ones, for tests: `worldOf(trace)` plays it from a recording. */
  readonly links?: PlayedOffice | undefined;
}
/** Events of an agent, by the name for `agent.on`. */
export interface AgentEvents {
  /**
   * A computer sits in the office. Emitted once for each stay, also for computers that were there before the
   * agent.
   */
  readonly 'computer.joined': { readonly computer: string };
  /**
   * A computer has left the office, or the agent has lost its own seat. All knowledge about the computer is
   * dropped.
   */
  readonly 'computer.left': { readonly computer: string };
  /**
   * The tools of a computer are known for the first time, when all are `added`, or have changed; `value` is the
   * whole new list.
   */
  readonly 'tools.changed': {
    readonly computer: string;
    readonly value: readonly AgentTool[];
    /** Names of the added tools; `changed` names tools with a new description, schema or meta under the same name. */
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
  };
  /**
   * The Desktop of a computer has changed; the first time all windows are `added`. A listener makes the agent
   * follow Desktops.
   */
  readonly 'desktop.changed': {
    readonly computer: string;
    readonly value: DesktopShown;
    readonly added: readonly ShownWindow[];
    readonly removed: readonly ShownWindow[];
    /** Windows whose text has changed, with their new text. */
    readonly changed: readonly ShownWindow[];
  };
  /**
   * The Finder of a computer has changed; the first time all documents are `added`. A listener makes the agent
   * follow Finders.
   */
  readonly 'finder.changed': {
    readonly computer: string;
    readonly value: FinderFollowed;
    readonly added: readonly DocumentSummary[];
    readonly removed: readonly DocumentSummary[];
    /** Documents whose `last_modified` has changed, with their new description. */
    readonly changed: readonly DocumentSummary[];
  };
  /**
   * A followed Desktop could not be read: `TooLarge`, `NotSupported` by the computer and others. The
   * failure has a remedy.
   */
  readonly 'desktop.failed': { readonly computer: string; readonly failure: HostFailure };
  /**
   * The skills of a computer have changed; the first time all are `added`. A listener makes the agent follow skills.
   */
  readonly 'skills.changed': {
    readonly computer: string;
    readonly value: readonly Skill[];
    /** Names of the added skills; `changed` names skills with another description or other facts. */
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
  };
  /**
   * The skills of a computer, which the agent follows, could not be read. The failure gives the reason and a remedy.
   */
  readonly 'skills.failed': { readonly computer: string; readonly failure: HostFailure };
  /**
   * The Finder of a computer, which the agent follows, could not be read. The failure gives the reason and a remedy.
   */
  readonly 'finder.failed': { readonly computer: string; readonly failure: HostFailure };
  /** The servers or inputs of a computer have changed; `config` returns the new ones. */
  readonly 'config.changed': { readonly computer: string };
  /** The state of the agent's seat in its office has changed, or a try to join has failed. */
  readonly 'link.changed': LinkStatus;
}
/** Tool of a computer as an agent knows it, with the field names of MCP. */
export interface AgentTool extends ListedTool {
  /** Name of the computer that has the tool. */
  readonly computer: string;
  /** Id of the server that provides the tool, from computers of 0.3 and later. */
  readonly bundleId?: string;
}
/** Answer of `agent.tools`. */
export interface AgentTools {
  /** Tools that can be called now. */
  readonly tools: readonly AgentTool[];
  /**
   * Servers whose tools are missing, because they start or have failed, with the reasons; empty for a computer of
   * another implementation. `tools.changed` tells when their tools come.
   */
  readonly missing: readonly MissingServer[];
}
/** Options of a question for a file of a skill. */
export interface SkillOptions extends ReadOptions {
  /** Path of the file inside of the skill. Default `SKILL.md`. */
  readonly path?: string | undefined;
}
/** Config of a computer, as the computer shows it to agents. */
export interface ComputerConfig {
  /** Servers by name, in the shape of the protocol (docs/config.md). */
  readonly servers: Readonly<Record<string, object>>;
  /** Inputs that servers name as `${input:id}`; passwords come without their default. */
  readonly inputs: readonly object[];
}
/** State of an agent. */
export interface AgentStatus {
  /** Name of the agent in its office. */
  readonly name: string;
  /** Id of the agent's office. */
  readonly office: string;
  /** State of the agent's seat in its office. */
  readonly link: LinkStatus;
  /** Names of the computers that sit in the office; `computer.joined` and `computer.left` tell changes. */
  readonly computers: readonly string[];
}
/** Files between an agent and a computer. */
export interface AgentFiles {
  /**
   * Puts a file on a computer whose config opens a landing folder, and resolves with its path there. After a lost
   * connection it goes on where the computer is. Rejects with an `A2cError`: `BlobNotWritten` with `details.reason`
   * (docs/files.md), `NotFound` for an unknown computer, `LinkLost` or `NoAnswer` when nothing went on for `timeoutMs`;
   * with the error of the file system; and with the reason of the signal.
   */
  put(computer: string, source: FileSource, options?: PutOptions): Promise<LandedFile>;
  /**
   * Reads a large content by its handle, from `blobs` of an outcome or `blobHandle` of a file of a skill. Parts are
   * fetched a little ahead of the reader, so that memory stays small whatever the size. After a lost connection, a restart
   * of the office or an absence of the computer the read goes on from where it was; after about two minutes without
   * a part it fails. The stream fails with an `A2cError`: `BlobNotAccessible` when the computer gives the content no more
   * (`details.reason`: `invalid_handle`, `forbidden`, `gone` or `range`), `Internal` when the content does not match its
   * hash, `LinkLost` when the agent closes.
   */
  get(computer: string, handle: string, options?: BlobOptions): Download;
}
/**
 * Agent that sits in an office. `await using` closes it. `callTool` never rejects: its failure is data. Every other method
 * that returns a promise rejects with an `A2cError`, and one that returns at once throws it.
 */
export interface Agent extends AgentReading, Telling<AgentEvents>, AsyncDisposable {
  /** Returns the current state of the agent and of its seat. */
  status(): AgentStatus;
  /**
   * Resolves when the agent has its seat, at once if it has it now. For use with `keepTrying`, and after a lost connection.
   * Rejects when the agent closes, and when `signal` aborts: with the failure of the last try, whose `cause` is the
   * reason of the signal, or with that reason.
   */
  joined(options?: WaitOptions): Promise<void>;
  /**
   * Resolves when this computer sits in the office. Rejects when the agent closes, and when `signal` aborts: after a time
   * limit with a failure that names the computer (`NotFound`), or with that of the last try for a seat.
   */
  joined(computer: string, options?: WaitOptions): Promise<void>;
  /** Lists the members of the office. Rejects with an `A2cError` when the office does not answer. */
  room(options?: ReadOptions): Promise<readonly RoomMember[]>;
  /**
   * Returns the tools of a computer, and waits for a computer that is still being asked, or for the seat. While servers
   * are in `missing`, the computer is asked again at each call. Rejects at once with `NotFound` for a computer that is not
   * in the office; when the tools are not known within `timeoutMs` (default 30,000) with the failure of the last read, or
   * with `NoAnswer`; and with `LinkLost` when the agent is closed.
   */
  tools(computer: string, options?: ReadOptions): Promise<AgentTools>;
  /** Calls a tool of a computer. Never rejects; `result` is the MCP CallToolResult. */
  callTool(
    computer: string,
    tool: string,
    params?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Call;
  /**
   * Cancels a call of this agent by its `reqId`; the call ends as `cancelled`. Does nothing for an unknown id or a
   * call that has ended.
   */
  cancel(reqId: string): void;
  /**
   * Returns the servers and inputs of a computer as the computer shows them: placeholders not filled in, secrets
   * hidden.
   */
  config(computer: string, options?: ReadOptions): Promise<ComputerConfig>;
  /** Files that are put on a computer or read from it. */
  readonly files: AgentFiles;
  /** Page and traces of the agent. */
  readonly debug: Debug;
  /**
   * Closes the agent without cutting calls short: new calls are refused (`LinkLost`), running ones end by themselves, at
   * most within `timeoutMs` (default 10,000); then as `close`, which may be called meanwhile.
   */
  drain(options?: DrainOptions): Promise<void>;
  /**
   * Leaves the office and ends the agent; calls in flight are cancelled. Takes at most `shutdownMs` (10 s), and
   * may be called again.
   */
  close(): Promise<void>;
}

/** Options of every question to a computer. */
export interface ReadOptions {
  /**
   * Time limit of the question in ms; by default the time that an office gives a computer for an answer, with a
   * margin.
   */
  readonly timeoutMs?: number | undefined;
  /** Signal that ends the wait; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}
/** Options of a read of a resource. */
export interface ResourceOptions extends ReadOptions {
  /**
   * Name of the MCP server to ask when several have this URI. Default: a server that lists the URI, then the one
   * whose tool was called last.
   */
  readonly server?: string | undefined;
}
/** Options of a question for the resources of a server. */
export interface ResourcesOptions extends ReadOptions {
  /** `nextCursor` of the page before. Default: the first page. */
  readonly cursor?: string | undefined;
}
/** Page of the resources that a server of a computer lists. */
export interface ResourcesPage {
  /** Resources in the order of the server; title and icons do not cross the wire. */
  readonly resources: readonly Resource[];
  /** Cursor for the next page; null on the last one. */
  readonly nextCursor: string | null;
}
/** Selection of windows, with the time limit of the question. */
export interface DesktopOptions extends DesktopQuery, ReadOptions {}
/** Selection of documents, with the time limit of the question. */
export interface FinderOptions extends FinderQuery, ReadOptions {}
/** Options of a read with a format: `json` is parsed to a value, `markdown` and `text` are returned as texts. */
export interface FormatOptions<Format extends DpeFormat> extends ReadOptions {
  /** Format of the answer. Default `json`. */
  readonly format?: Format | undefined;
}
/** Options of a read of a page: its format and the kinds of elements. */
export interface PageOptions<Format extends DpeFormat> extends FormatOptions<Format> {
  /** Kinds of elements to return. Default: all. */
  readonly categories?: readonly DpeCategory[] | undefined;
}
/** Result of a read in a format: a parsed value for `json`, a text for the other formats. */
export type ReadAs<Format extends DpeFormat, Value> = Format extends 'json' ? Value : string;

/**
 * Questions of an agent to a computer. All reject with an `A2cError` (docs/errors.md): `DocumentNotFound`,
 * `PageOutOfRange`, `ElementNotFound`, `InvalidDpeUri` (nothing was asked), `NotFound` for a computer or window,
 * `NoAnswer` in time, `Internal` for an answer that is not readable, `NotSupported` by the computer. `details.req_id`
 * names the question; the rest of `details` comes from the side that refused.
 */
export interface AgentReading {
  /**
   * Returns all windows of a computer, each as one text; `missing` lists servers whose windows could not all be
   * read.
   */
  desktop(computer: string, options?: DesktopOptions): Promise<DesktopShown>;
  /**
   * Returns a part of the documents of a computer, from `offset` on and at most `limit`; `total_count` counts all
   * documents that the query finds.
   */
  finder(computer: string, options?: FinderOptions): Promise<FinderShown>;
  /**
   * Returns one page of all resources that a server lists, windows and documents among them. `server` is the bundle
   * id of the server, or on our computers its name. Rejects with `ServerNotFound`, with `CapabilityMissing` for a server
   * without resources, with `BadRequest` when the cursor is out of date, and with `ServerNotActive` when the server
   * does not run.
   */
  resources(computer: string, server: string, options?: ResourcesOptions): Promise<ResourcesPage>;
  /**
   * Reads a window, or a place in a document, as its server returns it. The server is asked each time, as for all reads
   * of resources and documents.
   */
  readResource(computer: string, uri: string, options?: ResourceOptions): Promise<readonly ResourceContent[]>;
  /** Skills of a computer. */
  readonly skills: AgentSkills;
  /** Documents of a computer, by their `dpe://` URIs. */
  readonly documents: AgentDocuments;
}
/** Skills of a computer, for an agent. */
export interface AgentSkills {
  /** Lists the skills of a computer, without their texts; unreadable entries are left out. */
  list(computer: string, options?: ReadOptions): Promise<readonly Skill[]>;
  /**
   * Reads one file of a skill. Rejects with `SkillNameInvalid` for a name that no skill can have, with `ServerNotFound` for
   * an unknown skill, and with `SkillFileNotAccessible` for a file that does not exist, lies outside, is not shared or is no
   * text (`details.reason`).
   */
  read(computer: string, name: string, options?: SkillOptions): Promise<SkillFile>;
}
/** Documents of a computer, for an agent. */
export interface AgentDocuments {
  /**
   * Reads the description of a document (level 1). A page or element in `uri` is ignored, as in `pages`, `page` and
   * `element`.
   */
  metadata(computer: string, uri: string, options?: ReadOptions): Promise<DocumentMetadata>;
  /**
   * Reads a document's description with its pages (level 1), from `offset` (default 0), at most `limit` (1 to 100,
   * default 20).
   */
  pages(
    computer: string,
    uri: string,
    options?: ReadOptions & { readonly offset?: number | undefined; readonly limit?: number | undefined },
  ): Promise<DocumentPages>;
  /** Reads one page of a document with its elements (level 2); `index` counts from 0. */
  page<Format extends DpeFormat = 'json'>(
    computer: string,
    uri: string,
    index: number,
    options?: PageOptions<Format>,
  ): Promise<ReadAs<Format, DocumentPage>>;
  /** Reads one element of a document (level 3). */
  element<Format extends DpeFormat = 'json'>(
    computer: string,
    uri: string,
    elementId: string,
    options?: FormatOptions<Format>,
  ): Promise<ReadAs<Format, ElementDetail>>;
}

/** Field names of the parts of a document are spelled as on the wire on purpose. */

/** Page of a document, as the list of pages describes it. */
export interface PageSummary {
  /** Number of the page, from 0. */
  readonly page_index: number;
  /** Title of the page, from its server; may be empty. */
  readonly title: string;
  /** Number of elements of all kinds on the page. */
  readonly element_count: number;
  /** `dpe://` URI of the page. */
  readonly uri: string;
  /** Key of the page's document, as `buildDpeUri` takes it. */
  readonly doc_ref?: string | null | undefined;
  readonly [more: string]: unknown;
}
/** Document with a part of its pages (level 1); `page_total` counts all pages. */
export interface DocumentPages extends DocumentMetadata {
  /** Pages from `page_offset` on, in the order of the document. */
  readonly pages: readonly PageSummary[];
  /** Number of pages of the document before the first one in `pages`. */
  readonly page_offset: number;
  /** Limit of the request: the largest number of entries in `pages`. */
  readonly page_limit: number;
  /** Number of pages of the document. */
  readonly page_total: number;
}
/** Element of a document (level 3). */
export interface ElementDetail {
  /** Id of the element, unique within its document; `documents.element` takes it. */
  readonly element_id: string;
  /** Category of the element: one of the 19 categories of docs/wire.md, or one of the server's own. */
  readonly category: string;
  /** Summary of the element, where its server has one. */
  readonly summary?: string | null | undefined;
  /** Content of the element; which fields it has depends on the category (docs/wire.md). */
  readonly content: Readonly<Record<string, unknown>>;
  /** Key of the element's document, as `buildDpeUri` takes it. */
  readonly doc_ref?: string | null | undefined;
  /** Number of the page on which the element stands, from 0. */
  readonly page_index?: number | null | undefined;
  /** `dpe://` URI of the element. */
  readonly uri?: string | null | undefined;
  /** Further facts about the element from its server. */
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  readonly [more: string]: unknown;
}
/** Page of a document with its elements (level 2). */
export interface DocumentPage {
  /** Number of the page, from 0. */
  readonly page_index: number;
  /** Title of the page, from its server; may be empty. */
  readonly title: string;
  /** Key of the page's document, as `buildDpeUri` takes it. */
  readonly doc_ref: string;
  /** `dpe://` URI of the page. */
  readonly uri: string;
  /** Elements in the order of the page; with `categories` only elements of these kinds. */
  readonly elements: readonly ElementDetail[];
  /** Number of elements on the page, as its server tells it. */
  readonly element_count: number;
  readonly [more: string]: unknown;
}
/** Finder that an agent follows: at most 1,000 documents. */
export interface FinderFollowed extends FinderShown {
  /** Number of documents on the computer that are not in `documents`. */
  readonly left_out: number;
}
