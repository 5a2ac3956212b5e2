import type { CallPhase, Outcome } from '../../machines/call/call.rules.ts';
import type { CodeName } from '../../machines/protocol/failure.ts';
import { asText } from '../../machines/text.ts';

/** From the most entries to the fewest. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
/**
 * Lowest level of log entries that are written. `error`: failures that are final. `warn`: also failures that are
 * retried automatically. `info`: also peers that come and go, ends of calls, and states of servers. `debug`: also
 * questions beside calls, requests to MCP servers, and refusals that are no failure.
 */
export type LogLevel = (typeof logLevels)[number];
export const isLogged = (level: LogLevel, least: LogLevel): boolean =>
  logLevels.indexOf(level) >= logLevels.indexOf(least);

/** Log entry: an event seen by one layer of a host. Secrets are hidden, and texts have at most 1,000 characters. */
export interface LogEntry {
  /** Time at which the event was seen: ISO 8601, UTC. */
  readonly time: string;
  /** Level of the entry: `warn` and `error` are failures; a `warn` is retried automatically. */
  readonly level: LogLevel;
  /**
   * Layer that reports the event: the agent, the office that relays, the seat of a computer or agent in an office
   * (`link`), the computer with its policy and calls, the session with an MCP server, or a state machine of this
   * library.
   */
  readonly layer: 'agent' | 'office' | 'link' | 'computer' | 'server' | 'machine';
  /**
   * Method of the wire or of MCP (`client:tool_call`, `tools/call`), or name of the reported change (`call.settled`,
   * `seat.changed`).
   */
  readonly event: string;
  /** Id of the call or question, the same at every layer; missing when the event belongs to no question. */
  readonly req_id?: string;
  /** Name of the MCP server in the config. */
  readonly server?: string;
  /** Name by which the tool was called; missing when the event is about no call. */
  readonly tool?: string;
  /** Name of the computer in its office, when the office or the agent reports the event. */
  readonly computer?: string;
  /** Name of the agent in its office, when the office reports the event. */
  readonly agent?: string;
  /** Id of the office in which an agent or computer took or left a seat. */
  readonly office?: string;
  /** Id that Socket.IO gave to the connection of a peer with the office. */
  readonly peer?: string;
  /** Phase of the call when the event happened. */
  readonly phase?: CallPhase;
  /** Known effect of the call: `unknown` when it was sent and never answered. */
  readonly outcome?: Outcome;
  /** Duration of a call or question in ms, as this layer measured it; present from level `info` on. */
  readonly ms?: number;
  /** Name of the kind of failure, as in `A2cError` (docs/errors.md). */
  readonly code?: CodeName;
  /** Description of the event for a person, in one sentence. */
  readonly message: string;
}
/**
 * Function that takes one log entry. An exception or rejection in it becomes a warning of the process and disturbs
 * nothing else.
 */
export type Log = (entry: LogEntry) => void;
/** Options for the log of a host. */
export interface LogOptions {
  /** Function that gets each failure as a structured entry (docs/operate.md); none by default. */
  readonly log?: Log | undefined;
  /** Lowest level of the entries that `log` gets; `warn` by default, which means failures only. */
  readonly logLevel?: LogLevel | undefined;
}

const mostCharacters = 1_000;
const cut = (text: string): string =>
  text.length > mostCharacters ? `${text.slice(0, mostCharacters - 1)}…` : text;
/** Long texts are cut, and what servers and peers may have put into them is escaped. */
export const shortened = (entry: LogEntry): LogEntry =>
  Object.fromEntries(
    Object.entries(entry).map(([key, value]) => [
      key,
      typeof value === 'string' ? asText(cut(value)) : value,
    ]),
  ) as unknown as LogEntry;
