import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { absolute, median, pairs, ratio, type Pair } from '../measure.ts';
import { atMost, type Row } from '../row.ts';

const root = dirname(createRequire(import.meta.url).resolve('a2c-actors/package.json'));
const rootFile = (path: string): string => join(root, path);
const everything = 'node_modules/@modelcontextprotocol/server-everything/dist/index.js';
/** Tick of the CPU times in `/proc`. */
const tickMs = 10;

interface Between {
  readonly connectMs: number;
  call(): Promise<void>;
  cpuUs(): number;
  mebibytes(): number;
  close(): Promise<void>;
}
async function opened(args: readonly string[], stateDir: string): Promise<Between> {
  const client = new Client({ name: 'bench', version: '1.0.0' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...args],
    env: { ...(process.env as Record<string, string>), XDG_STATE_HOME: stateDir },
    stderr: 'ignore',
  });
  const from = performance.now();
  await client.connect(transport);
  const connectMs = performance.now() - from;
  const about = (file: string): string => readFileSync(`/proc/${transport.pid}/${file}`, 'utf8');
  return {
    connectMs,
    call: async () => {
      const { content } = await client.callTool({ name: 'echo', arguments: { message: 'hi' } });
      if (!JSON.stringify(content).includes('Echo: hi')) throw new Error('another answer came');
    },
    cpuUs: () => {
      const fields = about('stat').split(') ')[1]?.split(' ') ?? [];
      return (Number(fields[11]) + Number(fields[12])) * tickMs * 1_000;
    },
    mebibytes: () => Number(/VmRSS:\s+(\d+)/.exec(about('status'))?.[1]) / 1024,
    close: () => client.close(),
  };
}
interface Cost {
  readonly ms: number;
  readonly us: number;
}
async function cost(between: Between, calls: number, inFlight: number): Promise<Cost> {
  const before = between.cpuUs();
  const times: number[] = [];
  for (let made = 0; made < calls; made += inFlight) {
    const from = performance.now();
    await Promise.all(Array.from({ length: inFlight }, () => between.call()));
    times.push(performance.now() - from);
  }
  return { ms: median(times), us: (between.cpuUs() - before) / calls };
}
const of = (found: readonly Pair<Cost>[], key: keyof Cost): Pair[] =>
  found.map(({ yardstick, ours }) => ({ yardstick: yardstick[key], ours: ours[key] }));

export const measureServe: Row['measure'] = async ({ isQuick }, tell) => {
  const [rounds, calls, warm] = isQuick ? [1, 256, 20] : [7, 3_072, 2_000];
  const stateDir = mkdtempSync(join(tmpdir(), 'a2c-bench-serve-'));
  const server = [process.execPath, rootFile(everything)];
  const relay = (): Promise<Between> =>
    opened([rootFile('scenarios/bench/baseline/relay.mjs'), ...server], stateDir);
  const serve = (): Promise<Between> =>
    opened([rootFile('dist/actors/main.js'), 'serve', '--', ...server], stateDir);
  try {
    const connected = async (open: () => Promise<Between>): Promise<number> => {
      const between = await open();
      await between.call();
      await between.close();
      return between.connectMs;
    };
    await connected(serve);
    const connects = await pairs(
      isQuick ? 1 : 5,
      () => connected(relay),
      () => connected(serve),
    );
    tell(ratio('a2c serve, time of initialize', connects, 'ms', atMost(1)));
    const [bare, ours] = [await relay(), await serve()];
    for (const between of [bare, ours]) await cost(between, warm, 1);
    for (const inFlight of [1, 64]) {
      const found = await pairs(
        rounds,
        () => cost(bare, calls, inFlight),
        () => cost(ours, calls, inFlight),
      );
      tell(ratio(`CPU of the process between, ${inFlight} in flight`, of(found, 'us'), 'µs', atMost(1)));
      tell(ratio(`time of ${inFlight} calls`, of(found, 'ms'), 'ms'));
    }
    tell(absolute('its memory', [{ yardstick: bare.mebibytes(), ours: ours.mebibytes() }], 'MB'));
    await Promise.all([bare.close(), ours.close()]);
  } finally {
    rmSync(stateDir, { recursive: true, force: true });
  }
};
