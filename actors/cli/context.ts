import { createTerminal, type Terminal } from '../../adapters/index.ts';

/** Surroundings of a command: its terminal, signal and folder, given by the program that runs it. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** Abort signal of the command, which fires at the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /**
   * Sets a handler for SIGHUP in place of ending this process; unused when SIGHUP means that the terminal was closed.
   */
  readonly onHangup?: (run: () => void) => void;
  readonly laboratory?: () => Promise<Laboratory>;
  /** Folder in which configs are searched; the current one by default. */
  readonly folder?: string;
}
/** Makes the context of a program that runs at the terminal of this process. */
export const contextHere = (given: Omit<CommandContext, 'terminal'>): CommandContext => ({
  terminal: createTerminal(),
  ...given,
});

/**
 * Makes the action of a command: the function `name` of a module. The module is loaded only when the command is typed,
 * so that help texts need not load sockets.
 */
export type ActionMaker = <Module>(
  load: (context: CommandContext) => Promise<Module>,
  name: keyof Module,
) => (...given: unknown[]) => Promise<void>;

export interface ReplayOptions {
  /** Number of the input after which the replay stops. */
  readonly until?: number;
  readonly inputs: boolean;
  /** Accepts the current behaviour: rewrites the trace file with it. */
  readonly accept: boolean;
  /** File to which the replay results are written as JUnit XML. */
  readonly junit?: string;
  /** File for the HTML page that shows one trace and where its replay differs. */
  readonly html?: string;
  readonly json: boolean;
}
/** Options of `a2c replay --server`, which plays a recorded server on stdin and stdout. */
export interface PlayingOptions {
  /** Name of the recorded server in the trace. */
  readonly server: string;
  /**
   * Rule for matching a request with a recorded one: `exact` (default) compares method and parameters, `tool` ignores
   * the arguments of a tool.
   */
  readonly match?: 'exact' | 'tool';
  /** Answers requests that were not recorded with an error; true by default. */
  readonly strict?: boolean;
}
export interface VerifyOptions {
  /** Name of the server to verify; by default the one whose failure was recorded. */
  readonly server?: string;
  /** Values that were hidden in the trace, each as `PATH=VALUE`. */
  readonly set: readonly string[];
  /** Sends recorded calls of tools that are not marked read-only, too. */
  readonly yes: boolean;
  /** Number of the record of the failure that is verified alone. */
  readonly record?: number;
  /** Compares recorded and new answers by value; otherwise only by shape. */
  readonly exact: boolean;
  /** Places of answers that are not compared. */
  readonly ignore: readonly string[];
  /** Values that answers must have, each as `N:PATH=VALUE`. */
  readonly expect: readonly string[];
  /** Writes the new answers into the trace. */
  readonly update: boolean;
  /** File to which the result is written as JUnit XML. */
  readonly junit?: string;
  /** Time limit in seconds for each request that did not time out in the recording. */
  readonly timeout: number;
  readonly json: boolean;
}
export interface JudgeOptions {
  /** Names of the cases, each a misbehaving server, by which an MCP host is judged; all by default. */
  readonly only: readonly string[];
  /** Lists the cases by which an MCP host is judged, with their rules, and plays none. */
  readonly list: boolean;
  /** Number of cases (misbehaving servers that test an MCP host) that are played at once. */
  readonly atOnce: number;
  readonly json: boolean;
  /** Writes the verdicts on an MCP host as a page of Markdown. */
  readonly markdown: boolean;
}
export interface ForkOptions {
  readonly at?: number;
  readonly set: readonly string[];
  readonly inject: readonly string[];
  /** Changes by the numbers of inputs, each as `N:WORD` or `N:PATH=VALUE`. */
  readonly change: readonly string[];
  readonly skip: readonly number[];
  /** File to which the changed trace is written. */
  readonly out?: string;
  readonly json: boolean;
}
export interface RedactTraceOptions {
  readonly path: readonly string[];
  readonly value: readonly string[];
  /** File to which the redacted trace is written. */
  readonly out?: string;
  readonly inPlace: boolean;
}
export interface ShowOptions {
  /** Port of the page that shows a trace; by default any free one. */
  readonly port?: number;
  /** File for one HTML page that shows the trace; nothing is served then. */
  readonly html?: string;
  /** Shows the replay of the trace by the current code beside it; only for a single trace. */
  readonly replay?: boolean;
  /** Opens a browser when a person is at the terminal. */
  readonly browser: boolean;
}
export interface SimOptions {
  /** Seed of the simulation: a number, or any text that is turned into one. */
  readonly seed?: string;
  readonly seeds?: number;
  /** Duration of injected faults in each run, in ms of virtual time. */
  readonly for: number;
  /** Faults to inject: layers and words of the fault vocabulary, `all` or `none`. */
  readonly faults: string;
  readonly shrink: boolean;
  /** Simulates an office on several nodes instead of a computer and its servers. */
  readonly nodes?: boolean;
  /** Real time in ms after which no further simulation run begins. */
  readonly timeBudget?: number;
  readonly workers?: number;
  readonly coverage: boolean;
  /** Folder to which the scenario and the trace of each failed run are written. */
  readonly out: string;
  readonly json: boolean;
}
/** Functions of the commands that replay, judge and simulate; main.ts loads their modules only when one is typed. */
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
  showTrace(context: CommandContext, files: readonly string[], options: ShowOptions): Promise<number>;
  why(
    context: CommandContext,
    wanted: string | undefined,
    options: { readonly json: boolean },
  ): Promise<number>;
  simulate(context: CommandContext, options: SimOptions): Promise<number>;
  judgeHost(context: CommandContext, driver: readonly string[], options: JudgeOptions): Promise<number>;
}

/** Waits until a signal is aborted, by Ctrl-C or an order to end. */
export const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
