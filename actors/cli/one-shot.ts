/** Common part of commands that start servers, ask one thing and end them. */
import {
  briefRecordBy,
  logBy,
  recordBy,
  type PeerOptions,
  type RecordingOptions,
  type SourceOptions,
} from './options.ts';
import type { Agent } from '../api/agent-handle.ts';
import type { Computer, ComputerEvents } from '../api/computer-handle.ts';
import type { ComputerOptions } from '../api/computer-options.ts';
import { answersBy, foldersOf, inputsAt } from './answering.ts';
import type { CommandContext } from './context.ts';
import { orClosed, unlessInterrupted } from './exit-codes.ts';
import { remedyAt } from './printing/hints.ts';
import { logLine } from './printing/servers.ts';
import { briefly, onceEach, hasStarted, startedFor, type OneShotPatience } from './starting.ts';
import { A2cError } from '../kernel/errors.ts';
import type { OutputLine } from '../servers/server-output.ts';
import type { Config } from '../../machines/config/parse.ts';
import { wireCodes } from '../../machines/protocol/failure.ts';

export interface OneShotOptions extends SourceOptions, RecordingOptions, PeerOptions {
  readonly onOutput?: (server: string, line: OutputLine) => void;
}

/** At most a minute unless told otherwise. Calls need no confirmation, because a person typed the command. */
export async function withComputer<T>(
  context: CommandContext,
  options: OneShotOptions,
  config: Config,
  use: (computer: Computer) => Promise<T>,
  patience: OneShotPatience = {},
): Promise<T> {
  const { signal, terminal } = context;
  const record = briefRecordBy(options);
  return unlessInterrupted(signal, async (mustGoOn) => {
    // Desktop and Finder do not matter to a tool call; listings and calls report refused tools themselves.
    const onNotice: ComputerOptions['onNotice'] = (text, topic) => {
      if (topic === undefined) terminal.err(remedyAt(options, text));
    };
    // Loads the computer here, because commands that only read the config use this module without a computer.
    const [{ createComputer }, api] = await Promise.all([
      import('../api/computer.ts'),
      import('../api/runtime.ts'),
    ]);
    const runtime = await api.openRuntime({
      record,
      notice: (text) => onNotice(text),
      ...logBy(context, options),
      tracing: options.tracing,
    });
    try {
      const input = await inputsAt(terminal, options, true);
      const { folder = process.cwd() } = context;
      const { stdinGraceMs = briefly.stdinGraceMs } = config.settings.timeouts ?? {};
      const computer = await createComputer(
        {
          signal,
          timing: { ...(patience.isPartial === true ? onceEach : briefly), stdinGraceMs },
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
        { config, runtime },
      );
      try {
        mustGoOn();
        await startedFor(context, options, { computer, config }, patience);
        // Prints no empty listing for an interrupted command.
        if (patience.isPartial !== true || !computer.status().servers.some(hasStarted)) mustGoOn();
        return await use(computer);
      } finally {
        await computer.close();
      }
    } finally {
      await runtime.close();
    }
  });
}
export async function withAgent<T>(
  context: CommandContext,
  { url = '', office, computer, token, ...recording }: OneShotOptions,
  use: (agent: Agent, computer: string) => Promise<T>,
): Promise<T> {
  const { signal } = context;
  return unlessInterrupted(signal, async (mustGoOn) => {
    const [{ createAgent }, { credentialBy }] = await Promise.all([
      import('../api/agent.ts'),
      import('./entry.ts'),
    ]);
    const agent = await createAgent({
      url,
      ...credentialBy({ ...(token !== undefined && { token }) }),
      office,
      signal,
      record: recordBy(recording),
      ...logBy(context, recording),
      tracing: recording.tracing === true,
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
async function onlyComputer(agent: Agent): Promise<string> {
  const here = (await agent.room()).filter((m) => m.role === 'computer').map((m) => m.name);
  const [name] = here;
  if (name !== undefined && here.length === 1) return name;
  throw new A2cError({
    code: wireCodes.notFound,
    message: here.length === 0 ? 'No computer is in this office' : 'Several computers are in this office',
    details: { computers: here },
    remedy: here.length === 0 ? 'Start one: a2c computer --url …' : `Choose: --computer ${here.join(' | ')}`,
  });
}
