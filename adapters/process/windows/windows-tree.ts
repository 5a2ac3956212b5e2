import { spawn } from 'node:child_process';
import type { Launched } from '../launcher.ts';
import { systemProgram, type SystemProgram } from './system-programs.ts';

/** One process of this machine: who started it, and its pid. */
export interface Row {
  readonly ppid: number;
  readonly pid: number;
}
/** What Windows has in place of process groups. None of it rejects or throws; a test gives its own. */
export interface WindowsTools {
  /** Runs `taskkill` with these arguments, at once; resolves to whether it could be run, when it has ended. */
  taskkill(args: readonly string[]): Promise<boolean>;
  /** All processes of this machine; undefined when they could not be listed. */
  list(): Promise<readonly Row[] | undefined>;
  /** Whether there is a process of this number. */
  answers(pid: number): boolean;
}

/** A listing that takes longer than this tells of another time. */
const listMs = 3_000;
/** Runs a program of Windows to its end, and resolves to what it wrote; undefined: it could not be run. Never rejects. */
export type Run = (program: SystemProgram, args: readonly string[]) => Promise<string | undefined>;

const runSystemProgram: Run = (program, args) =>
  new Promise<string | undefined>((resolve) => {
    const isHeard = program !== 'taskkill';
    // Not heard, it is detached: it does its work although this host ends in the same moment.
    const child = spawn(systemProgram(program), args, {
      stdio: ['ignore', isHeard ? 'pipe' : 'ignore', 'ignore'],
      windowsHide: true,
      detached: !isHeard,
      ...(isHeard && { timeout: listMs }),
    });
    let out = '';
    child.stdout?.setEncoding('latin1').on('data', (text: string) => (out += text));
    child.once('error', () => resolve(undefined)).once('close', () => resolve(out));
    child.unref();
  }).catch(() => undefined);

/** Lines of two numbers, `wmic` with blanks around them. */
const listings: readonly (readonly [SystemProgram, readonly string[]])[] = [
  ['wmic', ['PROCESS', 'get', 'ParentProcessId,ProcessId']],
  // Windows of today has no wmic any more.
  [
    'powershell',
    [
      ...['-NoProfile', '-NonInteractive', '-Command'],
      'Get-CimInstance Win32_Process | ForEach-Object { [string]$_.ParentProcessId + [char]32 + $_.ProcessId }',
    ],
  ],
];
const rowsIn = (text: string): readonly Row[] =>
  [...text.matchAll(/^\s*(\d+)\s+(\d+)\s*$/gm)].map(([, ppid, pid]) => ({
    ppid: Number(ppid),
    pid: Number(pid),
  }));

export const createSystemTools = (run: Run): WindowsTools => ({
  taskkill: async (args) => (await run('taskkill', args)) !== undefined,
  list: async () => {
    for (const [program, args] of listings) {
      const rows = rowsIn((await run(program, args)) ?? '');
      if (rows.length > 0) return rows;
    }
    return undefined;
  },
  answers: (pid) => {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      return error instanceof Error && 'code' in error && error.code === 'EPERM';
    }
  },
});
export const systemTools: WindowsTools = createSystemTools(runSystemProgram);

const nameOf = ({ ppid, pid }: Row): string => `${ppid} ${pid}`;

/**
 * Who descends from this process, without itself. `elders` were there before it: a process outlives its parent and
 * goes on naming it, so one of them may name a number that only later became ours.
 */
export function descendantsOf(root: number, rows: readonly Row[], elders: ReadonlySet<string>): number[] {
  const found = new Set([root]);
  // A set that grows while it is walked through is walked to its end.
  for (const parent of found)
    for (const row of rows) if (row.ppid === parent && !elders.has(nameOf(row))) found.add(row.pid);
  found.delete(root);
  return [...found];
}

export interface Tree extends Pick<Launched, 'signal' | 'living'> {
  /** The root was reaped. Resolves when it is known what it left. */
  rootEnded(): Promise<void>;
}

/** Trees of processes on a system without groups. */
export function createForest({ taskkill, list, answers }: WindowsTools) {
  /** Who lived when somebody looked last; undefined: nobody has yet. */
  let seen: ReadonlySet<string> | undefined;
  const look = async (): Promise<readonly Row[] | undefined> => {
    const rows = await list();
    if (rows) seen = new Set(rows.map(nameOf));
    return rows;
  };

  const plant = (pid: number, killRoot: () => void): Tree => {
    const elders = seen;
    if (!elders) void look();
    let hasEnded = false;
    /** The look at what the root left; until then nobody knows whom to signal. */
    let lastLook: Promise<void> | undefined;
    let isDoomed = false;
    const members = new Set<number>();
    const lookForMembers = async (): Promise<void> => {
      const rows = await look();
      // Where nothing can be listed, what was seen before is all there is. A number that was given away again is a
      // stranger's, and so are its children.
      if (!rows || (hasEnded && rows.some((row) => row.pid === pid))) return;
      for (const member of descendantsOf(pid, rows, elders ?? new Set())) members.add(member);
    };
    const left = (): number[] => [...members].filter(answers);

    const send = (signal: 'SIGTERM' | 'SIGKILL'): void => {
      // Where nobody knows who was there before, what is left is counted, and not touched: it may be a stranger.
      const targets = hasEnded ? (elders ? left() : []) : [pid];
      if (targets.length === 0) return;
      const how = signal === 'SIGKILL' ? ['/T', '/F'] : ['/T'];
      void taskkill([...how, ...targets.flatMap((target) => ['/PID', String(target)])]).then((hasRun) => {
        if (hasEnded) return;
        if (!hasRun && signal === 'SIGKILL') killRoot();
        return lookForMembers();
      });
    };
    return {
      living: () => (hasEnded ? 0 : 1) + left().length,
      rootEnded: () => {
        hasEnded = true;
        lastLook = lookForMembers().then(() => {
          lastLook = undefined;
          // The root may have ended by itself before it could be killed with all its tree.
          if (isDoomed) send('SIGKILL');
        });
        return lastLook;
      },
      signal: (signal) => {
        if (lastLook && signal === 'SIGTERM') void lastLook.then(() => send(signal));
        else if (!lastLook) send(signal);
        isDoomed ||= signal === 'SIGKILL';
      },
    };
  };
  return { plant };
}
