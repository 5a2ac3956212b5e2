import crossSpawn from 'cross-spawn';
import {
  spawn,
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  type SpawnOptions,
} from 'node:child_process';
import { existsSync, statSync, closeSync, openSync, readSync } from 'node:fs';
import { homedir } from 'node:os';
import { sep, basename } from 'node:path';
import { PassThrough } from 'node:stream';
import { isRealTime } from '../clock.ts';
import {
  describeLaunch,
  type Environment,
  type LaunchSpec,
  type Launched,
  type LaunchEnd,
  type Launcher,
  systemProgram,
  type SystemProgram,
} from './environment.ts';
import { groupOf } from './reaper/group.ts';

/**
 * Error for a process that could not be started. The message names the command, but neither its arguments nor its environment.
 */
export class LaunchError extends Error {
  override readonly name = 'LaunchError';
  /** Tells whether another attempt without a change would fail in the same way. */
  readonly isFinal: boolean;
  constructor(message: string, isFinal: boolean) {
    super(message);
    this.isFinal = isFinal;
  }
}

/** Reason and remedy for each system error code of a failed start. Errors that are not final may be gone at the next attempt. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: 'it may not be executed (EACCES): check its permissions, and that it is a program and not a folder',
  EPERM: 'this system does not permit it (EPERM): check its permissions and what guards this machine',
  EAGAIN:
    'this machine has no process left to give (EAGAIN): run fewer servers, or raise its limit (ulimit -u)',
  ENOMEM: 'this machine has not enough memory left (ENOMEM): run fewer servers, or end something else',
  EMFILE: 'this host has too many open files (EMFILE): raise its limit (ulimit -n) or run fewer servers',
  ENFILE: 'this machine has too many open files (ENFILE): end something else, or raise its limit',
  E2BIG: 'its arguments and environment are too long (E2BIG): shorten them, or put them into a file',
  ENOEXEC:
    'it is not a program for this machine (ENOEXEC): install the one for this system, or name its interpreter',
  ENOTDIR: 'a part of its path is no folder (ENOTDIR): correct "command"',
  ELOOP: 'its links lead in a circle (ELOOP): install it again',
  ENAMETOOLONG: 'its name is too long (ENAMETOOLONG): correct "command"',
  EINVAL: 'this system does not take its command or arguments (EINVAL): correct "command" and "args"',
};
const unchanged = [
  'ENOENT',
  'EACCES',
  'EPERM',
  'ENOEXEC',
  'E2BIG',
  'ENOTDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'EINVAL',
];
const final: ReadonlySet<string> = new Set([...unchanged, 'ERR_INVALID_ARG_VALUE', 'ERR_INVALID_ARG_TYPE']);

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

/** Number of PATH folders named in an error message, which appears in every list of servers; `a2c doctor` shows all of them. */
const shownFolders = 3;
function shown(folders: readonly string[]): string {
  if (folders.length === 0) return 'nothing, for PATH is empty';
  const home = homedir();
  const short = folders.map((folder) =>
    folder.startsWith(home + sep) ? `~${folder.slice(home.length)}` : folder,
  );
  const rest = short.length - shownFolders;
  return short.slice(0, shownFolders).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function notFound(spec: LaunchSpec, env: Environment): string {
  const { command } = spec;
  const { lookedIn } = describeLaunch(spec, env);
  if (lookedIn.length > 0 || !/[/\\]/.test(command))
    return `command not found: install it, or correct "command" or PATH; looked in PATH: ${shown(lookedIn)}`;
  if (process.platform !== 'win32' && existsSync(command))
    return 'the interpreter that its first line names was not found: install it, or correct that line';
  return 'there is no such file: install it, or correct "command"';
}

/** Turns the system error of a launch on this machine into a message for a person. */
export function whyNotLaunched(spec: LaunchSpec, env: Environment, error: unknown): LaunchError {
  const { command, cwd } = spec;
  const code = codeOf(error);
  const because = (reason: string): LaunchError =>
    new LaunchError(`cannot start "${command}": ${reason}`, final.has(code));
  if (cwd !== undefined && !isFolder(cwd))
    return because(
      existsSync(cwd)
        ? `"${cwd}", in which it should run, is no folder: correct "cwd"`
        : `its folder "${cwd}" does not exist: make it, or correct "cwd"`,
    );
  if (command === '') return because('its command is empty: say in "command" what to run');
  if (code === 'ENOENT') return because(notFound(spec, env));
  if (code.startsWith('ERR_INVALID_ARG'))
    return because(
      'its command, arguments, folder or environment hold a character that no process can be given: take it out',
    );
  return because(reasons[code] ?? (code || 'the system refused'));
}

/**
 * Message for an error of any launcher: the launcher's own message with the command before it, or the `LaunchError` unchanged.
 */
export function failureOf(command: string, error: unknown): { message: string; isFinal: boolean } {
  if (error instanceof LaunchError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const said =
    error instanceof Error && 'isFinal' in error ? error.isFinal === true : final.has(codeOf(error));
  return { message: `cannot start "${command}": ${message}`, isFinal: said };
}

/** Function that starts a program; it throws, or the child emits `error`, when that fails. */
export type Spawn = (spec: LaunchSpec, env: Environment, options: SpawnOptions) => ChildProcess;
export const systemSpawn: Spawn = ({ command, args }, _env, options) => spawn(command, args, options);

/** Starts a child of this process, without knowing its process group or tree yet. Throws a `LaunchError`. */
export function spawnChild(
  spec: LaunchSpec,
  env: Environment,
  isDetached: boolean,
  run: Spawn = systemSpawn,
): { child: ChildProcessWithoutNullStreams; life: Omit<Launched, 'signal' | 'living' | 'group'> } {
  let child: ChildProcessWithoutNullStreams;
  try {
    const cwd = spec.cwd !== undefined && { cwd: spec.cwd };
    child = run(spec, env, {
      ...cwd,
      env,
      stdio: 'pipe',
      detached: isDetached,
      windowsHide: true,
    }) as ChildProcessWithoutNullStreams;
  } catch (error) {
    throw whyNotLaunched(spec, env, error);
  }
  const started = new Promise<number>((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid ?? 0));
    // Rejects only before the child has started; after that, `error` is a failed kill or a late report of Node, and the child's
    // end is seen in `exit`.
    child.on('error', (error) => reject(whyNotLaunched(spec, env, error)));
  });
  const ended = new Promise<LaunchEnd>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  );
  // Replaces missing pipes: with the error EMFILE a child has none.
  const { stdin = noPipe(), stdout = noPipe(), stderr = noPipe() } = child as Partial<typeof child>;
  return { child, life: { stdin, stdout, stderr, started, ended } };
}
const noPipe = (): PassThrough => new PassThrough().end();

