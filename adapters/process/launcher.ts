import type { Readable, Writable } from 'node:stream';
import type { TracedGroup } from './reaper/ending.ts';

/** What a child gets beside what its config gives. */
export interface Inherited {
  /** `minimal`: a short list (home, user, language, PATH …); `full`: all variables of this process. Default `minimal`. */
  readonly base?: 'minimal' | 'full' | undefined;
  /** Names of further variables of this process. */
  readonly pass?: readonly string[] | undefined;
  /** Folders for its PATH, after those of its config and before those of this process. */
  readonly folders?: readonly string[] | undefined;
  /** The PATH that the login shell of the user has, after that of this process. */
  readonly loginPath?: string | undefined;
  /** Variables that it has unless its config gives them. */
  readonly added?: Readonly<Record<string, string>> | undefined;
}
/** The launch config of one server, placeholders already rendered. */
export interface LaunchSpec {
  /** The program: a path, or a name that is looked up in the PATH of its environment. No shell reads it. */
  readonly command: string;
  /** Its arguments, each passed on as it stands. */
  readonly args: readonly string[];
  /** What its config gives; see `environmentOf` for what a child inherits beside it. */
  readonly env: Readonly<Record<string, string>>;
  /** The folder in which it runs. Default: that of this process. */
  readonly cwd?: string;
  /** Default: the short list. */
  readonly inherit?: Inherited;
}
/** What a launcher is asked for: the facts, and whose they are. */
export interface Launch extends LaunchSpec {
  /** The name of the server in the config. */
  readonly server: string;
}
/** The whole environment of what is launched: names and values. */
export type Environment = Readonly<Record<string, string>>;

/** How a launched process ended. */
export interface LaunchEnd {
  /** Null when a signal ended it, and when nobody knows. */
  readonly code: number | null;
  /** The signal that ended it, such as `SIGTERM`; null when it ended by itself, and when nobody knows. */
  readonly signal: string | null;
}

/**
 * One thing that was launched: bytes, and how it lives. It frames nothing and decides nothing; when it is told
 * what, the `process` machine says. `signal` and `living` are synchronous and never throw.
 */
export interface Launched {
  /** What is written here reaches its stdin. Ending the stream is the first, polite way to end the server. */
  readonly stdin: Writable;
  /** The bytes of its stdout: messages of MCP, one per line. */
  readonly stdout: Readable;
  /** The bytes of its stderr: the last 64 KiB are kept, to explain how it ended. */
  readonly stderr: Readable;
  /**
   * Resolves with its pid, where it runs, once it does; 0 when that has none. Rejects with an `Error` when it
   * never ran. `isFinal: true` on that error: another try without a change would fail in the same way.
   */
  readonly started: Promise<number>;
  /** Resolves when it has ended; after `started`, and not at all when that was rejected. The pipes may still hold. */
  readonly ended: Promise<LaunchEnd>;
  /** To all of it: the wrapper, the server, and what they started. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
  /**
   * How many of its members live, as far as anybody can tell; 0: all of it is gone, and stays so. What cannot be
   * known counts as living. After `ended` it is asked every few milliseconds until it says 0.
   */
  living(): number;
  /** All of it as a group of this machine, so that it is found and ended after this host was killed. */
  readonly group?: TracedGroup | undefined;
}

/** What a launch would run, for people: names of variables, and never a value but the folders of PATH. */
export interface LaunchDescription {
  /** The file; null when nothing of that name can be executed. */
  readonly executable: string | null;
  /** The folders that were looked in; none when the command is a path itself. */
  readonly lookedIn: readonly string[];
  /** The folder it runs in. */
  readonly folder: string;
  /** Names of the environment variables that it gets, without their values. */
  readonly variables: readonly string[];
}

/**
 * How servers come to life: on this machine, in a container, behind ssh. It gives streams and facts; framing
 * (`adapters/mcp`), facts for machines and the ledger (`launch.ts`) are the same for all of them.
 */
export interface Launcher {
  /** Starts it. Throws, or rejects `started`, when it cannot. */
  launch(launch: Launch, env: Environment): Launched;
  /** What `launch` would run, for people who look for a mistake. Starts nothing. Left out: nothing can be said. */
  describe?(launch: LaunchSpec, env: Environment): LaunchDescription;
}
