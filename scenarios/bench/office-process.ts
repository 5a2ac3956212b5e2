import { createInterface } from 'node:readline';
import { createOffice, type OfficeOptions } from '../../actors/index.ts';
import { unmetLimits } from './unmet-limits.ts';
import { startOffice } from './baseline/chain.ts';

/**
 * An office in a process of its own. Says where it is; then, to each line, what it has used and refused, and to the line
 * `collect` what is left after a garbage collection. It ends with its stdin.
 */
const [, , kind = 'bare', redis = ''] = process.argv;
const offices: Readonly<Record<string, OfficeOptions>> = {
  /** Each event is held against its limits, and none is refused. */
  ours: { limits: unmetLimits },
  /** As people run it. */
  limited: {},
  node: { redis },
};
const opened = async () => {
  const options = offices[kind];
  if (!options) return { ...(await startOffice()), refusals: () => ({}) };
  const office = await createOffice({ port: 0, ...options });
  return { url: `${office.url}/smcp`, close: office.close, refusals: () => office.stats().refusals };
};
const { url, close, refusals } = await opened();
const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
say({ url });
createInterface({ input: process.stdin })
  .on('line', (line) => {
    if (line === 'collect') globalThis.gc?.();
    const { user, system } = process.cpuUsage();
    const { heapUsed, rss } = process.memoryUsage();
    say({ cpuUs: user + system, heapBytes: heapUsed, residentBytes: rss, refusals: refusals() });
  })
  .on('close', () => void close().finally(() => process.exit()));
