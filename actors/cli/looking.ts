/** Commands that look at the servers of a config: `doctor`, `status` and `logs`. */
import type {
  jsonOption,
  LogsWords,
  OptionsOf,
  RecordingOptions,
  SourceOptions,
  StatusWords,
} from './options.ts';
import { failureOf } from '../kernel/errors.ts';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import type { Computer } from '../api/computer-handle.ts';
import { untilAborted, type CommandContext } from './context.ts';
import { exitCodeOf, exitCodeAtEnd, hasUsable } from './exit-codes.ts';
import { withComputer } from './one-shot.ts';
import { onlyServer } from './named-server.ts';
import { countOf, toolsText } from './printing/contents.ts';
import {
  incidentLines,
  conflictSummary,
  isRefusing,
  logLine,
  loginLines,
  serverLine,
  whyText,
} from './printing/servers.ts';
import { mayStart, readSource, configOf } from './source.ts';
import type { ServerStatus } from '../servers/server-handle.ts';
import type { OutputLine } from '../servers/server-output.ts';
import { version, xstateVersion } from '../../machines/version.ts';
import { columnsOf } from '../../adapters/terminal/typed-line.ts';
import { defaultStateDir } from '../../adapters/host-files.ts';
import { userConfigFile } from '../../adapters/applications/config-files.ts';
import type { Config } from '../../machines/config/parse.ts';
import { shortStateWords } from '../../machines/server-states.ts';

type DoctorOptions = SourceOptions & OptionsOf<typeof jsonOption>;
type StatusOptions = SourceOptions & RecordingOptions & StatusWords;
type LogsOptions = SourceOptions & RecordingOptions & LogsWords;
const marks = { ok: 'ok     ', warning: 'warning', wrong: 'WRONG  ' } as const;

/** Exit code 1 when something is wrong. */
export async function doctor(context: CommandContext, options: DoctorOptions): Promise<number> {
  const { terminal, signal } = context;
  const checks: CheckResult[] = [];
  const add = (some: readonly CheckResult[]): void => {
    checks.push(...some);
    if (options.json) return;
    for (const { what, state, found, remedy } of some) {
      for (const line of `${marks[state]}  ${what}: ${found.replaceAll('\n', '\n           ')}`.split('\n'))
        terminal.out(line);
      if (remedy !== undefined) terminal.out(`           ${remedy}`);
    }
  };
  add([
    { what: 'Node', state: 'ok', found: `${process.versions.node} at ${process.execPath}` },
    {
      what: 'a2c',
      state: 'ok',
      found: `${version}, XState ${xstateVersion}, ${process.platform} ${process.arch}`,
    },
  ]);
  add([folderCheck()]);
  const config = await configChecks(context, options, add);
  if (config) await serverChecks(context, options, config, add);
  const wrong = checks.filter(({ state }) => state === 'wrong').length;
  const told = wrong === 1 ? '1 thing is wrong' : `${wrong} things are wrong`;
  const isFine = wrong === 0;
  if (options.json) terminal.out(JSON.stringify({ checks }));
  else terminal.out(isFine ? 'nothing is wrong' : told);
  return exitCodeOf(signal, isFine);
}
function folderCheck(): CheckResult {
  const what = 'state folder';
  const found = defaultStateDir();
  try {
    if (!existsSync(found)) return { what, state: 'ok', found };
    accessSync(found, constants.W_OK);
    const isOpen = process.platform !== 'win32' && (statSync(found).mode & 0o022) !== 0;
    if (!isOpen) return { what, state: 'ok', found };
    const remedy = `chmod go-w ${found}`;
    return { what, state: 'warning', found: `${found} may be written by others`, remedy };
  } catch (error) {
    const remedy = 'Make it writable, or set XDG_STATE_HOME.';
    return { what, state: 'wrong', found: `${found}: ${(error as Error).message}`, remedy };
  }
}

