/** Trees of processes on Windows, which has no process groups. */
import { spawn } from 'node:child_process';
import { codeOf } from '../reading.ts';
import type { Launched, Remains } from './launcher.ts';
import { systemProgram, type SystemProgram } from './environment.ts';
import type { TracedGroup } from './reaper/group.ts';

export interface ListedProcess {
  readonly ppid: number;
  readonly pid: number;
  /** In ms since 1970. */
  readonly created: number;
}
/** After its end, its pid may be given to another process. */
export interface Origin {
  readonly pid: number;
  /** In ms since 1970: its creation, or shortly after it. */
  readonly created: number;
  /** In ms since 1970; undefined for a process that may still live. */
  readonly until?: number | undefined;
}
/** Windows has no process groups. None of these rejects or throws. */
export interface WindowsTools {
  taskkill(args: readonly string[]): Promise<boolean>;
  list(): Promise<readonly ListedProcess[] | undefined>;
  answers(pid: number): boolean;
  /** A process that is gone counts as permitted. */
  kill(pid: number): boolean;
}

/** Time limit in ms for listing the processes and for `taskkill`; a slower list would be out of date. */
const programMs = 5_000;
/** Undefined when the program could not be run to its end. Never rejects. */
export type Run = (
  program: SystemProgram,
  args: readonly string[],
) => Promise<{ readonly code: number | null; readonly out: string } | undefined>;

const runSystemProgram: Run = (program, args) =>
  new Promise<Awaited<ReturnType<Run>>>((resolve) => {
    const isHeard = program !== 'taskkill';
    // Detaches `taskkill`, whose output is not read, so that it does its work even if this host ends in the same moment.
    const child = spawn(systemProgram(program), args, {
      stdio: ['ignore', isHeard ? 'pipe' : 'ignore', 'ignore'],
      windowsHide: true,
      detached: !isHeard,
      timeout: programMs,
    });
    let out = '';
    child.stdout?.setEncoding('latin1').on('data', (text: string) => (out += text));
    child.once('error', () => resolve(undefined)).once('close', (code) => resolve({ code, out }));
    child.unref();
  }).catch(() => undefined);

/** Commands that print one line for each process: time of creation, pid of its parent, pid; `wmic` adds blanks. */
const listings: readonly (readonly [SystemProgram, readonly string[]])[] = [
  ['wmic', ['PROCESS', 'get', 'CreationDate,ParentProcessId,ProcessId']],
  // Current Windows lacks `wmic`. A number, because a date would be in the user's calendar.
  [
    'powershell',
    [
      ...['-NoProfile', '-NonInteractive', '-Command'],
      'Get-CimInstance Win32_Process | Where-Object CreationDate | ForEach-Object { [string]$_.CreationDate.ToFileTimeUtc() + [char]32 + $_.ParentProcessId + [char]32 + $_.ProcessId }',
    ],
  ],
];

/** Milliseconds between 1601, where Windows counts from, and 1970. */
const until1970 = 11_644_473_600_000;
/** Reads `20261126165957.497000+060` (minutes east of Greenwich), or a number of 100 ns since 1601. */
export function timeOf(text: string): number {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)\.(\d{3})\d*([+-]\d{3})$/
    .exec(text)
    ?.slice(1)
    .map(Number);
  if (!parts) return Number(text) / 10_000 - until1970;
  const [year = 0, month = 0, day, hour, minute, second, ms, east = 0] = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second, ms) - east * 60_000;
}
const rowsIn = (text: string): readonly ListedProcess[] =>
  [...text.matchAll(/^[ \t]*(\d[\d.+-]*)[ \t]+(\d+)[ \t]+(\d+)[ \t]*$/gm)].map(
    ([, created = '', ppid, pid]) => ({
      ppid: Number(ppid),
      pid: Number(pid),
      created: timeOf(created),
    }),
  );

/** Exit code of `taskkill` for a process that does not exist. */
const noProcess = 128;
const isRefused = (error: unknown): boolean => codeOf(error) === 'EPERM';

/** Calls that come during a run share the next one. */
function inTurn<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  let next: Promise<T> | undefined;
  const begin = (): Promise<T> => {
    next = undefined;
    return (running = run().finally(() => (running = undefined)));
  };
  return () => (running ? (next ??= running.then(begin)) : begin());
}

export const createSystemTools = (run: Run): WindowsTools => ({
  taskkill: async (args) => {
    const ended = await run('taskkill', args);
    return ended?.code === 0 || ended?.code === noProcess;
  },
  list: inTurn(async () => {
    for (const [program, args] of listings) {
      const rows = rowsIn((await run(program, args))?.out ?? '');
      if (rows.length > 0) return rows;
    }
    return undefined;
  }),
  answers: (pid) => {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      return isRefused(error);
    }
  },
  kill: (pid) => {
    try {
      process.kill(pid, 'SIGKILL');
      return true;
    } catch (error) {
      return !isRefused(error);
    }
  },
});
export const systemTools: WindowsTools = createSystemTools(runSystemProgram);

/** Largest difference in ms between the clocks of Node and of the process list. */
export const clockMs = 1_000;
/** Longest time in ms that the start of a process may take, because a virus scanner may check its file first. */
const startMs = 60_000;
/** A later owner of the pid was created after `origin`. */
export const isSame = ({ created }: ListedProcess, origin: Origin): boolean =>
  created <= origin.created + clockMs && created > origin.created - startMs;

