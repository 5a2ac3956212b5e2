import { machines } from '../../../actors/kinds/all.ts';
import type { CrossingLine, Trace } from '../../../machines/trace/reading.ts';
import { judge, type Violation } from '../../invariants/index.ts';
import { boundsOf } from '../../invariants/lateness.ts';
import { outcomesOf, recordedMoments, type Outcomes } from '../outcomes.ts';
import { recordedAgain } from '../again/recorded-again.ts';
import { differencesOf } from '../report/outcome.ts';
import { inputText } from '../report/report.ts';
import { readTraceFile } from '../report/files.ts';
import { problemIn, problemOf } from '../report/verdict.ts';
import { played, type Kinds } from '../replay-trace.ts';
import { tapeOf, type TapeStep } from '../tape.ts';

/** Event of the world to add to a replay, written as in a trace: `{"ch":"process:files/1","ev":{"type":"child.exited",…}}`. */
export interface Injection {
  /** Channel on which the event arrives, such as `process:files/1`, `session:files/1` or `host:computer`. */
  readonly ch: string;
  /** Event to deliver. Without it, the step is a timer that fires. */
  readonly ev?: { readonly type: string; readonly [field: string]: unknown };
}
/** Changes that `fork` makes to the recorded world of a trace. */
export interface Changes {
  /** Number of the input from which the world differs. By default the first skipped input, else the first input of all. */
  readonly at?: number;
  /** New values by their paths in the input at `at`, such as `{ 'ev.code': 1 }`. Each path has to exist. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** New values by their paths, by the numbers of inputs; `skip` leaves the input out. */
  readonly change?: Readonly<Record<number, Readonly<Record<string, unknown>> | 'skip'>>;
  /** Events added just before the input at `at`, in this order. */
  readonly inject?: readonly Injection[];
  /** Numbers of recorded inputs that are left out. */
  readonly skip?: readonly number[];
}
/** Result of replaying a trace in a changed world. */
export interface Fork {
  /** New trace, as the text of a trace file. */
  readonly trace: string;
  /** Outcomes in the recording. */
  readonly recorded: Outcomes;
  /** Outcomes in the changed world. */
  readonly forked: Outcomes;
  /** Outcomes that differ, one line each: recorded and new, such as `call r1: unknown | succeeded`. */
  readonly differences: readonly string[];
  /** Numbers of recorded inputs that nothing takes any more in the changed world. */
  readonly unheard: readonly number[];
  /** Names of timers and draws that the recording does not contain. */
  readonly foreign: readonly string[];
  /** Invariants that are violated in the changed world. */
  readonly violations: readonly Violation[];
}
/** Error for changes that do not fit the trace; the message uses the words of the command line. */
export class ForkError extends Error {}

const lost = 'no message is lost';
/** After the last input, for whatever is still under way. */
const horizonMs = 120_000;

/** Throws when a path does not exist. */
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
function changesBy({ at, set = {}, skip = [], change = {} }: Changes): NonNullable<Changes['change']> {
  const own = at === undefined ? undefined : change[at];
  const here = at === undefined ? {} : { [at]: own === 'skip' ? own : { ...set, ...own } };
  return { ...change, ...here, ...Object.fromEntries(skip.map((s) => [s, 'skip' as const])) };
}
function placeOf(steps: readonly TapeStep[], changes: Changes): number {
  const { at, set = {}, inject = [] } = changes;
  const inputs = steps.map(({ line }) => line.s);
  const some = Object.keys(changesBy(changes)).map(Number);
  for (const s of some)
    if (!inputs.includes(s)) {
      const near = inputs.findLast((each) => each < s) ?? inputs[0];
      throw new ForkError(`seq ${s} is no input; the one before it is ${near}`);
    }
  if (at === undefined && Object.keys(set).length + inject.length > 0)
    throw new ForkError('--set and --inject need --at SEQ: the input that they change or come before');
  return some.length > 0 ? Math.min(...some) : (inputs[0] ?? 1);
}
/** An injected step gets the number of the input that it precedes. */
function changedSteps(steps: readonly TapeStep[], changes: Changes): TapeStep[] {
  const all = changesBy(changes);
  return steps.flatMap((step) => {
    const { line } = step;
    const { s, t, record } = line;
    const injected = s === changes.at ? (changes.inject ?? []) : [];
    const before = injected.map(({ ch, ev }): TapeStep => ({
      line: { s, t, text: '', record: { k: 'in', ch, w: record.w, ...(ev && { ev }) } },
      out: [],
      pauseMs: 0,
    }));
    const change = all[s] ?? {};
    return change === 'skip'
      ? before
      : [...before, { ...step, line: { ...line, record: changed(record, change) } }];
  });
}

