import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { endAll, startTimeOf } from './group.ts';
import { reaperMark, reaperProof } from './host-program.ts';

/** A reaper says what it is within 50 ms; a loaded machine gets more. */
const proofMs = 5_000;

/** `dist/` of a checkout that runs its sources. */
const built = new URL('../../../dist/adapters/process/reaper/reaper.js', import.meta.url);

/**
 * How to start the reaper: with the Node that runs us. A checkout that runs its sources starts the one that was built,
 * because tsx takes three times as long to be there; without one it starts its source through tsx.
 */
export function reaperCommand(): { command: string; args: string[] } {
  const isSource = import.meta.url.endsWith('.ts');
  const isTranspiled = isSource && !existsSync(built);
  const beside = new URL(isSource ? './reaper.ts' : './reaper.js', import.meta.url);
  // By its address, since the reaper runs in another folder.
  const loader = isTranspiled ? ['--import', import.meta.resolve('tsx')] : [];
  const main = fileURLToPath(isSource && !isTranspiled ? built : beside);
  // The pid is for people who read `ps`.
  return { command: process.execPath, args: [...loader, main, `host=${process.pid}`] };
}

/** Without NODE_OPTIONS, which may slow it down, and without the marker of a host that this host is a child of. */
const inherited = ['PATH', 'HOME', 'TMPDIR', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH'];

function environment(): Record<string, string> {
  const env: Record<string, string> = { ELECTRON_RUN_AS_NODE: '1', [reaperMark]: '1' };
  for (const name of inherited) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}

export interface Reaper {
  readonly child: ChildProcess;
  /** Whether what was started has said in time that it is a reaper; pending when it ended before. */
  readonly isReaper: Promise<boolean>;
  readonly ended: Promise<unknown>;
  say(line: string): void;
}
/** Called at most once, after `startReaper` has returned. */
export interface Mishap {
  /** It is gone: another one may live longer. */
  lost(how: string): void;
  /** The started program is another one, and is ended: another try would start the same. */
  refused(how: string): void;
}

type Piped = ChildProcessByStdio<Writable, Readable, null>;

/** A program that says anything else first is no reaper. */
const proofFrom = (child: Piped): Promise<boolean> =>
  new Promise((resolve) => {
    const late = setTimeout(() => resolve(false), proofMs).unref();
    const { stdout } = child.once('close', () => clearTimeout(late));
    let said = '';
    stdout.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
      if (reaperProof.startsWith(said) && said !== reaperProof) return;
      clearTimeout(late);
      // It says nothing more, and what something else says is not wanted.
      stdout.destroy();
      resolve(said === reaperProof);
    });
  });

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);
export const notStarted = (error: unknown): string => `could not be started (${codeOf(error)})`;

/** Starts one. Throws when there is no process to be had. */
export function startReaper({ lost, refused }: Mishap): Reaper {
  const { command, args } = reaperCommand();
  // In the root folder it holds no other; in a session of its own no Ctrl-C reaches it.
  const child = spawn(command, args, {
    cwd: '/',
    env: environment(),
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const { stdin, stdout, pid } = child;
  const startTime = pid === undefined ? undefined : startTimeOf(pid);
  let isProven = false;
  const isReaper = proofFrom(child).then((is) => {
    isProven = is;
    if (is) return true;
    refused('does not say that it is a reaper');
    if (pid !== undefined) void endAll({ groups: [{ pgid: pid, startTime }], instances: [] });
    return false;
  });
  // A broken pipe shows as its end, below.
  stdin.on('error', () => {});
  child.once('error', (error) => lost(notStarted(error)));
  child.once('close', (code, signal) => {
    // A program that ends before it has said anything would do so again.
    if (isProven || signal) lost(`has ended (${signal ?? `exit code ${code}`})`);
    else refused(`has ended (exit code ${code}) before it said that it is a reaper`);
  });
  // It serves this process, and never keeps it alive.
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
