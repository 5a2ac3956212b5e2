import { basename } from 'node:path';
import type { Config } from '../../machines/config/parse.ts';
import type { Computer } from '../api/computer-handle.ts';
import type { ServerStatus } from '../servers/server-handle.ts';
import { deferred } from '../kernel/listeners.ts';
import type { CommandContext } from './context.ts';

/** One-shot commands open at once, and wait for servers here, where the wait can be shown. */
export const atOnce = { bootMs: 0 } as const;
/** On its way up for the first time, or on its way down from that: only at its end it is known how it ended. */
const onTheWay: ReadonlySet<ServerStatus['state']> = new Set(['connecting', 'recovering', 'closing']);
/** Programs that fetch a package before they run it. */
const fetching: ReadonlySet<string> = new Set(['npx', 'npm', 'pnpm', 'yarn', 'bunx', 'uvx', 'uv', 'pipx']);
const tickMs = 1_000;

export interface Patience {
  /** Waited for no longer, in ms; without it until each is up or has failed. */
  readonly ms?: number | undefined;
  /** Ends the wait as soon as the wanted server is there. */
  readonly isEnough?: (computer: Computer) => Promise<boolean>;
  /** Each server is shown as it changes: no last line says who is waited for. */
  readonly isShown?: boolean;
  /** Hears of each server once, when it is up or has failed. It is waited for. */
  readonly onSettled?: (computer: Computer, server: ServerStatus, times: StartTimes) => Promise<void>;
}

/** ms until a server was ready, by its name; a server that never was is not in it. */
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
  // Last, because a line that is too long for its terminal is cut.
  const whys = pending.flatMap(({ name, reason }) =>
    reason === undefined ? [] : [pending.length === 1 ? reason : `${name} ${reason}`],
  );
  return [`waiting for ${names.join(', ')}: ${seconds} s`, ...whys].join('; ');
};

/**
 * Until each server that is wanted is up or has failed once, `isEnough` says so, time is over, or Ctrl-C comes. A server
 * fails at the latest by its `connectMs`. At a terminal the last line says who is waited for, and how long already.
 */
export async function untilStarted(
  { terminal, signal }: CommandContext,
  computer: Computer,
  config: Config,
  { ms, isEnough = () => Promise.resolve(false), isShown = false, onSettled }: Patience = {},
): Promise<StartTimes> {
  const startedAt = performance.now();
  const times = new Map<string, number>();
  /** Names of servers that have come up or failed once. Later tries are not waited for. */
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
/** A command that shows what there is waits so long for all of it. */
const listingMs = 30_000;
/** Names the servers that still start, and how to wait longer; undefined: there is none. */
export function lateLine(servers: readonly ServerStatus[], config: Config, ms: number): string | undefined {
  const late = servers.filter(({ state }) => onTheWay.has(state)).map(({ name }) => nameOf(name, config));
  if (late.length === 0) return undefined;
  return `not started within ${ms / 1_000} s: ${late.join(', ')}; --boot SECONDS waits longer`;
}
export const listingMsOf = (options: { readonly boot?: number }, config: Config): number =>
  bootMsOf(options, config) ?? listingMs;
/** `--boot`, or what the config says; without both as long as it takes. */
export const bootMsOf = ({ boot }: { readonly boot?: number }, { settings }: Config): number | undefined =>
  boot === undefined ? settings.timeouts?.bootMs : boot * 1_000;
/** Somebody has this tool, under this name or its own. */
export const hasTool =
  (tool: string) =>
  async (computer: Computer): Promise<boolean> =>
    (await computer.tools()).tools.some(({ name, original }) => name === tool || original === tool);