async function configChecks(
  context: CommandContext,
  options: DoctorOptions,
  add: (checks: readonly CheckResult[]) => void,
): Promise<Config | undefined> {
  const what = 'config';
  try {
    const source = await readSource(context, options);
    const { file, config } = source;
    const servers = `${countOf(config.servers.length, 'server')}, ${countOf(config.inputs.length, 'input')}`;
    add([
      {
        what,
        state: 'ok',
        found:
          file === undefined
            ? `none; ${userConfigFile()} would be the one of this user`
            : `${file}: ${servers}`,
      },
    ]);
    add(config.warnings.map((found) => ({ what, state: 'warning', found })));
    if (file !== undefined) add(modeCheck(file, config));
    await mayStart(context, source, options);
    return config;
  } catch (error) {
    const { message, remedy } = failureOf(error);
    add([{ what, state: 'wrong', found: message, ...(remedy !== undefined && { remedy }) }]);
    return undefined;
  }
}
function modeCheck(file: string, { servers }: Config): CheckResult[] {
  if (process.platform === 'win32') return [];
  const isPlain = (text: string): boolean => !/^\$\{(input|env):/.test(text);
  const secrets = servers.flatMap((server) => {
    const held =
      server.kind === 'stdio' ? server.launch.env : 'remote' in server ? server.remote.headers : null;
    return Object.entries(held ?? {}).filter(
      ([key, value]) => /token|key|secret|password|auth/i.test(key) && isPlain(value),
    );
  });
  const isReadable = (statSync(file).mode & 0o044) !== 0;
  if (secrets.length === 0 || !isReadable) return [];
  return [
    {
      what: 'config',
      state: 'warning',
      found: `${file} may be read by others and holds what look like secrets (${secrets.map(([key]) => key).join(', ')})`,
      remedy: `chmod 600 ${file}, or write \${input:…} in their places`,
    },
  ];
}
function serverCheck(options: DoctorOptions, server: ServerStatus, tools: number): CheckResult {
  const what = `server ${server.name}`;
  if (server.state === 'disabled') return { what, state: 'ok', found: 'disabled in its config' };
  // Counts a server with refused tools as right, because each refused tool has a line of its own.
  if (server.state === 'ready' && (server.reason === undefined || isRefusing(server)))
    return { what, state: 'ok', found: `ready, ${toolsText(tools)}` };
  const lines = whyText(server, options).slice(1);
  return {
    what,
    state: server.state === 'ready' ? 'warning' : 'wrong',
    found: [server.reason ?? shortStateWords[server.state], ...lines].join('\n'),
  };
}
async function serverChecks(
  context: CommandContext,
  options: DoctorOptions,
  config: Config,
  add: (checks: readonly CheckResult[]) => void,
): Promise<void> {
  const look = async (computer: Computer): Promise<void> => {
    const listing = await computer.tools();
    const countOf = (name: string): number => listing.tools.filter(({ server }) => server === name).length;
    add(computer.status().servers.map((server) => serverCheck(options, server, countOf(server.name))));
    add(conflictSummary(listing).map((found) => ({ what: 'tools', state: 'warning', found })));
  };
  await withComputer(context, { ...options, office: '' }, config, look, { isPartial: true });
}

interface CheckResult {
  readonly what: string;
  readonly state: 'ok' | 'warning' | 'wrong';
  readonly found: string;
  readonly remedy?: string;
}
/** Exit code 1 where a server is down. */
export async function status(
  context: CommandContext,
  name: string | undefined,
  options: StatusOptions,
): Promise<number> {
  const { signal, terminal } = context;
  if (options.offline) {
    const { list, get } = await import('./config-file.ts');
    return name === undefined ? list(context, options) : get(context, name, options);
  }
  const whole = await configOf(context, options);
  const config = name === undefined ? whole : onlyServer(whole, name);
  const wrote: OutputLine[] = [];
  const show = (computer: Computer): void => {
    const servers = computer.status().servers;
    const width = Math.max(0, ...servers.map((server) => columnsOf(server.name)));
    if (options.json)
      return terminal.out(JSON.stringify({ ...computer.status(), warnings: config.warnings }));
    for (const server of servers)
      for (const line of name === undefined
        ? [serverLine(server, width), ...loginLines(server, options)]
        : [...whyText(server, options), ...wrote.slice(-linesShown).map(logLine)])
        terminal.outText(line);
    if (name !== undefined) return;
    // The line of a server says already that it is down.
    const others = computer.status().incidents.filter(({ kind, isOver }) => isOver || kind !== 'down');
    for (const line of incidentLines(others)) terminal.out(line);
  };
  const isUp = await watched(context, options, config, (_, line) => wrote.push(line), show);
  return options.follow ? exitCodeAtEnd(signal) : exitCodeOf(signal, isUp);
}
/** Number of its latest lines, for a server that was named in the command. */
const linesShown = 20;
/** Whether all its servers are up; with `--follow` what they write goes on until Ctrl-C. */
async function watched(
  context: CommandContext,
  options: SourceOptions & RecordingOptions & { readonly json: boolean; readonly follow: boolean },
  config: Config,
  hear: (server: string, line: OutputLine) => void,
  show: (computer: Computer) => void,
): Promise<boolean> {
  const { signal, terminal } = context;
  const isAiming = config.servers.length === 1;
  let isShown = false;
  const onOutput = (server: string, line: OutputLine): void => {
    if (!isShown || !options.follow) return hear(server, line);
    if (options.json) terminal.out(JSON.stringify({ server, ...line }));
    else terminal.out(`${isAiming ? '' : `${server}  `}${logLine(line)}`);
  };
  const use = async (computer: Computer): Promise<boolean> => {
    const servers = computer.status().servers;
    show(computer);
    isShown = true;
    const isUsable = hasUsable(context, servers);
    const isUp = servers.every(({ state }) => ['ready', 'standby', 'disabled'].includes(state));
    if (!options.follow || !isUsable) return isUsable && isUp;
    terminal.err(`following ${servers.map((server) => server.name).join(', ')}; Ctrl-C ends it`);
    await untilAborted(signal);
    return isUp;
  };
  return withComputer(context, { ...options, office: '', onOutput }, config, use, {
    isPartial: true,
    isAiming,
  });
}

export async function logs(context: CommandContext, name: string, options: LogsOptions): Promise<number> {
  const { signal, terminal } = context;
  const config: Config = onlyServer(await configOf(context, options), name);
  const show = (_: string, line: OutputLine): void =>
    options.json ? terminal.out(JSON.stringify({ server: name, ...line })) : terminal.out(logLine(line));
  const isUp = await watched(context, options, config, show, (computer) => {
    for (const { reason, state } of computer.status().servers)
      if (reason !== undefined && state !== 'ready' && state !== 'standby') terminal.err(reason);
  });
  return options.follow ? exitCodeAtEnd(signal) : exitCodeOf(signal, isUp);
}
