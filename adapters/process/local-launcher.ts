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

/** Why something never ran: a sentence that names the command, but neither arguments nor environment. */
export class LaunchError extends Error {
  override readonly name = 'LaunchError';
  /** Another try without a change would fail in the same way. */
  readonly isFinal: boolean;
  constructor(message: string, isFinal: boolean) {
    super(message);
    this.isFinal = isFinal;
  }
}

/** By the code of the system: what is wrong and what helps. What is not final may be gone at the next try. */
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
  ELOOP: 'its links lead in a circle (ELOOP): install it anew',
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

/** It stands in every list of servers; `a2c doctor` shows all of them. */
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

/** What the system said to a launch on this machine, for a person. */
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

/** The same of any launcher's error: its own words, when it has some. */
export function failureOf(command: string, error: unknown): { message: string; isFinal: boolean } {
  if (error instanceof LaunchError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const said =
    error instanceof Error && 'isFinal' in error ? error.isFinal === true : final.has(codeOf(error));
  return { message: `cannot start "${command}": ${message}`, isFinal: said };
}

/** Starts a program; throws, or the child emits `error`, when it cannot. */
export type Spawn = (spec: LaunchSpec, env: Environment, options: SpawnOptions) => ChildProcess;
export const systemSpawn: Spawn = ({ command, args }, _env, options) => spawn(command, args, options);

/** A child of this process, before anybody has said what belongs to it. Throws a `LaunchError`. */
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
    // Once it runs this is a failed kill or a late complaint of Node: the child's end shows in `exit`.
    child.on('error', (error) => reject(whyNotLaunched(spec, env, error)));
  });
  const ended = new Promise<LaunchEnd>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  );
  // With EMFILE a child has no pipes.
  const { stdin = noPipe(), stdout = noPipe(), stderr = noPipe() } = child as Partial<typeof child>;
  return { child, life: { stdin, stdout, stderr, started, ended } };
}
const noPipe = (): PassThrough => new PassThrough().end();

/** Children of this process, each the leader of a process group: all that it starts and does not detach. */
export const posixLauncher: Launcher = {
  launch: (spec, env) => {
    // A group of its own, so that Ctrl-C in the terminal does not reach it and all of it can be signalled.
    const { child, life } = spawnChild(spec, env, true);
    // Why, says `started`.
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

/** Longer than the first line of any script. */
const lineBytes = 256;
/** Program that the first line of a script names (`#!/usr/bin/env node`), without its folder, which Windows does not have. */
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
 * Spawns a program on Windows: `npx` and its like are `.cmd` there, which only `cmd.exe` runs, with arguments escaped for
 * it (`cross-spawn`). It is looked up here, in PATH alone: Windows and `cross-spawn` would look into the current folder
 * first. Throws an error with the code of the system.
 */
export function windowsSpawn(spec: LaunchSpec, env: Environment, options: SpawnOptions): ChildProcess {
  const found = (command: string): string => {
    const { executable } = describeLaunch({ ...spec, command }, env, 'win32');
    if (executable === null) throw missingProgram(command);
    return executable;
  };
  const file = found(spec.command);
  const interpreter = /\.(com|exe|bat|cmd)$/i.test(file) ? undefined : interpreterOf(file);
  // Without this variable `cmd.exe` would be looked up by its bare name.
  process.env['ComSpec'] ??= systemProgram('cmd');
  return interpreter === undefined
    ? crossSpawn(file, spec.args, options)
    : crossSpawn(found(interpreter), [file, ...spec.args], options);
}

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

/**
 * Children of this process on Windows, each the root of a tree that `taskkill` ends. A signal is a request there
 * (SIGTERM: its input ends, `taskkill /T`) or the end (SIGKILL: `taskkill /T /F`). What a tree leaves is counted;
 * what cannot be told from a stranger is counted, too, and not touched.
 */
export function createWindowsLauncher(
  tools: WindowsTools = systemTools,
  spawn: Spawn = windowsSpawn,
): Launcher {
  const forest = createForest(tools);
  return {
    launch: (spec, env) => {
      // Not detached: Windows then ends it with this host, however that goes.
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
/** On this machine, as children of this process. Throws in virtual time, for which no process waits. */
export const localLauncher: Launcher = {
  ...launcher,
  launch: (spec, env) => {
    if (isRealTime()) return launcher.launch(spec, env);
    const message =
      'no process runs in virtual time; give a `launcher`, such as that of worldOf(trace).computer';
    throw Object.assign(new Error(message), { isFinal: true });
  },
};
