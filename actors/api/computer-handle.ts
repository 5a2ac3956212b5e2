/** The computer as a program sees it: types of `createComputer`, and no code. */
import type { AddedServer, ConfigInput } from '../../machines/config/config-input.ts';
import type { Call, ComputerCallOptions } from './call-outcome.ts';
import type { CallEvents } from './computer-calls.ts';
import type { KnownCall } from '../../machines/call/history.ts';
import type { Debug, DrainOptions, Telling } from './handles.ts';
import type { LinkStatus } from './link-status.ts';
import type { OfficeSeat } from './seat.ts';
import type {
  ComputerInputs,
  CatalogStatus,
  ListChanged,
  ListedServer,
  ServerPrompts,
  ServerResources,
  ServerStatus,
  ToolListing,
  MissingServer,
} from '../servers/server-handle.ts';
import type { IncidentFact } from '../../machines/incidents/incident.ts';
import type { KeptTrace } from '../recording/flight-recorder.ts';
import type { OutputLine } from '../servers/server-output.ts';
import type { LoggedOut } from '../../adapters/mcp/http/login.ts';
import type { InputDefinition } from '../../machines/config/inputs.ts';
import type { Progress } from '../../machines/protocol/messages/messages.ts';
import type { CallToolResult } from '../../machines/protocol/tool-result.ts';
import type { HostFailure } from '../../machines/protocol/failure.ts';

