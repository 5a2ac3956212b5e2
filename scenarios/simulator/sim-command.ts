import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import type { SimOptions } from '../../actors/cli/context.ts';
import { exitCodeOf as exitCodeOfSignal, exitCodes } from '../../actors/cli/exit-codes.ts';
import type { Context } from '../../actors/cli/context.ts';
import { transitionsOf } from '../../actors/runtime/charts.ts';
import { machines } from '../../actors/runtime/assemble.ts';
import { exitCodeOf } from '../replay/report/verdict.ts';
import { fnv, fnvBasis } from '../../machines/kernel/fnv.ts';
import { vocabulary, type Word } from '../fault-server/words/fault.ts';
import type { Day, Drawing, Tally } from './batch.ts';
import { dayEnds, liveAll, mostWorkers } from './crew.ts';
import { described } from './drawing/describe.ts';
import { spelledOut } from './drawing/draw-acts.ts';
import { expand } from './drawing/expand.ts';
import { lookCloser, type Failure } from './failure.ts';
import { selectionOf } from './drawing/selection.ts';

/** What is looked at closely; the others are named. */
const mostLooks = 3;
const mostNamed = 20;
const progressMs = 3_000;
/** Below that a thread costs more than it brings. */
const daysPerWorker = 40;

/** A number is a seed, any other text makes one: the hash of a commit, for example. */
export const seedOf = (text: string): number =>
  /^\d+$/.test(text) && Number(text) < 2 ** 32 ? Number(text) : fnv(fnvBasis, text) >>> 0;
const shown = (n: number): string => n.toLocaleString('en-US');
const daysText = (n: number): string => (n === 1 ? '1 day' : `${shown(n)} days`);
const span = (ms: number): string =>
  ms < 60_000
    ? `${(ms / 1000).toFixed(1)} s`
    : ms < 3_600_000
      ? `${(ms / 60_000).toFixed(1)} min`
      : `${(ms / 3_600_000).toFixed(1)} h`;
const repeating = (seed: number, { forMs, faults }: Drawing): string =>
  `a2c sim --seed ${seed} --for ${forMs}ms --faults ${faults} --shrink`;

function tellFailure({ terminal }: Context, failure: Failure, drawing: Drawing): void {
  const { seed, breach, isDeterministic, files, steps, tries } = failure;
  terminal.out(`seed ${seed}: ${breach.law}: ${breach.what}`);
  if (!isDeterministic) terminal.out('  NOT DETERMINISTIC: it went another way the second time');
  terminal.out(`  again:    ${repeating(seed, drawing)}`);
  const size = tries === null ? `${steps} steps` : `${steps} steps, made smaller in ${tries} tries`;
  terminal.out(`  scenario: ${files.scenario} (${size})`);
  terminal.out(`  plan:     ${files.plan}`);
  terminal.out(`  trace:    ${files.trace} (a2c replay ${files.trace})`);
}
function tellCoverage({ terminal }: Context, { faults, taken }: Tally): void {
  const isDrawn = ({ fault, later }: Word): boolean => later === undefined && !spelledOut.has(fault);
  const sayable = vocabulary.filter(isDrawn).map(({ fault }) => fault);
  const missing = sayable.filter((word) => !faults.has(word));
  terminal.out(`faults that happened: ${sayable.length - missing.length} of ${sayable.length}`);
  for (const word of missing) terminal.out(`  never: ${word}`);
  const all = Object.values(machines).flatMap((machine) => transitionsOf(machine));
  terminal.out(`transitions taken: ${all.filter((each) => taken.has(each)).length} of ${all.length}`);
  for (const transition of all.filter((each) => !taken.has(each))) terminal.out(`  never: ${transition}`);
}

