/** For editors; the check of a config when it is read accepts more shapes (docs/config.md). */
import type { ToolMeta } from '../catalog/tool.ts';

/** Duration: a number of seconds, or a text such as `20s`, `1h30m` or `PT1M30S` (ISO 8601). */
export type DurationInput = number | string;

/** Settings of a2c, for one server or, at the top of a config, for all; docs/config.md has limits and defaults. */
export interface SettingsInput {
  /** Whether a server that ended by itself is restarted. */
  readonly restart?: 'always' | 'on-failure' | 'never';
  /** Number of failures in a row after which a server is tried only every five minutes. Default 5. */
  readonly restartBudget?: number;
  /** Starts the server with the computer, or with its first call. Default `eager`. */
  readonly start?: 'eager' | 'lazy';
  /** Starts the server automatically; with false the server starts only by `servers.start`. Default true. */
  readonly autoConnect?: boolean;
  /** Stops a lazy server after this time without a call; 0 = never. */
  readonly idleStop?: DurationInput;
  /** Keeps the server running between calls of the command `a2c`: for 5 min after its last call, or for this time. Default false. */
  readonly keepAlive?: boolean | DurationInput;
  /** Time limits in ms. */
  readonly timeouts?: TimeoutsInput;
  /** Largest number of calls of one server that run at the same time. Default 1,000, over HTTP 32. */
  readonly concurrency?: number;
  /** Largest number of calls of one server that may wait. Default 1,000. */
  readonly queue?: number;
  /**
   * Largest number of calls of all servers together that run at the same time; only at the top level of a config. Default:
   * no limit.
   */
  readonly totalConcurrency?: number;
  /**
   * Largest number of calls of all servers together that may wait; only at the top level of a config. Default 1,000 with
   * `totalConcurrency`.
   */
  readonly totalQueue?: number;
  /** Largest size of a result in bytes of JSON; a larger one is cut. Default 7 MiB. */
  readonly resultBytes?: number;
  /** Handling of two servers with tools of the same name: refuses the second tool, or renames both. Default `reject`. */
  readonly onConflict?: 'reject' | 'prefix';
  /** Names of the only tools that are offered, as the server names them. Default: all tools. */
  readonly tools?: readonly string[];
  /** Pause in ms between reads of the lists of servers that do not announce changes. Default 60,000; 0 = off. */
  readonly pollMs?: number;
  /** Pause in ms between reads of the lists of servers that announce changes. Default 300,000; 0 = off. */
  readonly pollDeclaredMs?: number;
  /** Heeds or ignores a server's notices of changed lists. Default `auto`. */
  readonly listChanged?: 'auto' | 'off';
  /** Failed reads of a list in a row before its entries are withdrawn. Default 3. */
  readonly refreshFailures?: number;
  /**
   * Servers whose windows and documents are read: those that announce changes (`subscribe`), or all with resources. Default
   * `subscribe`.
   */
  readonly participation?: 'subscribe' | 'resources';
  /** Shows agents addresses, host names and paths in failures. Default false. */
  readonly exposeAddresses?: boolean;
  /** Tools that run unasked: original names, or the groups `all`, `read` and `write`. */
  readonly autoApprove?: readonly string[];
  /** Fills in placeholders such as `${HOME}`. */
  readonly expand?: boolean;
  /** Registry for `npx`: the fastest, the one of the host, or a URL. */
  readonly npmRegistry?: 'auto' | 'off' | (string & {});
  /** Registries among which `npmRegistry: "auto"` chooses; only at the top level of a config. */
  readonly npmRegistries?: readonly string[];
  /** Proxy to servers: that of the environment, or a URL. Default none. */
  readonly proxy?: 'env' | (string & {});
  /** Hosts that are reached without the proxy. */
  readonly noProxy?: readonly string[];
  /** Environment variables that a server process inherits: only the usual ones, or all. */
  readonly baseEnv?: 'minimal' | 'full';
  /** Names of further environment variables that a server process inherits. */
  readonly passEnv?: readonly string[];
  /** Folders that are put before the `PATH` of a server process. */
  readonly path?: readonly string[];
  /** Folders in which runtimes such as Node are looked for. */
  readonly runtimes?: readonly string[];
  /** Folders with skills that agents may read: whole paths, or `user` for the folder of the user; only at the top level of a config. */
  readonly skills?: readonly ('user' | (string & {}))[];
  /** Folder in which files of agents land; without it the computer takes none. Only at the top level of a config. */
  readonly landing?: LandingInput;
  /** Version of the form of a config file that a presenter writes (docs/presenter.md); only at the top level. */
  readonly version?: number;
  /** Names of built-in servers that the user has removed; written by a presenter (docs/presenter.md), only at the top level. */
  readonly removedBuiltIns?: readonly string[];
}
/** Folder in which files of agents land, and its limits. */
export interface LandingInput {
  /** Absolute path, or one that begins with `~`; a missing folder is made. */
  readonly folder: string;
  /** Largest file in bytes. Default 100 MiB. */
  readonly maxFileBytes?: number;
  /** Largest size in bytes of all files in the folder together. Default 1 GiB. */
  readonly maxBytes?: number;
  /** Largest number of files in the folder. Default 1,000. */
  readonly maxFiles?: number;
  /** Time in ms after which an upload without a further part ends. Default 120,000. */
  readonly idleMs?: number;
  /** Takes files without asking a person. Default false. */
  readonly autoApprove?: boolean;
}
/** Time limits in ms; docs/config.md has their defaults, and which may be 0. */
export interface TimeoutsInput {
  /** Time for which `a2c up` waits for starting servers; only at the top level of a config. */
  readonly bootMs?: number;
  /**
   * Time for which questions about all servers, such as for their tools, wait for servers that are starting; only at the top
   * level of a config.
   */
  readonly toolsMs?: number;
  /** Longest time of each step in the start of a server. */
  readonly connectMs?: number;
  /** Longest time to read a list of a server with all of its pages. */
  readonly listMs?: number;
  /** Longest silence of the server during a call. */
  readonly callIdleMs?: number;
  /** Longest time of a call, for all callers. */
  readonly callTotalMs?: number;
  /** Longest time to wait for the confirmation of a call. */
  readonly confirmMs?: number;
  /** Longest time until a server answers a ping. */
  readonly pingMs?: number;
  /** Time for which open calls of a server may go on after it was told to stop. */
  readonly drainMs?: number;
  /** Longest time that closing a computer may take. */
  readonly shutdownMs?: number;
  /** Time from the closed stdin of a process to SIGTERM. */
  readonly stdinGraceMs?: number;
  /** Time from SIGTERM to SIGKILL. */
  readonly termGraceMs?: number;
}

