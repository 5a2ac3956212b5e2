import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { wordOf, type Fault } from '../../../fault-server/words/fault.ts';
import type { Behaviour, ServerData } from '../plan.ts';

const faultServer = fileURLToPath(new URL('../../../fault-server/fault-server.mjs', import.meta.url));

/** It ends by itself after so long, whatever becomes of us. */
const lifeMs = 60_000;
/** What is started is no program: the system says no with this number. */
const unstartable: Readonly<Record<string, string>> = {
  ENOENT: 'no-such-command-anywhere',
  EACCES: tmpdir(),
};

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

function behaviourAt(
  { tools = {}, faults = [], later = {} }: ServerData,
  start: number,
): Required<Behaviour> {
  const steps = Object.entries(later).toSorted(([a], [b]) => Number(a) - Number(b));
  const [, step] = steps.findLast(([from]) => Number(from) <= start) ?? [];
  return { tools: step?.tools ?? tools, faults: step?.faults ?? faults };
}
/** Each start is launched with what holds for it, so a loop of crashes is so many starts that crash. */
const inStart =
  (start: number) =>
  (fault: Fault): Fault[] => {
    if (fault.fault !== 'proc.crashLoop') return wordOf(fault.fault)?.where === 'server' ? [fault] : [];
    const { n, ...rest } = fault;
    return start <= Number(n) ? [{ ...rest, fault: 'proc.exit' }] : [];
  };

/** How the n-th process of a server is started. */
export function launchAt(server: ServerData, start: number): Launch {
  const { tools, faults } = behaviourAt(server, start);
  const unstarted = faults.find(({ fault }) => fault === 'proc.spawnError');
  const slow = faults.find(({ fault }) => fault === 'proc.spawnSlow');
  if (unstarted) {
    const command = unstartable[String(unstarted['errno'])];
    if (command === undefined) throw new Error(`${String(unstarted['errno'])} cannot be had for real`);
    return { command, args: [], env: {} };
  }
  const config = JSON.stringify({
    name: server.name,
    tools,
    faults: faults.flatMap(inStart(start)),
    lifeMs,
    ...(server.resources && { resources: server.resources }),
  });
  const args = [faultServer, config];
  if (!slow) return { command: process.execPath, args, env: {} };
  const seconds = (Number(slow['ms']) / 1000).toFixed(3);
  return {
    command: 'sh',
    args: ['-c', `sleep ${seconds}; exec "$0" "$@"`, process.execPath, ...args],
    env: {},
  };
}
