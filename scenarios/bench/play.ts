import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Figure } from './row.ts';
import type { Play } from './run.ts';

export type RowMessage = { readonly figure: Figure } | { readonly failed: string } | { readonly done: true };
/** Longest part of an error that is shown, in characters. */
const shown = 300;

/** Its heap holds no other row, and it can be ended with all that it started. */
export const playApart: Play = (row, plan, tell, signal) => {
  const script = fileURLToPath(new URL('row-process.js', import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), 'a2c-bench-'));
  const child = fork(script, [row.name, JSON.stringify(plan)], {
    env: { ...process.env, TMPDIR: folder },
    execArgv: [...(row.flags ?? [])],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // Process group of its own, which is ended as a whole.
    detached: true,
  });
  let wrote = '';
  child.stderr?.on('data', (text) => (wrote = `${wrote}${text}`.slice(-shown)));
  const end = (): void => {
    try {
      process.kill(-(child.pid ?? Number.NaN), 'SIGKILL');
    } catch {
      // Killing fails when the process has ended already.
    }
  };
  signal.addEventListener('abort', end, { once: true });
  process.once('exit', end);
  const ended = new Promise<void>((resolve, reject) => {
    let result: RowMessage | undefined;
    child.on('message', (said: RowMessage) => {
      if ('figure' in said) return tell(said.figure);
      result ??= said;
      // Handles that the row left open must not keep its process alive.
      end();
    });
    child.once('error', reject);
    child.once('close', (code, by) => {
      if (result && 'done' in result) return resolve();
      const failed = result && 'failed' in result ? result.failed.slice(0, shown) : undefined;
      reject(new Error(failed ?? `its process ended with ${by ?? code}: ${wrote.trim()}`));
    });
  });
  return ended.finally(() => {
    signal.removeEventListener('abort', end);
    process.off('exit', end);
    end();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
};