/** Skill of a computer: instructions and files for a model, from a folder or from an MCP server. */
export interface Skill {
  /** Name of the computer that has the skill. */
  readonly computer: string;
  /** Name of the skill, unique on its computer. */
  readonly name: string;
  /**
   * Source of the skill: `config` or `user` (a folder of the computer), `mcp:BUNDLE` (a server), or any text from a
   * computer of another implementation.
   */
  readonly source: string;
  /** Folder of the skill on its computer, for programs; a model does not need it. Empty for a skill of a server. */
  readonly path: string;
  /** Description for a model: what the skill does and when to use it. */
  readonly description: string;
  /** Licence of the skill, as its author wrote it. */
  readonly license?: string;
  /** Programs and systems that the skill needs, as its author wrote them. */
  readonly compatibility?: string;
  /** Tools that the skill may use, as its author wrote them. */
  readonly allowedTools?: readonly string[];
  /** Words by which the author sorts the skill. */
  readonly tags?: readonly string[];
  /** Version of the skill, in any format. */
  readonly version?: string;
  /** Further facts about the skill, as its author wrote them. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}
/** Options of a question of this host for a file of a skill. */
export interface SkillWait extends WaitOptions {
  /** Path of the file inside of the skill. Default `SKILL.md`. */
  readonly path?: string | undefined;
}
/** File of a skill. */
export interface SkillFile {
  /** Path of the file inside of the skill, with `/` between its parts. */
  readonly path: string;
  /** MIME type of the file, by the end of its name. */
  readonly mimeType: string;
  /** Size of the content in bytes. */
  readonly bytes: number;
  /** SHA-256 of the content, hexadecimal. */
  readonly sha256: string;
  /** Text of the file; `SKILL.md` comes without its frontmatter. Null when the computer gives only a handle. */
  readonly text: string | null;
  /**
   * Handle for `client:get_blob`, which computers of other implementations may give in place of the text; else null.
   */
  readonly blobHandle: string | null;
  /**
   * Paths of the other files of the skill. Null for a file that is not `SKILL.md`, and when the computer does not list
   * them.
   */
  readonly files: readonly string[] | null;
}
/** State of a computer. */
export interface ComputerStatus {
  /** Name of the computer in its office. */
  readonly name: string;
  /**
   * State of the computer as a whole. `booting`: its servers are starting, for at most `bootMs` (15 s). `whole`:
   * every wanted server is ready with all of its tools. `degraded`: some servers are not ready, or some of their
   * tools are refused; the other servers work.
   */
  readonly state: 'booting' | 'whole' | 'degraded' | 'closing' | 'closed';
  /** All servers of the config, disabled ones included. */
  readonly servers: readonly ServerStatus[];
  /** State of the seat in an office; null while the computer has no seat and wants none. */
  readonly link: LinkStatus | null;
  /** Traces that the computer has written by itself after failures, oldest first; the latest 20 (docs/replay.md). */
  readonly traces: readonly KeptTrace[];
  /** What went wrong within a day: those that last first, then the latest; at most 500. */
  readonly incidents: readonly IncidentFact[];
}
/** Config that a computer runs with. */
export interface ComputerConfigInForce {
  /** Servers by name, in the order of the config and in the shape of the protocol (docs/config.md). */
  readonly servers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Definitions of the inputs that the config names as `${input:…}`. */
  readonly inputs: readonly InputDefinition[];
  /**
   * Settings of this implementation, beyond the protocol, for all servers together (docs/config.md); `idleStop` and
   * `keepAlive` appear as `idleStopMs` and `keepAliveMs`.
   */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Settings of this implementation, beyond the protocol, for each server by its name (docs/config.md). */
  readonly serverSettings: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
/** Events of a computer, by the name for `computer.on`. */
export interface ComputerEvents extends CallEvents {
  /** A server has another state, or another reason for the same state. `failure` is null when nothing is wrong. */
  readonly 'server.changed': ServerStatus & { readonly failure: HostFailure | null };
  /**
   * The config has changed, by `servers.set` or a similar method or by a rollback; `servers` names all servers that
   * it now has.
   */
  readonly 'config.changed': { readonly servers: readonly string[] };
  /**
   * A server was removed from the config and has ended. A server that was disabled causes `server.changed`
   * instead.
   */
  readonly 'server.removed': { readonly name: string };
  /** A server sent a log message over MCP (`notifications/message`). */
  readonly 'server.logged': {
    readonly name: string;
    readonly level: string;
    readonly logger?: string;
    readonly data: unknown;
  };
  /** A server sent a notification of MCP, of any kind but progress; secrets are hidden. */
  readonly 'server.notified': { readonly name: string; readonly method: string; readonly params: unknown };
  /** A server wrote a line to stderr or logged it over MCP; secrets are hidden. */
  readonly 'server.wrote': OutputLine & { readonly name: string };
  /** The windows of the computer have changed: call `desktop()` again. Emitted at most five times a second. */
  readonly 'desktop.changed': Readonly<Record<string, never>>;
  /** The documents of the computer have changed: call `finder()` again. Emitted at most five times a second. */
  readonly 'finder.changed': Readonly<Record<string, never>>;
  /** The skills of the computer have changed: call `skills.list()` again. */
  readonly 'skills.changed': Readonly<Record<string, never>>;
  /** The resources or templates of a server have changed; `added`, `removed` and `changed` contain URIs. */
  readonly 'resources.changed': ListChanged;
  /** The prompts of a server have changed; `added`, `removed` and `changed` contain names of prompts. */
  readonly 'prompts.changed': ListChanged;
  /** The content of a subscribed resource has changed. */
  readonly 'resource.updated': { readonly server: string; readonly uri: string };
  /**
   * The offered tools have changed, by name; `changed` lists tools with a new description, schema or meta under
   * the same name.
   */
  readonly 'tools.changed': {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
  };
  /** Something went wrong: a server, a call, a tool, a person who was asked and not reached. Told once when it begins. */
  readonly incident: IncidentFact;
  /** The state of the computer's seat in its office has changed, or a try to join has failed. */
  readonly 'link.changed': LinkStatus;
  /** The computer as a whole has another state; the last state is `closed`. */
  readonly 'computer.changed': { readonly state: ComputerStatus['state'] };
}
/** Options of methods that may take long. */
export interface WaitOptions {
  /** Signal that ends the wait, not the work: the promise rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}
/** Options of a request to a server. */
export interface RequestOptions {
  /** Signal that cancels the request, at the server too; the promise rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the progress that the server reports. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}
/** Servers of a computer: their config, their lives and what they say. */
export interface ComputerServers {
  /**
   * Starts a server; resolves when the server is ready. A server that waits for its next try, or that was given up,
   * is tried at once, and asks again for its inputs. Rejects with the `Failure` that kept it from becoming ready
   * (`InputNotFound` for a missing value), with `NotFound` for an unknown server, and with `ServerNotActive` when
   * the server is disabled or the computer closes.
   */
  start(name: string, options?: WaitOptions): Promise<void>;
  /** Stops a server, after its running calls have ended or after `drainMs`. A second call meanwhile hurries it. */
  stop(name: string, options?: WaitOptions): Promise<void>;
  /**
   * Stops a server and starts it again. Values of inputs are asked for first: when a value is missing, the promise
   * rejects and the server keeps running as before.
   */
  restart(name: string, options?: WaitOptions): Promise<void>;
  /**
   * Adds one server, or changes it. A top-level `a2c` and `inputs` are merged into the present ones: each setting,
   * each of the `timeouts` and each input replaces the one of the same name, and all others stay; the merge holds
   * for all servers, and stays when the server is rolled back. Resolves with the state in which the server came to
   * rest. Rejects when the new launch config cannot be started, after the former one is restored; with
   * `autoReconnect: false` also when the server is active.
   */
  add(config: AddedServer): Promise<ServerStatus>;
  /** Removes a server from the config; resolves when the server has ended. */
  remove(name: string): Promise<void>;
  /**
   * Replaces the whole config (any shape of docs/config.md): removed servers are closed, new ones started,
   * unchanged ones left alone. A top-level `a2c` or `inputs` that is absent or empty stands for the defaults, or
   * for no inputs. Resolves when the changes are under way; rejects with all mistakes, and then nothing has
   * changed.
   */
  set(config: ConfigInput): Promise<void>;
  /**
   * Returns the last 500 lines that a server wrote to stderr or logged, over all of its runs, the oldest first;
   * secrets are hidden. Throws `NotFound` for a server that never was in the config.
   */
  logs(name: string): readonly OutputLine[];
  /**
   * Forgets the login to a server, and revokes its tokens where the authorization server supports that. A running
   * server is asked for a login with its next request. Rejects for an unknown server, and when a value in the
   * server's URL is missing.
   */
  logout(name: string): Promise<LoggedOut>;
  /**
   * Subscribes to exactly these resources of a server, now and in each later session; changes come as
   * `resource.updated`. A server that does not support subscriptions is not asked. Throws for an unknown server.
   */
  watch(name: string, uris: readonly string[]): void;
  /**
   * Returns everything that the servers have listed, in the form of MCP, for a program that offers it to others. Does not
   * wait: a server that is starting or was lost has the lists that it had last, if need be those of its last run.
   */
  listed(): Promise<readonly ListedServer[]>;
  /**
   * Sends a request of MCP to a server as it is, and resolves with the result as it came, such as that of
   * `completion/complete`. The request is not judged, queued or counted as a call. `initialize` is not sent: it resolves with
   * what the server answered when its session was opened. Rejects with an `A2cError`: `ServerNotActive` when the server is
   * not ready, `NotSupported` when it does not offer the method, `ServerLost` when it ended before its answer; an error of
   * the server has its code and data in `details`.
   */
  request(
    name: string,
    method: string,
    params?: Readonly<Record<string, unknown>>,
    options?: RequestOptions,
  ): Promise<Readonly<Record<string, unknown>>>;
  /** Tells servers that asked for roots that `answers.roots` now returns other roots. */
  announceRoots(): void;
}
/** Skills of a computer: those of the folders of its config (`a2c.skills`), and of its servers. */
export interface ComputerSkills {
  /** Lists the skills, without their texts. */
  list(options?: WaitOptions): Promise<readonly Skill[]>;
  /** Reads one file of a skill, `SKILL.md` by default; rejects as `skills.read` of an agent does. */
  read(name: string, options?: SkillWait): Promise<SkillFile>;
}
/** Prompts of the servers of a computer. */
export interface ComputerPrompts {
  /** Lists the prompts of each server. Waits for starting servers as long as `tools()` does. */
  list(options?: WaitOptions): Promise<readonly ServerPrompts[]>;
  /**
   * Returns a prompt of a server, filled in with these values. The server has to be ready (`ServerNotActive`).
   * Rejects with `NoAnswer` when the server is too slow, and with the server's own text when it refuses.
   */
  get(
    server: string,
    name: string,
    values?: Readonly<Record<string, string>>,
    options?: WaitOptions,
  ): Promise<PromptFilled>;
}
/** Ways to look into a computer. */
export interface ComputerDebug extends Debug {
  /** Returns the state of each list (tools, resources, templates, prompts) of each server. */
  catalogs(): readonly CatalogStatus[];
  /**
   * Returns the whole of a result that was cut, by its `_meta.a2c_cut.handle`; undefined once newer results have
   * replaced it.
   */
  cachedResult(handle: string): CallToolResult | undefined;
}
/**
 * A running computer. `await using` closes it. `callTool` never rejects: its failure is data. Every other method that
 * returns a promise rejects with an `A2cError`, and one that returns at once throws it.
 */
export interface Computer extends Telling<ComputerEvents>, AsyncDisposable {
  /** Name of the computer in its office. */
  readonly name: string;
  /** Returns the current state of the computer, of its servers and of its seat. */
  status(): ComputerStatus;
  /** Servers of the computer, by their names in the config. */
  readonly servers: ComputerServers;
  /**
   * Returns the config in force, after all changes and rollbacks: servers by name in the shape of
   * `client:get_config`, with placeholders not filled in. Values of `env` and `headers` are in clear text, so the
   * result may hold secrets and is meant for the host only.
   */
  config(): ComputerConfigInForce;
  /** Inputs of the config (`${input:id}`), and their known values. */
  readonly inputs: ComputerInputs;
  /**
   * Lists the tools that can be called now, and those that cannot, with the reason. A new computer waits up to
   * `toolsMs` (2 s) for starting servers; a server that is not up by then is listed in `missing`, and
   * `tools.changed` tells when its tools come.
   */
  tools(options?: WaitOptions): Promise<ToolListing>;
  /** Calls a tool. Never rejects: wrong options, too, are a failure of the call (`BadRequest`). */
  callTool(tool: string, params?: Readonly<Record<string, unknown>>, options?: ComputerCallOptions): Call;
  /**
   * Cancels the host's own call with this id, else the calls of agents with this id. Does nothing for an unknown
   * id or a call that has ended.
   */
  cancel(reqId: string): void;
  /**
   * Lists the calls of all callers, the newest first: those that run, and the last 10 that have ended, also those that
   * reached no server. Secrets are hidden.
   */
  calls(): readonly KnownCall[];
  /**
   * Returns the windows of all participating servers as texts (docs/desktop-finder.md). Contents that have not
   * changed since the last call are not read again. Servers that fail or are slow are listed in `missing`.
   */
  desktop(query?: DesktopQuery & WaitOptions): Promise<DesktopShown>;
  /**
   * Returns the documents of all participating servers. Servers that fail or are slow are listed in `missing`, as
   * for `desktop()`.
   */
  finder(query?: FinderQuery & WaitOptions): Promise<FinderShown>;
  /**
   * Lists the resources and templates of each server, in the order of the config. Waits for starting servers as
   * long as `tools()` does; a server without resources has empty lists.
   */
  resources(options?: WaitOptions): Promise<readonly ServerResources[]>;
  /**
   * Reads a window, a document, or a page or element of a document. `server` names the server to ask when several
   * list this URI; with `server` any other URI of that server can be read, too, provided the server is ready
   * (`ServerNotActive`). Rejects with `DocumentNotFound`, `PageOutOfRange`, `ElementNotFound` and `InvalidDpeUri`
   * with their details, `NotFound` for an unknown window, `NoAnswer` when the server is too slow, and `Internal`
   * with the server's own text.
   */
  readResource(
    uri: string,
    options?: WaitOptions & { readonly server?: string | undefined },
  ): Promise<readonly ResourceContent[]>;
  /** Skills of the computer. */
  readonly skills: ComputerSkills;
  /** Prompts of the servers. */
  readonly prompts: ComputerPrompts;
  /**
   * Takes a seat in an office; resolves when the seat is taken. Rejects when the first try fails, and makes no
   * further one; with `keepTrying` only when the computer leaves or closes.
   */
  join(office: OfficeSeat): Promise<void>;
  /**
   * Resolves when the computer has its seat, at once if it has it now: after `keepTrying`, or after a lost
   * connection. Rejects when the computer wants no seat (`NotAllowed`), leaves or closes, and when
   * `signal` aborts: with the failure of the last try, whose `cause` is the reason of the signal, or with that reason.
   */
  joined(options?: WaitOptions): Promise<void>;
  /** Leaves the office; the servers keep running. */
  leave(): Promise<void>;
  /** Page, traces and further facts of the computer. */
  readonly debug: ComputerDebug;
  /**
   * Closes the computer without cutting calls short: new calls are refused (`ServerNotActive`), running ones end by
   * themselves, at most within `timeoutMs` (default 10,000); then as `close`, which may be called meanwhile.
   */
  drain(options?: DrainOptions): Promise<void>;
  /**
   * Closes the computer: cancels calls, leaves the office, ends every server. Resolves when none of the servers'
   * processes is alive.
   */
  close(): Promise<void>;
}

/** Field names of Desktop and Finder are spelled as on the wire on purpose (docs/desktop-finder.md). */

/** Selection of windows. */
export interface DesktopQuery {
  /** Largest number of windows to return, all by default; 0 or less returns none. */
  readonly size?: number | undefined;
  /** URI of the only wanted window, exactly as listed. */
  readonly window?: string | undefined;
  /**
   * Asks the servers for their lists and contents again. By default, known contents are returned, and only changed
   * ones are read.
   */
  readonly fresh?: boolean | undefined;
}
/** Windows of a computer. */
export interface DesktopShown {
  /** Windows in order, one text each: the URI, an empty line, and the content; or the URI alone. */
  readonly desktops: readonly string[];
  /** Servers whose windows are not all in `desktops`, with the reasons. */
  readonly missing: readonly MissingServer[];
}
/** Selection of documents, and of a part of the list. */
export interface FinderQuery {
  /**
   * Words of which at least one must be in the title, the keywords or the summary, in upper or lower case.
   * Default: any document.
   */
  readonly keywords?: readonly string[] | undefined;
  /** File type that documents must have, exactly as written, such as `pdf`. */
  readonly fileType?: string | undefined;
  /** Number of documents to skip, 0 by default. */
  readonly offset?: number | undefined;
  /** Largest number of documents to return: 20 by default, at most 100; 0 or less returns none. */
  readonly limit?: number | undefined;
  /**
   * Asks the servers for their lists and contents again. By default, known contents are returned, and only changed
   * ones are read.
   */
  readonly fresh?: boolean | undefined;
}
/** Document as its server describes it. */
export interface DocumentMetadata {
  /** Key of the document on its host, decoded, such as `2026/plan b.pdf`; `buildDpeUri` takes it as `docRef`. */
  readonly doc_ref: string;
  /** `dpe://` URI of the document, with which agents read it. */
  readonly uri: string;
  /** Place of the file as the server knows it, such as `file:///reports/q3.pdf`. */
  readonly file_uri: string;
  /** Type of the file, such as `pdf`. */
  readonly file_type: string;
  /** Title of the document, for people. */
  readonly title: string;
  /** Number of pages of the document. */
  readonly page_count: number;
  /** Keywords of the document; `FinderQuery.keywords` searches them, too. */
  readonly keywords?: readonly string[] | null | undefined;
  /** Summary of the document; `FinderQuery.keywords` searches it, too. */
  readonly summary?: string | null | undefined;
  /** Time of the last change in ISO 8601; UTC where no zone is given. */
  readonly last_modified?: string | null | undefined;
  readonly [more: string]: unknown;
}
/** Document in a Finder, with the name of its server. */
export interface DocumentSummary extends DocumentMetadata {
  /** Name of the document's server in the config. */
  readonly server: string;
}
/** Part of the documents of a computer. */
export interface FinderShown {
  /** Documents from `offset` on, at most `limit`, in the order of docs/desktop-finder.md. */
  readonly documents: readonly DocumentSummary[];
  /** Number of documents that the query finds, before `offset` and `limit` are applied. */
  readonly total_count: number;
  /** Servers whose documents are not all in `documents`, with the reasons. */
  readonly missing: readonly MissingServer[];
}
/** Content of a resource, as `resources/read` of MCP returns it. */
export interface ResourceContent {
  /** URI of this content, from its server; one read may return several contents. */
  readonly uri: string;
  /** MIME type from the server; not checked. */
  readonly mimeType?: string | null | undefined;
  /** Content as text; a binary content is in `blob` instead. */
  readonly text?: string | null | undefined;
  /** Binary content in Base64. */
  readonly blob?: string | null | undefined;
  readonly [more: string]: unknown;
}

/** Message of a prompt. */
export interface PromptMessage {
  /** Speaker of the message: `user` or `assistant`. */
  readonly role: string;
  /** Content of the message as MCP has it: `text`, `image`, `audio`, `resource` or `resource_link`. */
  readonly content: { readonly type: string } & Readonly<Record<string, unknown>>;
}
/** Prompt that its server has filled in. */
export interface PromptFilled {
  /** Purpose of the prompt, for people. */
  readonly description?: string | null | undefined;
  /** Messages for a model, in order. */
  readonly messages: readonly PromptMessage[];
}
