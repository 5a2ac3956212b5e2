import { execFile } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { relayChain } from '../baseline/chain.ts';
import type { Chain } from './chain.ts';

interface Said {
  readonly url?: string;
  readonly cpuUs?: number;
}

/**
 * An office between the bare peers of the baseline. It has a process of its own, whose CPU is what counts: beside
 * the peers, which cost three times as much, no difference between two offices would be seen.
 */
async function openRelay(whose: 'bare' | 'ours'): Promise<Chain> {
  const isSource = import.meta.url.endsWith('.ts');
  const script = fileURLToPath(new URL(`../office-process.${isSource ? 'ts' : 'js'}`, import.meta.url));
  const child = execFile(process.execPath, [...(isSource ? ['--import', 'tsx'] : []), script, whose]);
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
    pids: [child.pid ?? 0],
    cpuUs: async () => {
      const said = next();
      stdin.write('\n');
      return (await said).cpuUs ?? Number.NaN;
    },
  };
}

export const baselineRelay = (): Promise<Chain> => openRelay('bare');
export const oursRelay = (): Promise<Chain> => openRelay('ours');
