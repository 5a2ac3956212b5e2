/** Threads that run VRL programs over results, with limits of time and size. */
import { Worker } from 'node:worker_threads';
import { realWork, wallTimers, type Timers } from '../clock.ts';
import { installCommand, missingText, isInstalled } from '../optional-packages.ts';
import { isSource, ownFile, OwnFileMissing, sourceFile } from '../own-files.ts';
import { endText, type Diagnostic, syntaxFailure } from '../../machines/call/program-mistakes.ts';
import type { Transformed, Transformer, TransformerTimes } from '../../machines/call/transform.ts';
import { timing } from '../../machines/kernel/timing.ts';
import { wireCodes, type Failure } from '../../machines/protocol/failure.ts';

const verel = '@bpinternal/verel';

const missing: Failure = {
  code: 'ConfigInvalid',
  message: missingText(verel, 'VRL'),
  remedy: installCommand(verel),
};
const unusable = (why: string): Failure => ({
  code: 'Crashed',
  message: `VRL could not be loaded: ${why}`,
  remedy: installCommand(verel),
});
const incomplete = ({ message, remedy }: OwnFileMissing): Failure => ({
  code: 'ConfigInvalid',
  message,
  remedy,
});
const tooLong = (ms: number): Failure => ({
  code: wireCodes.noAnswer,
  message: `The program did not end within ${ms} ms`,
  details: { timeout: ms },
  remedy: 'Let it look at less of the result.',
});
const ended = (source: string, said: string): Failure => ({
  code: wireCodes.internal,
  message: endText(source, said),
});
/** Known cases: a result nested more than 126 levels deep, and text with half of a surrogate pair. */
const broken = (why: string): Failure => ({
  code: 'Crashed',
  message: `VRL broke under this program and this result (${why})`,
});
const notHanded = (error: unknown): Failure => ({
  code: wireCodes.badRequest,
  message: `The result cannot be handed to a program: ${String(error)}`,
});
const closed: Failure = { code: 'ToolCallCancelled', message: 'VRL was closed' };

/** Without an event, the program is only checked. */
export interface VrlTask {
  readonly source: string;
  readonly event?: object;
}
/** Message of the VRL thread: first `ready` or `unusable`, then one answer for each task. */
export type VrlMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'unusable'; readonly why: string }
  | { readonly type: 'checked'; readonly errors: readonly Diagnostic[] }
  | { readonly type: 'ran'; readonly json: string }
  | { readonly type: 'failed'; readonly why: string }
  /** Message: the runtime broke during the program. The thread must not be used again. */
  | { readonly type: 'broken'; readonly why: string }
  | { readonly type: 'lost'; readonly why: string };

/** Thread that runs VRL programs. It reports nothing after `lost`, nor after it was told to end. */
interface Thread {
  /** Sends a task to the thread. Throws for an event that cannot be copied to a thread, such as one that holds a function. */
  ask(asked: VrlTask): void;
  hold(isWanted: boolean): void;
  /** Stops the thread, even in the middle of a loop; resolves when it is gone. */
  end(): Promise<void>;
}
type OpenThread = (hear: (told: VrlMessage) => void) => Thread;

/** Gets no environment variables of the host, and its output is discarded. */
class WorkerThread implements Thread {
  readonly #worker: Worker;
  readonly #hear: (told: VrlMessage) => void;
  #isLost = false;
  #work: (() => void) | undefined;
  #ended: Promise<void> | undefined;

