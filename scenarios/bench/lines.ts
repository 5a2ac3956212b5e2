import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { cpuUs } from './measure.ts';

interface Said {
  readonly url: string;
  readonly cpuUs: number;
}

/** Tells the CPU time at first and after each line on stdin, and ends with stdin. */
export function answerLines(url: string, close: () => Promise<unknown>): void {
  const say = (): void => {
    const said: Said = { url, cpuUs: cpuUs() };
    process.stdout.write(`${JSON.stringify(said)}\n`);
  };
  say();
  createInterface({ input: process.stdin })
    .on('line', say)
    .on('close', () => void close().finally(() => process.exit()));
}

interface Side {
  readonly url: string;
  /** Rejects when the process has ended. */
  cpuUs(): Promise<number>;
  close(): Promise<void>;
}
export async function startSide(script: string, args: readonly string[]): Promise<Side> {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, [file, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const next = (): Promise<Said> =>
    new Promise((resolve, reject) => {
      const gone = (): void => reject(new Error(`${script} has ended`));
      child.once('exit', gone);
      lines.once('line', (line) => {
        child.off('exit', gone);
        resolve(JSON.parse(line) as Said);
      });
    });
  const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  const { url } = await next();
  return {
    url,
    cpuUs: async () => {
      const said = next();
      child.stdin.write('\n');
      return (await said).cpuUs;
    },
    close: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
