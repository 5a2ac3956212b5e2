import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { pairs, ratio } from '../measure.ts';
import { atMost, type Row } from '../row.ts';

const root = dirname(createRequire(import.meta.url).resolve('a2c-actors/package.json'));
const baseline = (name: string): string => join(root, 'scenarios/bench/baseline', name);
const run = promisify(execFile);

/** In ms, without the server, which is a process of its own. */
const cpuMsOf = (program: string, calls: number) => async (): Promise<number> => {
  const { stdout } = await run(process.execPath, [
    baseline(program),
    baseline('echo-server.mjs'),
    `${calls}`,
  ]);
  const { text, us } = JSON.parse(stdout) as { text: string; us: number };
  if (text !== 'hi') throw new Error(`a server answered: ${text.slice(0, 80)}`);
  return us / 1_000;
};
export const measureFirst: Row['measure'] = async ({ rounds }, tell) => {
  for (const [what, calls, limit] of [
    ['first call of a process, CPU', 1, 2],
    ['first 1,000 calls of a process, CPU', 1_000, 2.5],
  ] as const) {
    const both = [cpuMsOf('first-sdk.mjs', calls), cpuMsOf('first-ours.mjs', calls)] as const;
    for (const each of both) await each();
    tell(ratio(what, await pairs(rounds, ...both), 'ms', atMost(limit)));
  }
};
