import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { type Computer } from '../../../actors/index.ts';
import { startHost } from '../../fixtures/started-host.ts';
import { computerConfig, echoOf } from '../ours.ts';
import { textOf, type Chain } from './chain.ts';
import { bootedComputer } from '../../fixtures/booted.ts';

/** About fifteen calls a second, each of which leaves 64 records: a thousand a second, as a busy host has them. */
const pauseMs = 60;
const chainOf = (computer: Computer, pids: readonly number[], close: () => Promise<void>): Chain => ({
  pids,
  call: async (n) => {
    const text = echoOf(await computer.callTool('echo', { text: textOf(n) }));
    await pause(pauseMs);
    return text;
  },
  close,
});
/** A computer at which nobody looks. */
export async function unwatched(): Promise<Chain> {
  const computer = await bootedComputer({ name: 'desk', config: computerConfig });
  return chainOf(computer, [], () => computer.close());
}
/** The same with a page of its inspector, in a process of its own. */
export async function watched(): Promise<Chain> {
  const computer = await bootedComputer({ name: 'desk', config: computerConfig });
  const { url } = await computer.inspect();
  const page = await startHost(process.execPath, [
    fileURLToPath(new URL('../baseline/page.mjs', import.meta.url)),
    url,
  ]);
  return chainOf(computer, [page.pid], async () => {
    await computer.close();
    await page.kill();
  });
}
