import { Worker } from 'node:worker_threads';
// oxlint-disable-next-line no-restricted-imports -- finds the file of a worker, and touches nothing else
import { isSource, ownFile } from '../../adapters/own-files.ts';
import type { Violation } from '../invariants/index.ts';
import { runOf, seedAt, Tally, type Run, type Drawing } from './batch.ts';

export interface WorkerPoolOptions extends Drawing {
  readonly first: number;
  readonly count: number;
  /** At most `mostWorkers`; 0 executes the runs in this thread. */
  readonly workers: number;
  /** Real time after which no further run begins. */
  readonly budgetMs?: number | undefined;
  /** Makes runs a quarter slower. */
  readonly isCounting?: boolean;
  /** Real time, 120,000 by default; a run that takes longer counts as endless. */
  readonly patienceMs?: number;
  readonly signal?: AbortSignal | undefined;
  readonly onRun?: (run: Run, tally: Tally) => void;
}
/** 0 when sources are run, because a thread loads the built files. */
export const mostWorkers = isSource ? 0 : 64;
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

/** A run that does not end or ends its worker has failed, and another worker continues. */
function startWorker(options: WorkerPoolOptions, schedule: Schedule, tally: Tally): Promise<void> {
  const { forMs, faults, isCounting = false, onRun, signal, patienceMs = usualPatienceMs } = options;
  return new Promise((resolve) => {
    /** Not done yet; the first one is running. */
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

/** The result does not depend on the threads. */
export async function runAll(options: WorkerPoolOptions): Promise<Tally> {
  const tally = new Tally();
  const schedule = new Schedule(options);
  const workers = Math.min(options.workers, mostWorkers);
  if (workers === 0) await here(options, schedule, tally);
  else await Promise.all(Array.from({ length: workers }, () => startWorker(options, schedule, tally)));
  return tally;
}
