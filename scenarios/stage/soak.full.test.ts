import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { pidsOf } from '../fixtures/hosted.ts';

const host = fileURLToPath(new URL('../fixtures/soaking-host.ts', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));
const cycles = 1_000;
const mostGrowth = 10 * 1024 * 1024;

interface Report {
  readonly done: Readonly<Record<'start' | 'stop' | 'kill' | 'reload' | 'refused', number>>;
  readonly idle: number;
  readonly alive: number;
  readonly heapBefore: number;
  readonly heapAfter: number;
  readonly rootsBefore: number;
  readonly rootsAfter: number;
  readonly left: { roots: number; processes: number[]; held: string[]; before: string[] };
}

it(
  'a thousand random starts, stops, kills and reloads of twenty servers leave no process, actor, timer or handle, and under 10 MB of heap',
  { timeout: 600_000 },
  async () => {
    const mark = crypto.randomUUID();
    const args = ['--expose-gc', '--import', 'tsx', host, mark, String(cycles), '7'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, timeout: 590_000 });
    const report = JSON.parse(stdout) as Report;
    const { start, stop, kill, reload } = report.done;
    expect(start + stop + kill + reload).toBeGreaterThanOrEqual(cycles);
    for (const each of [start, stop, kill, reload]) expect(each).toBeGreaterThan(cycles / 8);
    expect([report.idle, report.alive]).toEqual([20, 0]);
    expect(report.rootsAfter).toBe(report.rootsBefore);
    expect(report.heapAfter - report.heapBefore).toBeLessThan(mostGrowth);
    expect(report.left.roots).toBe(0);
    expect(report.left.processes).toEqual([]);
    expect(report.left.held).toEqual(report.left.before);
    expect(pidsOf(mark)).toEqual([]);
  },
);
