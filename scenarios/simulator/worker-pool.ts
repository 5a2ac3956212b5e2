import { Worker } from 'node:worker_threads';
import type { Violation } from '../invariants/index.ts';
import { runOf, seedAt, Tally, type Run, type Drawing } from './batch.ts';

export interface WorkerPoolOptions extends Drawing {
  readonly first: number;
  readonly count: number;
  /** Threads; 0: here, in this one. More than `mostWorkers` are as many. */
  readonly workers: number;
  /** Real ms after which no further run begins. */
  readonly budgetMs?: number | undefined;
  /** Also which transitions are taken; costs a quarter. */
  readonly isCounting?: boolean;
  /** A run that takes longer than that, in real ms, never ends; of threads only. Default: a minute. */
  readonly patienceMs?: number;
  readonly signal?: AbortSignal | undefined;
  readonly onRun?: (run: Run, tally: Tally) => void;
}
/** A thread loads what was built: who runs the sources has none. */
export const mostWorkers = import.meta.url.endsWith('.ts') ? 0 : 64;
/** Seeds that a worker takes at a time. */
const portion = 8;
const usualPatienceMs = 120_000;
/** Violation of a run that ended its thread: it cannot be executed again in this one. */
export const runEnds = 'every run ends';

const unended = (seed: number, why: string): Run => {
  const what = `the run of seed ${seed} ${why}`;
  const violation: Violation = { invariant: runEnds, kind: 'liveness', at: 'harness', what };
  return {
    seed,
    violations: [violation],
    rollingHash: '00000000',
    records: 0,
    virtualMs: 0,
    faults: [],
    taken: [],
  };
};

/** The seeds that are still to be run, until the time is over. */
class Schedule {
  #next = 0;
  readonly #left: number[] = [];
  readonly #options: WorkerPoolOptions;
  readonly #until: number;
  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#until = performance.now() + (options.budgetMs ?? Infinity);
  }
  take(most: number): number[] {
    const { first, count, signal } = this.#options;
    if (signal?.aborted || performance.now() > this.#until) return [];
    if (this.#left.length > 0) return this.#left.splice(0, most);
    const from = this.#next;
    this.#next = Math.min(count, from + most);
    return Array.from({ length: this.#next - from }, (_, n) => seedAt(first, from + n));
  }
  /** Takes back the seeds of a worker that is gone. */
  giveBack(seeds: readonly number[]): void {
    this.#left.push(...seeds);
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function here(options: WorkerPoolOptions, schedule: Schedule, tally: Tally): Promise<void> {
  const watches = options.isCounting ? 'transitions' : 'nothing';
  for (let [seed] = schedule.take(1); seed !== undefined; [seed] = schedule.take(1)) {
    const run = runOf(seed, options, { watches });
    tally.add(run);
    options.onRun?.(run, tally);
    // Ctrl-C is heard between two runs.
    await turn();
  }
}

type Told = { readonly begins: number } | { readonly run: Run } | { readonly wants: 'more' };

/**
 * Runs one worker until there is nothing left to do. A run that it does not end, or dies of, has failed; another
 * worker goes on.
 */
function startWorker(options: WorkerPoolOptions, schedule: Schedule, tally: Tally): Promise<void> {
  const { forMs, faults, isCounting = false, onRun, signal, patienceMs = usualPatienceMs } = options;
  return new Promise((resolve) => {
    /** Seeds that it was given and has not done; the first is under way. */
    let seeds: number[] = [];
    let watch: NodeJS.Timeout | undefined;
    const worker = new Worker(new URL('./worker.js', import.meta.url), {
      workerData: { drawing: { forMs, faults }, isCounting },
    });
    const stop = (): void => {
      clearTimeout(watch);
      signal?.removeEventListener('abort', stop);
      void worker.terminate();
    };
    const emit = (): void => {
      seeds = schedule.take(portion);
      if (seeds.length > 0) worker.postMessage(seeds);
      else stop();
    };
    const over = (run: Run): void => {
      clearTimeout(watch);
      seeds.shift();
      tally.add(run);
      onRun?.(run, tally);
    };
    const lose = (why: string): void => {
      const [seed] = seeds;
      if (seed !== undefined) over(unended(seed, why));
      schedule.giveBack(seeds);
      stop();
      resolve(startWorker(options, schedule, tally));
    };
    signal?.addEventListener('abort', stop, { once: true });
    worker.on('message', (told: Told) => {
      if ('run' in told) over(told.run);
      else if ('wants' in told) emit();
      else watch = setTimeout(() => lose(`did not end within ${patienceMs} ms`), patienceMs);
    });
    worker.on('error', (error) => lose(`ended its thread: ${String(error)}`));
    worker.on('exit', () => {
      stop();
      resolve();
    });
    emit();
  });
}

/** Executes the runs of many seeds, on as many threads as it is given. The result does not depend on the thread. */
export async function runAll(options: WorkerPoolOptions): Promise<Tally> {
  const tally = new Tally();
  const schedule = new Schedule(options);
  const workers = Math.min(options.workers, mostWorkers);
  if (workers === 0) await here(options, schedule, tally);
  else await Promise.all(Array.from({ length: workers }, () => startWorker(options, schedule, tally)));
  return tally;
}
