import { fileURLToPath } from 'node:url';
import { execFile } from 'node:child_process';
import { createInterface } from 'node:readline';
import { relayChain } from '../baseline/chain.ts';
import type { Chain } from '../chain.ts';
import { calls, comparedSlices, ratio, withBoth } from '../measure.ts';
import { atMost, type Row } from '../row.ts';

interface Said {
  readonly url?: string;
  readonly cpuUs?: number;
}

/**
 * Opens an office between the bare peers of the baseline. The office has a process of its own, whose CPU time counts:
 * the peers cost three times as much and would hide a difference between offices.
 */
const relay = (whose: 'bare' | 'ours') => async (): Promise<Chain> => {
  const child = execFile(process.execPath, [
    fileURLToPath(new URL('../office-process.js', import.meta.url)),
    whose,
  ]);
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error('an office without pipes');
  const lines = createInterface({ input: stdout });
  const next = (): Promise<Said> =>
    new Promise((resolve, reject) => {
      const gone = (): void => reject(new Error('the office process has ended'));
      child.once('exit', gone);
      lines.once('line', (line) => {
        child.off('exit', gone);
        resolve(JSON.parse(line) as Said);
      });
    });
  const { url = '' } = await next();
  const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  const close = async (): Promise<void> => {
    stdin.end();
    await ended;
  };
  return {
    ...(await relayChain({ url, close })),
    cpuUs: async () => {
      const said = next();
      stdin.write('\n');
      return (await said).cpuUs ?? Number.NaN;
    },
  };
};
export const measureRelay: Row['measure'] = (plan, tell) =>
  withBoth([relay('bare'), relay('ours')], async (chains) => {
    for (const chain of chains) await calls(chain, plan.warmCalls, 64);
    for (const inFlight of [1, 64, 256]) {
      const found = await comparedSlices(plan, chains, 'cpuUs', inFlight);
      tell(ratio(`relay with all limits on, CPU, ${inFlight} in flight`, found, 'µs', atMost(1.1)));
    }
  });
