import { basename } from 'node:path';
import { isAlone } from '../../adapters/index.ts';
import { packageOf } from '../../machines/config/package-of.ts';
import { stateWords } from '../../machines/server-states.ts';
import type { Config } from '../../machines/config/parse.ts';
import type { Computer } from '../api/computer-handle.ts';
import type { ServerStatus } from '../servers/server-handle.ts';
import { deferred } from '../kernel/listeners.ts';
import type { CommandContext } from './context.ts';

/** The computer opens at once; the command itself waits for servers and shows what it waits for. */
export const atOnce = { bootMs: 0 } as const;
/** A server that ends is not restarted while the command waits: the list shows why it ended. */
export const onceEach = { ...atOnce, backoffMs: 120_000 } as const;
/** `authorizing` ends by itself; a server that waits for a person is `unauthorized`. */
const onTheWay: ReadonlySet<ServerStatus['state']> = new Set([
  'connecting',
  'authorizing',
  'recovering',
  'closing',
]);
export const hasStarted = ({ state }: Pick<ServerStatus, 'state'>): boolean => !onTheWay.has(state);
const tickMs = 1_000;

export type StartingHost = Pick<Computer, 'servers' | 'tools' | 'on'>;
export interface Patience<Host extends StartingHost = Computer> {
  /** In ms; without it the wait lasts until each server is up or has failed. */
  readonly ms?: number | undefined;
  /** Ends the wait, because the wanted server is ready. */
  readonly isEnough?: (computer: Host) => Promise<boolean>;
  readonly isQuiet?: boolean;
  /** The time limit of a server begins after its download. */
  readonly downloads?: Downloads;
  /** Once for each server, when it is up or has failed; the wait lasts until this function has ended. */
  readonly onSettled?: (computer: Host, server: ServerStatus, times: StartTimes) => Promise<void>;
  /** When the wait lasts long, and again when more servers are up or have failed. */
  readonly onSlow?: (computer: Host) => Promise<void>;
}

/** In ms, by server name; a server that never was ready is missing. */
export type StartTimes = ReadonlyMap<string, number>;

/** Package that a server waits for, and the program such as `npx` that downloads it. */
interface Download {
  readonly installer: string;
  readonly of: string;
}
/** Time in ms for which a package is assumed to be downloading where nothing shows that its program runs. */
const downloadMs = 120_000;
/** These installers run the program themselves: no process of it shows when the download is over. */
const runThemselves: ReadonlySet<string> = new Set(['docker', 'podman', 'deno', 'bun']);
/** The installer runs, has started no other program and printed nothing; `ms` is since the start. */
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

class Wait<Host extends StartingHost> {
  readonly #context: CommandContext;
  readonly #computer: Host;
  readonly #patience: Patience<Host>;
  readonly #startedAt = performance.now();
  /** Up or failed once; their later attempts are not waited for. */
  readonly #settled = new Set<string>();
  readonly #told = new Map<string, Promise<void>>();
  /** The number of servers that had settled at the last `onSlow`, and the promise of that call. */
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
  /** `ms` since the start, or since the download of the package. */
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

/** A server fails at the latest after its `connectMs`. The last terminal line names what is waited for. */
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
/** For all servers, in commands that list something. */
const listingMs = 30_000;
interface Waited {
  readonly ms: number;
  readonly isInterrupted: boolean;
  readonly downloads: Downloads;
  readonly logsOf: (server: string) => string;
}
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
/** The limit of the call, else the usual one, or the longer time to connect in the config. */
export const aimingMsOf = (options: { readonly boot?: number }, config: Config, limit: number): number => {
  const { settings, servers } = config;
  const given = servers[0]?.settings.timeouts?.connectMs ?? settings.timeouts?.connectMs ?? 0;
  return bootMsOf(options, config) ?? (limit === Infinity ? Math.max(listingMs, given) : limit);
};
/** From `--boot` or the config; undefined = no limit. */
export const bootMsOf = ({ boot }: { readonly boot?: number }, { settings }: Config): number | undefined =>
  boot === undefined ? settings.timeouts?.bootMs : boot * 1_000;
export const hasTool =
  (tool: string) =>
  async (computer: Pick<Computer, 'tools'>): Promise<boolean> =>
    (await computer.tools()).tools.some(({ name, original }) => name === tool || original === tool);
