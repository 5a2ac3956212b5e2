import { existsSync, statSync } from 'node:fs';

/** The launch facts of one server, placeholders already rendered. */
export interface LaunchSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** What a child inherits, beside what its config gives: the list of the MCP SDK, and two that Unix tools need. */
const inherited =
  process.platform === 'win32'
    ? 'APPDATA HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PROCESSOR_ARCHITECTURE SYSTEMDRIVE SYSTEMROOT TEMP USERNAME USERPROFILE PROGRAMFILES'
    : 'HOME LOGNAME PATH SHELL TERM USER LANG TMPDIR';

/** The whole environment of a child. The marker comes last: no config can hide a child from the next start. */
export function environmentOf(spec: LaunchSpec, instance: string): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of inherited.split(' ')) {
    const value = process.env[name];
    // A value that begins with () is an exported shell function, which old shells would run.
    if (value !== undefined && !value.startsWith('()')) env[name] = value;
  }
  return Object.assign(env, spec.env, { A2C_INSTANCE: instance });
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'it may not be executed (EACCES): check its permissions, and that it is a program and not a folder',
  EAGAIN: 'this machine has no process left to give (EAGAIN)',
  EMFILE: 'this host has too many open files (EMFILE): raise its limit (ulimit -n) or run fewer servers',
  ENFILE: 'this machine has too many open files (ENFILE)',
  E2BIG: 'its arguments and environment are too long (E2BIG)',
  ENOEXEC: 'it is not a program for this machine (ENOEXEC)',
};

/** Why a child never ran, as a sentence that names the command, but neither arguments nor environment. */
export function whyNotLaunched({ command, cwd }: LaunchSpec, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const because = (reason: string): string => `cannot start "${command}": ${reason}`;
  if (cwd !== undefined && !isFolder(cwd)) return because(`its folder "${cwd}" does not exist`);
  if (code === 'ENOENT' && command.includes('/') && existsSync(command)) {
    return because('the interpreter that its first line names was not found');
  }
  if (code === 'ENOENT') return because('command not found: install it, or correct "command" or PATH');
  if (code === 'ERR_INVALID_ARG_VALUE') {
    return because(
      'its command, arguments, folder or environment hold a character that no process can be given',
    );
  }
  return because(reasons[code] ?? (code || 'the system refused'));
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
