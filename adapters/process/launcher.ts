/** What starts servers: its input, and what it gives. */
import type { Readable, Writable } from 'node:stream';
import type { TracedGroup } from './reaper/group.ts';

/** Environment variables that a launched server gets in addition to those of its config. */
export interface Inherited {
  /**
   * Set of variables taken from this process. `minimal`, the default: a short list (home, user, language, PATH …); `full`: all of
   * them.
   */
  readonly base?: 'minimal' | 'full' | undefined;
  /** Names of further variables of this process that are passed on. */
  readonly pass?: readonly string[] | undefined;
  /** Folders added to the PATH of the child, after those of its config and before those of this process. */
  readonly folders?: readonly string[] | undefined;
  /** PATH of the user's login shell, added after the PATH of this process. */
  readonly loginPath?: string | undefined;
  /** Variables that the child gets unless its config sets them. */
  readonly added?: Readonly<Record<string, string>> | undefined;
}
/** Launch spec of one server: its launch config with all placeholders filled in. */
export interface LaunchSpec {
  /** Program to run: a path, or a name that is searched in the PATH of the child's environment. No shell interprets it. */
  readonly command: string;
  /** Arguments of the program, passed on unchanged. */
  readonly args: readonly string[];
  /** Environment variables from the config of the server; `environmentOf` adds the inherited ones. */
  readonly env: Readonly<Record<string, string>>;
  /** Working folder of the program; by default that of this process. */
  readonly cwd?: string;
  /** Environment variables taken from this process; by default a short list. */
  readonly inherit?: Inherited;
}
/** Request to a launcher: the launch spec and the name of the server it belongs to. */
export interface Launch extends LaunchSpec {
  /** Name of the server in the config. */
  readonly server: string;
}
/** Complete environment of a launched process, as names and values. */
export type Environment = Readonly<Record<string, string>>;

/** Exit code and signal with which a launched process ended. */
export interface LaunchEnd {
  /** Exit code; null when a signal ended the process, and when the code is unknown. */
  readonly code: number | null;
  /** Signal that ended the process, such as `SIGTERM`; null when the process ended by itself, and when the signal is unknown. */
  readonly signal: string | null;
}

/**
 * Launched process: its byte streams, and functions to observe and end it. Messages are not parsed here, and the `process`
 * machine decides when to signal. `signal` and `living` are synchronous and never throw.
 */
export interface Launched {
  /** Stream to the stdin of the process. Ending it is the first, polite way to stop the server. */
  readonly stdin: Writable;
  /** Stream from the stdout of the process: messages of MCP, one per line. */
  readonly stdout: Readable;
  /** Stream from the stderr of the process; the last 64 KiB are kept to explain its end. */
  readonly stderr: Readable;
  /**
   * Resolves with the pid once the process runs; 0 when it has no pid on this machine. Rejects with an `Error` when the process
   * could not be started; `isFinal: true` on that error means that another attempt without a change would fail in the same way.
   */
  readonly started: Promise<number>;
  /**
   * Resolves when the process has ended, after `started`; stays pending when `started` was rejected. The pipes may still be open.
   */
  readonly ended: Promise<LaunchEnd>;
  /** Sends a signal to the process and to all processes that it started. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
  /**
   * Returns the number of living processes of this launch, as far as known; 0 means that all are gone for good. Processes whose
   * state is unknown count as alive. After `ended` it is called every few milliseconds until it returns 0.
   */
  living(): number;
  /** Process group on this machine, by which the processes are found and ended after this host was killed. */
  readonly group?: TracedGroup | undefined;
  /**
   * Returns what is left after `ended`: the `living` processes, each as a group of its own, and the pids of those that the system
   * has `refused` to end, which do not count as living. Optional; without it `group` holds all processes.
   */
  remains?(): { readonly living: readonly TracedGroup[]; readonly refused: readonly number[] };
}
export type Remains = ReturnType<NonNullable<Launched['remains']>>;

/**
 * Description of what a launch would run, for people. Contains names of environment variables, but no values except the folders
 * of PATH.
 */
export interface LaunchDescription {
  /** Path of the executable file; null when nothing of that name can be executed. */
  readonly executable: string | null;
  /** Folders of PATH that were searched; empty when the command is a path itself. */
  readonly lookedIn: readonly string[];
  /** Working folder of the process. */
  readonly folder: string;
  /** Names of the environment variables that the process gets, without values. */
  readonly variables: readonly string[];
}

/**
 * Way to start servers, for example on this machine, in a container or over ssh. A launcher returns streams and facts; parsing of
 * messages (`adapters/mcp`), facts for machines and the list of child processes (`launch.ts`) are the same for all launchers.
 */
export interface Launcher {
  /** Starts a server. Throws, or rejects `started`, when that fails. */
  launch(launch: Launch, env: Environment): Launched;
  /**
   * Describes what `launch` would run, for people who look for a mistake, and starts nothing. Optional; without it no description
   * is shown.
   */
  describe?(launch: LaunchSpec, env: Environment): LaunchDescription;
}
