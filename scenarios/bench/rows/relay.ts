import { relayChain } from '../baseline/chain.ts';
import type { Chain } from '../chain.ts';
import { startSide } from '../lines.ts';
import { calls, comparedSlices, ratio, withBoth } from '../measure.ts';
import { atMost, type Row } from '../row.ts';

/** In a process of its own, whose CPU counts: the peers cost three times as much and would hide a difference. */
const relay = (whose: 'bare' | 'ours') => async (): Promise<Chain> => {
  const office = await startSide('office-process.js', [whose]);
  return { ...(await relayChain(office)), cpuUs: office.cpuUs };
};
export const measureRelay: Row['measure'] = (plan, tell) =>
  withBoth([relay('bare'), relay('ours')], async (chains) => {
    for (const chain of chains) await calls(chain, plan.warmCalls, 64);
    for (const inFlight of [1, 64, 256]) {
      const found = await comparedSlices(plan, chains, 'cpuUs', inFlight);
      tell(ratio(`relay with all limits on, CPU, ${inFlight} in flight`, found, 'µs', atMost(1.1)));
    }
  });
