import { build } from './build.ts';
import { help, readOptions } from './options.ts';
import type * as Run from './run.ts';

async function main(): Promise<void> {
  const options = readOptions();
  if (options.help) return void process.stdout.write(help);
  await build();
  // @ts-expect-error: it is there only since a moment ago, and without types.
  const { run } = (await import('./dist/scenarios/bench/run.js')) as typeof Run;
  await run(options);
}

try {
  await main();
  process.exitCode = 0;
} catch (failure) {
  const message = failure instanceof Error ? failure.message : String(failure);
  process.stderr.write(`bench: ${message}\n`);
  process.exitCode = message === 'interrupted' ? 130 : 1;
}
// Whatever a chain left open must not hold the benchmark.
process.exit();
