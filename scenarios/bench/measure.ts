import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { textOf, type Chain } from './chain.ts';
import type { Aim, Figure, Plan } from './row.ts';

export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}
export const median = (values: readonly number[]): number => quantile(values, 0.5);
/** Quartiles, between which half of the values lie. */
export const spread = (values: readonly number[]): readonly [low: number, high: number] => [
  quantile(values, 0.25),
  quantile(values, 0.75),
];

export interface Pair<T = number> {
  readonly yardstick: T;
  readonly ours: T;
}
/** In turns, because noise of the machine then affects both alike; the order changes with each round. */
export async function pairs<T = number>(
  rounds: number,
  yardstick: () => Promise<T>,
  ours: () => Promise<T>,
): Promise<Pair<T>[]> {
  const found: Pair<T>[] = [];
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) found.push({ yardstick: await yardstick(), ours: await ours() });
    else {
      const second = await ours();
      found.push({ yardstick: await yardstick(), ours: second });
    }
  }
  return found;
}

const sidesOf = (all: readonly Pair[], unit: string): NonNullable<Figure['sides']> => ({
  yardstick: median(all.map(({ yardstick }) => yardstick)),
  ours: median(all.map(({ ours }) => ours)),
  unit,
});
/** This project's value divided by the yardstick's; both have the unit `unit`. */
export const ratio = (what: string, all: readonly Pair[], unit: string, aim?: Aim): Figure => ({
  what,
  unit: '×',
  values: all.map(({ yardstick, ours }) => ours / yardstick),
  sides: sidesOf(all, unit),
  ...(aim && { aim }),
});
export const absolute = (what: string, all: readonly Pair[], unit: string, aim?: Aim): Figure => ({
  what,
  unit,
  values: all.map(({ ours }) => ours),
  sides: sidesOf(all, unit),
  ...(aim && { aim }),
});

export const more = (what: string, all: readonly Pair[], unit: string, aim?: Aim): Figure => ({
  ...absolute(what, all, unit, aim),
  values: all.map(({ yardstick, ours }) => ours - yardstick),
});

export function cpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
export async function cpuMsOf(work: () => Promise<unknown>): Promise<number> {
  const before = cpuUs();
  await work();
  return (cpuUs() - before) / 1_000;
}

// Numbers go on over all slices, so that an answer to a call of an earlier slice is noticed too.
let called = 0;
export async function callOnce(chain: Chain): Promise<void> {
  called += 1;
  const n = called;
  const text = await chain.call(n);
  if (text !== textOf(n)) throw new Error(`call ${n} was answered with: ${text.slice(0, 80)}`);
}
export async function calls(chain: Chain, count: number, inFlight = 1): Promise<void> {
  let left = count;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await callOnce(chain);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
}

export interface Slice {
  readonly cpuUs: number;
  readonly perSecond: number;
  readonly wallMs: number;
}
/** Counts until the last call is answered; all figures but `perSecond` are of one call. */
export async function slice(chain: Chain, inFlight: number, forMs: number): Promise<Slice> {
  let count = 0;
  const used = chain.cpuUs ?? (async () => cpuUs());
  const before = await used();
  const start = performance.now();
  const worker = async (): Promise<void> => {
    do {
      await callOnce(chain);
      count += 1;
    } while (performance.now() - start < forMs);
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  const tookMs = performance.now() - start;
  return {
    cpuUs: ((await used()) - before) / count,
    perSecond: (count * 1_000) / tookMs,
    wallMs: tookMs / count,
  };
}
export async function comparedSlices(
  plan: Plan,
  [yardstick, ours]: readonly [yardstick: Chain, ours: Chain],
  of: keyof Slice,
  inFlight = 1,
): Promise<Pair[]> {
  const one = (chain: Chain) => async () => (await slice(chain, inFlight, plan.sliceMs))[of];
  for (const chain of [yardstick, ours]) await slice(chain, inFlight, plan.sliceMs / 2);
  return pairs(plan.rounds, one(yardstick), one(ours));
}

export async function withBoth(
  open: readonly [yardstick: () => Promise<Chain>, ours: () => Promise<Chain>],
  use: (both: readonly [yardstick: Chain, ours: Chain]) => Promise<void>,
): Promise<void> {
  const both = [await open[0](), await open[1]()] as const;
  await use(both);
  for (const chain of both) await chain.close();
}

export function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
/** Collects until the heap shrinks no more: what was closed is let go in several steps, and by finalizers. */
export async function heapAfterGc(gc: () => void): Promise<number> {
  for (let used = Infinity; ;) {
    await new Promise<void>((resolve) => void setTimeout(resolve, 20));
    gc();
    const { heapUsed } = process.memoryUsage();
    if (heapUsed > used * 0.999) return heapUsed;
    used = heapUsed;
  }
}
