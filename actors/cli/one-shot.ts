import { createAgent } from '../api/agent.ts';
import type { Config } from '../../machines/config/index.ts';
import type { ComputerOptions } from '../api/computer-options.ts';
import { createComputer } from '../api/computer.ts';
import type { Computer, ComputerEvents } from '../api/computer-handle.ts';
import type { OutputLine } from '../servers/server-output.ts';
import { logLine } from './printing/log-line.ts';
import { A2cError } from '../kernel/errors.ts';
import { orClosed, unlessInterrupted } from './exit-codes.ts';
import { credentialBy } from './office/entry.ts';
import { briefRecordBy, logBy, recordBy, tracingBy, type RecordingOptions } from './host-options.ts';
import { answersBy, foldersOf } from './answering/answers-at-terminal.ts';
import { inputsAt } from './answering/inputs-at-terminal.ts';
import type { Context } from './context.ts';
import type { SourceOptions } from './host-options.ts';
import {
  atOnce,
  bootMsOf,
  lateLine,
  listingMsOf,
  untilStarted,
  type Patience,
  type StartTimes,
} from './starting.ts';

export interface OneShotOptions extends SourceOptions, RecordingOptions {
  readonly json: boolean;
  /** An office to ask as its agent; without it the servers are started here, for this one command. */
  readonly url?: string;
  /** What that office asks for. */
  readonly token?: string;
  readonly office: string;
  readonly computer?: string;
  /** Hears what servers write to stderr and log. */
  readonly onOutput?: (server: string, line: OutputLine) => void;
}

interface OneShotPatience extends Patience {
  /** It wants one server that is known to have what it is for, and nothing else: that is waited for as long as it takes. */
  readonly isAiming?: boolean;
  readonly onResources?: (text: string) => void;
}
/**
 * Starts the servers of the config for one command: each is waited for until it is up or has failed, for 30 s unless a person or
 * `patience` says otherwise. A person who types the command has confirmed it.
 */
export async function withComputer<T>(
  context: Context,
  options: OneShotOptions,
  config: Config,
  use: (computer: Computer, times: StartTimes) => Promise<T>,
  patience: OneShotPatience = {},
): Promise<T> {
  const { signal, terminal } = context;
  const record = briefRecordBy(options);
  return unlessInterrupted(signal, async (mustGoOn) => {
    // What Desktop and Finder leave out is nothing to somebody who calls a tool. Listings and calls tell of refused tools themselves.
    const onNotice: ComputerOptions['onNotice'] = (text, topic) => {
      if (topic === undefined) terminal.err(text);
      if (topic === 'resources') patience.onResources?.(text);
    };
    const input = inputsAt(terminal, options);
    const { folder = process.cwd() } = context;
    const computer = await createComputer(
      {
        signal,
        record,
        timing: atOnce,
        ...(await logBy(context, options)),
        ...tracingBy(options),
        onNotice,
        answers: answersBy(terminal, options, foldersOf(config, folder)),
        ...(input && { input }),
        onEvent: (name, value) => {
          if (name !== 'server.wrote') return;
          const line = value as ComputerEvents['server.wrote'];
          options.onOutput?.(line.name, line);
          if (options.verbose === true) terminal.err(`[${line.name}] ${logLine(line)}`);
        },
      },
      { config },
    );
    try {
      mustGoOn();
      const { isAiming = false, ms: limit = Infinity } = patience;
      const bootMs = isAiming ? bootMsOf(options, config) : listingMsOf(options, config);
      const ms = Math.min(limit, bootMs ?? Infinity);
      const times = await untilStarted(context, computer, config, {
        ...patience,
        ms: ms === Infinity ? undefined : ms,
      });
      const late = isAiming ? undefined : lateLine(computer.servers(), config, ms);
      if (late !== undefined && !signal.aborted) terminal.err(late);
      // One that was told to give up is closed, and lists nothing as if there were nothing.
      mustGoOn();
      return await use(computer, times);
    } finally {
      await computer.close();
    }
  });
}
export async function withAgent<T>(
  context: Context,
  { url = '', office, computer, token, ...recording }: OneShotOptions,
  use: (agent: Awaited<ReturnType<typeof createAgent>>, computer: string) => Promise<T>,
): Promise<T> {
  const { signal } = context;
  return unlessInterrupted(signal, async (mustGoOn) => {
    const agent = await createAgent({
      url,
      ...credentialBy({ ...(token !== undefined && { token }) }),
      office,
      signal,
      record: recordBy(recording),
      ...(await logBy(context, recording)),
      ...tracingBy(recording),
    });
    try {
      mustGoOn();
      const asked = computer ?? (await orClosed(signal, agent, () => onlyComputer(agent)));
      return await use(agent, asked);
    } finally {
      await agent.close();
    }
  });
}
/** Without `--computer` the only one there is meant. */
async function onlyComputer(agent: Awaited<ReturnType<typeof createAgent>>): Promise<string> {
  const here = (await agent.listRoom()).filter((m) => m.role === 'computer').map((m) => m.name);
  const [name] = here;
  if (name !== undefined && here.length === 1) return name;
  throw new A2cError({
    code: 404,
    message: here.length === 0 ? 'No computer is in this office' : 'Several computers are in this office',
    details: { computers: here },
    remedy: here.length === 0 ? 'Start one: a2c computer --url …' : `Choose: --computer ${here.join(' | ')}`,
  });
}
