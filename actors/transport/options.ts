import type { LinkedEnd, InMemoryServer } from '../servers/host-servers.ts';
import type { RecordOptions } from '../recording/flight-recorder.ts';
import type { Inspection, InspectOptions } from '../api/page.ts';
import type { LogOptions } from '../logging/log-entry.ts';
import type { Launcher } from '../../adapters/process/launcher.ts';

/** MCP server that is started as a child process. */
export interface ServerCommand {
  /** Program to run: a path, or a name that is searched in PATH. No shell interprets it. */
  readonly command: string;
  /** Arguments of the program. Default: none. */
  readonly args?: readonly string[] | undefined;
  /**
   * Environment variables, beside a short list that every server gets from this process (home, user, language, PATH
   * …). `env: process.env` passes all. A variable with the value undefined is left out.
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Working folder of the program. Default: that of this process. */
  readonly cwd?: string | undefined;
}
/** Transport of another library, for example of the MCP SDK. */
export type ForeignTransport = LinkedEnd;
/**
 * MCP server of a supervised transport: a command, an `http:` or `https:` URL (streamable HTTP, or SSE where the server
 * refuses that), a transport that was not started, or a function that makes one for each connection. Only the
 * processes of a command are ended by the supervisor; a given transport ends its own.
 */
export type SupervisedServer =
  | ServerCommand
  | string
  | URL
  | ForeignTransport
  | (() => ForeignTransport | Promise<ForeignTransport>);

/** Options of one supervised transport. All times are in ms. */
export interface SupervisedOptions {
  /**
   * Name of the server, in errors, on the page and in recordings. Default: made from the command or the URL; a number is
   * added to a name that is in use.
   */
  readonly name?: string | undefined;
  /** HTTP headers of every request to a URL. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Connects again after the server was lost; `false` by default: the transport then closes. A server that cannot be
   * started at all is not tried again. With `true` up to 5 tries in a row are made, after pauses from `firstMs` (500) that
   * double up to `longestMs` (30,000), each up to a half longer. The client keeps
   * its session: the new connection gets the `initialize` of the client once more, and list changes are announced.
   * Requests that were sent and not answered fail with the reason; new ones wait. Whatever the server kept in memory is
   * gone, subscriptions and the log level too. A transport that was given as an object cannot be made again.
   */
  readonly reconnect?:
    | boolean
    | {
        readonly attempts?: number | undefined;
        readonly firstMs?: number | undefined;
        readonly longestMs?: number | undefined;
      }
    | undefined;
  /** Longest time to start a server and to answer its first request. Default: 300,000. */
  readonly connectMs?: number | undefined;
  /** Time that a process has to exit after its stdin was closed; then it gets SIGTERM. Default: 2,000, as with the SDK. */
  readonly stdinGraceMs?: number | undefined;
  /** Time that a process has to exit after SIGTERM; then its group gets SIGKILL. Default: 2,000. */
  readonly termGraceMs?: number | undefined;
}
/**
 * MCP transport of the shape that clients take (`Transport` of the MCP SDK 1.x and of `@modelcontextprotocol/client` 2.x,
 * `MCPTransport` of the AI SDK). A closed transport cannot be started again.
 */
export interface SupervisedTransport {
  /** Name of the server. */
  readonly name: string;
  /** Pid of the process of the server; undefined while none runs, and for servers without a process. */
  readonly pid: number | undefined;
  /**
   * Starts the server and connects. Rejects with an `A2cError` that has exit code, signal and stderr of a server that
   * could not be started.
   */
  start(): Promise<void>;
  /** Sends one JSON-RPC message. A request that cannot reach the server is answered with an error. */
  send(message: object, options?: unknown): Promise<void>;
  /**
   * Ends the connection and the server: its stdin is closed, then its process group gets SIGTERM and SIGKILL. Resolves
   * when no process of it is left. Calls `onclose`.
   */
  close(): Promise<void>;
  /** Called once when the transport is over, after `close` or when its server is lost for good. */
  onclose?: (() => void) | undefined;
  /**
   * Called with an `A2cError` when the server is lost, with `exit_code`, `signal` and `stderr` in `details`; with
   * `reconnect` the transport goes on.
   */
  onerror?: ((error: Error) => void) | undefined;
  /** Called with each message of the server. */
  onmessage?: ((message: object, extra?: object) => void) | undefined;
}

/** Options of a supervisor. */
export interface SupervisorOptions extends LogOptions {
  /** Name of the supervisor on its page. Default: the name of the program of this process. */
  readonly name?: string | undefined;
  /**
   * Recording of all messages and processes, in memory by default, of which the latest 16 MiB are kept. A lost server
   * writes it to `traces/` in `stateDir`, and `onNotice` gets the command that replays it. `false` records nothing.
   */
  readonly record?: RecordOptions | false | undefined;
  /** Folder of this runtime for files that outlive it; `false` writes none. Default `~/.local/state/a2c`. */
  readonly stateDir?: string | false | undefined;
  /** Starts a small process that ends all servers when this process is killed. Default true; none on Windows. */
  readonly reaper?: boolean | undefined;
  /** Called with notices for people, a sentence each. */
  readonly onNotice?: ((text: string) => void) | undefined;
  /** Starts commands in another way than as child processes, such as `worldOf(trace).supervisor`. */
  readonly launcher?: Launcher | undefined;
  /** Servers inside this process, by name: they are used in place of the URL or transport of that name. */
  readonly inMemory?: Readonly<Record<string, InMemoryServer>> | undefined;
}
/** Owner of supervised transports, which share one recording, one page and one `reaper` (see `SupervisorOptions`). */
export interface Supervisor extends AsyncDisposable {
  /**
   * Makes a transport to an MCP server for any client. Nothing is started before the client calls `start`, which it
   * does in `connect`. Throws an `A2cError` for options that cannot be used.
   */
  supervised(server: SupervisedServer, options?: SupervisedOptions): SupervisedTransport;
  /** Opens the page that shows all servers of this supervisor; `a2c inspect` lists it. */
  inspect(options?: InspectOptions): Promise<Inspection>;
  /** Writes the recording so far to a folder (default: the current one); resolves with the path of the file. */
  writeTrace(dir?: string): Promise<string>;
  /** Closes all transports and pages; resolves when no process is left. */
  close(): Promise<void>;
}
