import { systemClock } from '../../adapters/clock.ts';
import type { ServerStatus } from '../servers/server-handle.ts';
import type { Config } from '../../machines/config/parse.ts';
import type { ServerConfig } from '../../machines/config/schemas.ts';
import { isRunner } from '../../machines/secrets/secret-rules.ts';
import { stateWords } from '../../machines/server-states.ts';
import type { Computer } from '../api/computer-handle.ts';
import type { CallHost } from '../door/caller.ts';
import { deferred } from '../kernel/listeners.ts';
import type { CommandContext } from './context.ts';
import type { SourceOptions } from './options.ts';
import { logsOf } from './printing/hints.ts';

/** The computer opens at once; the command itself waits for servers and shows what it waits for. */
export const atOnce = { bootMs: 0 } as const;
/** Somebody waits for the end of the command, and many servers stay when their stdin is closed. */
export const briefly = { ...atOnce, stdinGraceMs: 500 } as const;
/** A server that ends is not restarted while the command waits: the list shows why it ended. */
export const onceEach = { ...briefly, backoffMs: 120_000 } as const;
/** `authorizing` ends by itself; a server that waits for a person is `unauthorized`. */
const onTheWay: ReadonlySet<ServerStatus['state']> = new Set([
  'connecting',
  'authorizing',
  'recovering',
  'closing',
]);
export const hasStarted = ({ state }: Pick<ServerStatus, 'state'>): boolean => !onTheWay.has(state);
const tickMs = 1_000;
/** Time in ms after which a pipe gets a line that servers are waited for; a person at a terminal sees that at once. */
const quietMs = 10_000;
/** Enough also for most packages that `npx` or `uvx` downloads first; `listMs` where none does. */
export const usualMs = 60_000;
const listMs = 30_000;

export type StartingHost = Pick<CallHost, 'status' | 'tools' | 'on'>;
export interface Patience<Host extends StartingHost = Computer> {
  /** In ms; without it the wait lasts until each server is up or has failed. */
  readonly ms?: number | undefined;
  /** Ends the wait, because the wanted server is ready. */
  readonly isEnough?: (computer: Host) => Promise<boolean>;
  readonly isQuiet?: boolean;
}

function meterOf(pending: readonly ServerStatus[], ms: number): string {
  const names = pending.map(({ name }) => name).join(', ');
  // Adds the reasons at the end of the line, because the end is cut when the line is too long for the terminal.
  const whys = pending.flatMap(({ name, reason }) =>
    reason === undefined ? [] : [pending.length === 1 ? reason : `${name} ${reason}`],
  );
  return [`waiting for ${names}: ${Math.floor(ms / 1_000)} s`, ...whys].join('; ');
}

/** Until each server is up or has failed once, for `ms` at most. The last terminal line names what is waited for. */
export async function untilStarted<Host extends StartingHost>(
  { terminal, signal }: CommandContext,
  computer: Host,
  { ms, isEnough, isQuiet = false }: Patience<Host> = {},
): Promise<void> {
  const startedAt = performance.now();
  const settled = new Set<string>();
  const over = deferred();
  let hasTold = false;
  const look = async (): Promise<void> => {
    for (const server of computer.status().servers) if (hasStarted(server)) settled.add(server.name);
    const pending = computer.status().servers.filter(({ name }) => !settled.has(name));
    const spentMs = performance.now() - startedAt;
    if (pending.length === 0 || spentMs >= (ms ?? Infinity) || (await isEnough?.(computer)) === true)
      return over.resolve();
    if (isQuiet) return;
    terminal.meter(meterOf(pending, spentMs));
    if (hasTold || terminal.isWatched || spentMs < quietMs) return;
    hasTold = true;
    terminal.err(meterOf(pending, spentMs));
  };
  const lookNow = (): void => void look().catch(over.reject);
  const stop = (): void => over.resolve();
  const stops = [
    computer.on('server.changed', (server) => {
      if (hasStarted(server)) settled.add(server.name);
      lookNow();
    }),
    computer.on('tools.changed', lookNow),
    computer.on('computer.changed', ({ state }) => state === 'closed' && stop()),
  ];
  const ticking = setInterval(lookNow, tickMs);
  const late = ms === undefined ? undefined : systemClock.setTimeout(lookNow, ms + 1);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  lookNow();
  try {
    await over.promise;
  } finally {
    clearInterval(ticking);
    systemClock.clearTimeout(late);
    signal.removeEventListener('abort', stop);
    for (const end of stops) end();
    terminal.meter(null);
  }
}
interface Waited {
  readonly ms: number;
  readonly isInterrupted: boolean;
  readonly logsOf: (server: string) => string;
}
export function lateLines(
  servers: readonly ServerStatus[],
  { ms, isInterrupted, logsOf }: Waited,
): readonly string[] {
  const late = servers.filter((server) => !hasStarted(server));
  if (late.length === 0) return [];
  return [
    isInterrupted
      ? 'not started when you interrupted:'
      : `not started within ${ms / 1_000} s (--boot SECONDS waits longer):`,
    ...late.map(
      ({ name, state, reason = stateWords[state] }) =>
        `  ${name}: ${reason}; what it writes: ${logsOf(name)}`,
    ),
  ];
}
/** A call has its own limit; the others wait by `--boot` or the config. */
export const startMsOf = (options: { readonly boot?: number }, config: Config, limitMs?: number): number =>
  limitMs ?? bootMsOf(options, config) ?? (config.servers.some(downloads) ? usualMs : listMs);
const downloads = (server: ServerConfig): boolean =>
  server.kind === 'stdio' && !server.disabled && isRunner(server.launch.command);
/** From `--boot` or the config; undefined = no limit. */
export const bootMsOf = ({ boot }: { readonly boot?: number }, { settings }: Config): number | undefined =>
  boot === undefined ? settings.timeouts?.bootMs : boot * 1_000;
export const hasTool =
  (tool: string) =>
  async (computer: Pick<Computer, 'tools'>): Promise<boolean> =>
    (await computer.tools()).tools.some(({ name, original }) => name === tool || original === tool);

export interface OneShotPatience<Host extends StartingHost = Computer> extends Patience<Host> {
  /** One server is needed, known to have the tool; the command itself reports when it does not start. */
  readonly isAiming?: boolean;
  /** Ctrl-C ends only the wait, after which the command shows what is known by then. */
  readonly isPartial?: boolean;
}
export async function startedFor<Host extends StartingHost>(
  context: CommandContext,
  options: SourceOptions,
  { computer, config }: { readonly computer: Host; readonly config: Config },
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
