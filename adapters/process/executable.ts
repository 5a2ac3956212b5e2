import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { environmentOf, pathSeparator } from './environment.ts';
import type { Environment, LaunchDescription, LaunchSpec } from './launcher.ts';

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
export function isExecutable(path: string): boolean {
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
