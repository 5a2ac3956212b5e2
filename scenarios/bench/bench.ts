import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { keptWith, worseThan, type Kept } from './kept.ts';
import type * as Play from './play.ts';
import { plans, type Row } from './row.ts';
import { rows } from './rows.ts';
import { chosen, measured } from './run.ts';
import { tableOf } from './table.ts';

const help = `Measures agent, office and computer against hand-written ones, in turns, each row in a process of its own.
What runs is compiled first, as it is published: tsx would add a call to every function that is made.

  npm run bench -- [options]

  --only <row>[,<row>]   these rows only
  --list                 the rows, and what they measure
  --quick                as fast as they can be measured: the figures say little
  --late <s>             how long a row may take (default 600, --quick: 120)
  --check                fails where a figure is worse than the kept one by more than a quarter
  --keep                 keeps the figures in scenarios/bench/kept.json, for --check
  --help

A figure is the median of the ratios of pairs, ours ÷ yardstick, with the quartiles beside it. CPU is that of the process that holds
agent, office and computer, without an MCP server that is a process; of the relay, that of the office's own process. Compare the
ratios: absolute figures of a shared machine mean little. Exit code: 0 when all was measured, whatever the figures are; 1 when a
row could not be, or --check finds one that is worse; 130 after Ctrl-C, which prints what was measured so far.
`;
const listOf = (rows: readonly Row[]): string => {
  const width = Math.max(...rows.map(({ name }) => name.length));
  return rows.map(({ name, about }) => `${name.padEnd(width)}  ${about}\n`).join('');
};

const readOptions = () =>
  parseArgs({
    options: {
      only: { type: 'string', default: '' },
      list: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      late: { type: 'string' },
      check: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  }).values;

const keptFile = fileURLToPath(new URL('kept.json', import.meta.url));
/** Type errors are reported and do not stop the measurement. */
function build(): Promise<void> {
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  const project = fileURLToPath(new URL('tsconfig.build.json', import.meta.url));
  return new Promise((resolve) => {
    execFile(process.execPath, [join(typescript, 'bin', 'tsc'), '-p', project], (error, stdout) => {
      if (error) process.stderr.write(`bench: the types do not fit\n${stdout || error.message}\n`);
      resolve();
    });
  });
}

async function main(): Promise<number> {
  const options = readOptions();
  if (options.help || options.list) {
    process.stdout.write(options.help ? help : listOf(rows));
    return 0;
  }
  const seconds = Number(options.late ?? (options.quick ? 120 : 600));
  if (!(seconds > 0)) throw new Error('--late takes a number of seconds');
  const wanted = chosen(rows, options.only);
  if (options.quick && (options.check || options.keep))
    throw new Error('--check and --keep need figures that say something: leave --quick out');
  const stop = new AbortController();
  const interrupt = (): void => stop.abort(new Error('interrupted'));
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  await build();
  // @ts-expect-error: the imported file was compiled a moment ago, without types.
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
  process.stdout.write(`${tableOf(outcomes)}\n`);
  if (stop.signal.aborted) return 130;
  const kept = existsSync(keptFile) ? (JSON.parse(readFileSync(keptFile, 'utf8')) as Kept) : {};
  if (options.keep) writeFileSync(keptFile, `${JSON.stringify(keptWith(kept, outcomes), null, 2)}\n`);
  const worse = options.check ? worseThan(kept, outcomes) : [];
  for (const each of worse) process.stderr.write(`bench: worse than before: ${each}\n`);
  if (worse.length > 0) return 1;
  return outcomes.some(({ notMeasured }) => notMeasured !== undefined) ? 1 : 0;
}

try {
  process.exitCode = await main();
} catch (failure) {
  process.stderr.write(`bench: ${failure instanceof Error ? failure.message : String(failure)}\n`);
  process.exitCode = 1;
}
