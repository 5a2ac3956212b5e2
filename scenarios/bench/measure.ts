import { performance } from 'node:perf_hooks';
import { textOf, type Chain, type Contender } from './rows/chain.ts';

export interface Slice {
  readonly cpuUs: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}
/** The median of all rounds, and the spread of the figure that matters most. */
export interface Row extends Slice {
  readonly group: Contender['group'];
  readonly name: string;
  readonly inFlight: number;
  readonly rounds: number;
  readonly cpuUsMin: number;
  readonly cpuUsMax: number;
}
export interface Plan {
  /** For all of them, whatever they ask for. */
  readonly inFlight?: readonly number[];
  readonly rounds: number;
  readonly sliceMs: number;
  readonly onRound?: (round: number) => void;
  readonly signal?: AbortSignal;
}

export const inFlightOf = ({ inFlight = [1, 64, 256] }: Contender): readonly number[] => inFlight;

/**
 * All chains in turns, in one process: noise of the machine hits them alike, and ratios survive it. The order
 * turns round with each round, so that nobody always runs behind the same neighbour.
 */
export async function measure(open: ReadonlyMap<Contender, Chain>, plan: Plan): Promise<Row[]> {
  const limiters = [...open].flatMap(([contender, chain]) =>
    (plan.inFlight ?? inFlightOf(contender)).map((inFlight) => ({
      contender,
      chain,
      inFlight,
      slices: [] as Slice[],
    })),
  );
  for (const { chain, inFlight } of limiters) await slice(chain, inFlight, plan.sliceMs / 2, plan.signal);
  for (let round = 1; round <= plan.rounds; round += 1) {
    for (const limiter of round % 2 ? limiters : limiters.toReversed())
      limiter.slices.push(await slice(limiter.chain, limiter.inFlight, plan.sliceMs, plan.signal));
    plan.onRound?.(round);
  }
  return limiters.map(({ contender: { group, name }, inFlight, slices }) => {
    const mid = (of: keyof Slice): number =>
      quantile(
        slices.map((each) => each[of]),
        0.5,
      );
    const cpu = slices.map(({ cpuUs }) => cpuUs);
    return {
      group,
      name,
      inFlight,
      rounds: slices.length,
      cpuUs: mid('cpuUs'),
      cpuUsMin: Math.min(...cpu),
      cpuUsMax: Math.max(...cpu),
      perSecond: mid('perSecond'),
      p50Ms: mid('p50Ms'),
      p99Ms: mid('p99Ms'),
    };
  });
}

// Numbers go on over all slices, so that an answer to a call of an earlier slice is noticed too.
let called = 0;

async function ownCpuUs(): Promise<number> {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Keeps `inFlight` calls in flight for a while; counts until the last of them is answered. */
async function slice(chain: Chain, inFlight: number, forMs: number, signal?: AbortSignal): Promise<Slice> {
  const tookMs: number[] = [];
  const cpuUs = chain.cpuUs ?? ownCpuUs;
  const cpuBefore = await cpuUs();
  const start = performance.now();
  const until = start + forMs;
  const limiter = async (): Promise<void> => {
    do {
      signal?.throwIfAborted();
      const n = (called += 1);
      const sent = performance.now();
      const text = await chain.call(n);
      tookMs.push(performance.now() - sent);
      if (text !== textOf(n)) throw new Error(`call ${n} was answered with: ${text.slice(0, 80)}`);
    } while (performance.now() < until);
  };
  await withAbort(Promise.all(Array.from({ length: inFlight }, limiter)), signal);
  const elapsedMs = performance.now() - start;
  const cpuUsed = (await cpuUs()) - cpuBefore;
  return {
    cpuUs: cpuUsed / tookMs.length,
    perSecond: (tookMs.length * 1000) / elapsedMs,
    p50Ms: quantile(tookMs, 0.5),
    p99Ms: quantile(tookMs, 0.99),
  };
}

/** A chain that does not answer must not hold the benchmark. */
function withAbort<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}
