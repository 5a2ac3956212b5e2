import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import type { Chain, Contender } from './chain.ts';
import { chains } from './chains.ts';
import { measure, type Plan } from './measure.ts';
import { tableOf, yardstick } from './table.ts';

const help = `Measures chains of agent, office and computer against a hand-written one, in turns, in one process.

  npm run bench -- [options]

  --seconds <n>   how long the whole run may take (default 90)
  --rounds <n>    rounds, of which the median counts (default 7, at least 5)
  --quick         15 seconds, 5 rounds
  --only <text>   only groups or chains whose name contains the text; the yardsticks always run
  --json          one JSON document on stdout instead of the table
  --help

CPU is that of the process that holds agent, office and computer, without the MCP server. Compare the ratios
(×, to the first chain of a group): absolute figures of a shared machine mean little, and latency with one call
in flight is noise of ±40 %.
`;

const read = () =>
  parseArgs({
    options: {
      seconds: { type: 'string', default: '90' },
      rounds: { type: 'string', default: '7' },
      quick: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  }).values;
type Options = ReturnType<typeof read>;

const inFlight = [1, 64, 256];
// Opening, warm-up, draining and closing share what the slices leave.
const share = 0.8;

function planOf(options: Options, contenders: number): Plan & { readonly seconds: number } {
  const seconds = options.quick ? 15 : Number(options.seconds);
  const rounds = options.quick ? 5 : Math.max(5, Number(options.rounds));
  if (!(seconds > 0) || !Number.isInteger(rounds)) throw new Error('--seconds and --rounds take numbers');
  const slices = contenders * inFlight.length * (rounds + 0.5);
  return { inFlight, rounds, seconds, sliceMs: Math.min(1_000, (seconds * share * 1_000) / slices) };
}

const isYardstick = (contender: Contender): boolean =>
  chains.find(({ group }) => group === contender.group) === contender;

/** Opens all, measures, closes all, also after a failure, a time-out or Ctrl-C. */
async function run(options: Options): Promise<void> {
  const chosen = chains.filter(
    (each) => isYardstick(each) || `${each.group} ${each.name}`.includes(options.only),
  );
  const plan = planOf(options, chosen.length);
  const stop = new AbortController();
  const late = setTimeout(
    () => stop.abort(new Error(`not done after ${plan.seconds} s`)),
    plan.seconds * 1_000,
  );
  const interrupted = (): void => stop.abort(new Error('interrupted'));
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  const open = new Map<Contender, Chain>();
  process.once('exit', () => [...open.values()].forEach(endChildren));
  const onRound = (round: number): void => {
    if (process.stderr.isTTY) process.stderr.write(`round ${round} of ${plan.rounds}\r`);
  };
  try {
    for (const contender of chosen) open.set(contender, await contender.open());
    const rows = await measure(open, { ...plan, onRound, signal: stop.signal });
    const withRatios = rows.map((row) => ({ ...row, cpuRatio: row.cpuUs / yardstick(rows, row).cpuUs }));
    const machine = { node: process.version, cpus: cpus().length, model: cpus()[0]?.model };
    process.stdout.write(`${options.json ? JSON.stringify({ machine, rows: withRatios }) : tableOf(rows)}\n`);
  } finally {
    clearTimeout(late);
    const closing = Promise.allSettled([...open.values()].map((chain) => chain.close()));
    await Promise.race([closing, new Promise((resolve) => void setTimeout(resolve, 3_000).unref())]);
  }
}

/** By id, and only those that the chains started: whoever is gone already is no error. */
function endChildren({ pids }: Chain): void {
  for (const pid of pids.filter((id) => id > 0))
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone: that is what we wanted.
    }
}

try {
  const options = read();
  if (options.help) process.stdout.write(help);
  else await run(options);
  process.exitCode = 0;
} catch (failure) {
  const message = failure instanceof Error ? failure.message : String(failure);
  process.stderr.write(`bench: ${message}\n`);
  process.exitCode = message === 'interrupted' ? 130 : 1;
}
// Whatever a chain left open must not hold the benchmark.
process.exit();
