import { machines } from '../../../actors/runtime/assemble.ts';
import type { CrossingLine, Trace } from '../../../machines/trace/index.ts';
import { judge, type Violation } from '../../invariants/index.ts';
import { boundsOf } from '../../invariants/lateness.ts';
import { outcomesOf, recordedMoments, type Outcomes } from '../outcomes.ts';
import { recordedAgain } from '../again/recorded-again.ts';
import { differencesOf } from '../report/outcome.ts';
import { readTraceFile } from '../report/files.ts';
import { problemIn, problemOf } from '../report/verdict.ts';
import { played, type Kinds } from '../replay-trace.ts';
import { tapeOf, type TapeStep } from '../tape.ts';

/** Something that the world does, in words of a trace: `{"ch":"process:files/1","ev":{"type":"child.exited",…}}`. */
export interface Injection {
  /** Channel that it comes by, such as `process:files/1`, `session:files/1` or `host:computer`. */
  readonly ch: string;
  /** Event of the step. Absent: a timer is over. */
  readonly ev?: { readonly type: string; readonly [field: string]: unknown };
}
/** Changes to the world of a trace. */
export interface Changes {
  /** Number of the input from which on it is another world. Default: the first that is skipped, else the first of all. */
  readonly at?: number;
  /** Paths into the input at `at` and what stands there instead: `{ 'ev.code': 1 }`. Each has to exist. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** Happen just before the input at `at`, in this order. */
  readonly inject?: readonly Injection[];
  /** Numbers of inputs that do not happen. */
  readonly skip?: readonly number[];
}
/** Result of a fork. */
export interface Fork {
  /** The new trace, as the text of a file. */
  readonly trace: string;
  /** Outcomes when it was recorded. */
  readonly recorded: Outcomes;
  /** Outcomes in the other world. */
  readonly forked: Outcomes;
  /** Ends that differ, a line each: `call r1: unknown | succeeded`. */
  readonly differences: readonly string[];
  /** Numbers of recorded inputs that had no taker any more. */
  readonly unheard: readonly number[];
  /** Names of timers and draws of which the recording does not know. */
  readonly foreign: readonly string[];
  /** The invariants that are violated in it. */
  readonly violations: readonly Violation[];
}
/** A change that does not fit its trace, told in words of the command line. */
export class ForkError extends Error {}

const lost = 'no message is lost';
/** After the last input: so long for what is still on its way. */
const horizonMs = 120_000;

/** The same record with other values at some paths, each of which has to exist. */
function changed(input: CrossingLine, set: Readonly<Record<string, unknown>>): CrossingLine {
  const copy = structuredClone(input) as unknown as Record<string, unknown>;
  for (const [path, value] of Object.entries(set)) {
    const keys = path.split('.');
    const last = keys.pop() as string;
    const parent = keys.reduce<unknown>(
      (at, key) => (at as Record<string, unknown> | undefined)?.[key],
      copy,
    );
    if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, last)) {
      const there = typeof parent === 'object' && parent ? parent : copy;
      const known = Object.keys(there).map((key) => [...(there === copy ? [] : keys), key].join('.'));
      const has =
        known.length > 0 ? `it has ${known.join(', ')}` : `${keys.join('.')} is empty: set all of it`;
      throw new ForkError(`--set ${path}: the input has no such value; ${has}`);
    }
    (parent as Record<string, unknown>)[last] = value;
  }
  return copy as unknown as CrossingLine;
}
/** From which input on it is another world. */
function placeOf(steps: readonly TapeStep[], { at, set = {}, inject = [], skip = [] }: Changes): number {
  const inputs = steps.map(({ line }) => line.s);
  for (const s of [...skip, ...(at === undefined ? [] : [at])])
    if (!inputs.includes(s)) {
      const near = inputs.findLast((each) => each < s) ?? inputs[0];
      throw new ForkError(`seq ${s} is no input; the one before it is ${near}`);
    }
  if (at === undefined && Object.keys(set).length + inject.length > 0)
    throw new ForkError('--set and --inject need --at SEQ: the input that they change or come before');
  return at ?? (skip.length > 0 ? Math.min(...skip) : (inputs[0] ?? 1));
}
/** The steps of the other world. Injected ones have the number of the input that they come before. */
function changedSteps(
  steps: readonly TapeStep[],
  { set = {}, inject = [], skip = [] }: Changes,
  at: number,
): TapeStep[] {
  return steps.flatMap((step) => {
    const { line } = step;
    const { s, t, record } = line;
    const injected = s === at ? inject : [];
    const before = injected.map(({ ch, ev }): TapeStep => ({
      line: { s, t, text: '', record: { k: 'in', ch, w: record.w, ...(ev && { ev }) } },
      out: [],
      pauseMs: 0,
    }));
    if (skip.includes(s)) return before;
    return [...before, s === at ? { ...step, line: { ...line, record: changed(record, set) } } : step];
  });
}

/** Fork of a trace in memory, on other machines than today's. Throws a `ForkError`. */
export function forkTrace(trace: Trace, changes: Changes, title: string, kinds: Kinds = machines): Fork {
  const tape = tapeOf(trace);
  const at = placeOf(tape.steps, changes);
  const steps = changedSteps(tape.steps, changes, at);
  const { text, replay } = recordedAgain(
    trace,
    { about: { title }, reason: ({ directory }) => (directory.size === 0 ? 'closed' : 'cut') },
    (watched) => played({ ...watched, tape, steps, kinds, isWhole: true, forksAt: at, horizonMs }),
  );
  const [recorded, forked] = [outcomesOf(recordedMoments(trace)), outcomesOf(replay.crossings)];
  const { seen, directory, unheard, foreign } = replay;
  return {
    trace: text,
    recorded,
    forked,
    differences: differencesOf(recorded, forked),
    unheard,
    foreign,
    // Messages of the host may have no receiver in the other world.
    violations: judge(seen, directory.size === 0, { bounds: boundsOf(seen) }).filter(
      ({ invariant, what }) => invariant !== lost || !what.startsWith('host -> '),
    ),
  };
}

/**
 * Replays a trace file on today's machines in a world with a change. The recorded inputs go on after it as far as
 * there is a taker, everything that the recording does not tell runs on virtual time, and two more minutes pass after
 * the last input. Writes nothing. Rejects with an error where the file cannot be read or replayed, or a change does
 * not fit it.
 */
export async function forkFile(file: string, changes: Changes = {}): Promise<Fork> {
  const read = readTraceFile(file);
  if (!read.ok) throw new Error(`${file}: line ${read.line}: ${read.problem}`);
  const problem = problemOf(read.trace);
  if (problem) throw new Error(`${file}: ${problem.message}`);
  try {
    return forkTrace(read.trace, changes, `fork of ${file}`);
  } catch (error) {
    if (error instanceof ForkError) throw error;
    throw new Error(`${file}: ${problemIn(read.trace, error).message}`, { cause: error });
  }
}
