import { Worker } from 'node:worker_threads';
// oxlint-disable-next-line no-restricted-imports -- finds the file of a worker, and touches nothing else
import { isSource, ownFile } from '../../adapters/own-files.ts';
import type { Violation } from '../invariants/index.ts';
import { runOf, seedAt, Tally, type Run, type Drawing } from './batch.ts';

export interface WorkerPoolOptions extends Drawing {
  readonly first: number;
  readonly count: number;
  /** Number of threads, at most `mostWorkers`; 0 executes the runs in this thread. */
  readonly workers: number;
  /** Limit in ms of real time after which no further run begins. */
  readonly budgetMs?: number | undefined;
  /** Collects the transitions that are taken, which makes runs a quarter slower. */
  readonly isCounting?: boolean;
  /** Limit in ms of real time for a run in a thread, 120,000 by default; a run that takes longer counts as endless. */
  readonly patienceMs?: number;
  readonly signal?: AbortSignal | undefined;
  readonly onRun?: (run: Run, tally: Tally) => void;
}
/** Largest number of threads; 0 when sources are run, because a thread loads the built files. */
export const mostWorkers = isSource ? 0 : 64;
/** Number of seeds that a worker takes at a time. */
const portion = 8;
const usualPatienceMs = 120_000;
/** Violation of a run that ended its thread and therefore cannot be executed again in this one. */
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

/** Seeds that have not been run yet, until the time limit is reached. */
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
  /** Takes back the seeds of a worker that has ended. */
  giveBack(seeds: readonly number[]): void {
    this.#left.push(...seeds);
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function here(options: WorkerPoolOptions, schedule: Schedule, tally: Tally): Promise<void> {
  const watches = options.isCounting ? 'transitions' : 'nothing';
  for (let [seed] = schedule.take(1); seed !== undefined; [seed] = schedule.take(1)) {
    const run = await runOf(seed, options, { watches });
    tally.add(run);
    options.onRun?.(run, tally);
    // Lets the event loop turn between two runs, so that Ctrl-C works.
    await turn();
  }
}

type Told = { readonly begins: number } | { readonly run: Run } | { readonly wants: 'more' };

/**
 * Starts a worker until no seeds are left. A run that does not end or ends its worker has failed, and another worker continues.
 */
function startWorker(options: WorkerPoolOptions, schedule: Schedule, tally: Tally): Promise<void> {
  const { forMs, faults, isCounting = false, onRun, signal, patienceMs = usualPatienceMs } = options;
  return new Promise((resolve) => {
    /** Seeds given to the worker that are not done yet; the first one is running. */
    let seeds: number[] = [];
    let watch: NodeJS.Timeout | undefined;
    const worker = new Worker(ownFile('scenarios/simulator/worker.js'), {
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

/** Executes the runs of many seeds on the given number of threads. The result does not depend on the threads. */
export async function runAll(options: WorkerPoolOptions): Promise<Tally> {
  const tally = new Tally();
  const schedule = new Schedule(options);
  const workers = Math.min(options.workers, mostWorkers);
  if (workers === 0) await here(options, schedule, tally);
  else await Promise.all(Array.from({ length: workers }, () => startWorker(options, schedule, tally)));
  return tally;
}