/** A child counts only when created in the lifetime of its parent, whose pid may be given to another process. */
export function livingOf(origins: readonly Origin[], rows: readonly ListedProcess[]): ListedProcess[] {
  const listed = new Map(rows.map((row) => [row.pid, row]));
  const found = new Map<number, ListedProcess>();
  const parents = new Map(origins.map((origin) => [origin.pid, origin]));
  for (const { pid, created, until = Infinity } of parents.values()) {
    const row = listed.get(pid);
    const isAlive = row !== undefined && isSame(row, { pid, created });
    if (isAlive) found.set(pid, row);
    const first = isAlive ? row.created : created - clockMs;
    const last = isAlive ? Infinity : Math.min(row?.created ?? Infinity, until + clockMs);
    for (const child of rows) {
      if (child.ppid !== pid || child.created < first || child.created > last || found.has(child.pid))
        continue;
      found.set(child.pid, child);
      // Reads the children of this child later in the same loop. A process that is known keeps its place.
      if (!parents.has(child.pid)) parents.set(child.pid, child);
    }
  }
  return [...found.values()];
}

/** Number of times that processes are listed and ended, because one that has just started is only seen the next time. */
const rounds = 3;
/** Undefined when the processes cannot be listed. */
export type TreesEnded =
  | { readonly ended: readonly ListedProcess[]; readonly left: readonly ListedProcess[] }
  | undefined;
/** Ends none when this process is one of them, as a host in a terminal of its own server is. */
export async function endTrees(
  origins: readonly Origin[],
  { list, kill }: Pick<WindowsTools, 'list' | 'kill'> = systemTools,
  tries = 1,
): Promise<TreesEnded> {
  const ended = new Map<number, ListedProcess & Origin>();
  const refused = new Map<number, ListedProcess>();
  let failed = 0;
  for (let round = 0; ; round += 1) {
    let rows = await list();
    while (!rows && (failed += 1) < tries) rows = await list();
    if (!rows) return undefined;
    const living = livingOf([...origins, ...ended.values()], rows).filter(({ pid }) => !refused.has(pid));
    const isInside = living.some(({ pid }) => pid === process.pid);
    if (living.length === 0 || round === rounds || isInside) {
      for (const { pid } of living) ended.delete(pid);
      return { ended: [...ended.values()], left: [...refused.values(), ...living] };
    }
    for (const row of living)
      if (kill(row.pid)) ended.set(row.pid, { ...row, until: Date.now() });
      else refused.set(row.pid, row);
  }
}

export interface Tree extends Pick<Launched, 'signal' | 'living'> {
  readonly root: TracedGroup;
  remains(): Remains;
  /** Resolves when the other processes are known, or have been ended if that was requested. */
  rootEnded(): Promise<void>;
}
const tracedAs = ({ pid, created }: Origin): TracedGroup => ({ pgid: pid, startTime: String(created) });
export const originOf = ({ pgid, startTime }: TracedGroup, until?: number): Origin => ({
  pid: pgid,
  created: Number(startTime),
  until,
});

/** `taskkill` refuses at times, so the root is ended in any case, and the others by the list of processes. */
export function plantTree(pid: number, killRoot: () => void, tools: WindowsTools = systemTools): Tree {
  const created = Date.now();
  /** Time of the root's end, until which its pid can belong to no other process. */
  let endedAt: number | undefined;
  let looking: Promise<void> | undefined;
  let isDoomed = false;
  /** Descendants that were seen, also those that have ended, because they may have left children. */
  const known = new Map<number, Origin>();
  let living: readonly ListedProcess[] = [];
  let refused: readonly ListedProcess[] = [];

  const origins = (): Origin[] => [{ pid, created, until: endedAt }, ...known.values()];
  const left = (): ListedProcess[] => living.filter((row) => tools.answers(row.pid));
  const look = async (): Promise<void> => {
    const rows = await tools.list();
    if (!rows) return;
    const gone = new Set(refused.map((row) => row.pid)).add(pid);
    living = livingOf(origins(), rows).filter((row) => !gone.has(row.pid));
    for (const row of living) known.set(row.pid, { ...row, until: Date.now() });
  };
  const endRest = async (): Promise<void> => {
    const done = await endTrees(origins(), tools);
    if (!done) return;
    refused = done.left;
    living = [];
  };
  const taskkill = (how: readonly string[], pids: readonly number[]): Promise<boolean> =>
    tools.taskkill([...how, ...pids.flatMap((each) => ['/PID', String(each)])]);
  const ask = (): void => {
    const pids = endedAt === undefined ? [pid] : left().map((row) => row.pid);
    if (pids.length > 0) void taskkill(['/T'], pids);
  };
  const force = async (): Promise<void> => {
    if (endedAt !== undefined) return endRest();
    if (!(await taskkill(['/T', '/F'], [pid]))) await look();
    if (endedAt === undefined) killRoot();
  };
  return {
    root: tracedAs({ pid, created }),
    living: () => (endedAt === undefined ? 1 : 0) + left().length,
    remains: () => ({ living: left().map(tracedAs), refused: refused.map((row) => row.pid) }),
    rootEnded: () => {
      endedAt = Date.now();
      looking = (isDoomed ? endRest() : look().then(() => (isDoomed ? endRest() : undefined))).finally(
        () => (looking = undefined),
      );
      return looking;
    },
    signal: (signal) => {
      isDoomed ||= signal === 'SIGKILL';
      if (signal === 'SIGKILL') void (looking ?? force());
      else if (looking) void looking.then(ask);
      else ask();
    },
  };
}