interface Job extends Drawing {
  readonly first: number;
  readonly count: number;
  readonly workers: number;
}
async function live(context: Context, job: Job, options: SimOptions): Promise<Tally> {
  const { terminal, signal } = context;
  const began = performance.now();
  let told = began;
  const onDay = (_: Day, { days, failed }: Tally): void => {
    const now = performance.now();
    if (options.json || now - told < progressMs) return;
    told = now;
    const rate = (days / (now - began)) * 1000;
    terminal.err(
      `  ${shown(days)} of ${shown(job.count)} days, ${rate.toFixed(0)} a second, ${failed.length} failed`,
    );
  };
  return liveAll({ ...job, signal, onDay, budgetMs: options.timeBudget, isCounting: options.coverage });
}

/** `a2c sim`: days of many seeds, each judged by every law. */
export async function simCommand(context: Context, options: SimOptions): Promise<number> {
  const { terminal, signal } = context;
  const { json, out, shrink: isShrunk } = options;
  // Chance enters here and nowhere else, and is told.
  const first = options.seed === undefined ? Math.floor(Math.random() * 2 ** 32) : seedOf(options.seed);
  const count = options.seeds ?? (options.seed === undefined ? 200 : 1);
  const most = Math.min(mostWorkers, Math.floor(count / daysPerWorker));
  const workers = Math.min(options.workers ?? availableParallelism(), most);
  const job: Job = { first, count, workers, forMs: options.for, faults: options.faults };
  try {
    const among = selectionOf(options.faults);
    if (!json && count === 1)
      for (const line of described(expand(first, { forMs: job.forMs, among }))) terminal.out(line);
    else if (!json)
      terminal.out(
        `${daysText(count)} of ${span(job.forMs)} from seed ${first}, faults: ${options.faults}, ${workers > 1 ? `${workers} threads` : 'one thread'}`,
      );
  } catch (error) {
    terminal.err(`error: --faults: ${(error as Error).message}`);
    return exitCodes.usage;
  }
  // What XState makes and drops at once would be kept until a full collection: a tenth of the CPU of its threads.
  setFlagsFromString('--no-allocation-site-pretenuring');
  const began = performance.now();
  const tally = await live(context, job, options);
  const ms = performance.now() - began;
  const failures: Failure[] = [];
  const failed = tally.failed.toSorted((a, b) => a.seed - b.seed);
  for (const { seed, breaches } of failed.slice(0, mostLooks)) {
    const [breach] = breaches;
    // What took a thread along would take this one along, too.
    if (!breach || breach.law === dayEnds || signal.aborted) continue;
    const failure = await lookCloser(seed, breach, { ...job, out, isShrunk, signal });
    failures.push(failure);
    if (!json) tellFailure(context, failure, job);
  }
  const rate = (tally.days / ms) * 1000;
  const { days, virtualMs, digest } = tally;
  if (json) {
    const summary = {
      first,
      count,
      days,
      ms: Math.round(ms),
      rate: Math.round(rate * 10) / 10,
      virtualMs,
      digest,
    };
    const named = failed.map(({ seed, breaches }) => ({ seed, breaches }));
    terminal.out(
      JSON.stringify({ ...summary, failed: named, failures, faults: Object.fromEntries(tally.faults) }),
    );
  } else {
    const unseen = failed.filter(({ seed }) => !failures.some((failure) => failure.seed === seed));
    for (const { seed, breaches } of unseen.slice(0, mostNamed))
      terminal.out(`seed ${seed}: ${breaches[0]?.law}: ${breaches[0]?.what}`);
    if (unseen.length > mostNamed) terminal.out(`… and ${shown(unseen.length - mostNamed)} more`);
    if (options.coverage) tellCoverage(context, tally);
    terminal.out(
      `${daysText(days)} (${span(virtualMs)} of virtual time) in ${span(ms)}: ${rate.toFixed(0)} a second, ${failed.length} failed, digest ${digest}`,
    );
  }
  if (signal.aborted) return exitCodeOfSignal(signal);
  if (failures.some(({ isDeterministic }) => !isDeterministic)) return exitCodeOf('nondeterministic');
  return failed.length > 0 ? exitCodes.failed : exitCodes.done;
}
