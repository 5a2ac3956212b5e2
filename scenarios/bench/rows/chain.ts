import { fileURLToPath } from 'node:url';
import { createAgent, createOffice, type CallOutcome } from '../../../actors/index.ts';
import { bootedComputer } from '../../fixtures/booted.ts';
import { pythonOf, startPeers, type PythonPeers } from '../../fixtures/python-peers.ts';
import { startHost } from '../../fixtures/started-host.ts';
import { baselineFull } from '../baseline/chain.ts';
import { echoed, textOf, type Chain, unmetLimits } from '../chain.ts';
import { calls, comparedSlices, pairs, ratio, slice, withBoth } from '../measure.ts';
import { atLeast, type Row } from '../row.ts';

const office = 'bench';
/** Echo server over stdio, to which all computers talk, by hand, of this project and in Python alike. */
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

/** Opens the chain agent → office → computer → echo server over stdio, and back: three handles of the public API. */
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

/**
 * Version of the Python SDK whose office, computer and agent are measured, each in a process of its own, with the
 * same echo server.
 */
const version = '0.4.2';
interface PythonChain {
  perSecond(calls: number): Promise<number>;
  close(): Promise<void>;
}
async function pythonChain(): Promise<PythonChain> {
  const script = fileURLToPath(new URL('../../interop/office.py', import.meta.url));
  const host = await startHost(await pythonOf(version), [script]);
  const [agents, computers] = await Promise.all([startPeers(version), startPeers(version)]);
  const must = async (peers: PythonPeers, what: string, more: object): Promise<void> => {
    const { error } = await peers.do(what, more);
    if (error !== undefined) throw new Error(`${what} in Python: ${error}`);
  };
  const seat = { url: host.url, office };
  await must(computers, 'computer', { ...seat, name: 'desk', servers: { echo: echoServer } });
  await must(agents, 'agent', { ...seat, name: 'asker' });
  await must(agents, 'see', { name: 'asker', computer: 'desk', tool: 'echo' });
  return {
    perSecond: async (count) => {
      const start = performance.now();
      const load = {
        name: 'asker',
        computer: 'desk',
        tool: 'echo__echo',
        calls: count,
        inFlight,
        timeout: 60,
      };
      await must(agents, 'load', load);
      return (count * 1_000) / (performance.now() - start);
    },
    close: async () => {
      await Promise.all([agents.kill(), computers.kill(), host.kill()]);
    },
  };
}
export const measurePython: Row['measure'] = async (plan, tell) => {
  const [theirs, ours] = [await pythonChain(), await oursFull()];
  const count = plan.isQuick ? 200 : 1_000;
  await calls(ours, plan.warmCalls, inFlight);
  // Python compiles nothing while it runs, so ten thousand calls would not warm it more.
  await theirs.perSecond(count);
  const found = await pairs(
    plan.rounds,
    () => theirs.perSecond(count),
    async () => (await slice(ours, inFlight, plan.sliceMs)).perSecond,
  );
  tell(ratio(`${named}, ÷ that of Python ${version}`, found, '/s', atLeast(8)));
  await theirs.close();
  await ours.close();
};
