import type { RunningCall } from './call-history.ts';
import type { CallEvents } from './call-watch.ts';
import type { Launcher } from '../../../adapters/index.ts';
import type { Noise } from '../../../adapters/index.ts';
import type { CatalogList, ToolExecution } from '../../../machines/catalog/index.ts';
import type { PastCall } from '../../../machines/call/history/index.ts';
import type { Timing } from '../../../machines/kernel/timing.ts';
import type { Failure, SmcpTool } from '../../../machines/protocol/index.ts';
import type { Permission } from '../../../machines/call/permission/index.ts';
import type { LinkStatus } from '../link-status.ts';
import type { Confirm } from './confirm.ts';
import type { CallOptions, WatchedCall } from '../agent/pending-calls.ts';
import type { Log } from './failure-log.ts';
import type { RecordOptions } from '../../recording/flight-recorder.ts';
import type { AskInput } from '../../servers/inputs.ts';
import type {
  DesktopQuery,
  DesktopShown,
  FinderQuery,
  FinderShown,
  ResourceContent,
} from './systems-handle.ts';
import type { CarrierMaker, InMemoryServer } from '../../servers/launch-specs.ts';

/** What a host has of a computer: how it is asked for, what it does, what it tells. */
export interface OfficeSeat {
  readonly url: string;
  /** Default `local`. */
  readonly id?: string;
}
export interface ComputerOptions {
  /** Default: the host name of the machine. */
  readonly name?: string;
  /** Any config that `docs/config.md` describes: one server, a list, a map, or a whole file's content. */
  readonly config?: unknown;
  /** Takes a seat there; without it the computer serves its own host only. */
  readonly office?: OfficeSeat;
  /** Who confirms calls of tools that do not apply by themselves. Default `'deny'`. */
  readonly confirm?: Confirm;
  /**
   * Which calls run, are asked about, or are refused, in the place of our own rule (docs/calls.md): a word or a ruling, at
   * once or later. A rule that throws, or says none of the words, refuses.
   */
  readonly permission?: Permission;
  /** Gives the values of inputs (`${input:id}`) that the environment does not have. */
  readonly input?: AskInput;
  /** Servers of type `inmemory` by their name: what each is connected to. */
  readonly inMemory?: Readonly<Record<string, InMemoryServer>>;
  /** How servers of a type `own:…` are reached, by that type (docs/extend.md). */
  readonly carriers?: Readonly<Record<`own:${string}`, CarrierMaker>>;
  /** Answers servers that ask for roots, for a sample of a model or for a word of a person. */
  readonly answers?: Answers;
  readonly autoConnect?: boolean;
  readonly autoReconnect?: boolean;
  /**
   * Delays in ms, in the place of the defaults and of `a2c.timeouts` at the top of the config. `bootMs`: how long
   * `createComputer` waits for servers that start, default 15,000, 0 = it waits for none.
   */
  readonly timing?: Partial<Timing>;
  /** How servers come to life: in containers, behind ssh (docs/extend.md). Default `localLauncher`. */
  readonly launcher?: Launcher;
  /** Keeps a small process beside this one that ends the servers should this one be killed. Default true. */
  readonly reaper?: boolean;
  /** Where the next start finds what a killed host left. Default `$XDG_STATE_HOME/a2c`; `false`: nowhere. */
  readonly stateDir?: string | false;
  /** What is recorded for a replay; on by default, in memory. `false`: nothing. */
  readonly record?: RecordOptions | false;
  /**
   * Hears of what is no failure but worth knowing, one line each; of every config that is given its warnings. `topic` is
   * `resources` for what Desktop and Finder show or leave out.
   */
  readonly onNotice?: (text: string, topic?: 'resources') => void;
  /** Hears of each failure, one structured entry (actors/README.md). Default: nobody does. */
  readonly log?: Log;
  /** How many calls are remembered: `history()`, and whose windows and documents come first. Default 10. */
  readonly historySize?: number;
  /** Gives up booting and closes. */
  readonly signal?: AbortSignal;
  /** Hears what happens from the very start. */
  readonly onEvent?: <Name extends keyof ComputerEvents>(name: Name, value: ComputerEvents[Name]) => void;
}
/**
 * What the host answers when a server asks (MCP: roots, sampling, elicitation), `server` being its name in the config.
 * What is not here is not declared to servers. `signal` aborts when nobody wants the answer any more: the server
 * withdrew, two minutes have passed, or its session closed. A rejection is told to the server, without its stack.
 */
