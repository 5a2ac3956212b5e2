import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { createComputer } from '../../../actors/index.ts';
import { bootedComputer } from '../../fixtures/booted.ts';
import { startHost } from '../../fixtures/started-host.ts';
import { textOf, type Chain } from '../chain.ts';
import { echoTool, optionsOver, served } from '../inside.ts';
import { calls, comparedSlices, ratio, withBoth } from '../measure.ts';
import { atLeast, atMost, type Row } from '../row.ts';
import { computerConfig, echoOf } from './chain.ts';
import { foreign } from '../../../machines/config/config-input.ts';
import { anyTiming } from '../../../machines/kernel/timing.ts';

/** About sixty calls a second, each of which makes 17 records: a thousand a second. */
const pauseMs = 16;
const sliceMs = 2_000;

type Watching = 'none' | 'outline' | 'whole';
/** Warm calls do not pause. */
const open = (watching: Watching, pace: { ms: number }) => async (): Promise<Chain> => {
  const computer = await bootedComputer({ name: 'desk', config: foreign(computerConfig) });
  const page =
    watching === 'none'
      ? undefined
      : await startHost(process.execPath, [
          fileURLToPath(new URL('../baseline/page.mjs', import.meta.url)),
          (await computer.debug.inspect()).url,
          watching,
        ]);
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
const what: Readonly<Record<Exclude<Watching, 'none'>, string>> = {
  outline: 'host with a page',
  whole: 'host with a page that shows all records',
};
export const measureWatched: Row['measure'] = async (plan, tell) => {
  const slices = { ...plan, sliceMs: plan.isQuick ? plan.sliceMs * 4 : sliceMs };
  for (const watching of ['outline', 'whole'] as const) {
    const pace = { ms: 0 };
    // The aim is that of a page as it opens; a page of records costs what they cost.
    const aim = watching === 'outline' ? atMost(1.1) : undefined;
    await withBoth([open('none', pace), open(watching, pace)], async (chains) => {
      for (const chain of chains) await calls(chain, plan.warmCalls);
      pace.ms = pauseMs;
      const found = await comparedSlices(slices, chains, 'cpuUs');
      tell(ratio(`${what[watching]}, CPU, 1,000 records a second`, found, 'µs', aim));
      pace.ms = 0;
      const burst = await comparedSlices(slices, chains, 'cpuUs');
      tell(ratio(`${what[watching]}, in a burst, one call after the other`, burst, 'µs', aim));
    });
  }
};

const [servers, toolsOfEach, crashing] = [50, 200, 2];
/** After this two of the servers end, again and again. */
const livesMs = 700;
const toolOf = (server: number, n: number): Tool => ({
  ...echoTool(`s${server}_tool_${n}`),
  description: `tool ${n} of server ${server} does something with a path and a limit`,
});
const endOf = (server: number) => async (): Promise<InMemoryTransport> => {
  const tools = Array.from({ length: toolsOfEach }, (_, n) => toolOf(server, n));
  const { end } = await served(tools);
  if (server < crashing) setTimeout(() => void end.close(), livesMs).unref();
  return end;
};
/** As text, because the browser runs it. */
const framesIn = (ms: number): string => `new Promise((done) => {
  let count = 0;
  const start = performance.now();
  const drawn = () => {
    count += 1;
    if (performance.now() - start < ${ms}) requestAnimationFrame(drawn);
    else done((1000 * count) / ${ms});
  };
  drawn();
})`;

async function measureShown(url: string, spanMs: number, tell: Parameters<Row['measure']>[1]): Promise<void> {
  const { Chromium } = await import('../../fixtures/browser.ts');
  const chromium = await Chromium.start();
  // A browser that has just started is slow.
  await chromium.look('about:blank');
  const start = performance.now();
  const looked = await chromium.look(url);
  await looked.page.locator('#summary').waitFor();
  const tookMs = performance.now() - start;
  tell({ what: 'summary of 50 servers in Chromium', unit: 'ms', values: [tookMs], aim: atMost(1_000) });
  const drawn = await looked.page.evaluate<number>(framesIn(spanMs));
  tell({ what: 'frames a second of that page', unit: '/s', values: [drawn], aim: atLeast(58) });
  await chromium.close();
}
export const measureLooked: Row['measure'] = async ({ isQuick }, tell) => {
  const ends = Object.fromEntries(Array.from({ length: servers }, (_, n) => [`s${n}`, endOf(n)]));
  const computer = await createComputer({
    ...optionsOver(ends),
    timing: anyTiming({ backoffMs: 50, longestBackoffMs: 1_000 }),
  });
  await computer.tools();
  const { url } = await computer.debug.inspect();
  const blocked = async (ms: number, work: () => Promise<unknown>): Promise<number> => {
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    await Promise.all([work(), pause(ms)]);
    delay.disable();
    return delay.max / 1e6;
  };
  const spanMs = isQuick ? 500 : 5_000;
  const told = (what: string, ms: number, limit?: number): void =>
    tell({ what, unit: 'ms', values: [ms], ...(limit !== undefined && { aim: atMost(limit) }) });
  const page = fileURLToPath(new URL('../baseline/page.mjs', import.meta.url));
  told('longest block of a host of 50 × 200 tools without a page', await blocked(spanMs, async () => {}));
  let looking: Awaited<ReturnType<typeof startHost>> | undefined;
  const comes = async (): Promise<void> => void (looking = await startHost(process.execPath, [page, url]));
  told('the same when a page comes', await blocked(spanMs, comes), 50);
  told('the same while it looks', await blocked(spanMs, async () => {}), 50);
  await looking?.kill();
  await measureShown(url, spanMs, tell);
  await computer.close();
};
