import { basename } from 'node:path';
import { isAlone } from '../../adapters/index.ts';
import { packageOf } from '../../machines/config/package-of.ts';
import { stateWords } from '../../machines/server-states.ts';
import type { Config } from '../../machines/config/parse.ts';
import type { Computer } from '../api/computer-handle.ts';
import type { ServerStatus } from '../servers/server-handle.ts';
import { deferred } from '../kernel/listeners.ts';
import type { CommandContext } from './context.ts';

/**
 * Boot time 0 for a one-shot command: the computer opens at once, and the command itself waits for servers and shows what it
 * waits for.
 */
export const atOnce = { bootMs: 0 } as const;
/**
 * Delays of a host that lists something of its servers once and then ends. A server that ends is not restarted while the
 * command waits, because the list shows why it ended.
 */
export const onceEach = { ...atOnce, backoffMs: 120_000 } as const;
/**
 * States of a server whose first start, or stop during that start, is not over, so that its result is not known. `authorizing`
 * ends by itself; a server that waits for a person is `unauthorized`.
 */
const onTheWay: ReadonlySet<ServerStatus['state']> = new Set([
  'connecting',
  'authorizing',
  'recovering',
  'closing',
]);
/** Tells whether a server is up or has failed. */
export const hasStarted = ({ state }: Pick<ServerStatus, 'state'>): boolean => !onTheWay.has(state);
const tickMs = 1_000;

/** Host whose servers are waited for. */
export type StartingHost = Pick<Computer, 'servers' | 'tools' | 'on'>;
export interface Patience<Host extends StartingHost = Computer> {
  /** Longest wait for servers in ms; without it the wait lasts until each server is up or has failed. */
  readonly ms?: number | undefined;
  /** Tells whether to stop waiting for servers, because the wanted one is ready. */
  readonly isEnough?: (computer: Host) => Promise<boolean>;
  /** Leaves out the line about the wait, for a program that reads the screen. */
  readonly isQuiet?: boolean;
  /** Function that finds the downloads that servers wait for; the time limit of such a server begins after its download. */
  readonly downloads?: Downloads;
  /** Called for each server once, when it is up or has failed; the wait also lasts until this function has ended. */
  readonly onSettled?: (computer: Host, server: ServerStatus, times: StartTimes) => Promise<void>;
  /** Called when the wait lasts long, to show what is known then, and again when more servers are up or have failed. */
  readonly onSlow?: (computer: Host) => Promise<void>;
}

/** Milliseconds until each server was ready, by server name; a server that never was ready is missing. */
export type StartTimes = ReadonlyMap<string, number>;

/** Package that a server waits for, and the program such as `npx` that downloads it. */
interface Download {
  readonly installer: string;
  readonly of: string;
}
/** Time in ms for which a package is assumed to be downloading where nothing shows that its program runs. */
const downloadMs = 120_000;
/** Names of installers that run the program themselves, so that no process of the program shows when the download is over. */
const runThemselves: ReadonlySet<string> = new Set(['docker', 'podman', 'deno', 'bun']);
/**
 * Makes a function that finds the download for which a server waits: its installer runs, has started no other program, and
 * has printed nothing. `pidOf` returns the pid of a server's program; `ms` is the time since the start.
 */
export const downloadsOf =
  ({ servers }: Config, pidOf: (server: string) => number | undefined) =>
  ({ name, waits }: ServerStatus, ms: number): Download | undefined => {
    const server = servers.find((each) => each.name === name);
    const pid = waits?.for === 'initialize' && waits.came === '' ? pidOf(name) : undefined;
    if (server?.kind !== 'stdio' || pid === undefined) return undefined;
    const { command, args } = server.launch;
    const of = packageOf(command, args);
    const installer = basename(command).replace(/\.(cmd|exe)$/i, '');
    const hasStarted = isAlone(pid);
    const isSeen = hasStarted === true && !runThemselves.has(installer);
    if (of === undefined || hasStarted === false || (!isSeen && ms >= downloadMs)) return undefined;
    return { installer, of };
  };
type Downloads = ReturnType<typeof downloadsOf>;
const downloading = ({ installer, of }: Download): string => `${installer} downloads ${of}`;

