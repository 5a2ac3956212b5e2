import { accessSync, constants, statSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import { environmentOf, pathSeparator } from './environment.ts';
import type { Environment, LaunchDescription, LaunchSpec } from './launcher.ts';

/** What a system takes a name without an ending for. `.cmd` and `.bat` are for its shell alone. */
const endings = { posix: [''], windows: ['', '.com', '.exe'] };

/** Whether this file can be executed; on Windows whether it exists. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** What a launch of this would run, looked up as the system does: in the PATH of the child, from its folder. */
export function describeLaunch(
  { command, cwd }: LaunchSpec,
  env: Environment,
  platform: string = process.platform,
): LaunchDescription {
  const isWindows = platform === 'win32';
  const path = isWindows ? win32 : posix;
  const folder = cwd ?? process.cwd();
  const isPath = isWindows ? /[/\\]/.test(command) : command.includes('/');
  const folders = (env[isWindows ? 'Path' : 'PATH'] ?? '').split(pathSeparator(platform)).filter(Boolean);
  const lookedIn = isPath ? [] : folders;
  const names = (isWindows ? endings.windows : endings.posix).map((ending) => command + ending);
  const candidates = (isPath ? [folder] : lookedIn).flatMap((from) =>
    names.map((name) => path.resolve(folder, from, name)),
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
