import type { Terminal } from '../../adapters/index.ts';

/** What a command is given by the program that runs it. */
export interface Context {
  readonly terminal: Terminal;
  /** Aborts at the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /** What SIGHUP does instead of ending this process, where that is no sign that its terminal was closed. */
  readonly onHangup?: (run: () => void) => void;
  readonly laboratory?: () => Promise<Laboratory>;
  /** Where configs are looked for. Default: the current folder. */
  readonly folder?: string;
}

export interface ReplayOptions {
  readonly level: string;
  /** The number of an input. */
  readonly until?: number;
  readonly inputs: boolean;
  /** A file for the results as JUnit XML. */
  readonly junit?: string;
  /** A file for the page that shows one trace, with the difference. */
  readonly html?: string;
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
  replayTraces(context: Context, paths: readonly string[], options: ReplayOptions): Promise<number>;
  forkTrace(context: Context, file: string, options: ForkOptions): Promise<number>;
  showTrace(context: Context, file: string, options: ShowOptions): Promise<number>;
  simulate(context: Context, options: SimOptions): Promise<number>;
}

/** Until Ctrl-C, or the order to end. */
export const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