/** Launcher for POSIX systems. Each child leads a process group, which holds all processes that it starts and does not detach. */
export const posixLauncher: Launcher = {
  launch: (spec, env) => {
    // Starts the child in a process group of its own, so that Ctrl-C in the terminal does not reach it and the whole group can be
    // signalled.
    const { child, life } = spawnChild(spec, env, true);
    // Returns a launch without a process; the promise `started` rejects with the reason.
    if (child.pid === undefined) return { ...life, signal: () => {}, living: () => 0 };
    const group = groupOf(child.pid);
    child.once('exit', group.leaderReaped);
    return {
      ...life,
      signal: group.signal,
      living: group.living,
      group: { pgid: group.pid, startTime: group.startTime },
    };
  },
  describe: describeLaunch,
};

/** Number of bytes read to find the first line of a script; longer than any such line. */
const lineBytes = 256;
/** Program named in the first line of a script (`#!/usr/bin/env node`), without its folder, which does not exist on Windows. */
function interpreterOf(file: string): string | undefined {
  const buffer = Buffer.alloc(lineBytes);
  const handle = openSync(file, 'r');
  try {
    readSync(handle, buffer, 0, lineBytes, 0);
  } finally {
    closeSync(handle);
  }
  const [, first, second] = /^#!\s*(\S+)(?:[ \t]+(?:-S[ \t]+)?(\S+))?/.exec(buffer.toString('latin1')) ?? [];
  return first !== undefined && basename(first) === 'env' ? second : first && basename(first);
}
const missingProgram = (command: string): Error =>
  Object.assign(new Error(`spawn ${command} ENOENT`), { code: 'ENOENT' });

/**
 * Starts a program on Windows. Commands such as `npx` are `.cmd` files there, which only `cmd.exe` runs, so arguments are escaped
 * for it by `cross-spawn`. The file is searched here in PATH alone, because Windows and `cross-spawn` would search the current
 * folder first. Throws an error with the system's code.
 */
export function windowsSpawn(spec: LaunchSpec, env: Environment, options: SpawnOptions): ChildProcess {
  const found = (command: string): string => {
    const { executable } = describeLaunch({ ...spec, command }, env, 'win32');
    if (executable === null) throw missingProgram(command);
    return executable;
  };
  const file = found(spec.command);
  const interpreter = /\.(com|exe|bat|cmd)$/i.test(file) ? undefined : interpreterOf(file);
  // Sets ComSpec, because without it `cmd.exe` would be searched by its bare name.
  process.env['ComSpec'] ??= systemProgram('cmd');
  return interpreter === undefined
    ? crossSpawn(file, spec.args, options)
    : crossSpawn(found(interpreter), [file, ...spec.args], options);
}

/** Entry of a process list: the pid of a process and of its parent. */
export interface Row {
  readonly ppid: number;
  readonly pid: number;
}
/**
 * Functions that list and end processes on Windows, which has no process groups. None of them rejects or throws; tests replace
 * them.
 */
