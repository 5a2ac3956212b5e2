import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Answer of a process that is measured: the figures of its work, and its own. */
export interface Said {
  readonly url?: string;
  /** Time in ms of the work that the line asked for. */
  readonly ms?: number;
  /** Number of bytes that came with it. */
  readonly bytes?: number;
  readonly failed?: string;
  readonly cpuUs: number;
  /** Resident memory in bytes now, and its peak since the answer before. */
  readonly rss: number;
  readonly peak: number;
}
const sampleMs = 20;

/** Runs the end of the measured process: says `first`, then answers each line on stdin, and ends with stdin. */
export function answerLines(
  first: object,
  answer: (line: string) => Promise<object>,
  close: () => Promise<unknown>,
): void {
  const rssNow = (): number => process.memoryUsage.rss();
  let peak = rssNow();
  setInterval(() => (peak = Math.max(peak, rssNow())), sampleMs).unref();
  const say = (line: object): void => {
    const [{ user, system }, rss] = [process.cpuUsage(), rssNow()];
    const own = { cpuUs: user + system, rss, peak: Math.max(peak, rss) };
    process.stdout.write(`${JSON.stringify({ ...line, ...own })}\n`);
    peak = rss;
  };
  say(first);
  const fail = (error: unknown): void => say({ failed: String(error) });
  createInterface({ input: process.stdin })
    .on('line', (line) => void answer(line).then(say, fail))
    .on('close', () => void close().finally(() => process.exit()));
}

/** Process that is measured, as its row sees it. */
export interface Side {
  readonly url: string;
  /** Asks for work; rejects when it fails, or the process has ended. */
  ask(line?: string): Promise<Said>;
  close(): Promise<void>;
}
/** Starts a script of the bench beside the rows; resolves with its first line. */
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
        const said = JSON.parse(line) as Said;
        if (said.failed === undefined) resolve(said);
        else reject(new Error(`${args.slice(0, 2).join(' ')}: ${said.failed}`));
      });
    });
  const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  const { url = '' } = await next();
  return {
    url,
    ask: (line = '') => {
      const said = next();
      child.stdin.write(`${line}\n`);
      return said;
    },
    close: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
