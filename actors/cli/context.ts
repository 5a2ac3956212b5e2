import type { Terminal } from '../../adapters/index.ts';

/** Surroundings of a command, from the program that runs it. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** Aborts at the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /** Replaces the default of SIGHUP, which ends this process, where it does not mean that the terminal was closed. */
  readonly onHangup?: (run: () => void) => void;
  readonly laboratory?: () => Promise<Laboratory>;
  /** Folder in which configs are searched. Default: the current one. */
  readonly folder?: string;
}

/**
 * Makes the action of a command: the function `name` of a module. The module is loaded once the command is typed, so that a help
 * text waits for no sockets.
 */
export type ActionMaker = <Module>(
  load: (context: CommandContext) => Promise<Module>,
  name: keyof Module,
) => (...given: unknown[]) => Promise<void>;

export interface ReplayOptions {
  /** The number of an input. */
  readonly until?: number;
  readonly inputs: boolean;
  /** Accepts the current behaviour: rewrites the file. */
  readonly accept: boolean;
  /** A file for the results as JUnit XML. */
  readonly junit?: string;
  /** A file for the page that shows one trace, with the difference. */
  readonly html?: string;
  readonly json: boolean;
}
/** Options of a recorded server on stdin and stdout. */
export interface PlayingOptions {
  /** Name in the trace. */
  readonly server: string;
  /** Default `exact`: method and parameters. `tool`: whatever its arguments are. */
  readonly match?: 'exact' | 'tool';
  /** Default true: what was not recorded is an error. */
  readonly strict?: boolean;
}
export interface VerifyOptions {
  /** Default: the one whose failure was recorded. */
  readonly server?: string;
  /** `PATH=VALUE` of what was hidden in the trace. */
  readonly set: readonly string[];
  /** Calls of tools that are not marked read-only are sent, too. */
  readonly yes: boolean;
  /** Answers are compared by value. */
  readonly exact: boolean;
  /** Seconds for each request that did not fail by time. */
  readonly timeout: number;
  readonly json: boolean;
}
export interface ForkOptions {
  readonly at?: number;
  readonly set: readonly string[];
  readonly inject: readonly string[];
  readonly skip: readonly number[];
  /** The file of the new trace. */
  readonly out?: string;
  readonly json: boolean;
}
export interface RedactTraceOptions {
  readonly path: readonly string[];
  readonly value: readonly string[];
  /** The file of the new trace. */
  readonly out?: string;
  readonly inPlace: boolean;
}
export interface ShowOptions {
  /** Default: any free one. */
  readonly port?: number;
  /** A file that becomes one HTML page, and nothing is served. */
  readonly html?: string;
  /** Opens a browser, where somebody sits at a terminal. */
  readonly browser: boolean;
}
export interface SimOptions {
  /** A number, or any text that makes one. */
  readonly seed?: string;
  readonly seeds?: number;
  /** ms of virtual time. */
  readonly for: number;
  /** Layers and words of the fault vocabulary, `all` or `none`. */
  readonly faults: string;
  readonly shrink: boolean;
  /** An office on several nodes instead of a computer and its servers. */
  readonly nodes?: boolean;
  /** ms of real time. */
  readonly timeBudget?: number;
  readonly workers?: number;
  readonly coverage: boolean;
  /** A folder for what failed. */
  readonly out: string;
  readonly json: boolean;
}
/** Commands that live with the scenarios, and are loaded when they are asked for (main.ts). */
export interface Laboratory {
  replayTraces(context: CommandContext, paths: readonly string[], options: ReplayOptions): Promise<number>;
  playServer(context: CommandContext, paths: readonly string[], options: PlayingOptions): Promise<number>;
  verifyServer(
    context: CommandContext,
    file: string,
    command: readonly string[],
    options: VerifyOptions,
  ): Promise<number>;
  forkTrace(context: CommandContext, file: string, options: ForkOptions): Promise<number>;
  redactTrace(context: CommandContext, file: string, options: RedactTraceOptions): Promise<number>;
  showTrace(context: CommandContext, file: string, options: ShowOptions): Promise<number>;
  simulate(context: CommandContext, options: SimOptions): Promise<number>;
}

/** Until Ctrl-C, or the order to end. */
export const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
