import { Worker } from 'node:worker_threads';
import { realWork } from '../clock.ts';
import type { Diagnostic } from '../../machines/call/transform.ts';

/** One program to run over an event, or, without one, to check. */
export interface Asked {
  readonly source: string;
  readonly event?: object;
}
/** What the thread says: first whether it can be used, then one answer for each question. */
export type Told =
  | { readonly type: 'ready' }
  | { readonly type: 'unusable'; readonly why: string }
  | { readonly type: 'checked'; readonly errors: readonly Diagnostic[] }
  | { readonly type: 'ran'; readonly json: string }
  /** The program ended itself. */
  | { readonly type: 'failed'; readonly why: string }
  /** The runtime broke under it: this thread can be used no more. */
  | { readonly type: 'broken'; readonly why: string }
  /** It ended without being told to. */
  | { readonly type: 'lost'; readonly why: string };

/** Where programs run. After `lost`, and once it was told to end, nothing more is heard of it. */
export interface Thread {
  /** Throws for an event that no thread can be handed, such as one with a function in it. */
  ask(asked: Asked): void;
  /** Whether it keeps this process alive. */
  hold(isWanted: boolean): void;
  /** Stops it even in the midst of a loop; resolves when it is gone. */
  end(): Promise<void>;
}
export type OpenThread = (hear: (told: Told) => void) => Thread;

/** Beside this file, in a checkout and in `dist`. */
const workerEntry = new URL('./worker.mjs', import.meta.url);

/**
 * A worker thread, which ends by `end` or with the process. It has none of the host's environment, and what the runtime
 * prints when it breaks reaches nobody.
 */
class WorkerThread implements Thread {
  readonly #worker: Worker;
  readonly #hear: (told: Told) => void;
  #isLost = false;
  #work: (() => void) | undefined;
  #ended: Promise<void> | undefined;

  constructor(entry: URL, hear: (told: Told) => void) {
    this.#hear = hear;
    // Nobody reads its streams: whoever does keeps this process alive. It prints once, when it breaks.
    this.#worker = new Worker(entry, { execArgv: [], env: {}, stdout: true, stderr: true });
    this.#worker.on('message', (told: Told) => this.#say(told));
    this.#worker.on('error', (error) => this.#say({ type: 'lost', why: String(error) }));
    this.#worker.on('exit', (code) => this.#say({ type: 'lost', why: `exit code ${code}` }));
  }
  #say(told: Told): void {
    if (this.#ended || this.#isLost) return;
    this.#isLost = told.type === 'lost';
    this.#hear(told);
  }
  ask(asked: Asked): void {
    this.#worker.postMessage(asked);
  }
  hold(isWanted: boolean): void {
    if (isWanted) this.#worker.ref();
    else this.#worker.unref();
    if (isWanted) this.#work ??= realWork();
    else this.#rest();
  }
  #rest(): void {
    this.#work?.();
    this.#work = undefined;
  }
  end(): Promise<void> {
    this.#rest();
    return (this.#ended ??= this.#worker.terminate().then(() => {}));
  }
}
export const openWorker =
  (entry: URL = workerEntry): OpenThread =>
  (hear) =>
    new WorkerThread(entry, hear);
