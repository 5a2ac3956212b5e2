/** Threads with one task at a time each. A task that takes too long ends its own thread. */
import type { TransferListItem, Worker } from 'node:worker_threads';
import { realWork, wallTimers, type Timers } from './clock.ts';

/** Why a task has no answer. `unusable`: its thread was lost before it said that it is ready, or never opened. */
export type Gone =
  | { readonly gone: 'late' | 'slow to load' | 'ended' | 'closed' }
  | { readonly gone: 'unsent' | 'unusable' | 'lost'; readonly error: unknown };
export interface PoolOptions {
  readonly threads: number;
  readonly open: () => Worker;
  /** Of one task, and without one, in ms. */
  readonly limitMs: number;
  readonly idleMs: number;
  /** Until a thread says `{type: 'ready'}`; without it a thread is ready at once. */
  readonly loadMs?: number;
  readonly timers?: Timers;
}
export interface Handle {
  /** A task under way goes on, and its answer is dropped. */
  withdraw(): void;
  /** Ends the thread of a task under way. */
  end(): void;
}
interface Task<Told> {
  /** Made when its turn has come. */
  readonly message: () => readonly [asked: object, transfer?: TransferListItem[]];
  readonly settle: (told: Told | Gone) => void;
  isOver: boolean;
}
interface Slot<Told> {
  worker?: Worker | undefined;
  task?: Task<Told> | undefined;
  isReady: boolean;
  timer?: unknown;
  work?: (() => void) | undefined;
}

/** A thread is opened by a task that waits, and keeps the process alive only while somebody waits for its answer. */
export class WorkerPool<Told extends object> {
  readonly #options: PoolOptions;
  readonly #timers: Timers;
  readonly #slots: readonly Slot<Told>[];
  readonly #ending = new Set<Promise<void>>();
  #queue: Task<Told>[] = [];
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#timers = options.timers ?? wallTimers;
    this.#slots = Array.from({ length: options.threads }, () => ({ isReady: false }));
  }
  add(message: Task<Told>['message'], settle: Task<Told>['settle']): Handle {
    const task: Task<Told> = { message, settle, isOver: false };
    const slot = (): Slot<Told> | undefined => this.#slots.find((each) => each.task === task);
    // Begins in a microtask, so that the caller has the handle before any answer comes.
    queueMicrotask(() => this.#begin(task));
    return {
      withdraw: () => {
        task.isOver = true;
        this.#queue = this.#queue.filter((other) => other !== task);
        this.#hold();
      },
      end: () => this.#end(slot(), { gone: 'ended' }),
    };
  }
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const task of this.#queue.splice(0)) tell(task, { gone: 'closed' });
    for (const slot of this.#slots) this.#end(slot, { gone: 'closed' });
    await Promise.all(this.#ending);
  }

  #begin(task: Task<Told>): void {
    if (this.#isClosed) return tell(task, { gone: 'closed' });
    if (!task.isOver) this.#queue.push(task);
    this.#next();
  }
  #next(): void {
    for (const slot of this.#slots) {
      const task = slot.task ? undefined : this.#queue.shift();
      if (task) this.#start(slot, task);
    }
    this.#hold();
  }
  #hold(): void {
    for (const slot of this.#slots) {
      const isWanted = this.#queue.length > 0 || slot.task?.isOver === false;
      if (isWanted) {
        slot.worker?.ref();
        slot.work ??= realWork();
        continue;
      }
      slot.worker?.unref();
      slot.work?.();
      slot.work = undefined;
    }
  }
  #start(slot: Slot<Told>, task: Task<Told>): void {
    slot.task = task;
    try {
      slot.worker ??= this.#open(slot);
    } catch (error) {
      return this.#settle(slot, { gone: 'unusable', error });
    }
    this.#limit(slot);
    try {
      const [asked, transfer] = task.message();
      slot.worker.postMessage(asked, transfer);
    } catch (error) {
      this.#settle(slot, { gone: 'unsent', error });
    }
  }
  #limit(slot: Slot<Told>): void {
    const { limitMs, loadMs = limitMs } = this.#options;
    const late = { gone: slot.isReady ? 'late' : 'slow to load' } as const;
    this.#timers.clearTimeout(slot.timer);
    slot.timer = this.#timers.setTimeout(() => this.#end(slot, late), slot.isReady ? limitMs : loadMs);
  }
  #open(slot: Slot<Told>): Worker {
    const worker = this.#options.open();
    slot.isReady = this.#options.loadMs === undefined;
    const lost = (error: unknown): void => {
      if (slot.worker !== worker) return;
      slot.worker = undefined;
      this.#settle(slot, { gone: slot.isReady ? 'lost' : 'unusable', error });
    };
    worker.on('error', lost);
    worker.on('exit', (code) => lost(`exit code ${code}`));
    worker.on('message', (told: Told) => {
      if (slot.worker !== worker) return;
      if (slot.isReady) return this.#settle(slot, told);
      slot.isReady = true;
      if (slot.task) this.#limit(slot);
    });
    return worker;
  }
  #settle(slot: Slot<Told>, told: Told | Gone): void {
    const { task } = slot;
    slot.task = undefined;
    this.#timers.clearTimeout(slot.timer);
    if (slot.worker) slot.timer = this.#timers.setTimeout(() => this.#end(slot), this.#options.idleMs);
    if (task) tell(task, told);
    // What cannot be loaded now would keep each of those that wait for as long.
    if ('gone' in told && (told.gone === 'unusable' || told.gone === 'slow to load'))
      for (const waiting of this.#queue.splice(0)) tell(waiting, told);
    this.#next();
  }
  /** The next task begins when the thread is gone, with its memory. */
  #end(slot: Slot<Told> | undefined, why?: Gone): void {
    const worker = slot?.worker;
    if (!slot || !worker) return;
    slot.worker = undefined;
    this.#timers.clearTimeout(slot.timer);
    const end = worker.terminate().then(() => {
      this.#ending.delete(end);
      if (why && slot.task) this.#settle(slot, why);
    });
    this.#ending.add(end);
  }
}
function tell<Told>(task: Task<Told>, told: Told | Gone): void {
  if (task.isOver) return;
  task.isOver = true;
  task.settle(told);
}
