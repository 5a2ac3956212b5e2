/** Environment variables that a server is started with. */
import { accessSync, constants, statSync } from 'node:fs';
import { win32, resolve } from 'node:path';
import type { Environment, LaunchDescription, LaunchSpec } from './launcher.ts';

/** The list of the MCP SDK, those of Unix tools, and for certificates, the SSH agent and the user's desktop. */
const inherited = {
  posix: [
    'HOME LOGNAME PATH SHELL TERM USER LANG TMPDIR',
    'NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR SSH_AUTH_SOCK DISPLAY WAYLAND_DISPLAY XDG_RUNTIME_DIR',
  ].flatMap((names) => names.split(' ')),
  windows: [
    'APPDATA HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PROCESSOR_ARCHITECTURE SYSTEMDRIVE SYSTEMROOT TEMP',
    'USERNAME USERPROFILE PROGRAMFILES',
    // Includes COMSPEC and PATHEXT, because `cmd /c npx` does not work without them.
    'COMSPEC PATHEXT TMP NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR SSH_AUTH_SOCK',
  ].flatMap((names) => names.split(' ')),
};
/** Folders that usually hold programs, added for a host whose own PATH lacks them; `~` is the home folder of the child. */
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

export interface Surroundings {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}
const here = (): Surroundings => ({ platform: process.platform, env: process.env });

export const pathSeparator = (platform: string): string => (platform === 'win32' ? ';' : ':');

/** On Windows `PATH` and `Path` are the same variable, and a later value replaces an earlier one. */
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

const joined = (paths: readonly string[], separator: string): string =>
  [...new Set(paths.flatMap((path) => path.split(separator)).filter(Boolean))].join(separator);

/** The marker `A2C_INSTANCE` is set last, so that no config can hide a child from the cleanup of the next start. */
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
    // Leaves out exported shell functions, which old shells would run.
    if (value !== undefined && !value.startsWith('()')) child.set(name, value);
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

const places = {
  cmd: 'cmd.exe',
  powershell: 'WindowsPowerShell\\v1.0\\powershell.exe',
  rundll32: 'rundll32.exe',
  taskkill: 'taskkill.exe',
  wmic: 'wbem\\WMIC.exe',
} as const;
export type SystemProgram = keyof typeof places;
type Variables = Readonly<Record<string, string | undefined>>;

const valueOf = (env: Variables, wanted: string): string | undefined =>
  Object.entries(env).find(([name]) => name.toUpperCase() === wanted)?.[1];

/** Of a bare name, Windows would first run a file in the current folder, which may be an untrusted repository. */
export function systemProgram(program: SystemProgram, env: Variables = process.env): string {
  const root = valueOf(env, 'SYSTEMROOT') ?? '';
  // Accepts only an absolute SYSTEMROOT, because a relative one would lead to the current folder again.
  const folder = /^[a-z]:[/\\]/i.test(root) ? root : 'C:\\Windows';
  return win32.join(folder, 'System32', places[program]);
}

const isWindowsPath = /[/\\]|^[a-z]:/i;
const endingsIn = (env: Environment): readonly string[] =>
  (valueOf(env, 'PATHEXT') || '.COM;.EXE;.BAT;.CMD').toLowerCase().split(';').filter(Boolean);
/** The first list is tried first. On Windows a file without an ending is a script for other systems. */
const namesOf = (command: string, env: Environment, isWindows: boolean): readonly (readonly string[])[] => {
  if (!isWindows) return [[command]];
  const ended = endingsIn(env).map((ending) => command + ending);
  return command.includes('.') ? [[command, ...ended]] : [ended, [command]];
};

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Searched in the PATH of the child, on Windows with `PATHEXT`; in the working folder only by a path. */
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
