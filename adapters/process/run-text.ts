import { spawn } from 'node:child_process';
import { systemProgram } from './windows/system-programs.ts';

/** A command that runs to its end. */
export interface RunOptions {
  /** Written to its stdin, which is closed then. */
  readonly input?: string;
  /** Ends it, with all that it started, after so many ms. */
  readonly ms: number;
  readonly signal?: AbortSignal;
  /** Once its stdout holds this, it has said what is wanted: it is ended, whatever else it would do. */
  readonly until?: string;
}
/** More output than this ends the command. */
const mostBytes = 1024 * 1024;

/**
 * Runs a line in the shell of the system, and resolves with its stdout. Rejects with a sentence when it ends with another code
 * than 0, writes more than 1 MiB, is not over in time, or is not wanted any more; then nothing of its group is left.
 */
export function runText(line: string, { input = '', ms, signal, until }: RunOptions): Promise<string> {
  const isWindows = process.platform === 'win32';
  const child = spawn(line, {
    shell: isWindows ? (process.env['ComSpec'] ?? systemProgram('cmd')) : true,
    detached: !isWindows,
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const end = (): void => {
    // Who left the group may hold the pipes.
    for (const pipe of [child.stdout, child.stderr]) pipe.destroy();
    try {
      if (child.pid === undefined) return;
      if (isWindows) child.kill();
      else process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  return new Promise((resolve, reject) => {
    let out = '';
    let said = '';
    const fail = (why: string): void => {
      end();
      reject(new Error(`the command ${why}`));
    };
    const timer = setTimeout(() => fail(`was not over within ${Math.round(ms / 1000)} s`), ms);
    const abort = (): void => fail('is not wanted any more');
    signal?.addEventListener('abort', abort, { once: true });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      if (out.length > mostBytes) fail('wrote more than 1 MiB');
      else if (until !== undefined && out.includes(until)) {
        end();
        resolve(out);
      }
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-500)));
    child.on('error', (error) => fail(`could not be started: ${error.message}`));
    child.on('close', (code, by) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      const why = by === null ? `ended with exit code ${code}` : `was ended by ${by}`;
      if (code === 0) resolve(out);
      else fail(`${why}${said.trim() === '' ? '' : `: ${said.trim()}`}`);
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    if (signal?.aborted) abort();
  });
}
