/** Servers and transports that the host itself provides. */
import type { OwnFacts } from '../../machines/config/schemas.ts';

/** One end of a linked pair, as the MCP SDK has it (`Transport`): messages sent here arrive at the other end. */
export interface LinkedEnd {
  /** Opens the connection; called once, before anything is sent. Rejects when there is no connection. */
  start(): Promise<void>;
  /** Sends one JSON-RPC message, an object, to the server. */
  send(message: object): Promise<void>;
  /** Ends the connection; `onclose` is then called, too. */
  close(): Promise<void>;
  /** Callback that the runtime sets before `start`: call it with each message of the server. */
  onmessage?: ((message: never) => void) | undefined;
  /** Callback that the runtime sets before `start`: call it when either side has ended the connection. */
  onclose?: (() => void) | undefined;
  /** Callback that the runtime sets before `start`: call it with errors that do not end the connection. */
  onerror?: ((error: Error) => void) | undefined;
}
/** Server of an MCP SDK: an `McpServer`, or a `Server`. */
export interface ConnectableServer {
  /** Connects the server to its client. */
  connect(transport: never): Promise<void>;
}
/** Result of a function that makes a server inside the host. */
export type MadeServer = ConnectableServer | LinkedEnd;
/**
 * Server inside the host: an `McpServer`, or a function that is called for each session, with `args` and `env` of the
 * config, placeholders filled in, and returns an `McpServer` or our end of a connection.
 */
export type InMemoryServer =
  | ConnectableServer
  | ((facts: {
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }) => MadeServer | Promise<MadeServer>);
/** Config of a server whose transport the host provides. */
export interface TransportSpec {
  /** Name of the server in the config. */
  readonly server: string;
  /** `server_parameters` of the server, with placeholders filled in. */
  readonly facts: OwnFacts;
  /**
   * Signal that aborts when a connection is not wanted any more before it is open: time is up, or the server is
   * stopped.
   */
  readonly signal: AbortSignal;
}
/**
 * Connects to servers of one type (`own:…`): called for each session, returns our end of a connection. The
 * function, or `start` of that end, rejects with an `Error` when there is no connection; `isFinal: true` on the
 * error means that a retry without a change cannot help. `send` rejects only when nothing of the message was sent;
 * after `onclose` the session counts as lost. `close` lets sent messages go out, and ends the connection within 2
 * s.
 */
export type TransportMaker = (spec: TransportSpec) => LinkedEnd | Promise<LinkedEnd>;
