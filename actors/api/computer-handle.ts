import type { CallOptions, Call } from './pending-calls.ts';
import type { RunningCall, CallEvents } from './computer-calls.ts';
import type { LinkStatus, OfficeSeat } from './seat.ts';
import type { Inspection, InspectOptions } from '../inspector/inspections.ts';
import type {
  ComputerInputs,
  CatalogStatus,
  ListChanged,
  ServerPrompts,
  ServerResources,
  ServerStatus,
  ToolListing,
  MissingServer,
} from '../servers/server-handle.ts';
import type { OutputLine } from '../servers/server-output.ts';
import type { LoggedOut } from '../../adapters/index.ts';
import type { PastCall } from '../../machines/call/history.ts';
import type { InputDefinition } from '../../machines/config/inputs.ts';
import type { Failure } from '../../machines/protocol/index.ts';

/** Handle of a computer: its methods and events. */

/** State of a computer. */
export interface ComputerStatus {
  /** The name under which it sits in an office. */
  readonly name: string;
  /**
   * `booting`: its servers start, `bootMs` (15 s) at most. `whole`: every wanted server is ready, with all of its tools.
   * `degraded`: some are not, or have tools that are refused; the others serve.
   */
  readonly state: 'booting' | 'whole' | 'degraded' | 'closing' | 'closed';
  /** Every server of its config, those that are disabled too. */
  readonly servers: readonly ServerStatus[];
  /** Null while it sits in no office and wants to sit in none. */
  readonly link: LinkStatus | null;
}
/** Config that a computer runs with. */
export interface ComputerConfigInForce {
  /** In the order of the config, each in the shape of the protocol (docs/config.md). */
  readonly servers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Definitions of `${input:…}`. */
  readonly inputs: readonly InputDefinition[];
  /** Our own settings of all servers together (docs/config.md); `idleStop` is `idleStopMs` here, in ms. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Settings of each server, by its name. */
  readonly serverSettings: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
/** Events of a computer, by the name for `computer.on`. */
export interface ComputerEvents extends CallEvents {
  /** A server is in another state, or in the same for another reason. `failure` is null when nothing is wrong. */
  readonly 'server.changed': ServerStatus & { readonly failure: Failure | null };
  /** `setServers` and its like have changed the config, or a change was taken back: the names of its servers from now on. */
  readonly 'config.changed': { readonly servers: readonly string[] };
  /** A server was taken out of the config and has ended. A server that is disabled gives `server.changed`. */
  readonly 'server.removed': { readonly name: string };
  /** A log message of a server over MCP (`notifications/message`). */
  readonly 'server.logged': {
    readonly name: string;
    readonly level: string;
    readonly logger?: string;
    readonly data: unknown;
  };
  /** A line that a server wrote to stderr or logged over MCP, secrets hidden. */
  readonly 'server.wrote': OutputLine & { readonly name: string };
  /** The windows of all servers have changed: ask again. At most five times a second. */
  readonly 'desktop.changed': Readonly<Record<string, never>>;
  /** The documents of all servers have changed: ask again. At most five times a second. */
  readonly 'finder.changed': Readonly<Record<string, never>>;
  /** The resources of a server, or their templates; keys are URIs. */
  readonly 'resources.changed': ListChanged;
  /** The prompts of a server; keys are their names. */
  readonly 'prompts.changed': ListChanged;
  /** The content of a resource that was subscribed. */
  readonly 'resource.updated': { readonly server: string; readonly uri: string };
  /** Names of what is offered; `changed`: another description, schema or meta under the same name. */
  readonly 'tools.changed': {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
  };
  /** The seat in the office: told at each change, tries that failed too. */
  readonly 'link.changed': LinkStatus;
  /** The computer as a whole. The last one is `closed`. */
  readonly 'computer.changed': { readonly state: ComputerStatus['state'] };
}
/** A running computer. `await using` closes it. */
export interface Computer extends AsyncDisposable {
  /** The name under which it sits in an office. */
  readonly name: string;
  /** State of the computer now, with its servers and its seat. */
  status(): ComputerStatus;
  /** Every server of its config, those that are disabled too, in the order of the config. */
  servers(): readonly ServerStatus[];
  /**
   * Config in force, after all changes and roll-backs: servers by name as `client:get_config` has them, placeholders
   * not filled in, values of `env` and `headers` in clear. Only for the host: it may hold secrets.
   */
  config(): ComputerConfigInForce;
  /**
   * The tools that can be called just now, and those that cannot, with the reason. While the computer is new it waits for
   * servers that start, `toolsMs` (2 s) at most; which are not there by then is in `missing`, and `tools.changed` tells
   * when they come.
   */
  tools(): Promise<ToolListing>;
  /** Never rejects. `confirmed`: the person who asks has thereby confirmed this one call. */
  callTool(
    tool: string,
    params?: Readonly<Record<string, unknown>>,
    options?: CallOptions & { readonly confirmed?: boolean },
  ): Call;
  /**
   * Cancels the call of this name that the host made, else the calls of agents with this name. An unknown name, or a
   * call that is over, is no error.
   */
  cancelCall(reqId: string): void;
  /** Calls that have not ended, of all callers, the oldest first: where each is, and what it waits for. */
  calls(): readonly RunningCall[];
  /**
   * Resolves when it is ready. Rejects with why it is not (its `Failure`), with 404 for an unknown server, and with
   * `ServerNotActive` for one that is disabled or when the computer closes.
   */
  startServer(name: string): Promise<void>;
  /** Lets its calls end first, up to `drainMs`; asked twice it hurries. */
  stopServer(name: string): Promise<void>;
  /** Stop, then start. Values of inputs are asked for first: when one cannot be had, it rejects, and the server runs on as it was. */
  restartServer(name: string): Promise<void>;
  /**
   * Tries again at once what waits for its next try, or rests after too many. Like each start of one that is not up it asks
   * again for the inputs that were answered, and rejects with the failure of the server (`InputNotFound` where a value is missing).
   */
  retryServer(name: string): Promise<void>;
  /**
   * The whole config as it is wanted from now on (any shape of docs/config.md): servers that are gone are closed, new ones
   * are started, unchanged ones are left alone; a top-level `a2c` or `inputs` that is absent or empty means the defaults, or
   * no inputs. Resolves when that is under way; rejects with every mistake, and then nothing has changed.
   */
  setServers(config: unknown): Promise<void>;
  /**
   * Adds one server, or changes it. A top-level `a2c` and `inputs` are merged into those that there are: each setting that
   * it names, and of `timeouts` each time, takes the place of the same, for all servers; each input that of the one with its
   * id; the others stay, also when the server is rolled back. Resolves with where it came to rest. Rejects when its new launch config cannot be
   * started: then it is back as it was; and, with `autoReconnect: false`, when it is active.
   */
  addOrUpdateServer(config: unknown): Promise<ServerStatus>;
  /** Resolves when it has ended. */
  removeServer(name: string): Promise<void>;
  /**
   * Forgets the login to a server, and revokes its tokens where its authorization server lets one. A server that runs is asked for
   * a login with its next request. Rejects for an unknown server, and when a value of its URL cannot be had.
   */
  logout(name: string): Promise<LoggedOut>;
  /**
   * The windows of all servers that take part, as texts (docs/desktop-finder.md). What has not changed since the last
   * time costs no server a question. A server that fails or is slow is in `missing`; rejects only when the computer closes.
   */
  desktop(query?: DesktopQuery): Promise<DesktopShown>;
  /** The documents of all servers that take part. As with the Desktop. */
  finder(query?: FinderQuery): Promise<FinderShown>;
  /**
   * Reads a window or a document, a page, an element. `server` is asked where several have this URI; with it any
   * other URI can be read, too, from that server, which has to be ready (`ServerNotActive`). Rejects with an
   * `A2cError`: 4201 to 4204 with their details, 404 for an unknown window, 408 when the server is too slow, 500 with
   * the server's own words.
   */
  readResource(uri: string, options?: { readonly server?: string }): Promise<readonly ResourceContent[]>;
  /**
   * The resources and templates that each server lists, in the order of the config: of one that is starting, after its first
   * list, for which it waits as `tools()` does. Never rejects; a server that has none is in it with empty lists.
   */
  resources(): Promise<readonly ServerResources[]>;
  /** The prompts that each server lists. As with the resources. */
  prompts(): Promise<readonly ServerPrompts[]>;
  /**
   * A prompt of a server, filled in with these values. The server has to be ready (`ServerNotActive`); rejects with 408 when
   * it is too slow, and with the server's own words when it refuses.
   */
  getPrompt(server: string, name: string, values?: Readonly<Record<string, string>>): Promise<PromptFilled>;
  /** Inputs of the config (`${input:id}`), and their known values. */
  readonly inputs: ComputerInputs;
  /** The whole of a result that was cut, by `meta.a2c_cut.handle`. Undefined once newer ones took its place. */
  cachedResult(handle: string): unknown;
  /**
   * Last calls (10, `historySize`) of all callers, the newest first: open and ended ones, also those that reached no
   * server. Each says why. Secrets are hidden.
   */
  history(): readonly PastCall[];
  /** The last 500 lines that a server wrote to stderr or logged, in any of its runs, the oldest first; secrets hidden. */
  logs(server: string): readonly OutputLine[];
  /** State of every list of every server. */
  catalogs(): readonly CatalogStatus[];
  /**
   * From now on these resources of a server, and no others of it, are subscribed, in each of its sessions: changes are
   * told by `resource.updated`. A server that has no subscriptions is not asked. Throws for an unknown server.
   */
  watchResources(server: string, uris: readonly string[]): void;
  /** Servers that asked for roots are told that `answers.roots` gives others now. */
  announceRoots(): void;
  /** Takes a seat; resolves when it sits there. Rejects, and tries no more, when the first try fails. */
  join(office: OfficeSeat): Promise<void>;
  /** Leaves the office; the servers stay. */
  leave(): Promise<void>;
  /** Listens until the returned function is called. What a listener throws becomes a warning of the process. */
  on<Name extends keyof ComputerEvents>(
    name: Name,
    listener: (value: ComputerEvents[Name]) => void,
  ): () => void;
  /**
   * Shows this host in a browser, from now on until it closes: who lives, in which state and why, what happens. Nothing is
   * recorded for it while no page is open. Resolves with the address; rejects with an `A2cError` when it cannot listen on
   * `port`. With `allowControl` a page may also start, stop and retry servers, and cancel calls.
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
  /** Cancels calls, leaves the office, ends every server; resolves when none of their processes lives. */
  close(): Promise<void>;
}

/** Desktop and Finder of a computer as its host sees them (docs/desktop-finder.md). Wire keys on purpose. */

/** Which windows are wanted. */
export interface DesktopQuery {
  /** The most windows that are wanted; 0 or less: none. Default: all. */
  readonly size?: number;
  /** The one window that is wanted, by its URI exactly as listed. */
  readonly window?: string;
  /**
   * Asks the servers for their lists and contents again. Default: known contents are shown, and only changed ones are
   * read.
   */
  readonly fresh?: boolean;
}
/** The windows of a computer. */
export interface DesktopShown {
  /** Each window is one text: its URI, an empty line, what it shows; or its URI alone. In order. */
  readonly desktops: readonly string[];
  /** Servers of which not all windows are in `desktops`, and why. */
  readonly missing: readonly MissingServer[];
}
/** Which documents are wanted, and which part of them. */
export interface FinderQuery {
  /** Words of which one must be in the title, the keywords or the summary, in any case. Default: any document. */
  readonly keywords?: readonly string[];
  /** Exactly this, such as `pdf`. */
  readonly fileType?: string;
  /** How many are passed over. Default 0. */
  readonly offset?: number;
  /** How many are given: default 20, 100 at the most, none for 0 or less. */
  readonly limit?: number;
  /**
   * Asks the servers for their lists and contents again. Default: known contents are shown, and only changed ones are
   * read.
   */
  readonly fresh?: boolean;
}
/** A document as its server tells it (seed 000). */
export interface DocumentMetadata {
  /** Key within the host, as `buildDpeUri` takes it for `docRef`: decoded, such as `2026/plan b.pdf`. */
  readonly doc_ref: string;
  /** `dpe://` URI of the document, for the reads of an agent. */
  readonly uri: string;
  /** Place of the file as the server knows it, such as `file:///reports/q3.pdf`. */
  readonly file_uri: string;
  /** Type of the file, such as `pdf`. */
  readonly file_type: string;
  /** For people. */
  readonly title: string;
  /** How many pages it has. */
  readonly page_count: number;
  /** Keywords of the document; `FinderQuery.keywords` looks here, too. */
  readonly keywords?: readonly string[] | null | undefined;
  /** Summary of the document; `FinderQuery.keywords` looks here, too. */
  readonly summary?: string | null | undefined;
  /** ISO 8601; without a zone it is UTC. */
  readonly last_modified?: string | null | undefined;
  readonly [more: string]: unknown;
}
/** A document in a Finder: as its server tells it, and that server. */
export interface DocumentSummary extends DocumentMetadata {
  /** Name of its server in the config. */
  readonly server: string;
}
/** A part of the documents of a computer. */
export interface FinderShown {
  /** From `offset` on, `limit` at most, in the order of docs/desktop-finder.md. */
  readonly documents: readonly DocumentSummary[];
  /** After filtering, before paging. */
  readonly total_count: number;
  /** Servers of which not all documents are in `documents`, and why. */
  readonly missing: readonly MissingServer[];
}
/** Content of a resource, as MCP's `resources/read` gives it. */
export interface ResourceContent {
  /** URI of this content, from its server; one read may give several. */
  readonly uri: string;
  /** MIME type from its server; not checked. */
  readonly mimeType?: string | null | undefined;
  /** The content itself, where it is text; else it is in `blob`. */
  readonly text?: string | null | undefined;
  /** Base64. */
  readonly blob?: string | null | undefined;
  readonly [more: string]: unknown;
}

/** Message of a prompt. */
export interface PromptMessage {
  /** Speaker of the message: `user` or `assistant`. */
  readonly role: string;
  /** Content as MCP has it: `text`, `image`, `audio`, `resource`, `resource_link`. */
  readonly content: { readonly type: string } & Readonly<Record<string, unknown>>;
}
/** A prompt that its server filled in. */
export interface PromptFilled {
  /** Purpose of the prompt. */
  readonly description?: string | null | undefined;
  /** Messages for a model, in order. */
  readonly messages: readonly PromptMessage[];
}
