import { mkdtempSync, rmSync } from 'node:fs';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createAgent, createComputer } from '../../../actors/index.ts';
import { RedisServer } from '../../fixtures/redis.ts';
import { relayChain, takeSeat } from '../baseline/chain.ts';
import { startSide } from '../lines.ts';
import { calls, callOnce, median, more, pairs, ratio, withBoth } from '../measure.ts';
import { atLeast, atMost, type Plan, type Row, type Tell } from '../row.ts';

const office = 'bench';
const partBytes = 256 * 1_024;
const script = 'office-process.js';

async function compareNodes(plan: Plan, tell: Tell, redis: string): Promise<void> {
  const [near, far] = [await startSide(script, ['ours', redis]), await startSide(script, ['ours', redis])];
  const within = () => relayChain(near, { office: 'within' });
  const across = () => relayChain(near, { office: 'across', computerAt: far });
  await withBoth([within, across], async (chains) => {
    for (const chain of chains) await calls(chain, plan.warmCalls);
    const oneByOne = (chain: (typeof chains)[number]) => async (): Promise<number> => {
      const times: number[] = [];
      const start = performance.now();
      while (performance.now() - start < plan.sliceMs) {
        const from = performance.now();
        await callOnce(chain);
        times.push(performance.now() - from);
      }
      return median(times);
    };
    const found = await pairs(plan.rounds, oneByOne(chains[0]), oneByOne(chains[1]));
    tell(more('median time that a second node adds to a call', found, 'ms', atMost(0.4)));
  });
  await far.close();
}

interface Upload {
  readonly put: (file: string) => Promise<void>;
  readonly close: () => Promise<unknown>;
}
async function ours(url: string, landed: string): Promise<Upload> {
  const landing = { folder: landed, autoApprove: true, maxFileBytes: 2 ** 30 };
  const computer = await createComputer({
    ...{ name: 'desk', config: { mcpServers: {}, a2c: { landing } } },
    ...{ office: { url, id: office }, stateDir: false, reaper: false },
  });
  const agent = await createAgent({ url, name: 'asker', office });
  await agent.joined('desk');
  return {
    put: async (file) => void (await agent.files.put('desk', file)),
    close: () => Promise.all([agent.close(), computer.close()]),
  };
}
interface Part {
  readonly offset: number;
  readonly blob: string;
}
/** A loop of parts as large as ours, written to a file without any check. */
async function bare(url: string, landed: string): Promise<Upload> {
  const computer = await takeSeat(url, { role: 'computer', name: 'desk', office_id: office });
  const agent = await takeSeat(url, { role: 'agent', name: 'asker', office_id: office });
  const target = await open(join(landed, 'bare'), 'w');
  computer.on('client:tool_call', async ({ params }: { params: Part }, ack: (said: object) => void) => {
    const bytes = Buffer.from(params.blob, 'base64');
    await target.write(bytes, 0, bytes.length, params.offset);
    ack({});
  });
  return {
    put: async (file) => {
      const source = await open(file);
      const part = Buffer.allocUnsafe(partBytes);
      for (let offset = 0; ;) {
        const { bytesRead } = await source.read(part, 0, partBytes, offset);
        if (bytesRead === 0) break;
        const params = { offset, blob: part.toString('base64', 0, bytesRead) };
        await agent.emitWithAck('client:tool_call', {
          ...{
            agent: 'asker',
            computer: 'desk',
            req_id: `p${offset}`,
            tool_name: 'put',
            params,
            timeout: 60,
          },
        });
        offset += bytesRead;
      }
      await source.close();
    },
    close: async () => {
      agent.disconnect();
      computer.disconnect();
      await target.close();
    },
  };
}
async function compareUploads({ isQuick }: Plan, tell: Tell, redis: string): Promise<void> {
  const [megabytes, rounds] = isQuick ? [8, 1] : [256, 3];
  const folder = mkdtempSync(join(tmpdir(), 'a2c-bench-files-'));
  const file = join(folder, 'large');
  const whole = await open(file, 'w');
  for (let n = 0; n < megabytes; n += 1) await whole.write(Buffer.alloc(1_024 * 1_024, n));
  await whole.close();
  const perSecond = (whose: 'ours' | 'bare', start: typeof ours) => async (): Promise<number> => {
    const landed = mkdtempSync(join(folder, 'landed-'));
    const side = await startSide(script, whose === 'ours' ? ['ours', redis] : ['bare']);
    const upload = await start(whose === 'ours' ? new URL(side.url).origin : side.url, landed);
    const from = performance.now();
    await upload.put(file);
    const seconds = (performance.now() - from) / 1_000;
    const [name = ''] = (await readdir(landed)).filter((each) => !each.startsWith('.'));
    const { size } = await stat(join(landed, name));
    if (size !== megabytes * 1_024 * 1_024) throw new Error(`${size} bytes have landed`);
    await upload.close();
    await side.close();
    await rm(landed, { recursive: true });
    return megabytes / seconds;
  };
  try {
    const found = await pairs(rounds, perSecond('bare', bare), perSecond('ours', ours));
    tell(ratio(`${megabytes} MB up through a node, a second`, found, 'MB/s', atLeast(0.8)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const measureNodes: Row['measure'] = async (plan, tell) => {
  const redis = await RedisServer.start();
  try {
    await compareNodes(plan, tell, redis.url);
    await compareUploads(plan, tell, redis.url);
  } finally {
    await redis.kill();
  }
};