export interface Answers {
  /** Folders that servers may look at, as `file://` URIs. */
  readonly roots?: () => readonly { readonly uri: string; readonly name?: string }[];
  /** The params of `sampling/createMessage`, and its result. */
  readonly sample?: (
    server: string,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ) => Promise<Readonly<Record<string, unknown>>>;
  /** The params of `elicitation/create`, and its result: `{action: 'accept' | 'decline' | 'cancel', content?}`. */
  readonly elicit?: (
    server: string,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ) => Promise<Readonly<Record<string, unknown>>>;
}
/** Where one server stands, read from its machine. */
export interface ServerStatus {
  readonly name: string;
  readonly state:
    | 'idle'
    | 'resting'
    | 'connecting'
    | 'ready'
    | 'recovering'
    | 'waiting'
    | 'tripped'
    | 'closing'
    | 'disabled'
    | 'needsInput'
    | 'unsupported';
  /** While it is `connecting`: what for, since when (ISO 8601), and of a handshake what came that is no answer ('': nothing). */
  readonly waits?: {
    readonly for: 'values' | 'turn' | 'launch' | 'connection' | 'headers' | 'initialize' | 'tools/list';
    readonly since: string;
    readonly came?: string;
  };
  /** Why it is not ready, or is and its tools were withdrawn; in one line for a person. */
  readonly reason?: string;
  /** The same with its code, details and remedy; of a process that ended `details.stderr` has up to ten lines that explain it. */
  readonly failure?: Failure | null;
  /** How long at most until it is tried again by itself. */
  readonly nextTryMs?: number;
  /** What it wrote that reached nobody; only when there was any. */
  readonly noise?: Noise;
  /** Windows and documents that it lists and that are not shown, and the setting that shows them. */
  readonly hidden?: string;
}
/** Where one list of a server stands. */
export interface CatalogStatus {
  readonly server: string;
  readonly list: CatalogList;
  readonly state: 'resting' | 'connecting' | 'ready' | 'refreshing' | 'failing' | 'withdrawn';
  /** Counts changes of its entries. */
  readonly revision: number;
  readonly entries: number;
  /** Refreshes that failed in a row. */
  readonly failures: number;
  /** Why each entry last changed, and when (ISO 8601); of entries that are gone the last hundred. */
  readonly changes: readonly {
    readonly key: string;
    readonly change: 'added' | 'changed' | 'removed';
    readonly revision: number;
    readonly why: string;
    readonly at?: string;
  }[];
}
/** Keys of entries: names of prompts, URIs of resources. */
export interface ListChanged {
  readonly server: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}