/** `kinds` may replace today's machines. Throws a `ForkError` when a change does not fit. */
export function forkTrace(trace: Trace, changes: Changes, title: string, kinds: Kinds = machines): Fork {
  const tape = tapeOf(trace);
  const at = placeOf(tape.steps, changes);
  const steps = changedSteps(tape.steps, changes);
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
    // The receiver of a lost message may be missing in the changed world.
    violations: judge(seen, directory.size === 0, { bounds: boundsOf(seen) }).filter(
      ({ invariant, what }) => invariant !== lost || !what.startsWith('host -> '),
    ),
  };
}

/** Change that a trace allows, with what comes of it. */
export interface Offer {
  /** Change as it is written behind `--change`, such as `35:answer`. */
  readonly change: string;
  /** Input in words. */
  readonly input: string;
  /** Outcomes that differ, one line each: recorded and new. */
  readonly differences: readonly string[];
}
/** The last inputs are the nearest to the failure. */
const mostOffers = 20;
const asked = /^ask (?:tools\/call|resources\/read|prompts\/get) /;
export function offersOf(trace: Trace, kinds: Kinds = machines): readonly Offer[] {
  const words = tapeOf(trace).steps.flatMap(({ line }) => {
    const { ch, ev } = line.record;
    if (ev?.type === 'ask.answered' && asked.test(ch)) return [{ line, word: 'error' }];
    if (ev?.type === 'ask.refused' && asked.test(ch)) return [{ line, word: 'answer' }];
    return ev?.type === 'child.exited' || ev?.type === 'list.changed' ? [{ line, word: 'skip' }] : [];
  });
  return words.slice(-mostOffers).map(({ line, word }) => {
    const change = { [line.s]: changeOf(word, line.record) };
    const { differences } = forkTrace(trace, { change }, '', kinds);
    return { change: `${line.s}:${word}`, input: inputText(line), differences };
  });
}
/** `skip`, `answer=JSON` or `error=TEXT`; undefined for any other text. */
export function changeOf(word: string, { ev }: CrossingLine): Readonly<Record<string, unknown>> | 'skip' {
  const [, verb, , value] = /^(skip|answer|error)(=(.*))?$/s.exec(word) ?? [];
  const { id } = (ev ?? {}) as { readonly id?: unknown };
  if (verb === 'skip') return 'skip';
  if (verb === undefined)
    throw new ForkError(`--change: write skip, answer, error or PATH=VALUE, not ${word}`);
  if (!ev?.type.startsWith('ask.'))
    throw new ForkError(`--change: this input is no answer, so it has no ${verb}`);
  if (verb === 'error')
    return {
      ev: { type: 'ask.refused', id, sent: true, failure: { code: 4003, message: value ?? 'changed' } },
    };
  try {
    return {
      ev: { type: 'ask.answered', id, result: value === undefined ? { content: [] } : JSON.parse(value) },
    };
  } catch (error) {
    throw new ForkError(`--change answer: ${(error as Error).message}`);
  }
}

/**
 * Replays a trace file on today's machines in a changed world. After the change, recorded inputs follow as long as something
 * takes them; everything that is not in the recording runs on virtual time, and two more minutes pass after the last input.
 * Nothing is written. Rejects with an `Error` when the file cannot be read or replayed, or a change does not fit it.
 * @example
 * // The second recorded input is left out.
 * const { differences } = await fork('acme.trace.ndjson', { skip: [2] });
 * console.log(differences);
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
