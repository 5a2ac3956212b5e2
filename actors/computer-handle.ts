import type { CallEnded, CallStarted } from './call-watch.ts';
import type { Launcher } from '../adapters/index.ts';
import type { Timing } from '../machines/timing.ts';
import type { Failure, SmcpTool } from '../machines/wire/index.ts';
import type { CallOptions, CallOutcome } from './pending-calls.ts';
import type { RecordOptions } from './flight-recorder.ts';
import type { Confirm } from './runtime.ts';

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
  readonly autoConnect?: boolean;
  readonly autoReconnect?: boolean;
  readonly timing?: Partial<Timing>;
  /** How servers come to life: in containers, behind ssh (docs/extend.md). Default `localLauncher`. */
  readonly launcher?: Launcher;
  /** Keeps a small process beside this one that ends the servers should this one be killed. Default true. */
  readonly reaper?: boolean;
  /** Where the next start finds what a killed host left. Default `$XDG_STATE_HOME/a2c`; `false`: nowhere. */
  readonly stateDir?: string | false;
  /** What is recorded for a replay; on by default, in memory. `false`: nothing. */
  readonly record?: RecordOptions | false;
  /** Hears of what is no failure but worth knowing, one line each. */
  readonly onNotice?: (text: string) => void;
  /** Gives up booting and closes. */
  readonly signal?: AbortSignal;
  /** Hears what happens from the very start. */
  readonly onEvent?: <Name extends keyof ComputerEvents>(name: Name, value: ComputerEvents[Name]) => void;
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
    | 'needs input'
    | 'unsupported';
  /** Why it is not ready, for a person. */
  readonly reason?: string;
}
export interface ToolInfo extends SmcpTool {
  readonly original: string;
  readonly server: string;
}
export interface ToolListing {
  readonly tools: readonly ToolInfo[];
  readonly refused: readonly { name: string; server: string; reason: string; suggestion: string }[];
  readonly servers: readonly ServerStatus[];
}
export interface ComputerStatus {
  readonly name: string;
  readonly state: 'booting' | 'whole' | 'degraded' | 'closing' | 'closed';
  readonly servers: readonly ServerStatus[];
  readonly link: { readonly state: string; readonly reason: string | null } | null;
}
export interface ComputerEvents {
  readonly 'server.changed': ServerStatus & { readonly failure: Failure | null };
  readonly 'tools.changed': { readonly added: readonly string[]; readonly removed: readonly string[] };
  readonly 'link.changed': { readonly state: string; readonly reason: string | null };
  readonly 'call.started': CallStarted;
  readonly 'call.settled': CallEnded;
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
  ): Promise<CallOutcome>;
  cancelCall(reqId: string): void;
  startServer(name: string): Promise<void>;
  stopServer(name: string): Promise<void>;
  /** Stop, then start. */
  restartServer(name: string): Promise<void>;
  /** Tries again at once what waits for its next try, or rests after too many. */
  retryServer(name: string): Promise<void>;
  /** Takes a seat; resolves when it sits there. Rejects, and tries no more, when the first try fails. */
  join(office: OfficeSeat): Promise<void>;
  /** Leaves the office; the servers stay. */
  leave(): Promise<void>;
  on<Name extends keyof ComputerEvents>(
    name: Name,
    listener: (value: ComputerEvents[Name]) => void,
  ): () => void;
  /** Cancels calls, leaves the office, ends every server; resolves when none of their processes lives. */
  /**
   * Writes what was recorded so far to a new `*.trace.ndjson` in this folder (default: the current one), or, with
   * `record.dir`, to the file that grows there. Resolves to its path; rejects with `record: false`.
   */
  writeTrace(dir?: string): Promise<string>;
  close(): Promise<void>;
}
