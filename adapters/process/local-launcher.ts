/** Starts servers as processes of this machine, each in a group of its own. */
import crossSpawn from 'cross-spawn';
import {
  spawn,
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  type SpawnOptions,
} from 'node:child_process';
import { statSync, closeSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { PassThrough } from 'node:stream';
import { isRealTime } from '../clock.ts';
import type { Environment, LaunchSpec, Launched, LaunchEnd, Launcher } from './launcher.ts';
import { describeLaunch, systemProgram } from './environment.ts';
import { codeOf, systemWords } from '../reading.ts';
import { groupOf } from './reaper/group.ts';
import { plantTree, systemTools, type WindowsTools } from './windows-trees.ts';

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'it may not be executed (EACCES): check its permissions, and that it is a program and not a folder',
  EAGAIN:
    'this machine has no process left to give (EAGAIN): run fewer servers, or raise its limit (ulimit -u)',
  ENOMEM: 'this machine has not enough memory left (ENOMEM): run fewer servers, or end something else',
  EMFILE: 'this host has too many open files (EMFILE): raise its limit (ulimit -n) or run fewer servers',
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

/** Number of PATH folders named in an error message, which appears in every list of servers; `a2c doctor` shows all of them. */
const shownFolders = 3;
function shown(folders: readonly string[]): string {
  if (folders.length === 0) return 'nothing, for PATH is empty';
  const rest = folders.length - shownFolders;
  return folders.slice(0, shownFolders).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
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
  const [program = '', ...args] = command.trim().split(/\s+/);
  if (args.length > 0 && describeLaunch({ ...spec, command: program }, env).executable !== null)
    return `arguments belong in args: ${JSON.stringify({ command: program, args: [...args, ...spec.args] })}`;
  return lookedIn.length > 0 || !/[/\\]/.test(command)
    ? `command not found: install it, or correct "command" or PATH; looked in PATH: ${shown(lookedIn)}`
    : 'there is no such file, or not the interpreter that its first line names: install it, or correct "command"';
}

/** `isFinal`: another attempt without a change would fail in the same way. `command`: that of a launcher around this one may be another. */
export function whyNotLaunched(spec: LaunchSpec, env: Environment, error: unknown): Error {
  const { command, cwd } = spec;
  const code = codeOf(error);
  const because = (reason: string): Error =>
    Object.assign(new Error(reason), { isFinal: final.has(code), command });
  if (cwd !== undefined && !isFolder(cwd))
    return because(`its folder "${cwd}" does not exist, or is none: make it, or correct "cwd"`);
  if (command === '') return because('its command is empty: say in "command" what to run');
  if (code === 'ENOENT') return because(notFound(spec, env));
  if (code.startsWith('ERR_INVALID_ARG'))
    return because(
      'its command, arguments, folder or environment hold a character that no process can be given: take it out',
    );
  return because(reasons[code] ?? systemWords(error));
}

/** The message names the command, but neither its arguments nor its environment. */
export function failureOf(command: string, error: unknown): { message: string; isFinal: boolean } {
  const own = error instanceof Error && 'command' in error ? String(error.command) : command;
  const message = error instanceof Error ? error.message : String(error);
  const isFinal =
    error instanceof Error && 'isFinal' in error ? error.isFinal === true : final.has(codeOf(error));
  return { message: `cannot start "${own}": ${message}`, isFinal };
}

/** Throws, or the child emits `error`, when the start fails. */
export type Spawn = (spec: LaunchSpec, env: Environment, options: SpawnOptions) => ChildProcess;
export const systemSpawn: Spawn = ({ command, args }, _env, options) => spawn(command, args, options);

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
    // After the start, `error` is a failed kill or a late report of Node; the end is seen in `exit`.
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

export const posixLauncher: Launcher = {
  launch: (spec, env) => {
    // In a process group of its own: Ctrl-C does not reach it, and the whole group can be signalled.
    const { child, life } = spawnChild(spec, env, true);
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

const lineBytes = 256;
/** Without the folder of the `#!` line, which does not exist on Windows. */
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

/** `cross-spawn` escapes for `cmd.exe`; PATH alone is searched, because it would try the current folder first. */
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

/** SIGTERM closes stdin and runs `taskkill /T`, SIGKILL `taskkill /T /F` and the list of processes. */
export function createWindowsLauncher(
  tools: WindowsTools = systemTools,
  spawn: Spawn = windowsSpawn,
): Launcher {
  return {
    launch: (spec, env) => {
      // Starts the child without `detached`, so that Windows ends it together with this host. The reaper ends its descendants.
      const { child, life } = spawnChild(spec, env, false, spawn);
      if (child.pid === undefined) return { ...life, signal: () => {}, living: () => 0 };
      const tree = plantTree(child.pid, () => child.kill('SIGKILL'), tools);
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
        remains: tree.remains,
        group: tree.root,
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
 * @example
 * // Launches as usual, and tells of it.
 * const told: Launcher = {
 *   ...localLauncher,
 *   launch: (spec, env) => {
 *     console.log(spec);
 *     return localLauncher.launch(spec, env);
 *   },
 * };
 * const computer = await createComputer({ launcher: told });
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
