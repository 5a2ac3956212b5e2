import { createInterface } from 'node:readline';
import { createOffice } from '../../actors/index.ts';
import { unmetLimits } from './unmet-limits.ts';
import { startOffice } from './baseline/chain.ts';

/** An office in a process of its own. Says where it is; then, to each line, how much CPU it has used. */
const ours = async () => {
  const { url, close } = await createOffice({ port: 0, limits: unmetLimits });
  return { url: `${url}/smcp`, close };
};
const { url } = await (process.argv[2] === 'ours' ? ours() : startOffice());
const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
say({ url });
createInterface({ input: process.stdin })
  .on('line', () => {
    const { user, system } = process.cpuUsage();
    say({ cpuUs: user + system });
  })
  .on('close', () => process.exit());
