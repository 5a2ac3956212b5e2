import { PerformanceObserver } from 'node:perf_hooks';
import type { ComputerOptions } from '../../../actors/index.ts';
import { echoed, textOf, type Chain } from '../chain.ts';
import { computerOver, connected, served, textFrom, type Served } from '../inside.ts';
import {
  absolute,
  calls,
  collector,
  comparedSlices,
  heapAfterGc,
  pairs,
  ratio,
  withBoth,
} from '../measure.ts';
import { atMost, type Row } from '../row.ts';

/** The difference between the SDK's own client and a computer is the cost of the computer. */

const counted = (heard: Served['heard'], call: Chain['call']): Chain['call'] => {
  let answered = 0;
  return async (n) => {
    const text = await call(n);
    answered += 1;
    if (heard.calls < answered) throw new Error(`${answered} answers to ${heard.calls} calls at the server`);
    return text;
  };
};
async function bareClient(): Promise<Chain> {
  const { end, heard } = await served();
  const client = await connected(end);
  const call = async (n: number): Promise<string> =>
    echoed(await client.callTool({ name: 'echo', arguments: { text: textOf(n) } }));
  return { call: counted(heard, call), close: () => client.close() };
}
async function throughComputer(more: Partial<ComputerOptions> = {}): Promise<Chain> {
  const { end, heard } = await served();
  const computer = await computerOver({ echo: async () => end }, more);
  const call = (n: number): Promise<string> => textFrom(computer, 'echo', textOf(n));
  return { call: counted(heard, call), close: () => computer.close() };
}
const both = [bareClient, () => throughComputer()] as const;

const limits = [
  [1, 2.5],
  [64, 2.5],
  [1_000, 2.5],
] as const;
export const measureCalls: Row['measure'] = (plan, tell) =>
  withBoth(both, async (chains) => {
    for (const chain of chains) await calls(chain, plan.warmCalls);
    for (const [inFlight, limit] of limits) {
      const found = await comparedSlices(plan, chains, 'cpuUs', inFlight);
      tell(ratio(`call, CPU, ${inFlight} in flight`, found, 'µs', atMost(limit)));
    }
  });

/** A thirtieth of a call of ours is an eighth of a bare one. */
export const measureRecorder: Row['measure'] = (plan, tell) =>
  withBoth([() => throughComputer({ record: false }), () => throughComputer()], async (chains) => {
    for (const chain of chains) await calls(chain, plan.warmCalls);
    const found = await comparedSlices(plan, chains, 'cpuUs', 64);
    tell(ratio('call with recording and without, CPU', found, 'µs', atMost(1.03)));
  });

/** Small enough for the young generation. */
const batch = 500;
/** Nothing is collected in the large young generation, so heap growth equals allocation; else the row fails. */
export const measureAlloc: Row['measure'] = (plan, tell) =>
  withBoth(both, async (chains) => {
    const gc = collector();
    const collections = new PerformanceObserver(() => {});
    collections.observe({ entryTypes: ['gc'] });
    const perCall = (chain: Chain) => async (): Promise<number> => {
      const before = await heapAfterGc(gc);
      await seen(collections);
      await calls(chain, batch, 64);
      const after = process.memoryUsage().heapUsed;
      if ((await seen(collections)) > 0) throw new Error('a collection ran while allocations were counted');
      return (after - before) / batch / 1024;
    };
    for (const chain of chains) await calls(chain, plan.warmCalls, 64);
    const found = await pairs(plan.rounds, perCall(chains[0]), perCall(chains[1]));
    tell(absolute('heap allocated per call, 64 in flight', found, 'KB', atMost(40)));
    collections.disconnect();
  });
/** Node reports collections in a task of its own. */
async function seen(collections: PerformanceObserver): Promise<number> {
  await new Promise<void>((resolve) => void setImmediate(() => setImmediate(resolve)));
  return collections.takeRecords().length;
}

/** After so many calls everything is compiled, and bounded memories are full. */
const settling = 20_000;
export const measureHeap: Row['measure'] = async ({ isQuick }, tell) => {
  const many = isQuick ? 1_000 : 100_000;
  const gc = collector();
  const grown = (open: () => Promise<Chain>) => async (): Promise<number> => {
    const chain = await open();
    await calls(chain, Math.min(settling, many));
    const before = await heapAfterGc(gc);
    await calls(chain, many);
    const after = await heapAfterGc(gc);
    await chain.close();
    return (after - before) / 1024 ** 2;
  };
  const found = await pairs(
    1,
    grown(bareClient),
    grown(() => throughComputer()),
  );
  tell(absolute(`heap grown by ${many.toLocaleString('en')} calls`, found, 'MB', atMost(10)));
};
