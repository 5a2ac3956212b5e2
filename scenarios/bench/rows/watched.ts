import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bootedComputer } from '../../fixtures/booted.ts';
import { startHost } from '../../fixtures/started-host.ts';
import { textOf, type Chain } from '../chain.ts';
import { calls, comparedSlices, ratio, withBoth } from '../measure.ts';
import { atMost, type Row } from '../row.ts';
import { computerConfig, echoOf } from './chain.ts';

/**
 * Pause in ms between calls, for about fifteen calls a second, each of which makes 64 records: a thousand a second,
 * as in a busy host.
 */
const pauseMs = 60;
/** Time in ms of a slice, longer than the interval in which the page is sent data. */
const sliceMs = 2_000;

/** Opens a computer whose inspector is watched by a page in another process, or by none. Warm calls do not pause. */
const open = (isWatched: boolean, pace: { ms: number }) => async (): Promise<Chain> => {
  const computer = await bootedComputer({ name: 'desk', config: computerConfig });
  const page = isWatched
    ? await startHost(process.execPath, [
        fileURLToPath(new URL('../baseline/page.mjs', import.meta.url)),
        (await computer.inspect()).url,
      ])
    : undefined;
  return {
    call: async (n) => {
      const text = echoOf(await computer.callTool('echo', { text: textOf(n) }));
      if (pace.ms > 0) await pause(pace.ms);
      return text;
    },
    close: async () => {
      await computer.close();
      await page?.kill();
    },
  };
};
export const measureWatched: Row['measure'] = (plan, tell) => {
  const pace = { ms: 0 };
  return withBoth([open(false, pace), open(true, pace)], async (chains) => {
    for (const chain of chains) await calls(chain, plan.warmCalls);
    pace.ms = pauseMs;
    const slices = { ...plan, sliceMs: plan.isQuick ? plan.sliceMs * 4 : sliceMs };
    const found = await comparedSlices(slices, chains, 'cpuUs');
    tell(ratio('host with a page, CPU, 1,000 records a second', found, 'µs', atMost(1.1)));
  });
};
