/** Types of servers, their tools and lists, which the package exports. */
import type { Noise } from '../../adapters/mcp/messages/noise.ts';
import type {
  CatalogList,
  Prompt,
  Resource,
  ResourceTemplate,
  ToolExecution,
  JsonObject,
} from '../../machines/catalog/entries.ts';
import type { ListedTool } from '../../machines/catalog/tool.ts';
import type { InputDefinition } from '../../machines/config/inputs.ts';
import type { HostFailure } from '../../machines/protocol/failure.ts';
import type { ServerState } from '../../machines/server-state.ts';

/** Server whose windows, documents or tools are not all in an answer, with the reason. */
export interface MissingServer {
  /** Name of the server in the config; `(not named)` where the computer of another implementation names none. */
  readonly server: string;
  /** Reason why the server is missing, as a sentence for a person. */
  readonly reason: string;
  /** URI of the only missing window or document; absent when the whole server is missing. */
  readonly uri?: string;
}
/** State of a server, read from its machine. */
export interface ServerStatus {
  /** Name of the server, unique in its config. */
  readonly name: string;
  /**
   * State of the server. `idle`: not wanted, or ended by itself without an error. `standby`: will start with the
   * first call. `waiting`: waits for its next try. `open`: given up; with a restart budget the next try follows after
   * `nextTryMs` (5 min or more). `needsInput`: a value of its config is missing. `unsupported`: its config cannot be
   * used here. `authorizing`: a login is under way. `unauthorized`: a person has to log in.
   */
  readonly state: ServerState;
  /**
   * Step for which a `connecting` server waits, and since when (ISO 8601). During a handshake, `came` describes
   * what the server has sent in place of an answer ('' for nothing). `limitMs` is the longest time of the step, after
   * which the try fails (`connectMs` of the config); absent for a step without one.
   */
  readonly waits?: {
    readonly for: 'values' | 'permit' | 'launch' | 'connection' | 'headers' | 'initialize' | 'tools/list';
    readonly since: string;
    readonly came?: string;
    readonly limitMs?: number;
  };
  /**
   * Reason why the server is not ready, or why some or all of its tools are refused or withdrawn although it is
   * ready; one line for a person.
   */
  readonly reason?: string;
  /**
   * Failure whose message `reason` shows, with its code, details and remedy; `details.stderr` of an ended process has up to
   * ten lines that explain its end.
   */
  readonly failure?: HostFailure | null;
  /** Process id of the server's program, while one runs on this machine. */
  readonly pid?: number;
  /** Longest time in ms until the server is tried again by itself. */
  readonly nextTryMs?: number;
  /** Counts of the server's output that could not be parsed; absent when there was none. */
  readonly noise?: Noise;
  /**
   * Text about windows and documents that the server lists and that are not shown, with the setting that would
   * show them.
   */
  readonly hidden?: string;
  /**
   * Capabilities for resources that a ready server declares: whether it reports changes of a resource, and of the
   * list.
   */
  readonly resources?: { readonly subscribe: boolean; readonly listChanged: boolean };
}
/** State of one list of a server. */
export interface CatalogStatus {
  /** Name of the server in the config. */
  readonly server: string;
  /** Kind of the list: tools, resources, templates or prompts. */
  readonly list: CatalogList;
  /**
   * State of the list. `standby`: no session, known entries are kept. `connecting`: is read for the first time.
   * `ready`: is up to date. `refreshing`: is read again. `failing`: the last refresh failed, old entries are kept.
   * `withdrawn`: too many refreshes failed, and the entries are withdrawn until one succeeds.
   */
  readonly state: 'standby' | 'connecting' | 'ready' | 'refreshing' | 'failing' | 'withdrawn';
  /** Number of changes of the list's entries so far. */
  readonly revision: number;
  /** Number of entries that the list has now. */
  readonly entries: number;
  /** Number of refreshes that have failed in a row. */
  readonly failures: number;
}
/** Change of a list of a server. Prompts are named by their names, resources by their URIs. */
export interface ListChanged {
  /** Name of the server in the config. */
  readonly server: string;
  /** Names or URIs of entries that are new in the list. */
  readonly added: readonly string[];
  /** Names or URIs of entries that have gone from the list. */
  readonly removed: readonly string[];
  /** Names or URIs of entries whose description has changed. */
  readonly changed: readonly string[];
}
/** Tool of a computer that can be called, with the field names of MCP, and further facts about it. */
export interface ToolInfo extends ListedTool {
  /** Name of the tool on its server; calls may use this name, too, unless it could mean another tool. */
  readonly original: string;
  /** Name in the config of the tool's server. */
  readonly server: string;
  /** Icons and descriptions of the tool's server, from the config or else from the server itself (`serverInfo`). */
  readonly shown?: { readonly icons?: string; readonly descriptions?: string };
  /**
   * Execution of the tool by its server (MCP 2025-11-25): a tool whose `taskSupport` is `required` is called as a
   * task.
   */
  readonly execution?: ToolExecution;
  /**
   * Name that the tool would have if no other server had a tool of that name, and the reason for its present name;
   * only with `onConflict: "prefix"`.
   */
  readonly renamed?: { readonly from: string; readonly reason: string };
}
/** Tools of all servers of a computer. */
export interface ToolListing {
  /** Tools of servers that are ready or on standby; their names are unique. */
  readonly tools: readonly ToolInfo[];
  /**
   * Tools that cannot be called: their name is taken, they run as tasks only, or they are invalid in MCP. `reason`
   * says why, `suggestion` what to do. A tool without a name is called by its place in the list, such as `#3`. A tool
   * whose name another server has can be called all the same, by `call` (`SERVER.TOOL`).
   */
  readonly refused: readonly {
    name: string;
    server: string;
    reason: string;
    suggestion: string;
    call?: string;
    inputSchema?: JsonObject;
  }[];
  /**
   * Servers whose tools are missing, with the reason: they are still starting, or have failed. Servers that are
   * disabled or were stopped are not listed.
   */
  readonly missing: readonly MissingServer[];
  /** State of each server. */
  readonly servers: readonly ServerStatus[];
}

