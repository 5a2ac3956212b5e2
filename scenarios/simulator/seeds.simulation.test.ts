import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
interface Told {
  readonly days: number;
  readonly digest: string;
  readonly rate: number;
  readonly failed: readonly { readonly seed: number; readonly breaches: readonly object[] }[];
  readonly faults: Readonly<Record<string, number>>;
}
async function sim(folder: string, ...args: readonly string[]): Promise<Told> {
  const out = ['--out', join(tmpdir(), 'a2c-sim-failures'), '--json'];
  const command = [join(folder, 'dist/actors/main.js'), 'sim', ...args, ...out];
  const ran = promisify(execFile)(process.execPath, command, { cwd: folder, maxBuffer: 1e8 });
  const { stdout } = await ran.catch((failed: { stdout: string }) => failed);
  return JSON.parse(stdout) as Told;
}
it('no law is broken in the days of the seeds 1 to 1,000', async () => {
  const { days, failed, rate, digest } = await sim(root, '--seed', '1', '--seeds', '1000');
  process.stderr.write(
    `${days - failed.length} of ${days} days were clean: ${rate} a second, digest ${digest}\n`,
  );
  expect(failed.map(({ seed, breaches }) => [`a2c sim --seed ${seed} --shrink`, breaches[0]])).toEqual([]);
  expect(days).toBe(1_000);
});

it('a day that takes its thread along has failed, and another thread lives the rest', async () => {
  // In a process of its own, because only what was built has threads, and it has to end by itself.
  const impatient = { forMs: 60_000, faults: 'all', first: 1, count: 3, workers: 1, patienceMs: 1 };
  const script = `import(process.argv[1]).then(async ({ liveAll }) => {
    const { days, failed } = await liveAll(${JSON.stringify(impatient)});
    console.log(JSON.stringify([days, failed.map(({ seed, breaches }) => [seed, breaches[0].what])]));
  })`;
  const crew = pathToFileURL(join(root, 'dist/scenarios/simulator/crew.js')).href;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script, crew]);
  const says = (seed: number) => [seed, `the day of seed ${seed} did not end within 1 ms`];
  expect(JSON.parse(stdout)).toEqual([3, [1, 2, 3].map(says)]);
});

it('the same seeds have the same digest on another checkout, with another number of threads', async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'a2c-checkout-'));
  try {
    for (const part of ['dist', 'package.json'])
      cpSync(join(root, part), join(elsewhere, part), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(elsewhere, 'node_modules'));
    const here = await sim(root, '--seed', '1', '--seeds', '100', '--workers', '2');
    const there = await sim(elsewhere, '--seed', '1', '--seeds', '100', '--workers', '0');
    expect([there.digest, there.days]).toEqual([here.digest, 100]);
  } finally {
    rmSync(elsewhere, { recursive: true });
  }
});
