import { Worker } from 'node:worker_threads';
// oxlint-disable-next-line no-restricted-imports -- finds the file of a worker, and touches nothing else
import { isSource, ownFile } from '../../adapters/own-files.ts';
// oxlint-disable-next-line no-restricted-imports -- threads of the simulator itself, not of a host
import { WorkerPool, type Gone } from '../../adapters/worker-pool.ts';
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
const idleMs = 60_000;
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

/** The result does not depend on the threads. A run that does not end, or ends its thread, has failed. */
export async function runAll(options: WorkerPoolOptions): Promise<Tally> {
  const { first, count, signal, budgetMs = Infinity, patienceMs = 120_000, isCounting = false } = options;
  const { forMs, faults, nodes } = options;
  const drawing: Drawing = { forMs, faults, nodes };
  const tally = new Tally();
  const until = performance.now() + budgetMs;
  const threads = Math.min(options.workers, mostWorkers);
  const pool = new WorkerPool<{ readonly run: Run }>({
    threads,
    open: () => new Worker(ownFile('scenarios/simulator/worker.js'), { workerData: { drawing, isCounting } }),
    limitMs: patienceMs,
    idleMs,
  });
  const inThread = (seed: number): Promise<Run | undefined> =>
    new Promise((resolve) => {
      const lost = ({ gone, ...how }: Gone): Run | undefined => {
        if (gone === 'closed') return undefined;
        if (gone === 'late') return unended(seed, `did not end within ${patienceMs} ms`);
        return unended(seed, `ended its thread: ${'error' in how ? String(how.error) : gone}`);
      };
      pool.add(
        () => [{ seed }],
        (told) => resolve('run' in told ? told.run : lost(told)),
      );
    });
  const here = async (seed: number): Promise<Run> => {
    const run = await runOf(seed, drawing, { watches: isCounting ? 'transitions' : 'nothing' });
    // Lets the event loop turn between two runs, so that Ctrl-C works.
    await new Promise((resolve) => setImmediate(resolve));
    return run;
  };
  const isOver = (): boolean => signal?.aborted === true || performance.now() > until;
  let next = 0;
  const runSome = async (): Promise<void> => {
    while (next < count && !isOver()) {
      const seed = seedAt(first, next++);
      const run = await (threads === 0 ? here(seed) : inThread(seed));
      if (!run) return;
      tally.add(run);
      options.onRun?.(run, tally);
    }
  };
  const stop = (): void => void pool.close();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    await Promise.all(Array.from({ length: Math.max(1, threads) }, runSome));
  } finally {
    signal?.removeEventListener('abort', stop);
    await pool.close();
  }
  return tally;
}
