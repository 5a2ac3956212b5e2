import { execFile } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { builtModule } from '../fixtures/built-module.ts';
import { testFolder } from '../fixtures/test-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
interface Told {
  readonly runs: number;
  readonly digest: string;
  readonly rate: number;
  readonly failed: readonly { readonly seed: number; readonly violations: readonly object[] }[];
  readonly faults: Readonly<Record<string, number>>;
}
async function sim(folder: string, ...args: readonly string[]): Promise<Told> {
  const out = ['--out', join(tmpdir(), 'a2c-sim-failures'), '--json'];
  const command = [join(folder, 'dist/actors/main.js'), 'sim', ...args, ...out];
  const ran = promisify(execFile)(process.execPath, command, { cwd: folder, maxBuffer: 1e8 });
  const { stdout } = await ran.catch((failed: { stdout: string }) => failed);
  return JSON.parse(stdout) as Told;
}
it('no invariant is violated in the runs of the seeds 1 to 1,000', async () => {
  const { runs, failed, rate, digest } = await sim(root, '--seed', '1', '--seeds', '1000');
  process.stderr.write(
    `${runs - failed.length} of ${runs} runs were clean: ${rate} a second, digest ${digest}\n`,
  );
  expect(failed.map(({ seed, violations }) => [`a2c sim --seed ${seed} --shrink`, violations[0]])).toEqual(
    [],
  );
  expect(runs).toBe(1_000);
});

it('a run that ends its thread has failed, and another thread executes the rest', async () => {
  // In a process of its own, because only what was built has threads, and it has to end by itself.
  const impatient = { forMs: 60_000, faults: 'all', first: 1, count: 3, workers: 1, patienceMs: 1 };
  const script = `import(process.argv[1]).then(async ({ runAll }) => {
    const { runs, failed } = await runAll(${JSON.stringify(impatient)});
    console.log(JSON.stringify([runs, failed.map(({ seed, violations }) => [seed, violations[0].what])]));
  })`;
  const pool = builtModule('scenarios/simulator/worker-pool.ts');
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script, pool]);
  const says = (seed: number) => [seed, `the run of seed ${seed} did not end within 1 ms`];
  expect(JSON.parse(stdout)).toEqual([3, [1, 2, 3].map(says)]);
});

it('an office on several nodes has the same digest with another number of threads', async () => {
  const nodes = ['--nodes', '--seed', '1', '--seeds', '100', '--workers'];
  const [one, two] = [await sim(root, ...nodes, '0'), await sim(root, ...nodes, '2')];
  expect(two.digest).toBe(one.digest);
  expect(two.digest).not.toBe((await sim(root, '--seed', '1', '--seeds', '100')).digest);
});

it('the same seeds have the same digest on another checkout, with another number of threads', async () => {
  const elsewhere = testFolder('checkout');
  for (const part of ['dist', 'package.json'])
    cpSync(join(root, part), join(elsewhere, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(elsewhere, 'node_modules'));
  const here = await sim(root, '--seed', '1', '--seeds', '100', '--workers', '2');
  const there = await sim(elsewhere, '--seed', '1', '--seeds', '100', '--workers', '0');
  expect([there.digest, there.runs]).toEqual([here.digest, 100]);
});
