/** What a host holds of an agent: its options, its methods, what it tells. */
import type { PlayedOffice } from '../played-office.ts';
import type { ShownWindow } from '../../../machines/resources/desktop/index.ts';
import type { ResourceCollection } from '../../../machines/resources/collections/index.ts';
import type { Timing } from '../../../machines/kernel/timing.ts';
import type { Failure, RoomMember, SmcpTool } from '../../../machines/protocol/index.ts';
import type { AgentReading } from './reading-handle.ts';
import type { FinderFollowed } from './documents-handle.ts';
import type { LinkStatus, OfficeSeat } from '../link-status.ts';
import type { LogOptions } from '../../logging/log-entry.ts';
import type { Inspection, InspectOptions } from '../../inspector/inspections.ts';
import type { RecordOptions } from '../../recording/flight-recorder.ts';
import type { Call, CallOptions } from './pending-calls.ts';
import type { DesktopShown, DocumentSummary } from '../computer/collections-handle.ts';

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
  /** Of which systems of every computer it wants to hear from the beginning; a listener of one says the same. */
  readonly follow?: readonly ResourceCollection[];
  /** Reaches offices in the place of sockets: that of `worldOf(trace)`, for tests. */
  readonly links?: PlayedOffice;
  /** What is recorded for a replay; on by default, in memory. `false`: nothing. */
  readonly record?: RecordOptions | false;
  /**
   * Makes a span of OpenTelemetry of each call, a child of `trace` or of the span that is active where it is made.
   * Needs the package `@opentelemetry/api`; where spans go the SDK says that your program sets up (docs/operate.md). Default false.
   */
  readonly tracing?: boolean;
}
/** What an agent tells its host, by the name for `agent.on`. */
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
  /** What of a Desktop became another; the first time, all that is there. A listener has it followed. */
  readonly 'desktop.changed': {
    readonly computer: string;
    readonly value: DesktopShown;
    readonly added: readonly ShownWindow[];
    readonly removed: readonly ShownWindow[];
    /** As they are now: the same URI with another text. */
    readonly changed: readonly ShownWindow[];
  };
  /** The same of a Finder. */
  readonly 'finder.changed': {
    readonly computer: string;
    readonly value: FinderFollowed;
    readonly added: readonly DocumentSummary[];
    readonly removed: readonly DocumentSummary[];
    /** As they are now: the same URI with another `last_modified`. */
    readonly changed: readonly DocumentSummary[];
  };
  /** A Desktop, or a Finder, that is followed could not be had: too large (413), not built there (501), … With a remedy. */
  readonly 'desktop.failed': { readonly computer: string; readonly failure: Failure };
  /** The same of a Finder that is followed. */
  readonly 'finder.failed': { readonly computer: string; readonly failure: Failure };
  /** A computer says that its servers or inputs have changed: `getConfig` gives the new ones. */
  readonly 'config.changed': { readonly computer: string };
  /** The seat of the agent: told at each change, tries that failed too. */
  readonly 'link.changed': LinkStatus;
}
/** The config of a computer as it shows it to agents. */
export interface ComputerConfig {
  /** By name, in the protocol's own shape (docs/config.md). */
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
  /** Who sits in the office. Rejects with an `A2cError` when the office does not answer. */
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