export interface WindowsTools {
  /** Starts `taskkill` at once with these arguments; resolves, when it has ended, to whether it could be run. */
  taskkill(args: readonly string[]): Promise<boolean>;
  /** Returns all processes of this machine; undefined when they could not be listed. */
  list(): Promise<readonly Row[] | undefined>;
  /** Tells whether a process with this pid exists. */
  answers(pid: number): boolean;
}

/** Time limit in ms for listing the processes; a slower list would be out of date. */
const listMs = 3_000;
/** Runs a program of Windows to its end and resolves to its output; undefined when it could not be run. Never rejects. */
export type Run = (program: SystemProgram, args: readonly string[]) => Promise<string | undefined>;

const runSystemProgram: Run = (program, args) =>
  new Promise<string | undefined>((resolve) => {
    const isHeard = program !== 'taskkill';
    // Detaches `taskkill`, whose output is not read, so that it does its work even if this host ends in the same moment.
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

/** Commands that print one line with parent pid and pid for each process; `wmic` adds blanks. */
const listings: readonly (readonly [SystemProgram, readonly string[]])[] = [
  ['wmic', ['PROCESS', 'get', 'ParentProcessId,ProcessId']],
  // Used when `wmic` is missing, as on current versions of Windows.
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
 * Pids of all descendants of a process, without itself. Processes in `elders` existed before it and are excluded: a process
 * outlives its parent and keeps the parent's number, which may later be given to another process.
 */
export function descendantsOf(root: number, rows: readonly Row[], elders: ReadonlySet<string>): number[] {
  const found = new Set([root]);
  // Finds deeper descendants too, because a Set that grows during iteration is iterated to its end.
  for (const parent of found)
    for (const row of rows) if (row.ppid === parent && !elders.has(nameOf(row))) found.add(row.pid);
  found.delete(root);
  return [...found];
}

export interface Tree extends Pick<Launched, 'signal' | 'living'> {
  /** Reports that the root process has ended; resolves when its remaining descendants are known. */
  rootEnded(): Promise<void>;
}

/** Creates process trees for Windows, which has no process groups. */
export function createForest({ taskkill, list, answers }: WindowsTools) {
  /** Processes of the last listing; undefined before the first listing. */
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
    /** Listing of the processes that the ended root left behind; until it is done the targets of a signal are unknown. */
    let lastLook: Promise<void> | undefined;
    let isDoomed = false;
    const members = new Set<number>();
    const lookForMembers = async (): Promise<void> => {
      const rows = await look();
      // Ignores the listing when it failed or when the root's number was given to another process, whose children are not ours;
      // the members found before stay.
      if (!rows || (hasEnded && rows.some((row) => row.pid === pid))) return;
      for (const member of descendantsOf(pid, rows, elders ?? new Set())) members.add(member);
    };
    const left = (): number[] => [...members].filter(answers);

    const send = (signal: 'SIGTERM' | 'SIGKILL'): void => {
      // Signals nothing after the root's end when no earlier listing exists: the remaining processes are counted, but they may
      // belong to another program.
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
          // Ends the remaining processes when the root ended by itself before it could be killed with its tree.
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

/**
 * Creates the launcher for Windows, where each child is the root of a process tree that `taskkill` ends. SIGTERM closes the
 * child's stdin and runs `taskkill /T`, SIGKILL runs `taskkill /T /F`. Processes that remain are counted; those that may belong
 * to another program are counted, but never signalled.
 */
export function createWindowsLauncher(
  tools: WindowsTools = systemTools,
  spawn: Spawn = windowsSpawn,
): Launcher {
  const forest = createForest(tools);
  return {
    launch: (spec, env) => {
      // Starts the child without `detached`, so that Windows ends it together with this host in every case.
      const { child, life } = spawnChild(spec, env, false, spawn);
      if (child.pid === undefined) return { ...life, signal: () => {}, living: () => 0 };
      const tree = forest.plant(child.pid, () => child.kill());
      return {
        ...life,
        ended: life.ended.then(async (end) => {
          await tree.rootEnded();
          return end;
        }),
        signal: (signal) => {
          if (signal === 'SIGTERM') life.stdin.end();
          tree.signal(signal);
        },
        living: tree.living,
      };
    },
    describe: describeLaunch,
  };
}
export const windowsLauncher = createWindowsLauncher();

const launcher = process.platform === 'win32' ? windowsLauncher : posixLauncher;
/**
 * Launches servers on this machine as children of this process. Throws in virtual time, because a real process does not run in
 * it.
 */
export const localLauncher: Launcher = {
  ...launcher,
  launch: (spec, env) => {
    if (isRealTime()) return launcher.launch(spec, env);
    const message =
      'no process runs in virtual time; give a `launcher`, such as that of worldOf(trace).computer';
    throw Object.assign(new Error(message), { isFinal: true });
  },
};