const meterOf = (pending: readonly ServerStatus[], downloads: Downloads, ms: number): string => {
  const names = pending.map((server) => {
    const download = downloads(server, ms);
    return download ? `${server.name} (${downloading(download)})` : server.name;
  });
  // Adds the reasons at the end of the line, because the end is cut when the line is too long for the terminal.
  const whys = pending.flatMap(({ name, reason }) =>
    reason === undefined ? [] : [pending.length === 1 ? reason : `${name} ${reason}`],
  );
  return [`waiting for ${names.join(', ')}: ${secondsIn(ms)} s`, ...whys].join('; ');
};
const secondsIn = (ms: number): number => Math.floor(ms / 1_000);
/** Time in ms after which a pipe gets a line that servers are waited for; a person at a terminal sees that at once. */
const quietMs = 10_000;
/** Time in ms after which an answer is shown in parts. Before that it is shown whole, and in order. */
const slowMs = 2_000;

/** Wait for the servers of one command: the servers, the longest time, and what is shown meanwhile. */
class Wait<Host extends StartingHost> {
  readonly #context: CommandContext;
  readonly #computer: Host;
  readonly #patience: Patience<Host>;
  readonly #startedAt = performance.now();
  /** Names of servers that have come up or failed once. Their later attempts are not waited for. */
  readonly #settled = new Set<string>();
  readonly #told = new Map<string, Promise<void>>();
  /** Last call of `onSlow`: the number of servers that were up or had failed by then, and the promise of the call. */
  #slow = { settled: 0, told: Promise.resolve() };
  /** Times in ms at which each server was last seen to wait for a download. */
  readonly #fetched = new Map<string, number>();
  #hasTold = { quiet: false, longer: false };
  readonly times = new Map<string, number>();
  readonly over = deferred();

