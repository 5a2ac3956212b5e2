/** What a host holds of an agent: its options, its methods, what it tells. */
import type { ShownWindow } from '../../../machines/resources/desktop/index.ts';
import type { System } from '../../../machines/resources/systems/index.ts';
import type { Timing } from '../../../machines/kernel/timing.ts';
import type { Failure, RoomMember, SmcpTool } from '../../../machines/protocol/index.ts';
import type { AgentReading } from './reading-handle.ts';
import type { FinderFollowed } from './documents-handle.ts';
import type { LinkStatus } from '../link-status.ts';
import type { Log } from '../computer/failure-log.ts';
import type { RecordOptions } from '../../recording/flight-recorder.ts';
import type { Call, CallOptions } from './pending-calls.ts';
import type { DesktopShown, DocumentSummary } from '../computer/systems-handle.ts';

export interface AgentOptions {
  readonly url: string;
  /** Default `agent`. */
  readonly name?: string;
  /** The id of the office. Default `local`. */
  readonly office?: string;
  readonly timing?: Partial<Timing>;
  /** Keep trying when the first join fails, instead of rejecting. */
  readonly keepTrying?: boolean;
  readonly signal?: AbortSignal;
  /** Of which systems of every computer it wants to hear from the beginning; a listener of one says the same. */
  readonly follow?: readonly System[];
  /** What is recorded for a replay; on by default, in memory. `false`: nothing. */
  readonly record?: RecordOptions | false;
  /** Hears of each failure, one structured entry (actors/README.md). Default: nobody does. */
  readonly log?: Log;
}
export interface AgentEvents {
  readonly 'computer.joined': { readonly computer: string };
  readonly 'computer.left': { readonly computer: string };
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
  readonly 'finder.failed': { readonly computer: string; readonly failure: Failure };
  readonly 'config.changed': { readonly computer: string };
  readonly 'link.changed': LinkStatus;
}
export interface ComputerConfig {
  /** By name, in the protocol's own shape (docs/config.md). */
  readonly servers: Readonly<Record<string, object>>;
  readonly inputs: readonly object[];
}
/** An agent that sits in an office. `await using` closes it. */
export interface Agent extends AgentReading, AsyncDisposable {
  /** Those whose tools are known. */
  computers(): readonly string[];
  /** Waits for a computer that is still being asked; rejects when it is not there within the time (default 30 s). */
  tools(computer: string, options?: { readonly timeoutMs?: number }): Promise<readonly SmcpTool[]>;
  /** Never rejects; `result` is the MCP CallToolResult. */
  callTool(
    computer: string,
    tool: string,
    params?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Call;
  cancel(reqId: string): void;
  /** Who sits in the office. Rejects with an `A2cError` when the office does not answer. */
  listRoom(): Promise<readonly RoomMember[]>;
  /** The servers and inputs of a computer, as it shows them: unrendered, secrets hidden. */
  getConfig(computer: string): Promise<ComputerConfig>;
  on<Name extends keyof AgentEvents>(name: Name, listener: (value: AgentEvents[Name]) => void): () => void;
  /**
   * Writes what was recorded so far to a new `*.trace.ndjson` in this folder (default: the current one), or, with
   * `record.dir`, to the file that grows there. Resolves to its path; rejects with `record: false`.
   */
  writeTrace(dir?: string): Promise<string>;
  close(): Promise<void>;
}
