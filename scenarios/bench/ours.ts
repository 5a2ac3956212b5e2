import { fileURLToPath } from 'node:url';
import { createAgent, createOffice, type CallOutcome } from '../../actors/index.ts';
import { unmetLimits } from './unmet-limits.ts';
import { echoed, textOf, type Chain } from './rows/chain.ts';
import { bootedComputer } from '../fixtures/booted.ts';

const office = 'bench';
export const computerConfig = {
  servers: {
    echo: {
      type: 'stdio',
      default_tool_meta: { auto_apply: true },
      server_parameters: {
        command: process.execPath,
        args: [fileURLToPath(new URL('baseline/echo-server.mjs', import.meta.url))],
      },
    },
  },
};

export function echoOf({ outcome, result, failure }: CallOutcome): string {
  if (outcome !== 'succeeded') throw new Error(`the call ${outcome}: ${failure?.message}`);
  return echoed(result);
}

/** Agent → office → computer → echo server over stdio, and back: three handles of the public API. */
export async function oursFull(): Promise<Chain> {
  const server = await createOffice({ port: 0, limits: unmetLimits });
  const computer = await bootedComputer({
    name: 'desk',
    config: computerConfig,
    office: { url: server.url, id: office },
  });
  const agent = await createAgent({ url: server.url, name: 'asker', office });
  await agent.tools('desk');
  return {
    // The child ends with its computer, or when its input ends with this process.
    pids: [],
    call: async (n) => echoOf(await agent.callTool('desk', 'echo', { text: textOf(n) })),
    close: async () => {
      await agent.close();
      await computer.close();
      await server.close();
    },
  };
}

/** A computer for its own host, without an office: what it adds to the MCP client and the pipe. */
export async function oursComputer(): Promise<Chain> {
  const computer = await bootedComputer({ name: 'desk', config: computerConfig });
  return {
    pids: [],
    call: async (n) => echoOf(await computer.callTool('echo', { text: textOf(n) })),
    close: () => computer.close(),
  };
}
