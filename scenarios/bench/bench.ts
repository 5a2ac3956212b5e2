import { cpus } from 'node:os';
import { build } from './build.ts';
import { help, listOf, readOptions } from './options.ts';
import type * as Play from './play.ts';
import { plans } from './row.ts';
import { rows } from './rows.ts';
import { chosen, measured } from './run.ts';
import { documentOf, tableOf } from './table.ts';

async function main(): Promise<number> {
  const options = readOptions();
  if (options.help || options.list) {
    process.stdout.write(options.help ? help : listOf(rows));
    return 0;
  }
  const seconds = Number(options.late ?? (options.quick ? 120 : 600));
  if (!(seconds > 0)) throw new Error('--late takes a number of seconds');
  const wanted = chosen(rows, options.only, options.quick);
  const stop = new AbortController();
  const interrupt = (): void => stop.abort(new Error('interrupted'));
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  await build();
  // @ts-expect-error: it is there only since a moment ago, and without types.
  const { playApart } = (await import('./dist/scenarios/bench/play.js')) as typeof Play;
  const outcomes = await measured(wanted, {
    plan: plans[options.quick ? 'quick' : 'whole'],
    play: playApart,
    late: () => {
      const late = new AbortController();
      setTimeout(() => late.abort(new Error(`not done after ${seconds} s`)), seconds * 1_000).unref();
      return late.signal;
    },
    stop: stop.signal,
    progress: (text) => void process.stderr.write(`${text}\n`),
  });
  const machine = { node: process.version, cpus: cpus().length, model: cpus()[0]?.model };
  const report = options.json ? JSON.stringify({ machine, rows: documentOf(outcomes) }) : tableOf(outcomes);
  process.stdout.write(`${report}\n`);
  if (stop.signal.aborted) return 130;
  return outcomes.some(({ notMeasured }) => notMeasured !== undefined) ? 1 : 0;
}

try {
  process.exitCode = await main();
} catch (failure) {
  process.stderr.write(`bench: ${failure instanceof Error ? failure.message : String(failure)}\n`);
  process.exitCode = 1;
}
