import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcess, peakMemoryOf } from './processes.ts';

/** First line of a driver, which describes its host. */
export interface Hello {
  readonly name: string;
  /** Process id of the host. */
  readonly pid: number;
  readonly can: readonly string[];
}
/** Answer to one order; README.md describes its members. */
export interface HostAnswer {
  readonly ok: boolean;
  /** Duration of the order in ms. */
  readonly ms: number;
  /** Tells whether no answer came in time. */
  readonly isLate?: boolean;
  readonly error?: string;
  readonly text?: string;
  readonly bytes?: number;
  readonly isError?: boolean;
  readonly outcome?: string;
  readonly tools?: readonly string[];
  readonly ready?: readonly string[];
}
/** Order that was given: its id, for a cancel, and its answer. */
export interface GivenOrder {
  readonly id: number;
  readonly answer: Promise<HostAnswer>;
}
type Message = Partial<Omit<HostAnswer, 'ms'>> & {
  readonly id?: number;
  readonly hello?: Hello;
  /** Process id in the answer to `start`, when the host is another process than its driver. */
  readonly pid?: number;
};

/** Time in ms for a driver to load, enough for the slowest machine. */
const helloMs = 120_000;

/** Host under test: its driver as a child process in a group of its own, and the orders to it. */
export class Host {
  readonly #child;
  readonly #pending = new Map<number, (message: Message) => void>();
  readonly #hello: Promise<Hello>;
  #said: Hello | undefined;
  #last = 0;
  #error = '';
  #pid = 0;
  /** Exit of the driver in words; undefined while it runs. */
  ended: string | undefined;

  constructor(command: readonly string[], env: NodeJS.ProcessEnv) {
    const [program = '', ...args] = command;
    this.#child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], detached: true, env });
    this.#child.stdin.on('error', () => {});
    this.#child.stderr.on(
      'data',
      (data: Buffer) => (this.#error = (this.#error + String(data)).slice(-2_000)),
    );
    this.#hello = new Promise((resolve, reject) => {
      this.#child.on('error', reject);
      this.#child.on('exit', (code, signal) => {
        this.ended = `code ${code}, signal ${signal}`;
        reject(new Error(`the driver ended before its hello (${this.ended}): ${this.#error}`));
        for (const settle of this.#pending.values()) settle({ ok: false, error: 'the driver has ended' });
      });
      createInterface({ input: this.#child.stdout }).on('line', (line) => this.#hear(line, resolve));
    });
    this.#hello.catch(() => {});
  }
  #hear(line: string, greet: (hello: Hello) => void): void {
    let message: Message;
    try {
      message = JSON.parse(line) as Message;
    } catch {
      // Lines that are no JSON come from a library that writes to stdout.
      return;
    }
    if (message.hello) greet((this.#said = message.hello));
    this.#pid = message.hello?.pid ?? message.pid ?? this.#pid;
    const settle = this.#pending.get(message.id ?? 0);
    this.#pending.delete(message.id ?? 0);
    settle?.(message);
  }
  /** Resolves once the driver has loaded. */
  async opened(): Promise<void> {
    const late = sleep(helloMs, undefined, { ref: false }).then(() => {
      throw new Error(`the driver said no hello within ${helloMs} ms: ${this.#error}`);
    });
    await Promise.race([this.#hello, late]);
  }
  get pid(): number {
    return this.#pid;
  }
  get name(): string {
    return this.#said?.name ?? '';
  }
  can(what: string): boolean {
    return this.#said?.can.includes(what) ?? false;
  }
  /** Largest memory of the host in MB. */
  get peakMemory(): number {
    return peakMemoryOf(this.pid);
  }
  /** Gives an order; its answer is late after `limitMs`. */
  order(name: string, more: object, limitMs: number): GivenOrder {
    const id = (this.#last += 1);
    const at = performance.now();
    const heard = new Promise<Message>((resolve) => {
      if (this.ended !== undefined) return resolve({ ok: false, error: 'the driver has ended' });
      this.#pending.set(id, resolve);
      this.#child.stdin.write(`${JSON.stringify({ id, do: name, ...more })}\n`);
    });
    const late = sleep(limitMs, { ok: false, isLate: true, error: 'nothing came' }, { ref: false });
    const answer = Promise.race([heard, late]).then(({ ok = false, ...message }): HostAnswer => ({
      ...message,
      ok,
      ms: performance.now() - at,
    }));
    return { id, answer };
  }
  /** Sends a signal to the host, as from a shell. */
  signal(signal: NodeJS.Signals): void {
    endProcess(this.pid, signal);
  }
  /** Ends the driver and its process group. */
  end(): void {
    const { pid } = this.#child;
    if (pid !== undefined) endProcess(-pid);
  }
}