  constructor(entry: URL | string, hear: (told: VrlMessage) => void) {
    this.#hear = hear;
    // Captured without reading, because reading would keep this process alive.
    this.#worker = new Worker(entry, { execArgv: [], env: {}, stdout: true, stderr: true });
    this.#worker.on('message', (told: VrlMessage) => this.#say(told));
    this.#worker.on('error', (error) => this.#say({ type: 'lost', why: String(error) }));
    this.#worker.on('exit', (code) => this.#say({ type: 'lost', why: `exit code ${code}` }));
  }
  #say(told: VrlMessage): void {
    if (this.#ended || this.#isLost) return;
    this.#isLost = told.type === 'lost';
    this.#hear(told);
  }
  ask(asked: VrlTask): void {
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
const openWorker =
  (entry?: URL): OpenThread =>
  (hear) =>
    new WorkerThread(
      entry ?? (isSource ? sourceFile('adapters/vrl/worker.mjs') : ownFile('adapters/vrl/worker.js')),
      hear,
    );

interface TransformerOptions extends TransformerTimes {
  readonly timers?: Timers;
  readonly open?: OpenThread;
}
type Answer =
  | { readonly type: 'right' }
  | { readonly type: 'json'; readonly json: string }
  | { readonly type: 'refused'; readonly failure: Failure };
interface Job {
  readonly asked: VrlTask;
  readonly emit: (answer: Answer) => void;
  isOver: boolean;
}

/**
 * Runs VRL programs in one worker thread. Its states are:
 *
 *   asleep  – no thread; the first job starts one
 *   loading – the thread starts, within `loadMs`; jobs wait
 *   busy    – one job at a time, within `vrlMs`; a job that takes longer is ended with its thread, and another thread is started
 *   resting – no job waits; asleep again after `idleMs`
 *   closed  – every job is refused; the final state
 *
 * The thread keeps the process alive only while a job waits for an answer.
 */
class ThreadedTransformer implements Transformer {
  readonly #options: Required<TransformerOptions>;
  #thread: Thread | undefined;
  #isReady = false;
  #running: Job | undefined;
  #waiting: Job[] = [];
  #timer: unknown;
  #isClosed = false;
  readonly #ending = new Set<Promise<void>>();

  constructor(options: Required<TransformerOptions>) {
    this.#options = options;
  }
  check(source: string): Promise<{ ok: true } | { ok: false; failure: Failure }> {
    return new Promise((resolve) => {
      this.#add({ source }, (answer) =>
        resolve(answer.type === 'refused' ? { ok: false, failure: answer.failure } : { ok: true }),
      );
    });
  }
  run(source: string, event: object, emit: (answer: Transformed) => void): () => void {
    return this.#add({ source, event }, (answer) => {
      if (answer.type === 'json') emit({ ok: true, json: answer.json });
      else if (answer.type === 'refused') emit({ ok: false, failure: answer.failure });
    });
  }
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#sleep();
    this.#refuseAll(closed);
    await Promise.all(this.#ending);
  }

  #add(asked: VrlTask, emit: Job['emit']): () => void {
    const job: Job = { asked, emit, isOver: false };
    // Starts the job in a microtask, so that the caller holds the function to withdraw it before any answer comes.
    queueMicrotask(() => this.#begin(job));
    return () => this.#withdraw(job);
  }
  #begin(job: Job): void {
    if (job.isOver) return;
    if (this.#isClosed) return settle(job, { type: 'refused', failure: closed });
    this.#waiting.push(job);
    this.#next();
  }
  /** Withdraws a job. A program that is running continues until it ends or its time is over, and its answer is dropped. */
  #withdraw(job: Job): void {
    job.isOver = true;
    this.#waiting = this.#waiting.filter((other) => other !== job);
    this.#hold();
  }
  #next(): void {
    if (!this.#thread && this.#waiting.length > 0) this.#wake();
    else if (this.#thread && this.#isReady && !this.#running) this.#emit(this.#thread);
    this.#hold();
  }
  #wake(): void {
    if (!isInstalled('@bpinternal/verel')) return this.#giveUp(missing);
    const { open, loadMs } = this.#options;
    this.#setTimer(loadMs, () => this.#giveUp(unusable(`it took longer than ${loadMs} ms`)));
    try {
      this.#thread = open((told) => this.#hear(told));
    } catch (error) {
      // Refuses all jobs when no thread can be created, for example when the system has none left.
      this.#giveUp(error instanceof OwnFileMissing ? incomplete(error) : unusable(String(error)));
    }
  }
  #emit(thread: Thread): void {
    const job = this.#waiting.shift();
    const { vrlMs, idleMs } = this.#options;
    if (!job) return this.#setTimer(idleMs, () => this.#sleep());
    this.#running = job;
    this.#setTimer(vrlMs, () => this.#lose(tooLong(vrlMs)));
    try {
      thread.ask(job.asked);
    } catch (error) {
      this.#done({ type: 'refused', failure: notHanded(error) });
    }
  }
  #hear(told: VrlMessage): void {
    if (told.type === 'unusable') return this.#giveUp(unusable(told.why));
    if (told.type === 'ready') {
      this.#isReady = true;
      return this.#next();
    }
    if (told.type === 'lost' && !this.#isReady) return this.#giveUp(unusable(told.why));
    if (told.type === 'lost' || told.type === 'broken') return this.#lose(broken(told.why));
    const source = this.#running?.asked.source ?? '';
    if (told.type === 'ran') return this.#done({ type: 'json', json: told.json });
    const failure = told.type === 'failed' ? ended(source, told.why) : syntaxFailure(source, told.errors);
    this.#done(failure ? { type: 'refused', failure } : { type: 'right' });
  }
  #done(answer: Answer): void {
    const job = this.#running;
    this.#running = undefined;
    if (job) settle(job, answer);
    this.#next();
  }
  #lose(failure: Failure): void {
    this.#sleep();
    this.#done({ type: 'refused', failure });
  }
  /** Ends the thread and refuses all jobs, because another thread would fail in the same way. */
  #giveUp(failure: Failure): void {
    this.#sleep();
    this.#refuseAll(failure);
  }
  #refuseAll(failure: Failure): void {
    const jobs = [...(this.#running ? [this.#running] : []), ...this.#waiting];
    this.#running = undefined;
    this.#waiting = [];
    for (const job of jobs) settle(job, { type: 'refused', failure });
  }
  #sleep(): void {
    const thread = this.#thread;
    this.#clearTimer();
    this.#thread = undefined;
    this.#isReady = false;
    if (!thread) return;
    const end = thread.end().finally(() => this.#ending.delete(end));
    this.#ending.add(end);
  }
  #hold(): void {
    this.#thread?.hold(this.#waiting.length > 0 || this.#running?.isOver === false);
  }
  #setTimer(ms: number, fire: () => void): void {
    this.#clearTimer();
    this.#timer = this.#options.timers.setTimeout(fire, ms);
  }
  #clearTimer(): void {
    this.#options.timers.clearTimeout(this.#timer);
  }
}

function settle(job: Job, answer: Answer): void {
  if (job.isOver) return;
  job.isOver = true;
  job.emit(answer);
}

export const createTransformer = (options: TransformerOptions = {}): Transformer =>
  new ThreadedTransformer({
    vrlMs: timing.vrlMs,
    loadMs: timing.vrlLoadMs,
    idleMs: timing.vrlIdleMs,
    timers: wallTimers,
    open: openWorker(),
    ...options,
  });
