import type { Story } from '../api/page.ts';
import { createTerminal, type Terminal } from '../../adapters/terminal/terminal.ts';

export interface CommandContext {
  readonly terminal: Terminal;
  /** Fires at the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /** In place of ending this process; unused when SIGHUP means that the terminal was closed. */
  readonly onHangup?: (run: () => void) => void;
  readonly laboratory?: () => Promise<Laboratory>;
  /** Where configs are searched; the current folder by default. */
  readonly folder?: string;
}
export const contextHere = (given: Omit<CommandContext, 'terminal'>): CommandContext => ({
  terminal: createTerminal(),
  ...given,
});

/** A module is loaded only when its command is typed, so that help texts need not load sockets. */
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
export interface PlayingOptions {
  readonly server: string;
  /** `exact` (default) compares method and parameters, `tool` ignores the arguments of a tool. */
  readonly match?: 'exact' | 'tool';
  /** Answers requests that were not recorded with an error; true by default. */
  readonly strict?: boolean;
}
export interface VerifyOptions {
  /** By default the one whose failure was recorded. */
  readonly server?: string;
  /** Values that were hidden in the trace, each as `PATH=VALUE`. */
  readonly set: readonly string[];
  /** Sends recorded calls of tools that are not marked read-only, too. */
  readonly yes: boolean;
  readonly record?: number;
  readonly exact: boolean;
  readonly ignore: readonly string[];
  /** Each as `N:PATH=VALUE`. */
  readonly expect: readonly string[];
  readonly update: boolean;
  readonly junit?: string;
  /** In seconds, for each request that did not time out in the recording. */
  readonly timeout: number;
  readonly json: boolean;
}
export interface JudgeOptions {
  readonly only: readonly string[];
  readonly list: boolean;
  readonly atOnce: number;
  readonly json: boolean;
  readonly markdown: boolean;
}
export interface ForkOptions {
  readonly at?: number;
  readonly set: readonly string[];
  readonly inject: readonly string[];
  /** By the numbers of inputs, each as `N:WORD` or `N:PATH=VALUE`. */
  readonly change: readonly string[];
  readonly skip: readonly number[];
  readonly out?: string;
  readonly json: boolean;
}
export interface RedactTraceOptions {
  readonly path: readonly string[];
  readonly value: readonly string[];
  readonly out?: string;
  readonly inPlace: boolean;
}
export interface ShowOptions {
  readonly port?: number;
  /** One HTML page; nothing is served then. */
  readonly html?: string;
  readonly replay?: boolean;
  readonly browser: boolean;
}
export interface SimOptions {
  /** A number, or any text that is turned into one. */
  readonly seed?: string;
  readonly seeds?: number;
  /** Duration of injected faults in each run, in ms of virtual time. */
  readonly for: number;
  /** Layers and words of the fault vocabulary, `all` or `none`. */
  readonly faults: string;
  readonly shrink: boolean;
  readonly nodes?: boolean;
  /** Real time in ms after which no further run begins. */
  readonly timeBudget?: number;
  readonly workers?: number;
  readonly coverage: boolean;
  readonly out: string;
  readonly json: boolean;
}
/** main.ts loads these modules only when one of the commands is typed. */
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
  /** The trace of an incident with the steps of its machines, and its checks. */
  storyOf(file: string): Promise<Story>;
  why(
    context: CommandContext,
    wanted: string | undefined,
    options: { readonly json: boolean },
  ): Promise<number>;
  simulate(context: CommandContext, options: SimOptions): Promise<number>;
  judgeHost(context: CommandContext, driver: readonly string[], options: JudgeOptions): Promise<number>;
}

export const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
