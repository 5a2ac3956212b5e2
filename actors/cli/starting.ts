import { basename } from 'node:path';
import type { Config } from '../../machines/config/parse.ts';
import type { Computer } from '../api/computer-handle.ts';
import type { ServerStatus } from '../servers/server-handle.ts';
import { deferred } from '../kernel/listeners.ts';
import type { CommandContext } from './context.ts';

/**
 * Boot time 0 of a one-shot command: the computer opens at once, and the command itself waits for servers and shows
 * that.
 */
export const atOnce = { bootMs: 0 } as const;
/**
 * States of a server that is starting for the first time or stopping from that; only the end of them tells how the
 * start went.
 */
const onTheWay: ReadonlySet<ServerStatus['state']> = new Set(['connecting', 'recovering', 'closing']);
/** Programs that download a package before they run it. */
const fetching: ReadonlySet<string> = new Set(['npx', 'npm', 'pnpm', 'yarn', 'bunx', 'uvx', 'uv', 'pipx']);
const tickMs = 1_000;

export interface Patience {
  /** Longest wait for servers in ms; without it the wait lasts until each server is up or has failed. */
  readonly ms?: number | undefined;
  /** Tells whether to stop waiting for servers, because the wanted one is ready. */
  readonly isEnough?: (computer: Computer) => Promise<boolean>;
  /** Tells that each server is printed as it changes, so that no line about the wait is needed. */
  readonly isShown?: boolean;
  /** Hears of each server once, when it is up or has failed; the wait includes this function. */
  readonly onSettled?: (computer: Computer, server: ServerStatus, times: StartTimes) => Promise<void>;
}

/** Milliseconds until each server was ready, by server name; a server that never was ready is missing. */
export type StartTimes = ReadonlyMap<string, number>;

const installerOf = (config: Config, name: string): string | undefined => {
  const server = config.servers.find((s) => s.name === name);
  const command =
    server?.kind === 'stdio' ? basename(server.launch.command).replace(/\.(cmd|exe)$/i, '') : '';
  return fetching.has(command) ? command : undefined;
};
const nameOf = (name: string, config: Config): string => {
  const installer = installerOf(config, name);
  return installer === undefined ? name : `${name} (${installer} may be downloading it)`;
};
const meterOf = (pending: readonly ServerStatus[], config: Config, seconds: number): string => {
  const names = pending.map(({ name }) => nameOf(name, config));
  // Reasons come last, because a line that is too long for its terminal is cut.
  const whys = pending.flatMap(({ name, reason }) =>
    reason === undefined ? [] : [pending.length === 1 ? reason : `${name} ${reason}`],
  );
  return [`waiting for ${names.join(', ')}: ${seconds} s`, ...whys].join('; ');
};

/**
 * Waits until each wanted server is up or has failed once, `isEnough` is true, time is over, or Ctrl-C comes. A server
 * fails at the latest after its `connectMs`. The last terminal line names the servers waited for, and for how long.
 */
export async function untilStarted(
  { terminal, signal }: CommandContext,
  computer: Computer,
  config: Config,
  { ms, isEnough = () => Promise.resolve(false), isShown = false, onSettled }: Patience = {},
): Promise<StartTimes> {
  const startedAt = performance.now();
  const times = new Map<string, number>();
  /** Names of servers that have come up or failed once; their later attempts are not waited for. */
  const settled = new Set<string>();
  const told = new Map<string, Promise<void>>();
  const settle = (name: string, state: ServerStatus['state']): void => {
    if (state === 'ready' && !times.has(name)) times.set(name, performance.now() - startedAt);
    if (!onTheWay.has(state)) settled.add(name);
  };
  const pending = (): ServerStatus[] => {
    const all = computer.servers();
    for (const { name, state } of all) settle(name, state);
    for (const server of all)
      if (onSettled && settled.has(server.name) && !told.has(server.name))
        told.set(server.name, onSettled(computer, server, times));
    return all.filter(({ name }) => !settled.has(name));
  };
  const { promise, resolve } = deferred();
  const look = async (): Promise<void> => {
    const waitsFor = pending();
    if (waitsFor.length === 0 || (await isEnough(computer))) return resolve();
    if (!isShown)
      terminal.meter(meterOf(waitsFor, config, Math.floor((performance.now() - startedAt) / 1_000)));
  };
  const stops = [
    computer.on('server.changed', ({ name, state }) => {
      settle(name, state);
      void look();
    }),
    computer.on('tools.changed', () => void look()),
    computer.on('computer.changed', ({ state }) => state === 'closed' && resolve()),
  ];
  const ticking = setInterval(() => void look(), tickMs);
  const over = ms === undefined ? undefined : setTimeout(resolve, ms);
  signal.addEventListener('abort', () => resolve(), { once: true });
  if (signal.aborted) resolve();
  await look();
  await promise;
  clearInterval(ticking);
  clearTimeout(over);
  for (const stop of stops) stop();
  if (!isShown) terminal.meter(null);
  await Promise.all(told.values());
  return times;
}
/** Longest wait in ms for all servers, in commands that list something. */
const listingMs = 30_000;
/** Line that names the servers still starting and how to wait longer; undefined when there is none. */
export function lateLine(servers: readonly ServerStatus[], config: Config, ms: number): string | undefined {
  const late = servers.filter(({ state }) => onTheWay.has(state)).map(({ name }) => nameOf(name, config));
  if (late.length === 0) return undefined;
  return `not started within ${ms / 1_000} s: ${late.join(', ')}; --boot SECONDS waits longer`;
}
export const listingMsOf = (options: { readonly boot?: number }, config: Config): number =>
  bootMsOf(options, config) ?? listingMs;
/** Returns the longest wait for servers in ms, from `--boot` or the config; undefined = no limit. */
export const bootMsOf = ({ boot }: { readonly boot?: number }, { settings }: Config): number | undefined =>
  boot === undefined ? settings.timeouts?.bootMs : boot * 1_000;
/** Tells whether a server has this tool, under its exposed or its original name. */
export const hasTool =
  (tool: string) =>
  async (computer: Computer): Promise<boolean> =>
    (await computer.tools()).tools.some(({ name, original }) => name === tool || original === tool);
