import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { codeOf } from '../../reading.ts';
import { isSource, ownFile, sourceFile, sourceLoader } from '../../own-files.ts';
import { endAll, startTimeOf } from './group.ts';
import { isPlainNode, reaperMark, reaperProof } from './host-program.ts';

/** Time limit in ms for the first output of a reaper, which normally comes within 50 ms; a loaded machine needs more. */
const proofMs = 5_000;

declare const EMBEDDED_REAPER: string | undefined;

/** The built reaper even in a checkout, because tsx starts three times slower; a bundle passes its text. */
function reaperProgram(): readonly string[] {
  try {
    return [ownFile('adapters/process/reaper/reaper.js')];
  } catch (error) {
    if (typeof EMBEDDED_REAPER === 'string') return ['-e', EMBEDDED_REAPER];
    if (!isSource) throw error;
    return ['--import', sourceLoader(), sourceFile('adapters/process/reaper/reaper.ts')];
  }
}

const shell = '/bin/sh';
/** Waits in place of the reaper, with a fortieth of its memory, and starts it when the host is gone. */
const guard = `trap '' INT TERM HUP QUIT
printf '%s' '${reaperProof}'
end='
'
said=
while IFS= read -r line; do
  case $line in
    '- '*) was="+ \${line#- }$end" ;;
    '~ '*) was="* \${line#'~ '}$end" ;;
    *) said="$said$line$end"; continue ;;
  esac
  case $said in *"$was"*) said="\${said%%"$was"*}\${said#*"$was"}" ;; esac
done
[ -z "$said" ] || printf '%s' "$said" | "$@" >/dev/null`;

export function reaperCommand(): { command: string; args: string[] } {
  const args = [...reaperProgram(), `host=${process.pid}`];
  if (process.platform === 'win32' || !isPlainNode() || !existsSync(shell))
    return { command: process.execPath, args };
  return { command: shell, args: ['-c', guard, 'a2c-reaper', process.execPath, ...args] };
}

/** NODE_OPTIONS may slow the reaper down; `A2C_INSTANCE` would mark it as a child of an outer host. */
const inherited = ['PATH', 'HOME', 'TMPDIR', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH'];

function environment(): Record<string, string> {
  const env: Record<string, string> = { ELECTRON_RUN_AS_NODE: '1', BUN_BE_BUN: '1', [reaperMark]: '1' };
  for (const name of inherited) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}

export interface Reaper {
  readonly child: ChildProcess;
  /** Stays pending when the program ended before its proof. */
  readonly isReaper: Promise<boolean>;
  readonly ended: Promise<unknown>;
  say(line: string): void;
}
/** At most one of them is called, once, after `startReaper` has returned. */
export interface Mishap {
  lost(how: string): void;
  /** The program is no reaper and is ended; another attempt would start the same. */
  refused(how: string): void;
}

type Piped = ChildProcessByStdio<Writable, Readable, null>;

const proofFrom = (child: Piped): Promise<boolean> =>
  new Promise((resolve) => {
    const late = setTimeout(() => resolve(false), proofMs).unref();
    const { stdout } = child.once('close', () => clearTimeout(late));
    let said = '';
    stdout.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
      if (reaperProof.startsWith(said) && said !== reaperProof) return;
      clearTimeout(late);
      // Stops reading: a reaper writes nothing more, and the output of any other program is not needed.
      stdout.destroy();
      resolve(said === reaperProof);
    });
  });

export const notStarted = (error: unknown): string =>
  `could not be started (${codeOf(error) || String(error)})`;

export function startReaper({ lost, refused }: Mishap): Reaper {
  const { command, args } = reaperCommand();
  // The root folder keeps no other folder in use, and a session of its own keeps Ctrl-C away.
  const child = spawn(command, args, {
    cwd: '/',
    env: environment(),
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const { stdin, stdout, pid } = child;
  const startTime = pid === undefined ? undefined : startTimeOf(pid);
  let isProven = false;
  const isReaper = proofFrom(child).then((is) => {
    isProven = is;
    if (is) return true;
    refused('does not say that it is a reaper');
    if (process.platform === 'win32') child.kill('SIGKILL');
    else if (pid !== undefined) void endAll({ groups: [{ pgid: pid, startTime }], instances: [] });
    return false;
  });
  // Ignores write errors, because a broken pipe also shows as the reaper's end.
  stdin.on('error', () => {});
  child.once('error', (error) => lost(notStarted(error)));
  child.once('close', (code, signal) => {
    // A program that ended before its first output would end so again.
    if (isProven || signal) lost(`has ended (${signal ?? `exit code ${code}`})`);
    else refused(`has ended (exit code ${code}) before it said that it is a reaper`);
  });
  child.unref();
  for (const pipe of [stdin, stdout]) if (pipe instanceof Socket) pipe.unref();
  return {
    child,
    isReaper,
    ended: new Promise((resolve) => child.once('close', resolve).once('error', resolve)),
    say: (line) => {
      if (stdin.writable) stdin.write(`${line}\n`);
    },
  };
}
