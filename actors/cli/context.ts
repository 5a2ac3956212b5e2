import type { Recorded, Story } from '../api/page.ts';
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

/** After the context come the words of the command, then its options. */
export type Action = (context: CommandContext, ...given: never[]) => Promise<number>;
type LaboratoryCommand =
  | ('replayTraces' | 'playServer' | 'verifyServer' | 'forkTrace' | 'redactTrace' | 'showTrace')
  | ('why' | 'simulate' | 'judgeHost');
/** main.ts loads these modules only when one of the commands is typed. */
export interface Laboratory extends Readonly<Record<LaboratoryCommand, Action>> {
  /** The trace of an incident with the steps of its machines, and its checks. */
  storyOf(trace: Recorded): Promise<Story>;
}

export const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
