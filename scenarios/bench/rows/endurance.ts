import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { textOf, type Chain, type Contender, type Endurance } from './chain.ts';
import { heapAfterGc } from './weight.ts';

export interface Endured extends Endurance {
  readonly group: string;
  readonly name: string;
}
/** Before the first look: what is loaded and compiled, and the memories that have an upper bound, is there by then. */
const warmCalls = 20_000;

/** One call after another; each answer is its own, or it ends here. */
async function callAll(chain: Chain, from: number, calls: number): Promise<void> {
  for (let n = from; n < from + calls; n += 1)
    if ((await chain.call(n)) !== textOf(n)) throw new Error(`call ${n} was answered with something else`);
}
export async function endure(chain: Chain, calls: number, gc: () => void): Promise<Endurance> {
  await callAll(chain, 0, Math.min(warmCalls, calls));
  const before = await heapAfterGc(gc);
  await callAll(chain, warmCalls, calls);
  return { calls, grownBytes: (await heapAfterGc(gc)) - before };
}

/** In a process of its own, whose heap holds nothing else. */
export const endureApart =
  (chain: string): Required<Chain>['endure'] =>
  (calls, signal) => {
    const isSource = import.meta.url.endsWith('.ts');
    const script = fileURLToPath(new URL(`../heap-process.${isSource ? 'ts' : 'js'}`, import.meta.url));
    const args = [...(isSource ? ['--import', 'tsx'] : []), '--expose-gc', script, chain, String(calls)];
    return new Promise((resolve, reject) => {
      const ends = { killSignal: 'SIGKILL', ...(signal && { signal }) } as const;
      execFile(process.execPath, args, ends, (error, stdout) => {
        if (error) reject(new Error(`${calls} calls in a row: ${error.message}`));
        else resolve(JSON.parse(stdout) as Endurance);
      });
    });
  };

export async function measureEndurance(
  open: ReadonlyMap<Contender, Chain>,
  calls: number,
  signal?: AbortSignal,
): Promise<Endured[]> {
  const endured: Endured[] = [];
  for (const [{ group, name }, chain] of open) {
    signal?.throwIfAborted();
    if (chain.endure) endured.push({ group, name, ...(await chain.endure(calls, signal)) });
  }
  return endured;
}