  constructor(context: CommandContext, computer: Host, patience: Patience<Host>) {
    this.#context = context;
    this.#computer = computer;
    this.#patience = patience;
  }
  get #ms(): number {
    return performance.now() - this.#startedAt;
  }
  settle(name: string, state: ServerStatus['state']): void {
    if (state === 'ready' && !this.times.has(name)) this.times.set(name, this.#ms);
    if (hasStarted({ state })) this.#settled.add(name);
  }
  /** Reports servers that have settled, and ends the wait when none is left, enough are ready, or time is over. */
  async look(): Promise<void> {
    const { isEnough, isQuiet = false } = this.#patience;
    const pending = this.#pending();
    if (pending.length === 0 || (await isEnough?.(this.#computer)) === true || this.#isLate(pending))
      return this.over.resolve();
    if (!isQuiet) this.#tell(pending);
    if (this.#ms >= slowMs) this.#showParts();
  }
  #showParts(): void {
    const { onSlow } = this.#patience;
    const { settled, told } = this.#slow;
    if (!onSlow || this.#settled.size === settled) return;
    this.#slow = { settled: this.#settled.size, told: told.then(() => onSlow(this.#computer)) };
  }
  #pending(): ServerStatus[] {
    const { onSettled } = this.#patience;
    const all = this.#computer.servers();
    for (const { name, state } of all) this.settle(name, state);
    for (const server of all)
      if (onSettled && this.#settled.has(server.name) && !this.#told.has(server.name))
        this.#told.set(server.name, onSettled(this.#computer, server, this.times));
    return all.filter(({ name }) => !this.#settled.has(name));
  }
  /** Tells whether each pending server has had its time: `ms` since the start, or since the download of its package. */
  #isLate(pending: readonly ServerStatus[]): boolean {
    const { ms: limit, downloads } = this.#patience;
    if (limit === undefined) return false;
    for (const server of pending) if (downloads?.(server, this.#ms)) this.#fetched.set(server.name, this.#ms);
    return pending.every(({ name }) => this.#ms - (this.#fetched.get(name) ?? 0) >= limit);
  }
  #tell(pending: readonly ServerStatus[]): void {
    const { terminal } = this.#context;
    const { ms: limit = Infinity, downloads = () => undefined } = this.#patience;
    const ms = this.#ms;
    terminal.meter(meterOf(pending, downloads, ms));
    const isLonger = ms >= limit && !this.#hasTold.longer;
    const isQuiet = ms >= quietMs && !this.#hasTold.quiet && !terminal.isWatched;
    if (!isLonger && !isQuiet) return;
    this.#hasTold = { quiet: true, longer: ms >= limit };
    terminal.err(`${meterOf(pending, downloads, ms)}${isLonger ? '; Ctrl-C ends the wait' : ''}`);
  }
  /** Resolves when every server that is up or has failed has been reported. */
  async told(): Promise<void> {
    await Promise.all([...this.#told.values(), this.#slow.told]);
  }
}

/**
 * Waits until each wanted server is up or has failed once, `isEnough` is true, time is over, or Ctrl-C comes. A server
 * fails at the latest after its `connectMs`. The last terminal line names the servers waited for, and for how long.
 */
export async function untilStarted<Host extends StartingHost>(
  context: CommandContext,
  computer: Host,
  patience: Patience<Host> = {},
): Promise<StartTimes> {
  const { terminal, signal } = context;
  const { ms } = patience;
  const wait = new Wait(context, computer, patience);
  const look = (): void => void wait.look().catch(wait.over.reject);
  const stop = (): void => wait.over.resolve();
  const stops = [
    computer.on('server.changed', ({ name, state }) => {
      wait.settle(name, state);
      look();
    }),
    computer.on('tools.changed', look),
    computer.on('computer.changed', ({ state }) => state === 'closed' && stop()),
  ];
  const ticking = setInterval(look, tickMs);
  const late = ms === undefined ? undefined : setTimeout(look, ms + 1);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  look();
  try {
    await wait.over.promise;
  } finally {
    clearInterval(ticking);
    clearTimeout(late);
    signal.removeEventListener('abort', stop);
    for (const end of stops) end();
    terminal.meter(null);
  }
  await wait.told();
  return wait.times;
}
/** Longest wait in ms for all servers, in commands that list something. */
const listingMs = 30_000;
/** Result of a wait for servers: how long it was allowed to last, and whether a person ended it. */
interface Waited {
  readonly ms: number;
  readonly isInterrupted: boolean;
  readonly downloads: Downloads;
  /** Makes the command with which a person sees the output of a server. */
  readonly logsOf: (server: string) => string;
}
/** Returns lines that name the servers still starting, why, and what to do; none when all have settled. */
export function lateLines(
  servers: readonly ServerStatus[],
  { ms, isInterrupted, downloads, logsOf }: Waited,
): readonly string[] {
  const late = servers.filter((server) => !hasStarted(server));
  if (late.length === 0) return [];
  return [
    isInterrupted
      ? 'not started when you interrupted:'
      : `not started within ${ms / 1_000} s (--boot SECONDS waits longer):`,
    ...late.map((server) => {
      const download = downloads(server, ms);
      const why = download ? downloading(download) : (server.reason ?? stateWords[server.state]);
      return `  ${server.name}: ${why}${download ? '' : `; what it writes: ${logsOf(server.name)}`}`;
    }),
  ];
}
export const listingMsOf = (options: { readonly boot?: number }, config: Config): number =>
  bootMsOf(options, config) ?? listingMs;
/**
 * Returns the longest wait in ms for the one server of a call: the limit of the call, else the usual one, or the longer time to
 * connect that the config gives that server.
 */
export const aimingMsOf = (options: { readonly boot?: number }, config: Config, limit: number): number => {
  const { settings, servers } = config;
  const given = servers[0]?.settings.timeouts?.connectMs ?? settings.timeouts?.connectMs ?? 0;
  return bootMsOf(options, config) ?? (limit === Infinity ? Math.max(listingMs, given) : limit);
};
/** Returns the longest wait for servers in ms, from `--boot` or the config; undefined = no limit. */
export const bootMsOf = ({ boot }: { readonly boot?: number }, { settings }: Config): number | undefined =>
  boot === undefined ? settings.timeouts?.bootMs : boot * 1_000;
/** Tells whether a server has this tool, under its exposed or its original name. */
export const hasTool =
  (tool: string) =>
  async (computer: Pick<Computer, 'tools'>): Promise<boolean> =>
    (await computer.tools()).tools.some(({ name, original }) => name === tool || original === tool);