/** Server as Claude Desktop, Cursor and others write it: a program (`command`) or an address (`url`). */
export interface ServerInput {
  /** Way to reach the server; without it `command` means `stdio`, and `url` streamable HTTP or SSE. */
  readonly type?: 'stdio' | 'http' | 'streamable' | 'sse' | 'inmemory' | `own:${string}` | (string & {});
  /** Program that is the server. */
  readonly command?: string;
  /** Arguments of the program. */
  readonly args?: readonly string[];
  /** Variables of the program; placeholders such as `${input:token}` are filled in. */
  readonly env?: Readonly<Record<string, string>>;
  /** Working folder of the program. */
  readonly cwd?: string;
  /** File with further variables of the program, as for Node's `--env-file`. */
  readonly envFile?: string;
  /** Address of a remote server. */
  readonly url?: string;
  /** Headers of requests to a remote server. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Keeps the server configured and not started. Default false. */
  readonly disabled?: boolean;
  /** Tools that run unasked: original names, or the groups `all`, `read` and `write`. */
  readonly autoApprove?: readonly string[];
  /** Settings of tools, by their original names. */
  readonly tool_meta?: Readonly<Record<string, ToolMeta>>;
  /** Settings of the tools that `tool_meta` does not name. */
  readonly default_tool_meta?: ToolMeta | null;
  /** Tools that may not be called, by original name or alias. */
  readonly forbidden_tools?: readonly string[];
  /** VRL program that changes the results of calls (docs/vrl.md). */
  readonly vrl?: string | null;
  /** Login to a remote server (docs/login.md). */
  readonly oauth?: object;
  /** Settings of a2c for this server, which other applications ignore. */
  readonly a2c?: SettingsInput;
}
/** Server with its name, for a list of servers, or alone. */
export interface NamedServerInput extends ServerInput {
  /** Name of the server. */
  readonly name: string;
}
/** Server in the form of the protocol A2C-SMCP. */
export interface ProtocolServerInput extends Pick<
  ServerInput,
  'disabled' | 'autoApprove' | 'tool_meta' | 'default_tool_meta' | 'vrl' | 'oauth' | 'a2c'
