import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { endProcess, isWindows, peakMemoryOf } from './processes.ts';
import { answerSchema, DriverError, helloSchema, type Answer, type Feature, type Hello } from './protocol.ts';

export interface HostAnswer extends Omit<Answer, 'id'> {
  readonly ms: number;
  readonly isLate?: boolean;
}
export interface GivenOrder {
  readonly id: number;
  readonly answer: Promise<HostAnswer>;
}
type Settle = (answer: Omit<HostAnswer, 'ms'>) => void;

/** For a driver to load, enough for the slowest machine. */
const helloMs = 120_000;
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

export class Host {
  readonly #child;
  readonly #pending = new Map<number, Settle>();
  readonly #hello: Promise<Hello>;
  #said: Hello | undefined;
  #last = 0;
  #error = '';
  #pid = 0;
  ended: string | undefined;
  /** The first one, which makes the case void. */
  mistake: DriverError | undefined;

  constructor(command: readonly string[], env: NodeJS.ProcessEnv) {
    const [program = '', ...args] = command;
    this.#child = spawn(program, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
      windowsHide: true,
      env,
    });
    this.#child.stdin.on('error', () => {});
    this.#child.stderr.on(
      'data',
      (data: Buffer) => (this.#error = (this.#error + String(data)).slice(-2_000)),
    );
    this.#hello = new Promise((resolve, reject) => {
      const refuse = (text: string): void => reject(new DriverError(text));
      this.#child.on('error', (error) => refuse(`the driver does not start: ${error.message}`));
      this.#child.on('exit', (code, signal) => {
        this.ended = `code ${code}, signal ${signal}`;
        refuse(`the driver ended before its hello (${this.ended}): ${this.#error}`);
        for (const settle of this.#pending.values()) settle({ ok: false, error: 'the driver has ended' });
      });
      createInterface({ input: this.#child.stdout }).on('line', (line) => this.#hear(line, resolve, refuse));
    });
    this.#hello.catch(() => {});
  }
  #hear(line: string, greet: (hello: Hello) => void, refuse: (text: string) => void): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      // Lines that are no JSON come from a library that writes to stdout.
      return;
    }
    if (!isObject(message)) return;
    if ('hello' in message) {
      const { data, error } = helloSchema.safeParse(message);
      if (!data) return refuse(`the hello of the driver is wrong: ${z.prettifyError(error)}`);
      this.#pid = data.hello.pid;
      return greet((this.#said = data.hello));
    }
    // Logs of a library may be JSON, too.
    if (!('id' in message) || !('ok' in message)) return;
    const { data, error } = answerSchema.safeParse(message);
    if (!data) {
      const words = `the driver answered ${line.slice(0, 200)}: ${z.prettifyError(error)}`;
      this.mistake ??= new DriverError(words);
      return;
    }
    const { id, ...answer } = data;
    this.#pid = answer.pid ?? this.#pid;
    this.#pending.get(id)?.(answer);
    this.#pending.delete(id);
  }
  async opened(): Promise<Hello> {
    const late = sleep(helloMs, undefined, { ref: false }).then(() => {
      throw new DriverError(`the driver said no hello within ${helloMs / 1_000} s: ${this.#error}`);
    });
    return Promise.race([this.#hello, late]);
  }
  get pid(): number {
    return this.#pid;
  }
  can(what: Feature): boolean {
    return this.#said?.can.includes(what) ?? false;
  }
  get peakMemory(): number {
    return peakMemoryOf(this.pid);
  }
  order(name: string, more: object, limitMs: number): GivenOrder {
    const id = (this.#last += 1);
    const at = performance.now();
    const heard = new Promise<Omit<HostAnswer, 'ms'>>((resolve) => {
      if (this.ended !== undefined) return resolve({ ok: false, error: 'the driver has ended' });
      this.#pending.set(id, resolve);
      this.#child.stdin.write(`${JSON.stringify({ id, do: name, ...more })}\n`);
    });
    const late = sleep(limitMs, { ok: false, isLate: true, error: 'nothing came' }, { ref: false });
    const answer = Promise.race([heard, late]).then((said): HostAnswer => ({
      ...said,
      ms: performance.now() - at,
    }));
    return { id, answer };
  }
  signal(signal: NodeJS.Signals): void {
    endProcess(this.pid, signal);
  }
  /** Windows does not have process groups. */
  end(): void {
    const { pid } = this.#child;
    if (pid !== undefined) endProcess(isWindows ? pid : -pid);
  }
}
