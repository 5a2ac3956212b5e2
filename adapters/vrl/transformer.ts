import { syntaxFailure, type Transformed, type Transformer } from '../../machines/call/transform.ts';
import { timing } from '../../machines/kernel/timing.ts';
import type { Failure } from '../../machines/protocol/index.ts';
import { broken, closed, ended, missing, notHanded, tooLong, unusable } from './failures.ts';
import { openWorker, type Asked, type OpenThread, type Thread, type Told } from './thread.ts';
import { isInstalled } from '../optional-packages.ts';
import { wallTimers, type Timers } from '../clock.ts';

export interface TransformerOptions {
  /** One program over one result. */
  readonly vrlMs?: number;
  /** From the start of the thread until it can be asked. */
  readonly loadMs?: number;
  /** Nobody has asked for so long: the thread is ended, and started again by who asks next. */
  readonly idleMs?: number;
  readonly timers?: Timers;
  readonly open?: OpenThread;
}
type Answer =
  | { readonly type: 'right' }
  | { readonly type: 'json'; readonly json: string }
  | { readonly type: 'refused'; readonly failure: Failure };
interface Job {
  readonly asked: Asked;
  readonly emit: (answer: Answer) => void;
  /** Answered or withdrawn. */
  isOver: boolean;
}

/**
 * Programs in one worker thread.
 *
 * asleep  — no thread; the first job starts one
 * loading — for `loadMs` at most; jobs wait
 * busy    — one job at a time, for `vrlMs` at most; one that takes longer is ended with the thread, another is started
 * resting — nobody waits; after `idleMs` asleep again
 * closed  — everything is refused; the end
 *
 * A thread keeps the process alive only while somebody waits for it.
 */
class ThreadedTransformer implements Transformer {
  readonly #options: Required<TransformerOptions>;
  #thread: Thread | undefined;
  #isReady = false;
  #running: Job | undefined;
  #waiting: Job[] = [];
  #timer: unknown;
  #isClosed = false;
  /** Threads that were told to end and live. */
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

  #add(asked: Asked, emit: Job['emit']): () => void {
    const job: Job = { asked, emit, isOver: false };
    // Whoever asks has the way to withdraw before the answer.
    queueMicrotask(() => this.#begin(job));
    return () => this.#withdraw(job);
  }
  #begin(job: Job): void {
    if (job.isOver) return;
    if (this.#isClosed) return settle(job, { type: 'refused', failure: closed });
    this.#waiting.push(job);
    this.#next();
  }
  /** A program that runs runs on to its end, or to the end of its time: nobody hears of it. */
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
      // No thread can be had, such as where they are used up.
      this.#giveUp(unusable(String(error)));
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
  #hear(told: Told): void {
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
  /** The thread is of no use any more; those behind the job that it had get another. */
  #lose(failure: Failure): void {
    this.#sleep();
    this.#done({ type: 'refused', failure });
  }
  /** Another thread would do no better. */
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

/** Loads nothing until it is asked. */
export const createTransformer = (options: TransformerOptions = {}): Transformer =>
  new ThreadedTransformer({
    vrlMs: timing.vrlMs,
    loadMs: timing.vrlLoadMs,
    idleMs: timing.vrlIdleMs,
    timers: wallTimers,
    open: openWorker(),
    ...options,
  });
