import { accessSync, constants, statSync } from 'node:fs';
import { win32, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { TracedGroup } from './reaper/group.ts';

/** What a child gets beside what its config gives. */
export interface Inherited {
  /** `minimal`: a short list (home, user, language, PATH …); `full`: all variables of this process. Default `minimal`. */
  readonly base?: 'minimal' | 'full' | undefined;
  /** Names of further variables of this process. */
  readonly pass?: readonly string[] | undefined;
  /** Folders for its PATH, after those of its config and before those of this process. */
  readonly folders?: readonly string[] | undefined;
  /** The PATH that the login shell of the user has, after that of this process. */
  readonly loginPath?: string | undefined;
  /** Variables that it has unless its config gives them. */
  readonly added?: Readonly<Record<string, string>> | undefined;
}
/** The launch config of one server, placeholders already rendered. */
export interface LaunchSpec {
  /** The program: a path, or a name that is looked up in the PATH of its environment. No shell reads it. */
  readonly command: string;
  /** Its arguments, each passed on as it stands. */
  readonly args: readonly string[];
  /** What its config gives; see `environmentOf` for what a child inherits beside it. */
  readonly env: Readonly<Record<string, string>>;
  /** The folder in which it runs. Default: that of this process. */
  readonly cwd?: string;
  /** Default: the short list. */
  readonly inherit?: Inherited;
}
/** What a launcher is asked for: the facts, and whose they are. */
export interface Launch extends LaunchSpec {
  /** The name of the server in the config. */
  readonly server: string;
}
/** The whole environment of what is launched: names and values. */
export type Environment = Readonly<Record<string, string>>;

/** How a launched process ended. */
export interface LaunchEnd {
  /** Null when a signal ended it, and when nobody knows. */
  readonly code: number | null;
  /** The signal that ended it, such as `SIGTERM`; null when it ended by itself, and when nobody knows. */
  readonly signal: string | null;
}

/**
 * One thing that was launched: bytes, and how it lives. It frames nothing and decides nothing; when it is told
 * what, the `process` machine says. `signal` and `living` are synchronous and never throw.
 */
export interface Launched {
  /** What is written here reaches its stdin. Ending the stream is the first, polite way to end the server. */
  readonly stdin: Writable;
  /** The bytes of its stdout: messages of MCP, one per line. */
  readonly stdout: Readable;
  /** The bytes of its stderr: the last 64 KiB are kept, to explain how it ended. */
  readonly stderr: Readable;
  /**
   * Resolves with its pid, where it runs, once it does; 0 when that has none. Rejects with an `Error` when it
   * never ran. `isFinal: true` on that error: another try without a change would fail in the same way.
   */
  readonly started: Promise<number>;
  /** Resolves when it has ended; after `started`, and not at all when that was rejected. The pipes may still hold. */
  readonly ended: Promise<LaunchEnd>;
  /** To all of it: the wrapper, the server, and what they started. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
  /**
   * How many of its members live, as far as anybody can tell; 0: all of it is gone, and stays so. What cannot be
   * known counts as living. After `ended` it is asked every few milliseconds until it says 0.
   */
  living(): number;
  /** All of it as a group of this machine, so that it is found and ended after this host was killed. */
  readonly group?: TracedGroup | undefined;
}

/** What a launch would run, for people: names of variables, and never a value but the folders of PATH. */
export interface LaunchDescription {
  /** The file; null when nothing of that name can be executed. */
  readonly executable: string | null;
  /** The folders that were looked in; none when the command is a path itself. */
  readonly lookedIn: readonly string[];
  /** The folder it runs in. */
  readonly folder: string;
  /** Names of the environment variables that it gets, without their values. */
  readonly variables: readonly string[];
}

/**
 * How servers come to life: on this machine, in a container, behind ssh. It gives streams and facts; framing
 * (`adapters/mcp`), facts for machines and the ledger (`launch.ts`) are the same for all of them.
 */
export interface Launcher {
  /** Starts it. Throws, or rejects `started`, when it cannot. */
  launch(launch: Launch, env: Environment): Launched;
  /** What `launch` would run, for people who look for a mistake. Starts nothing. Left out: nothing can be said. */
  describe?(launch: LaunchSpec, env: Environment): LaunchDescription;
}

/**
 * What a child inherits at least, beside what its config gives: the list of the MCP SDK, what Unix tools need, and
 * what a program needs to find certificates, the SSH agent and the desktop of its user.
 */
const inherited = {
  posix: [
    'HOME LOGNAME PATH SHELL TERM USER LANG TMPDIR',
    'NODE_EXTRA_CA_CERTS SSH_AUTH_SOCK DISPLAY WAYLAND_DISPLAY XDG_RUNTIME_DIR',
  ].flatMap((names) => names.split(' ')),
  windows: [
    'APPDATA HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PROCESSOR_ARCHITECTURE SYSTEMDRIVE SYSTEMROOT TEMP',
    'USERNAME USERPROFILE PROGRAMFILES',
    // Without COMSPEC and PATHEXT there is no `cmd /c npx`.
    'COMSPEC PATHEXT TMP NODE_EXTRA_CA_CERTS SSH_AUTH_SOCK',
  ].flatMap((names) => names.split(' ')),
};
/** Where programs are, for a host whose own PATH does not say so; `~` is the home folder of the child. */
const usualFolders = {
  linux: '/usr/local/bin /usr/bin /bin ~/.local/bin ~/.cargo/bin'.split(' '),
  darwin: [
    '/opt/homebrew/bin /opt/homebrew/sbin /usr/local/bin /usr/local/sbin /opt/local/bin /usr/bin /bin',
    '~/.local/bin ~/.cargo/bin',
  ].flatMap((folders) => folders.split(' ')),
  win32: ['~\\.local\\bin', '~\\.cargo\\bin'],
};
const usualOf = (platform: string): readonly string[] =>
  platform === 'win32' || platform === 'darwin' ? usualFolders[platform] : usualFolders.linux;

/** The machine that a child runs on, as far as its environment goes. */
export interface Surroundings {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}
const here = (): Surroundings => ({ platform: process.platform, env: process.env });

export const pathSeparator = (platform: string): string => (platform === 'win32' ? ';' : ':');

/** On Windows `PATH` and `Path` are one variable: what comes later takes the place of what came before. */
function variablesOf(platform: string) {
  const names = new Map<string, string>();
  const values: Record<string, string> = {};
  const keyOf = (name: string): string => (platform === 'win32' ? name.toUpperCase() : name);
  return {
    values,
    get: (name: string): string | undefined => values[names.get(keyOf(name)) ?? ''],
    set: (name: string, value: string): void => {
      const before = names.get(keyOf(name));
      if (before !== undefined) delete values[before];
      const written = platform === 'win32' && keyOf(name) === 'PATH' ? 'Path' : name;
      names.set(keyOf(name), written);
      values[written] = value;
    },
  };
}

/** All folders from left to right, none twice. */
const joined = (paths: readonly string[], separator: string): string =>
  [...new Set(paths.flatMap((path) => path.split(separator)).filter(Boolean))].join(separator);

/** A value that begins with () is an exported shell function, which old shells would run. */
const isFunction = (value: string): boolean => value.startsWith('()');

/**
 * The whole environment of a child: what it inherits, then what its config gives. PATH has all folders that anybody
 * names, none twice, in this order: the server's own `env`, the settings, the host, the login shell, the usual ones.
 * The marker is last: no config can hide a child from the next start.
 */
export function environmentOf(
  spec: LaunchSpec,
  instance: string,
  { platform, env }: Surroundings = here(),
): Environment {
  const { base = 'minimal', pass = [], folders = [], loginPath = '', added = {} } = spec.inherit ?? {};
  const host = variablesOf(platform);
  for (const [name, value] of Object.entries(env)) if (value !== undefined) host.set(name, value);
  const child = variablesOf(platform);
  const least = inherited[platform === 'win32' ? 'windows' : 'posix'];
  for (const name of [...(base === 'full' ? Object.keys(host.values) : least), ...pass]) {
    const value = host.get(name);
    if (value !== undefined && !isFunction(value)) child.set(name, value);
  }
  const path = child.get('PATH') ?? '';
  for (const [name, value] of [...Object.entries(added), ...Object.entries(spec.env)]) child.set(name, value);
  const own = child.get('PATH') ?? '';
  const home = child.get(platform === 'win32' ? 'USERPROFILE' : 'HOME');
  const usual = usualOf(platform).filter((folder) => home || !folder.startsWith('~'));
  const all = [
    ...(own === path ? [] : [own]),
    ...folders,
    path,
    loginPath,
    ...usual.map((folder) => folder.replace(/^~/, () => home ?? '')),
  ];
  const whole = joined(all, pathSeparator(platform));
  if (whole !== '') child.set('PATH', whole);
  child.set('A2C_INSTANCE', instance);
  return child.values;
}

/** Programs of Windows that we run, and where they lie in its system folder. */
const places = {
  cmd: 'cmd.exe',
  powershell: 'WindowsPowerShell\\v1.0\\powershell.exe',
  rundll32: 'rundll32.exe',
  taskkill: 'taskkill.exe',
  wmic: 'wbem\\WMIC.exe',
} as const;
export type SystemProgram = keyof typeof places;
type Variables = Readonly<Record<string, string | undefined>>;

/** Case does not count in names of variables there. */
const valueOf = (env: Variables, wanted: string): string | undefined =>
  Object.entries(env).find(([name]) => name.toUpperCase() === wanted)?.[1];

/**
 * The file of a program of Windows, in its system folder: by its bare name Windows would take one of the current folder
 * first, which may be a repository of strangers.
 */
export function systemProgram(program: SystemProgram, env: Variables = process.env): string {
  const root = valueOf(env, 'SYSTEMROOT') ?? '';
  // Relative to a drive or a folder it would be the current folder once more.
  const folder = /^[a-z]:[/\\]/i.test(root) ? root : 'C:\\Windows';
  return win32.join(folder, 'System32', places[program]);
}

const isWindowsPath = /[/\\]|^[a-z]:/i;
/** Endings that Windows adds to the name of a program, in its order. */
const endingsIn = (env: Environment): readonly string[] => {
  const [, given = ''] = Object.entries(env).find(([name]) => name.toUpperCase() === 'PATHEXT') ?? [];
  return (given || '.COM;.EXE;.BAT;.CMD').toLowerCase().split(';').filter(Boolean);
};
/**
 * Names of the files that a command may mean, the first list before the second. On Windows a name without an ending is a
 * script for other systems (`npx` beside `npx.cmd`), so it comes last.
 */
const namesOf = (command: string, env: Environment, isWindows: boolean): readonly (readonly string[])[] => {
  if (!isWindows) return [[command]];
  const ended = endingsIn(env).map((ending) => command + ending);
  return command.includes('.') ? [[command, ...ended]] : [ended, [command]];
};

/** Whether this file can be executed; on Windows whether it exists. */
function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * What a launch of this would run: looked up in the PATH of the child, from its folder, with the endings of `PATHEXT` on Windows.
 * A program of the folder itself is found by a path alone.
 */
export function describeLaunch(
  { command, cwd }: LaunchSpec,
  env: Environment,
  platform: string = process.platform,
): LaunchDescription {
  const isWindows = platform === 'win32';
  const folder = cwd ?? process.cwd();
  const isPath = isWindows ? isWindowsPath.test(command) : command.includes('/');
  const folders = (env[isWindows ? 'Path' : 'PATH'] ?? '').split(pathSeparator(platform)).filter(Boolean);
  const lookedIn = isPath ? [] : folders.map((each) => (isWindows ? each.replace(/^"(.*)"$/, '$1') : each));
  const candidates = namesOf(command, env, isWindows).flatMap((names) =>
    (isPath ? [folder] : lookedIn).flatMap((from) => names.map((name) => resolve(folder, from, name))),
  );
  return {
    executable: command === '' ? null : (candidates.find(isExecutable) ?? null),
    lookedIn,
    folder,
    variables: Object.keys(env).toSorted(),
  };
}

/** The same for a server that is started on this machine, with the environment that it would have. */
export const describeStart = (spec: LaunchSpec): LaunchDescription =>
  describeLaunch(spec, environmentOf(spec, ''));