> {
  /** Name of the server. */
  readonly name: string;
  /** Way to reach the server. */
  readonly type: 'stdio' | 'streamable' | 'sse' | 'inmemory' | `own:${string}`;
  /** Id of the server for agents; by default its name. */
  readonly bundle_id?: string | null;
  /** Tools that may not be called, by original name or alias. */
  readonly forbidden_tools?: readonly string[] | null;
  /** Program (`command`, `args`, `env`, `cwd`) or address (`url`, `headers`) of the server (docs/config.md). */
  readonly server_parameters?: {
    readonly command?: string;
    readonly args?: readonly string[];
    readonly env?: Readonly<Record<string, string>> | null;
    readonly cwd?: string | null;
    readonly url?: string;
    readonly headers?: Readonly<Record<string, string>> | null;
    readonly [own: string]: unknown;
  } | null;
}
/** Value that servers name as `${input:id}`. */
export interface InputInput {
  /** Kind of the input: asked as text, chosen from `options`, or printed by `command`. */
  readonly type: 'promptString' | 'pickString' | 'command';
  /** Id in `${input:id}`. */
  readonly id: string;
  /** Question for a person. */
  readonly description?: string;
  /** Value when none is given. */
  readonly default?: string | null;
  /** Hides the value. */
  readonly password?: boolean;
  /** Values from which one is chosen. */
  readonly options?: readonly string[];
  /** Command line that prints the value. */
  readonly command?: string;
}
/** Config with servers by name. */
export interface McpServersInput {
  /** Servers by name. */
  readonly mcpServers: Readonly<Record<string, ServerInput>>;
  /** Values that servers name as `${input:id}`. */
  readonly inputs?: readonly InputInput[];
  /** Settings of a2c for all servers, which other applications ignore. */
  readonly a2c?: SettingsInput;
}
/** Config in the form of the protocol A2C-SMCP. */
export interface ProtocolConfigInput {
  /** Servers by name, or as a list. */
  readonly servers:
    | Readonly<Record<string, Omit<ProtocolServerInput, 'name'>>>
    | readonly ProtocolServerInput[];
  /** Values that servers name as `${input:id}`. */
  readonly inputs?: readonly InputInput[];
  /** Settings of a2c for all servers. */
  readonly a2c?: SettingsInput;
}
declare const isForeign: unique symbol;
/** Config of another application, or one that was read from a file, from `foreign`. */
export interface ForeignConfig {
  readonly [isForeign]: true;
}
/**
 * Takes a config whose shape only the run time knows: JSON of another application, or a file that was parsed. It is checked
 * when it is used, like each config (docs/config.md).
 */
export const foreign = (json: unknown): ForeignConfig => json as ForeignConfig;
/** Config of a computer: servers by name, a list of servers, or any other from `foreign`. */
export type ConfigInput =
  | McpServersInput
  | ProtocolConfigInput
  | readonly (NamedServerInput | ProtocolServerInput)[]
  | ForeignConfig;
/** One server for `servers.add`. */
export type AddedServer = NamedServerInput | ProtocolServerInput | ConfigInput;
