import { fileURLToPath } from 'node:url';
import { createAgent, createOffice, type CallOutcome } from '../../../actors/index.ts';
import { bootedComputer } from '../../fixtures/booted.ts';
import { baselineFull } from '../baseline/chain.ts';
import { echoed, textOf, type Chain, unmetLimits } from '../chain.ts';
import { calls, comparedSlices, ratio, withBoth } from '../measure.ts';
import { atLeast, type Row } from '../row.ts';
import { foreign } from '../../../machines/config/config-input.ts';

const echoServer = {
  command: process.execPath,
  args: [fileURLToPath(new URL('../baseline/echo-server.mjs', import.meta.url))],
};
export const computerConfig = {
  servers: {
    echo: { type: 'stdio', default_tool_meta: { auto_apply: true }, server_parameters: echoServer },
  },
};
export function echoOf({ outcome, result, failure }: CallOutcome): string {
  if (outcome !== 'succeeded') throw new Error(`the call ${outcome}: ${failure?.message}`);
  return echoed(result);
}

export async function oursFull(): Promise<Chain> {
  const server = await createOffice({ port: 0, limits: unmetLimits });
  const computer = await bootedComputer({
    name: 'desk',
    config: foreign(computerConfig),
    office: { url: server.url, id: 'bench' },
  });
  const agent = await createAgent({ url: server.url, name: 'asker', office: 'bench' });
  await agent.tools('desk');
  return {
    call: async (n) => echoOf(await agent.callTool('desk', 'echo', { text: textOf(n) })),
    close: async () => {
      await agent.close();
      await computer.close();
      await server.close();
    },
  };
}
const inFlight = 64;
const named = `full chain over stdio, calls a second, ${inFlight} in flight`;
export const measureChain: Row['measure'] = (plan, tell) =>
  withBoth([baselineFull, oursFull], async (chains) => {
    for (const chain of chains) await calls(chain, plan.warmCalls, inFlight);
    tell(ratio(named, await comparedSlices(plan, chains, 'perSecond', inFlight), '/s', atLeast(0.6)));
  });
