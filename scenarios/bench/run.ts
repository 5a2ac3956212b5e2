import { cpus } from 'node:os';
import { aims } from './aims.ts';
import type { Chain, Contender } from './rows/chain.ts';
import { chains } from './chains.ts';
import { measureEndurance } from './rows/endurance.ts';
import { inFlightOf, measure } from './measure.ts';
import { planOf, type Options } from './options.ts';
import { measureStanding } from './rows/standing.ts';
import {
  aimsTable,
  callsTable,
  enduranceTable,
  flightTable,
  keptTable,
  standingTable,
  tableOf,
  weightTable,
  yardstick,
  type Kept,
} from './table.ts';
import type { Weighed } from './rows/weight.ts';

const isYardstick = (contender: Contender): boolean =>
  chains.find(({ group }) => group === contender.group) === contender;

/** Both contenders, on a machine that is busy with other things. */
const secondsPerCall = 0.002;

function chosenBy(only: string): Contender[] {
  const isMeant = (each: Contender): boolean => `${each.group} ${each.name}`.includes(only);
  const groups = new Set(chains.filter(isMeant).map(({ group }) => group));
  return chains.filter((each) => isMeant(each) || (isYardstick(each) && groups.has(each.group)));
}

/** Opens all, measures, closes all, also after a failure, a time-out or Ctrl-C. */
export async function run(options: Options): Promise<void> {
  const chosen = chosenBy(options.only);
  const plan = planOf(
    options,
    chosen.reduce((n, each) => n + inFlightOf(each).length, 0),
  );
  const isEnduring = chosen.some(({ group }) => group === 'calls');
  const seconds = plan.seconds + (isEnduring ? plan.inARow * secondsPerCall : 0);
  const stop = new AbortController();
  const late = setTimeout(() => stop.abort(new Error(`not done after ${seconds} s`)), seconds * 1_000);
  const interrupted = (): void => stop.abort(new Error('interrupted'));
  process.on('SIGINT', interrupted).on('SIGTERM', interrupted);
  const open = new Map<Contender, Chain>();
  process.once('exit', () => [...open.values()].forEach(endChildren));
  const onRound = (round: number): void => {
    if (process.stderr.isTTY) process.stderr.write(`round ${round} of ${plan.rounds}\r`);
  };
  try {
    for (const contender of chosen) {
      stop.signal.throwIfAborted();
      open.set(contender, await contender.open());
    }
    const rows = await measure(open, { ...plan, onRound, signal: stop.signal });
    const weights: Weighed[] = [];
    for (const [{ group, name }, { weigh }] of open)
      if (weigh) weights.push({ group, name, ...(await weigh()) });
    const kept: Kept[] = [];
    for (const [{ group, name }, { keep }] of open) if (keep) kept.push({ group, name, bytes: await keep() });
    const stood = await measureStanding(open, stop.signal);
    const endured = await measureEndurance(open, plan.inARow, stop.signal);
    const judged = aims.flatMap(({ of, ...aim }) =>
      of(rows, weights, stood, endured).map((value) => ({ ...aim, value })),
    );
    if (options.json) {
      const machine = { node: process.version, cpus: cpus().length, model: cpus()[0]?.model };
      const withRatios = rows.map((row) => ({ ...row, cpuRatio: row.cpuUs / yardstick(rows, row).cpuUs }));
      process.stdout.write(
        `${JSON.stringify({ machine, rows: withRatios, weights, kept, stood, endured, aims: judged })}\n`,
      );
    } else {
      const tables = [
        tableOf(rows),
        flightTable(rows),
        callsTable(rows),
        weightTable(weights),
        keptTable(kept),
        enduranceTable(endured),
        standingTable(stood),
        aimsTable(judged),
      ];
      process.stdout.write(`${tables.filter((table) => table !== '').join('\n\n')}\n`);
    }
  } catch (failure) {
    // Ctrl-C reaches the children too: what breaks then is not the news.
    throw stop.signal.aborted ? stop.signal.reason : failure;
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
