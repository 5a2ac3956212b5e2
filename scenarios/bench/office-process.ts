import { createInterface } from 'node:readline';
import { createOffice } from '../../actors/index.ts';
import { startOffice } from './baseline/chain.ts';
import { unmetLimits } from './chain.ts';

/**
 * Runs an office in a process of its own, `ours` or a bare relay: writes its URL, then its CPU time for each line on
 * stdin, and ends with stdin.
 */
const opened = async () => {
  if (process.argv[2] !== 'ours') return startOffice();
  const office = await createOffice({ port: 0, limits: unmetLimits });
  return { url: `${office.url}/smcp`, close: office.close };
};
const { url, close } = await opened();
const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
say({ url });
createInterface({ input: process.stdin })
  .on('line', () => {
    const { user, system } = process.cpuUsage();
    say({ cpuUs: user + system });
  })
  .on('close', () => void close().finally(() => process.exit()));
