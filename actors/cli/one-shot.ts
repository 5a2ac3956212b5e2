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
import type { Target } from './arguments.ts';
import { mustBeOne } from './named-tool.ts';
import type { CommandContext } from './context.ts';
import { orClosed, unlessInterrupted } from './exit-codes.ts';
import { logsOf, typedHere, remedyAt } from './printing/hints.ts';
import { logLine } from './printing/servers.ts';
import {
  briefly,
  onceEach,
  hasStarted,
  lateLines,
  startMsOf,
  untilStarted,
  type Patience,
  type StartingHost,
} from './starting.ts';
import { A2cError } from '../kernel/errors.ts';
import { fingerprintOf, rulesOf } from '../plans/plan.ts';
import type { OutputLine } from '../servers/server-output.ts';
import { defaultStateDir } from '../../adapters/host-files.ts';
import { readCached } from '../../adapters/storage/catalogs.ts';
import { buildTable, findTool, isUsable, type ToolTable } from '../../machines/catalog/tool-table.ts';
import type { Lists, Tool } from '../../machines/catalog/entries.ts';
import type { Config } from '../../machines/config/parse.ts';
import { mistakeLine } from '../../machines/config/mistake.ts';
import type { ServerConfig } from '../../machines/config/schemas.ts';
import { wireCodes, type Failure } from '../../machines/protocol/failure.ts';
import type { Fields } from '../../machines/protocol/json.ts';
import { nearest } from '../../machines/text.ts';

export interface OneShotOptions extends SourceOptions, RecordingOptions, PeerOptions {
  readonly onOutput?: (server: string, line: OutputLine) => void;
}

export interface OneShotPatience<Host extends StartingHost = Computer> extends Patience<Host> {
  /** One server is needed, known to have the tool; the command itself reports when it does not start. */
  readonly isAiming?: boolean;
  /** Ctrl-C ends only the wait, after which the command shows what is known by then. */
  readonly isPartial?: boolean;
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
      const input = inputsAt(terminal, options, true);
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
interface Awaited {
  readonly computer: StartingHost;
  readonly config: Config;
}
export async function startedFor<Host extends StartingHost>(
  context: CommandContext,
  options: SourceOptions,
  { computer, config }: Awaited & { readonly computer: Host },
  patience: OneShotPatience<Host>,
): Promise<void> {
  const { signal, terminal } = context;
  const { isAiming = false, isPartial = false } = patience;
  const ms = startMsOf(options, config, patience.ms);
  await untilStarted(context, computer, { ...patience, ms });
  const isOver = signal.aborted && (!isPartial || !computer.status().servers.some(hasStarted));
  if (isAiming || isOver) return;
  const logs = (server: string): string => logsOf(options, server);
  const waited = { ms, isInterrupted: signal.aborted, logsOf: logs };
  for (const line of lateLines(computer.status().servers, waited)) terminal.err(line);
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

interface Needed {
  readonly config: Config;
  readonly tool: string;
}

/** Lists of the last runs; of a server that never ran they are empty. */
const lastLists = (config: Config): Promise<readonly (readonly [string, Lists])[]> =>
  Promise.all(
    enabled(config).map(async (server) => {
      const cached = await readCached(defaultStateDir(), fingerprintOf(server));
      return [server.name, cached?.lists ?? {}] as const;
    }),
  );
/** Only the server that listed it in its last run, where it was one alone. */
export async function listedBy(config: Config, uri: string): Promise<Config> {
  const owners = (await lastLists(config)).filter(([, { resources = [] }]) =>
    resources.some((each) => each.uri === uri),
  );
  return owners.length === 1
    ? only(
        config,
        owners.map(([name]) => name),
      )
    : config;
}
export const enabled = ({ servers }: Config): readonly ServerConfig[] => servers.filter((s) => !s.disabled);
const only = (config: Config, names: readonly string[]): Config => ({
  ...config,
  servers: config.servers.filter(({ name }) => names.includes(name)),
});

export const tableOf = (config: Config, tools: Readonly<Record<string, readonly Tool[]>>): ToolTable =>
  buildTable(
    enabled(config).map((server) => rulesOf(server, config.settings, null)),
    tools,
  );

/** Throws 404 for an unknown name, and the mistake for an entry that was left out. */
export function serverNamed(config: Config, name: string): ServerConfig {
  const found = config.servers.find((server) => server.name === name);
  if (found) return found;
  const wrong = config.leftOut?.find((server) => server.name === name);
  if (wrong)
    throw new A2cError({
      code: 'ConfigInvalid',
      message: wrong.mistakes.map((mistake) => mistakeLine(mistake, config.file)).join('\n'),
      details: { server_name: name },
      remedy: 'Fix its entry; the other servers are not touched by it.',
    });
  const close = nearest(
    name,
    config.servers.map((server) => server.name),
  );
  throw unknown(`No server '${name}' in the config`, { server_name: name }, close, 'a2c list');
}
/** `list` is the command that lists the right names. */
export const unknown = (
  message: string,
  details: Fields,
  close: readonly string[],
  list: string,
  code: Failure['code'] = wireCodes.notFound,
): A2cError =>
  new A2cError({
    code,
    message,
    details: { ...details, nearest: close },
    remedy: close.length > 0 ? `Did you mean ${close.join(', ')}?` : `List them: ${list}`,
  });
/** Throws also when the server is disabled. */
export function onlyServer(config: Config, name: string): Config {
  if (!serverNamed(config, name).disabled) return only(config, [name]);
  throw new A2cError({
    code: 'ServerNotActive',
    message: `Server '${name}' is disabled in the config`,
    details: { server_name: name, state: 'disabled' },
    remedy: `Enable it: a2c enable ${name}`,
  });
}
/** Undefined when no server is known to have the tool; throws where a known name is very similar. */
export async function neededFor(
  options: Pick<OneShotOptions, 'config'>,
  config: Config,
  { server, tool }: Target,
  command: 'call' | 'tools' = 'call',
): Promise<Needed | undefined> {
  if (server !== undefined) return { config: onlyServer(config, server), tool };
  const last = Object.fromEntries(
    (await lastLists(config)).flatMap(([name, { tools }]) => (tools ? [[name, tools.filter(isUsable)]] : [])),
  );
  const table = tableOf(config, last);
  const { byName, refused } = table;
  const entry = findTool(table, tool);
  if (entry) {
    mustBeOne(options, entry, tool, refused, command);
    return { config: only(config, [entry.server]), tool: entry.tool.name };
  }
  if (enabled(config).length < 2) return { config, tool };
  const owned = Object.entries(last).flatMap(([name, tools]) => tools.map((one) => `${name}.${one.name}`));
  const close = nearest(tool, [...Object.keys(byName), ...owned, ...config.servers.map(({ name }) => name)]);
  if (close.length === 0) return undefined;
  throw new A2cError({
    code: wireCodes.toolNotFound,
    message: `No tool '${tool}' was listed by any server in its last run; nothing was started`,
    details: { tool_name: tool, nearest: close },
    remedy: `Did you mean ${close.join(', ')}? List the tools: ${typedHere(options, 'tools')}. A tool that is new is named with its server: SERVER.${tool}`,
  });
}
