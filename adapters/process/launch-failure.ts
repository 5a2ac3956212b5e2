import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { sep } from 'node:path';
import { describeLaunch } from './executable.ts';
import type { Environment, LaunchSpec } from './launcher.ts';

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
