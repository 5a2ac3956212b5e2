import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { pairs, ratio } from '../measure.ts';
import { atMost, type Row } from '../row.ts';

const root = dirname(createRequire(import.meta.url).resolve('a2c-actors/package.json'));
const baseline = (name: string): string => join(root, 'scenarios/bench/baseline', name);
const run = promisify(execFile);

interface Took {
  /** Without the server, which is a process of its own. */
  readonly cpuMs: number;
  readonly wallMs: number;
}
async function took(program: string, server: string, calls: number, sent = '{"text":"hi"}'): Promise<Took> {
  const from = performance.now();
  const { stdout } = await run(process.execPath, [baseline(program), server, `${calls}`, sent]);
  const { text, us } = JSON.parse(stdout) as { text: string; us: number };
  if (!/^(Echo: )?hi$/.test(text)) throw new Error(`a server answered: ${text.slice(0, 80)}`);
  return { cpuMs: us / 1_000, wallMs: performance.now() - from };
}
const cpuMsOf = (program: string, calls: number) => async (): Promise<number> =>
  (await took(program, baseline('echo-server.mjs'), calls)).cpuMs;
const everything = join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const wallMsOf = (program: string) => async (): Promise<number> =>
  (await took(program, everything, 1, '{"message":"hi"}')).wallMs;
export const measureFirst: Row['measure'] = async ({ rounds }, tell) => {
  for (const [what, calls, limit] of [
    ['first call of a process, CPU', 1, 2],
    ['first 1,000 calls of a process, CPU', 1_000, 2.5],
  ] as const) {
    const both = [cpuMsOf('first-sdk.mjs', calls), cpuMsOf('first-ours.mjs', calls)] as const;
    for (const each of both) await each();
    tell(ratio(what, await pairs(rounds, ...both), 'ms', atMost(limit)));
  }
  const real = [wallMsOf('first-sdk.mjs'), wallMsOf('first-ours.mjs')] as const;
  for (const each of real) await each();
  tell(
    ratio(
      'start of a published server to its first answer, time',
      await pairs(rounds, ...real),
      'ms',
      atMost(1),
    ),
  );
};
