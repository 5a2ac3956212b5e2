import { execFile, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** What an office process has used. */
export interface Used {
  readonly cpuUs: number;
  readonly heapBytes: number;
  readonly residentBytes: number;
  /** How often each limit was met. */
  readonly refusals: Readonly<Record<string, number>>;
}
export type Kind = 'bare' | 'limited' | 'node';

/** An office in a process of its own. It ends with `close`, or with this process: its stdin ends then. */
export class OfficeChild {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #lines: Interface;

  private constructor(url: string, child: ChildProcess, lines: Interface) {
    this.url = url;
    this.#child = child;
    this.#lines = lines;
  }
  static async start(kind: Kind, ...more: readonly string[]): Promise<OfficeChild> {
    const script = fileURLToPath(new URL('../office-process.js', import.meta.url));
    const args = ['--expose-gc', script, kind, ...more];
    const child = execFile(process.execPath, args);
    if (!child.stdout) throw new Error('an office without pipes');
    child.stderr?.pipe(process.stderr);
    const lines = createInterface({ input: child.stdout });
    const first = await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => undefined)]);
    if (!first) throw new Error(`the ${kind} office did not start`);
    const { url } = JSON.parse(String(first[0])) as { readonly url: string };
    return new OfficeChild(url, child, lines);
  }
  /** After a garbage collection, where that is asked for. */
  async used(isCollected = false): Promise<Used> {
    const line = once(this.#lines, 'line');
    this.#child.stdin?.write(isCollected ? 'collect\n' : '\n');
    return JSON.parse(String((await line)[0])) as Used;
  }
  async close(): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.#child.stdin?.end();
    await gone;
  }
}