export interface ToolInfo extends SmcpTool {
  /** The name that its server gave it; it can be called by that, too, where no other tool could be meant. */
  readonly original: string;
  readonly server: string;
  /** How its server is shown: as its config says, or else as it says itself (`serverInfo`). */
  readonly shown?: { readonly icons?: string; readonly descriptions?: string };
  /** For people, as its server has it. */
  readonly title?: string;
  /** How its server runs it (MCP 2025-11-25): `taskSupport` is `optional` or `forbidden` here. */
  readonly execution?: ToolExecution;
  /** With `onConflict: "prefix"`: what it would be called if no other server had a tool of that name. */
  readonly renamed?: { readonly from: string; readonly reason: string };
}
export interface ToolListing {
  readonly tools: readonly ToolInfo[];
  /**
   * Tools that cannot be called: their names are taken, they run as tasks only, or they are no tools as MCP has them. `reason`
   * says which, `suggestion` what to do about it. One without a name has its place in the list, `#3`.
   */
  readonly refused: readonly { name: string; server: string; reason: string; suggestion: string }[];
  readonly servers: readonly ServerStatus[];
}
export interface ComputerStatus {
  readonly name: string;
  readonly state: 'booting' | 'whole' | 'degraded' | 'closing' | 'closed';
  readonly servers: readonly ServerStatus[];
  readonly link: LinkStatus | null;
}
export interface ComputerEvents extends CallEvents {
  readonly 'server.changed': ServerStatus & { readonly failure: Failure | null };
  /** `setServers` and its like have changed the config, or a change was taken back: the names of its servers from now on. */
  readonly 'config.changed': { readonly servers: readonly string[] };
  /** It was taken out of the config and has ended. One that is disabled says so by `server.changed`. */
  readonly 'server.removed': { readonly name: string };
  /** What a server logs over MCP (`notifications/message`). */
  readonly 'server.logged': {
    readonly name: string;
    readonly level: string;
    readonly logger?: string;
    readonly data: unknown;
  };
  /** What the windows or the documents of all servers are is not what it was: ask again. At most five a second. */
  readonly 'desktop.changed': Readonly<Record<string, never>>;
  readonly 'finder.changed': Readonly<Record<string, never>>;
  readonly 'resources.changed': ListChanged;
  readonly 'prompts.changed': ListChanged;
  /** The content of a resource that was subscribed. */
  readonly 'resource.updated': { readonly server: string; readonly uri: string };
  /** Names of what is offered; `changed`: another description, schema or meta under the same name. */
  readonly 'tools.changed': {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
  };
  readonly 'link.changed': LinkStatus;
  readonly 'computer.changed': { readonly state: ComputerStatus['state'] };
}
/** A running computer. `await using` closes it. */
export interface Computer extends AsyncDisposable {
  readonly name: string;
  status(): ComputerStatus;
  servers(): readonly ServerStatus[];
  tools(): Promise<ToolListing>;
  /** Never rejects. `confirmed`: the person who asks has thereby confirmed this one call. */
  callTool(
    tool: string,
    params?: Readonly<Record<string, unknown>>,
    options?: CallOptions & { readonly confirmed?: boolean },
  ): WatchedCall;
  /** One that its host asked for, else whatever agents ask for by that name. One that is unknown or over is no error. */
  cancelCall(reqId: string): void;
  /** Those that have not ended, whoever asked, the oldest first. */
  calls(): readonly RunningCall[];
  startServer(name: string): Promise<void>;
  /** Lets its calls end first, up to `drainMs`; asked twice it hurries. */
  stopServer(name: string): Promise<void>;
  /** Stop, then start. */
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
   * id; the others stay, also when the server is rolled back. Resolves with where it came to rest. Rejects when its new launch facts cannot be
   * started: then it is back as it was; and, with `autoReconnect: false`, when it is active.
   */
  addOrUpdateServer(config: unknown): Promise<ServerStatus>;
  /** Resolves when it has ended. */
  removeServer(name: string): Promise<void>;
  /**
   * The windows of all servers that take part, as texts (docs/desktop-finder.md). What has not changed since the last
   * time costs no server a question. A server that fails or is slow is in `missing`; rejects only when the computer closes.
   */
  desktop(query?: DesktopQuery): Promise<DesktopShown>;
  /** The documents of all servers that take part. As with the Desktop. */
  finder(query?: FinderQuery): Promise<FinderShown>;
  /**
   * Reads a window or a document, a page, an element. Rejects with an `A2cError`: 4201 to 4204 with their details, 404 for
   * a window that nobody shows, 408 when its server is too slow, 500 with the server's own words.
   */
  readResource(uri: string, options?: { readonly server?: string }): Promise<readonly ResourceContent[]>;
  /** The whole of a result that was cut, by `meta.a2c_cut.handle`. Undefined once newer ones took its place. */
  keptResult(handle: string): unknown;
  /** The last calls that a server had the tool for, whoever asked, the newest first; secrets hidden. */
  history(): readonly PastCall[];
  /** Where every list of every server stands. */
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
  on<Name extends keyof ComputerEvents>(
    name: Name,
    listener: (value: ComputerEvents[Name]) => void,
  ): () => void;
  /**
   * Writes what was recorded so far to a new `*.trace.ndjson` in this folder (default: the current one), or, with
   * `record.dir`, to the file that grows there. Resolves to its path; rejects with `record: false`.
   */
  writeTrace(dir?: string): Promise<string>;
  /** Cancels calls, leaves the office, ends every server; resolves when none of their processes lives. */
  close(): Promise<void>;
}
