import type { SimOptions } from '../../actors/cli/laboratory.ts';
import { availableParallelism } from 'node:os';
import { exitCodeOf as exitCodeOfSignal, exitCodes } from '../../actors/cli/exit-codes.ts';
import type { CommandContext } from '../../actors/cli/context.ts';
import { transitionsOf } from '../../actors/runtime/charts.ts';
import { machines } from '../../actors/kinds/all.ts';
import { fnv, fnvBasis } from '../../machines/kernel/fnv.ts';
import { vocabulary, type Word } from '../fault-server/words/fault.ts';
import type { Run, Drawing, Tally } from './batch.ts';
import { runEnds, runAll, mostWorkers } from './worker-pool.ts';
import { described } from './drawing/describe.ts';
import { spelledOut } from './drawing/draw-acts.ts';
import { expand } from './drawing/expand.ts';
import { lookCloser, type Failure } from './failure.ts';
import { NodesRun } from './nodes-run.ts';
import { selectionOf } from './drawing/selection.ts';

/** A second run of the same seed went another way. */
const notDeterministic = 4;

/** Failures that are examined in detail; `mostNamed` are listed. */
const mostLooks = 3;
const mostNamed = 20;
/** A permanent line, and at a terminal a line that the next one replaces. */
const [progressMs, meterMs] = [3_000, 300];
/** With fewer, a thread costs more than it saves. */
const runsPerWorker = 40;

/** A number is used as it is, any other text, such as the hash of a commit, is hashed. */
export const seedOf = (text: string): number =>
  /^\d+$/.test(text) && Number(text) < 2 ** 32 ? Number(text) : fnv(fnvBasis, text) >>> 0;
const shown = (n: number): string => n.toLocaleString('en-US');
const runsText = (n: number): string => (n === 1 ? '1 run' : `${shown(n)} runs`);
const span = (ms: number): string =>
  ms < 60_000
    ? `${(ms / 1000).toFixed(1)} s`
    : ms < 3_600_000
      ? `${(ms / 60_000).toFixed(1)} min`
      : `${(ms / 3_600_000).toFixed(1)} h`;
const repeating = (seed: number, { forMs, faults }: Drawing): string =>
  `a2c sim --seed ${seed} --for ${forMs}ms --faults ${faults} --shrink`;

