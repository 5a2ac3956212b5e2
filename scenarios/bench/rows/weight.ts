import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { textOf, type Weight } from './chain.ts';

export interface Weighed extends Weight {
  readonly group: string;
  readonly name: string;
}
/** Something that can be told to keep its callers waiting. */
export interface Holdable {
  call(n: number): Promise<string>;
  hold(): void;
  release(): void;
}
const count = 10_000;

/** Twice, and in a macrotask of its own: what a finished task still held is gone by then. */
export async function heapAfterGc(gc: () => void): Promise<number> {
  for (let n = 0; n < 2; n += 1) {
    await new Promise<void>((resolve) => void setImmediate(resolve));
    gc();
  }
  return process.memoryUsage().heapUsed;
}

export function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
/** Calls that wait for an answer, weighed; then answered, and weighed again. */
export async function weigh(chain: Holdable): Promise<Weight> {
  const gc = collector();
  // Maps that grow keep their size: the first round makes them as large as they will be.
  const one = async (): Promise<Weight> => {
    const before = await heapAfterGc(gc);
    chain.hold();
    const calls = Array.from({ length: count }, (_, n) => chain.call(n));
    const held = await heapAfterGc(gc);
    chain.release();
    for (const [n, call] of calls.entries())
      if ((await call) !== textOf(n)) throw new Error(`call ${n} was answered with something else`);
    calls.length = 0;
    const left = await heapAfterGc(gc);
    return { heldBytes: (held - before) / count, leftBytes: Math.max(0, left - before) / count };
  };
  await one();
  return one();
}
