import type {
  ForkOptions,
  JudgeOptions,
  PlayingOptions,
  RedactTraceOptions,
  ReplayOptions,
  ShowOptions,
  SimOptions,
  VerifyOptions,
} from './laboratory.ts';
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
