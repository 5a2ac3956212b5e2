import { relayChain, takeSeat } from '../baseline/chain.ts';
import { textOf, type Chain } from '../chain.ts';
import { computerOver, echoTool, served, textFrom } from '../inside.ts';
import { startSide } from '../lines.ts';
import { calls, comparedSlices, cpuMsOf, pairs, ratio, withBoth } from '../measure.ts';
import { atMost, type Plan, type Row, type Tell } from '../row.ts';

/** What a call costs must not depend on how much else there is: the yardstick is the small host, and the large one is ours. */
const aim = atMost(1.2);

const host = (servers: number, tools: number) => async (): Promise<Chain> => {
  const ends = Array.from({ length: servers }, (_, s) => {
    const listed = Array.from({ length: tools }, (_, t) => echoTool(`s${s}.echo${t}`));
    return [`s${s}`, async () => (await served(listed)).end] as const;
  });
  const computer = await computerOver(Object.fromEntries(ends));
  return { call: (n) => textFrom(computer, 's0.echo0', textOf(n)), close: () => computer.close() };
};
const office = (others: number) => async (): Promise<Chain> => {
  const side = await startSide('office-process.js', ['ours']);
  const seats = await Promise.all(
    Array.from({ length: others }, (_, n) =>
      takeSeat(side.url, { role: 'computer', name: `other${n}`, office_id: 'bench' }),
    ),
  );
  const chain = await relayChain(side);
  const close = async (): Promise<void> => {
    for (const seat of seats) seat.disconnect();
    await chain.close();
  };
  return { ...chain, cpuUs: side.cpuUs, close };
};
const compared = (
  what: string,
  plan: Plan,
  tell: Tell,
  open: readonly [() => Promise<Chain>, () => Promise<Chain>],
): Promise<void> =>
  withBoth(open, async (chains) => {
    for (const chain of chains) await calls(chain, plan.warmCalls / 2, 64);
    tell(ratio(what, await comparedSlices(plan, chains, 'cpuUs', 64), 'µs', aim));
  });

async function compareSizes({ isQuick, rounds }: Plan, tell: Tell): Promise<void> {
  const computer = await computerOver({ echo: async () => (await served()).end });
  // The same number of characters; results of more than 7 MiB are cut.
  const [small, large] = isQuick ? [10_000, 100_000] : [500_000, 5_000_000];
  const sent = (length: number, count: number) => {
    const text = 'x'.repeat(length);
    return () =>
      cpuMsOf(async () => {
        for (let n = 0; n < count; n++)
          if ((await textFrom(computer, 'echo', text)).length !== length)
            throw new Error('another answer came');
      });
  };
  const both = [sent(small, 10), sent(large, 1)] as const;
  for (const each of both) await each();
  tell(ratio('CPU of as many bytes in messages ten times as large', await pairs(rounds, ...both), 'ms', aim));
  await computer.close();
}

export const measureGrow: Row['measure'] = async (plan, tell) => {
  const many = plan.isQuick ? 20 : 1_000;
  await compared(`call with ${many} servers and with one, CPU`, plan, tell, [host(1, 1), host(many, 1)]);
  await compared(`call with ${10 * many} tools and with ten, CPU`, plan, tell, [
    host(1, 10),
    host(1, 10 * many),
  ]);
  await compared(`relay with ${many} more seats, CPU`, plan, tell, [office(0), office(many)]);
  await compareSizes(plan, tell);
};