function tellFailure({ terminal }: CommandContext, failure: Failure, drawing: Drawing): void {
  const { seed, violation, isDeterministic, files, steps, tries } = failure;
  terminal.out(`seed ${seed}: ${violation.invariant}: ${violation.what}`);
  if (!isDeterministic) terminal.out('  NOT DETERMINISTIC: it went another way the second time');
  terminal.out(`  again:    ${repeating(seed, drawing)}`);
  const size = tries === null ? `${steps} steps` : `${steps} steps, made smaller in ${tries} tries`;
  terminal.out(`  scenario: ${files.scenario} (${size})`);
  terminal.out(`  plan:     ${files.plan}`);
  terminal.out(`  trace:    ${files.trace} (a2c replay ${files.trace})`);
}
function tellCoverage({ terminal }: CommandContext, { faults, taken }: Tally): void {
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
async function runToEnd(context: CommandContext, job: Job, options: SimOptions): Promise<Tally> {
  const { terminal, signal } = context;
  const began = performance.now();
  let told = began;
  const onRun = (_: Run, { runs, failed }: Tally): void => {
    const now = performance.now();
    if (now - told < (terminal.isWatched ? meterMs : progressMs)) return;
    told = now;
    const rate = (runs / (now - began)) * 1000;
    const text = `  ${shown(runs)} of ${shown(job.count)} runs, ${rate.toFixed(0)} a second, ${failed.length} failed`;
    if (terminal.isWatched) terminal.meter(text);
    else if (!options.json) terminal.err(text);
  };
  const tally = runAll({ ...job, signal, onRun, budgetMs: options.timeBudget, isCounting: options.coverage });
  return tally.finally(() => terminal.meter(null));
}

function announced({ first, count, forMs, faults, workers }: Job): readonly string[] {
  const among = selectionOf(faults);
  if (count === 1) return described(expand(first, { forMs, among }));
  const threads = workers > 1 ? `${workers} threads` : 'one thread';
  return [`${runsText(count)} of ${span(forMs)} from seed ${first}, faults: ${faults}, ${threads}`];
}
async function nodesAnnounced({ first, count }: Job): Promise<readonly string[]> {
  const head = `${runsText(count)} of an office on three nodes from seed ${first}`;
  return count === 1 ? [head, ...(await new NodesRun(first).play()).story] : [head];
}

export async function simCommand(context: CommandContext, options: SimOptions): Promise<number> {
  const { terminal, signal } = context;
  const { json, out, shrink: isShrunk, nodes = false } = options;
  // The only random choice of the command, which is printed.
  const first = options.seed === undefined ? Math.floor(Math.random() * 2 ** 32) : seedOf(options.seed);
  const count = options.seeds ?? (options.seed === undefined ? 200 : 1);
  const most = Math.min(mostWorkers, Math.floor(count / runsPerWorker));
  const workers = Math.min(options.workers ?? availableParallelism(), most);
  const job: Job = { first, count, workers, forMs: options.for, faults: options.faults, nodes };
  try {
    if (!json) for (const line of nodes ? await nodesAnnounced(job) : announced(job)) terminal.out(line);
    else selectionOf(job.faults);
  } catch (error) {
    terminal.err(`error: --faults: ${(error as Error).message}`);
    return exitCodes.usage;
  }
  const began = performance.now();
  const tally = await runToEnd(context, job, options);
  const ms = performance.now() - began;
  const failures: Failure[] = [];
  const failed = tally.failed.toSorted((a, b) => a.seed - b.seed);
  for (const { seed, violations } of nodes ? [] : failed.slice(0, mostLooks)) {
    const [violation] = violations;
    // Skips a run that ended its thread, because it would end this one too.
    if (!violation || violation.invariant === runEnds || signal.aborted) continue;
    const failure = await lookCloser(seed, violation, { ...job, out, isShrunk, signal });
    failures.push(failure);
    if (!json) tellFailure(context, failure, job);
  }
  const rate = (tally.runs / ms) * 1000;
  const { runs, virtualMs, digest } = tally;
  if (json) {
    const summary = {
      first,
      count,
      runs,
      ms: Math.round(ms),
      rate: Math.round(rate * 10) / 10,
      virtualMs,
      digest,
    };
    const named = failed.map(({ seed, violations }) => ({ seed, violations }));
    terminal.out(
      JSON.stringify({ ...summary, failed: named, failures, faults: Object.fromEntries(tally.faults) }),
    );
  } else {
    const unseen = failed.filter(({ seed }) => !failures.some((failure) => failure.seed === seed));
    for (const { seed, violations } of unseen.slice(0, mostNamed)) {
      terminal.out(`seed ${seed}: ${violations[0]?.invariant}: ${violations[0]?.what}`);
      if (nodes) terminal.out(`  again:    a2c sim --nodes --seed ${seed}`);
    }
    if (unseen.length > mostNamed) terminal.out(`… and ${shown(unseen.length - mostNamed)} more`);
    if (options.coverage) tellCoverage(context, tally);
    terminal.out(
      `${runsText(runs)} (${span(virtualMs)} of virtual time) in ${span(ms)}: ${rate.toFixed(0)} a second, ${failed.length} failed, digest ${digest}`,
    );
  }
  if (signal.aborted) return exitCodeOfSignal(signal);
  if (failures.some(({ isDeterministic }) => !isDeterministic)) return notDeterministic;
  return failed.length > 0 ? exitCodes.failed : exitCodes.done;
}
