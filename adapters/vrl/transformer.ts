import { Worker } from 'node:worker_threads';
import { realWork, wallTimers, type Timers } from '../clock.ts';
import { installCommand, missingText, isInstalled } from '../optional-packages.ts';
import {
  endText,
  type Diagnostic,
  syntaxFailure,
  type Transformed,
  type Transformer,
  eventOf,
  type TransformRequest,
} from '../../machines/call/transform.ts';
import type { Ports } from '../../machines/kernel/ports.ts';
import { timing } from '../../machines/kernel/timing.ts';
import { wireCodes, type Failure } from '../../machines/protocol/index.ts';

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
const tooLong = (ms: number): Failure => ({
  code: wireCodes.timeout,
  message: `The program did not end within ${ms} ms`,
  details: { timeout: ms },
  remedy: 'Let it look at less of the result.',
});
const ended = (source: string, said: string): Failure => ({
  code: wireCodes.internal,
  message: endText(source, said),
});
/** Seen of it: a result that is nested more than 126 levels deep, or that holds one half of a character. */
const broken = (why: string): Failure => ({
  code: 'Crashed',
  message: `VRL broke under this program and this result (${why})`,
});
const notHanded = (error: unknown): Failure => ({
  code: wireCodes.badRequest,
  message: `The result cannot be handed to a program: ${String(error)}`,
});
const closed: Failure = { code: 'ToolCallCancelled', message: 'VRL was closed' };

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
interface Thread {
  /** Throws for an event that no thread can be handed, such as one with a function in it. */
  ask(asked: Asked): void;
  /** Whether it keeps this process alive. */
  hold(isWanted: boolean): void;
  /** Stops it even in the midst of a loop; resolves when it is gone. */
  end(): Promise<void>;
}
type OpenThread = (hear: (told: Told) => void) => Thread;

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

/**
 * The port `ask` for questions to the session `transform`: `{server, tool, parameters, result}` is answered with
 * `{json}`, what the program of that server makes of it, or refused with why not. `programOf`: null where it has none.
 */
export const transformAsk =
  (transformer: Pick<Transformer, 'run'>, programOf: (server: string) => string | null): Ports['request'] =>
  (_from, { id, params }, emit) => {
    const { server, ...call } = params as TransformRequest;
    const refuse = ({ message, details, ...failure }: Failure, sent: boolean): void =>
      emit({
        type: 'ask.refused',
        id,
        sent,
        failure: {
          ...failure,
          message: `vrl of '${server}': ${message}`,
          details: { ...details, server_name: server, tool_name: call.tool },
        },
      });
    const program = programOf(server);
    if (program === null) {
      refuse({ code: wireCodes.notFound, message: 'there is no program' }, false);
      return () => {};
    }
    return transformer.run(program, eventOf(call), (answer) =>
      answer.ok
        ? emit({ type: 'ask.answered', id, result: { json: answer.json } })
        : refuse(answer.failure, true),
    );
  };
