import { Worker } from 'node:worker_threads';
import type { Breach } from '../invariants/index.ts';
import { dayOf, seedAt, Tally, type Day, type Drawing } from './batch.ts';

export interface CrewOptions extends Drawing {
  readonly first: number;
  readonly count: number;
  /** Threads; 0: here, in this one. More than `mostWorkers` are as many. */
  readonly workers: number;
  /** Real ms after which no further day begins. */
  readonly budgetMs?: number | undefined;
  /** Also which transitions are taken; costs a quarter. */
  readonly isCounting?: boolean;
  /** A day that takes longer than that, in real ms, never ends; of threads only. Default: a minute. */
  readonly patienceMs?: number;
  readonly signal?: AbortSignal | undefined;
  readonly onDay?: (day: Day, tally: Tally) => void;
}
/** A thread loads what was built: who runs the sources has none. */
export const mostWorkers = import.meta.url.endsWith('.ts') ? 0 : 64;
/** So many seeds at a time go to a worker. */
const portion = 8;
const usualPatienceMs = 120_000;
/** The law of a day that took its thread along: nobody can look at it again in this one. */
export const dayEnds = 'a day comes to its end';

const unended = (seed: number, why: string): Day => {
  const what = `the day of seed ${seed} ${why}`;
  const breach: Breach = { law: dayEnds, kind: 'liveness', at: 'stage', what };
  return { seed, breaches: [breach], check: '00000000', records: 0, virtualMs: 0, faults: [], taken: [] };
};

/** The days that are still to be lived, until the time is over. */
class Calendar {
  #next = 0;
  readonly #left: number[] = [];
  readonly #options: CrewOptions;
  readonly #until: number;
  constructor(options: CrewOptions) {
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
  /** Whoever took them is gone. */
  giveBack(seeds: readonly number[]): void {
    this.#left.push(...seeds);
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function here(options: CrewOptions, calendar: Calendar, tally: Tally): Promise<void> {
  const watches = options.isCounting ? 'transitions' : 'nothing';
  for (let [seed] = calendar.take(1); seed !== undefined; [seed] = calendar.take(1)) {
    const day = dayOf(seed, options, { watches });
    tally.add(day);
    options.onDay?.(day, tally);
    // Ctrl-C is heard between two days.
    await turn();
  }
}

type Told = { readonly begins: number } | { readonly day: Day } | { readonly wants: 'more' };

/** One worker, until there is nothing left to do. What it does not end, or dies of, is a failed day; another goes on. */
function employ(options: CrewOptions, calendar: Calendar, tally: Tally): Promise<void> {
  const { forMs, faults, isCounting = false, onDay, signal, patienceMs = usualPatienceMs } = options;
  return new Promise((resolve) => {
    /** What it was given and has not done, the one that it is at first. */
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
    const give = (): void => {
      seeds = calendar.take(portion);
      if (seeds.length > 0) worker.postMessage(seeds);
      else stop();
    };
    const over = (day: Day): void => {
      clearTimeout(watch);
      seeds.shift();
      tally.add(day);
      onDay?.(day, tally);
    };
    const lose = (why: string): void => {
      const [seed] = seeds;
      if (seed !== undefined) over(unended(seed, why));
      calendar.giveBack(seeds);
      stop();
      resolve(employ(options, calendar, tally));
    };
    signal?.addEventListener('abort', stop, { once: true });
    worker.on('message', (told: Told) => {
      if ('day' in told) over(told.day);
      else if ('wants' in told) give();
      else watch = setTimeout(() => lose(`did not end within ${patienceMs} ms`), patienceMs);
    });
    worker.on('error', (error) => lose(`ended its thread: ${String(error)}`));
    worker.on('exit', () => {
      stop();
      resolve();
    });
    give();
  });
}

/** Lives the days of many seeds, on as many threads as it is given. Which thread lives a day changes nothing of it. */
export async function liveAll(options: CrewOptions): Promise<Tally> {
  const tally = new Tally();
  const calendar = new Calendar(options);
  const workers = Math.min(options.workers, mostWorkers);
  if (workers === 0) await here(options, calendar, tally);
  else await Promise.all(Array.from({ length: workers }, () => employ(options, calendar, tally)));
  return tally;
}
