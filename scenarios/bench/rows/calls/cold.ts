import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { absolute, pairs, ratio, type Pair } from '../../measure.ts';
import { atMost, type Row } from '../../row.ts';

/** CPU time in ms of successive calls in a process that has made none before; its servers are up. */
export interface Cold {
  readonly first: number;
  readonly thousand: number;
}
/** Measures in a new process each time; one process reports both figures. */
function inNewProcess(which: 'bare' | 'ours'): Promise<Cold> {
  const child = fork(fileURLToPath(new URL('cold-process.js', import.meta.url)), [which]);
  return new Promise((resolve, reject) => {
    child.once('message', (cold) => resolve(cold as Cold));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the cold process of ${which} ended with ${code}`)));
  });
}
export const measureCold: Row['measure'] = async ({ rounds }, tell) => {
  const found = await pairs(
    rounds,
    () => inNewProcess('bare'),
    () => inNewProcess('ours'),
  );
  const of = (key: keyof Cold): Pair[] =>
    found.map(({ yardstick, ours }) => ({ yardstick: yardstick[key], ours: ours[key] }));
  tell(absolute('first call of a process, CPU', of('first'), 'ms', atMost(15)));
  tell(ratio('first 1,000 calls of a process, CPU', of('thousand'), 'ms', atMost(2.5)));
};