/** Resources of a server, as the server listed them. */
export interface ServerResources {
  /** Name of the server in the config. */
  readonly server: string;
  /** Resources that the server lists one by one. */
  readonly resources: readonly Resource[];
  /** URI templates (RFC 6570) of resources that the server does not list one by one. */
  readonly templates: readonly ResourceTemplate[];
  /** Reason why resources may be missing: the server is not ready, or its list could not be read; else null. */
  readonly failure: string | null;
}
/** Prompts of a server, as the server listed them. */
export interface ServerPrompts {
  /** Name of the server in the config. */
  readonly server: string;
  /** Prompts, each with the arguments that it takes. */
  readonly prompts: readonly Prompt[];
  /** Reason why prompts may be missing: the server is not ready, or its list could not be read; else null. */
  readonly failure: string | null;
}

/** Everything that a server has listed, in the form of MCP and as the server wrote it. */
export interface ListedServer {
  /** Name of the server in the config. */
  readonly server: string;
  /** Lists below that neither this run nor the last one has read; each is empty here. */
  readonly unread: readonly ('tools' | 'resources' | 'resourceTemplates' | 'prompts')[];
  /** Tools that may be called; forbidden and unusable ones are left out. */
  readonly tools: readonly {
    /** Name for `callTool`. */
    readonly name: string;
    /** Name on the server. */
    readonly original: string;
    /** Tool as the server wrote it, under `name`. */
    readonly entry: Readonly<Record<string, unknown>>;
  }[];
  /** Resources that the server lists one by one. */
  readonly resources: readonly object[];
  /** URI templates of resources. */
  readonly resourceTemplates: readonly object[];
  /** Prompts of the server. */
  readonly prompts: readonly object[];
}

/** Inputs of a computer for its host: the definitions in its config, and the known values (docs/config.md, Inputs). */
export interface ComputerInputs {
  /** Returns the definitions of all inputs, in the order of the config. */
  list(): readonly InputDefinition[];
  /** Definition of an input, or undefined. */
  get(id: string): InputDefinition | undefined;
  /**
   * Adds inputs, given as one definition or a list. A definition with a known id replaces the former one and drops
   * its value. Resolves when the servers that use the inputs know of it; rejects with every mistake
   * (`ConfigInvalid`), and then nothing has changed.
   */
  add(definitions: unknown): Promise<void>;
  /** Replaces all inputs. Rejects as `add` does. */
  load(definitions: unknown): Promise<void>;
  /** Removes an input; resolves with false when no input has this id. */
  remove(id: string): Promise<boolean>;
  /** Values that were answered or set; values of the environment and defaults are not included. */
  readonly values: {
    /** Returns a known value, passwords in clear text; undefined when the input was not asked for yet. */
    get(id: string): unknown;
    /**
     * Sets the value of an input, and withdraws an open question for it. Servers use the value from their next
     * start, restart or retry on, without a question, until it is removed, cleared or set again, or its definition
     * changes. A variable of the environment takes precedence. Returns false when no input has this id, or when
     * the value is none of its options.
     */
    set(id: string, value: unknown): boolean;
    /** Removes a value, so that the next server that needs it asks again. Returns false when no value was known. */
    remove(id: string): boolean;
    /** Returns all known values by their ids. */
    list(): Readonly<Record<string, unknown>>;
    /** Removes all values, or that of one input. Returns false when there was none. */
    clear(id?: string): boolean;
  };
}
