import type { Noise } from '../../adapters/index.ts';
import type {
  CatalogList,
  Prompt,
  Resource,
  ResourceTemplate,
  ToolExecution,
} from '../../machines/catalog/entries.ts';
import type { InputDefinition } from '../../machines/config/inputs.ts';
import type { ServerState } from '../../machines/facts.ts';
import type { Failure, SmcpTool } from '../../machines/protocol/index.ts';

/** Servers of a computer, their lists and their tools, as its host sees them. */

/** A server of which not all is in an answer, and why. */
export interface MissingServer {
  /** Name of the server in the config; `(not named)` where a foreign computer names none. */
  readonly server: string;
  /** Why it is missing, in a sentence for a person. */
  readonly reason: string;
  /** The one window or document that is meant; without it the server as a whole. */
  readonly uri?: string;
}
/** State of a server, read from its machine. */
export interface ServerStatus {
  /** Name of the server in the config, unique there. */
  readonly name: string;
  /**
   * `idle`: not wanted, or it ended well by itself. `standby`: it starts with the first call. `waiting`: for its next
   * try. `open`: too many tries failed, and the next comes after `trialMs` (5 min). `needsInput`: a value of its
   * config cannot be had. `unsupported`: its config cannot be used here. `authorizing`: it is being logged in to.
   * `unauthorized`: it wants a login, and a person has to give it.
   */
  readonly state: ServerState;
  /** While it is `connecting`: what for, since when (ISO 8601), and of a handshake what came that is no answer ('': nothing). */
  readonly waits?: {
    readonly for: 'values' | 'permit' | 'launch' | 'connection' | 'headers' | 'initialize' | 'tools/list';
    readonly since: string;
    readonly came?: string;
  };
  /** Why it is not ready, or is and some or all of its tools are refused or were withdrawn; in one line for a person. */
  readonly reason?: string;
  /**
   * The same reason with its code, details and remedy; `details.stderr` of an ended process has up to ten lines that
   * explain it.
   */
  readonly failure?: Failure | null;
  /** How long at most until it is tried again by itself. */
  readonly nextTryMs?: number;
  /** Counts of its output that nothing could read; only when there was any. */
  readonly noise?: Noise;
  /** Windows and documents that it lists and that are not shown, and the setting that shows them. */
  readonly hidden?: string;
  /** Capabilities for resources that a ready server declares: it tells when one changes, and when their list does. */
  readonly resources?: { readonly subscribe: boolean; readonly listChanged: boolean };
}
/** State of a list of a server. */
export interface CatalogStatus {
  /** Name of the server in the config. */
  readonly server: string;
  /** Which of its lists. */
  readonly list: CatalogList;
  /**
   * `standby`: no session, what was known is kept. `connecting`: asks for the first time. `ready`. `refreshing`: asks
   * again. `failing`: the last refresh failed, the old entries are kept. `withdrawn`: too many failed, and its entries
   * are taken back until one succeeds.
   */
  readonly state: 'standby' | 'connecting' | 'ready' | 'refreshing' | 'failing' | 'withdrawn';
  /** Counts changes of its entries. */
  readonly revision: number;
  /** How many entries the list has now. */
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
  /** Name of the server in the config. */
  readonly server: string;
  /** Entries that were not there before. */
  readonly added: readonly string[];
  /** Entries that are not there any more. */
  readonly removed: readonly string[];
  /** Entries that say something else under the same key. */
  readonly changed: readonly string[];
}
/** A tool that can be called: as agents see it, and what is known of it beside. */
export interface ToolInfo extends Omit<SmcpTool, 'bundle_id'> {
  /** The name that its server gave it; it can be called by that, too, where no other tool could be meant. */
  readonly original: string;
  /** The name of its server in the config. */
  readonly server: string;
  /** How its server is shown: as its config says, or else as it says itself (`serverInfo`). */
  readonly shown?: { readonly icons?: string; readonly descriptions?: string };
  /** For people, as its server has it. */
  readonly title?: string;
  /** How its server runs it (MCP 2025-11-25): a tool whose `taskSupport` is `required` is called as a task. */
  readonly execution?: ToolExecution;
  /** With `onConflict: "prefix"`: what it would be called if no other server had a tool of that name. */
  readonly renamed?: { readonly from: string; readonly reason: string };
}
/** The tools of all servers of a computer. */
export interface ToolListing {
  /** Tools of servers that are ready or rest; their names are unique. */
  readonly tools: readonly ToolInfo[];
  /**
   * Tools that cannot be called: their names are taken, they run as tasks only, or they are no tools as MCP has them. `reason`
   * says which, `suggestion` what to do about it. One without a name has its place in the list, `#3`.
   */
  readonly refused: readonly { name: string; server: string; reason: string; suggestion: string }[];
  /**
   * Servers whose tools are not here, and why: they start still, or have failed. Nothing is missing of one that is disabled
   * or was stopped.
   */
  readonly missing: readonly MissingServer[];
  /** State of each server: only ready ones have tools here. */
  readonly servers: readonly ServerStatus[];
}

/** The resources that a server lists, as it gave them. */
export interface ServerResources {
  /** Name of the server in the config. */
  readonly server: string;
  /** Resources that it lists one by one. */
  readonly resources: readonly Resource[];
  /** URI templates (RFC 6570) of resources that it does not list one by one. */
  readonly templates: readonly ResourceTemplate[];
  /** Why there may be more: it is not ready, or its list could not be had. */
  readonly failure: string | null;
}
/** The prompts that a server lists, as it gave them. */
export interface ServerPrompts {
  /** Name of the server in the config. */
  readonly server: string;
  /** Each with the arguments that it takes. */
  readonly prompts: readonly Prompt[];
  /** Why there may be more: it is not ready, or its list could not be had. */
  readonly failure: string | null;
}

/** The inputs of a computer as its host has them: what its config defines, and the values that are known. */

/** Inputs of a computer for its host (docs/config.md, Inputs). */
export interface ComputerInputs {
  /** In the order of the config. */
  list(): readonly InputDefinition[];
  /** Definition of an input, or undefined. */
  get(id: string): InputDefinition | undefined;
  /**
   * Adds inputs, or puts them in the place of those with their ids, whose values are forgotten: one definition, or a list. Resolves
   * when servers that use them know it; rejects with every mistake (`ConfigInvalid`), and then nothing has changed.
   */
  add(definitions: unknown): Promise<void>;
  /** Replaces all inputs. Rejects as `add` does. */
  load(definitions: unknown): Promise<void>;
  /** Resolves to false when there is none with this id. */
  remove(id: string): Promise<boolean>;
  /** Values that were answered or set. Those of the environment and defaults are not among them. */
  readonly values: {
    /** Undefined: it was not asked for yet. Passwords are given as they are. */
    get(id: string): unknown;
    /**
     * Sets the value of an input. Servers have it from their next start, restart or retry on, without a question; it
     * stays until it is removed or cleared, set again, or its definition changes. A variable of the environment comes
     * first. False: no input has this id, or the value is none of its options. An open question for it is withdrawn.
     */
    set(id: string, value: unknown): boolean;
    /** The next server that wants it asks again. False: nothing was known. */
    remove(id: string): boolean;
    /** Known values by their id. */
    list(): Readonly<Record<string, unknown>>;
    /** Forgets all of them. False: there was none. */
    clear(): boolean;
  };
}
