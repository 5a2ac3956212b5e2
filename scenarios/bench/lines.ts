import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { collector, cpuUs, heapAfterGc } from './measure.ts';

export interface Used {
  readonly cpuUs: number;
  /** After a collection, whose CPU is not in `cpuUs`. */
  readonly heapBytes: number;
}
interface Said extends Used {
  readonly url: string;
}

/** Tells what the process uses at first and after each line on stdin, and ends with stdin. */
export function answerLines(url: string, close: () => Promise<unknown>): void {
  const gc = collector();
  let collecting = 0;
  const say = async (withHeap: boolean): Promise<void> => {
    const before = cpuUs();
    const used = before - collecting;
    const heapBytes = withHeap ? await heapAfterGc(gc) : 0;
    collecting += cpuUs() - before;
    const said: Said = { url, cpuUs: used, heapBytes };
    process.stdout.write(`${JSON.stringify(said)}\n`);
  };
  void say(false);
  createInterface({ input: process.stdin })
    .on('line', (line) => void say(line === 'heap'))
    .on('close', () => void close().finally(() => process.exit()));
}

export interface Side {
  readonly url: string;
  /** Rejects when the process has ended. */
  cpuUs(): Promise<number>;
  used(): Promise<Used>;
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
  const ask = (line: string): Promise<Used> => {
    const said = next();
    child.stdin.write(`${line}\n`);
    return said;
  };
  return {
    url,
    cpuUs: async () => (await ask('')).cpuUs,
    used: () => ask('heap'),
    close: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
