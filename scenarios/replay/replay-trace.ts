import type { AnyStateMachine } from 'xstate';
import { assemble, machines } from '../../actors/runtime/assemble.ts';
import { Directory } from '../../actors/runtime/directory.ts';
import { restoreFrom } from '../../actors/recording/checkpoint.ts';
import type { Observer } from '../../actors/runtime/observer.ts';
import { Tap } from '../../actors/runtime/tap.ts';
import { Steps } from '../../actors/recording/trace-lines.ts';
import { redacted, Texts, type Trace, type TraceLine } from '../../machines/trace/index.ts';
import type { Seen } from '../invariants/index.ts';
import { Comparison, type Divergence, type Level } from './comparison.ts';
import { sha256Of } from './report/files.ts';
import { watchGuards, type RedactedRead } from './guards.ts';
import { Inert, type Draw, type Input } from './inert.ts';
import { withTraps, type Trapped } from './traps.ts';

export type Kinds = Readonly<Record<string, AnyStateMachine>>;
export interface ReplayTraceOptions {
  /** Default `effects`. */
  readonly level?: Level;
  /** Stops after the last input whose number is not above this. */
  readonly until?: number;
  /** Other machines than today's. */
  readonly kinds?: Kinds;
  /** Sees what the comparison sees. */
  readonly observer?: Observer;
}
export interface TraceReplay {
  readonly divergence: Divergence | undefined;
  /** Records that agreed, of those that the trace has at this level. */
  readonly matched: number;
  readonly total: number;
  readonly inputs: number;
  /** SHA-256 over everything that left the machines and the inputs: equal when two replays did the same. */
  readonly digest: string;
  /** What was recorded up to where it parts, at the times of the recording. */
  readonly seen: readonly Seen[];
  readonly trapped: readonly Trapped[];
  readonly redactedReads: readonly RedactedRead[];
  readonly directory: Directory;
  /** The last input that was handled. */
  readonly last: TraceLine | undefined;
}

interface Slice {
  readonly line: TraceLine;
  readonly input: Input;
  readonly draws: readonly Draw[];
}
/** Each input with the nondeterminism recorded while it was handled. */
export function slicesOf(lines: readonly TraceLine[]): Slice[] {
  const slices: { line: TraceLine; input: Input; draws: Draw[] }[] = [];
  for (const line of lines) {
    const { record } = line;
    if (record.k === 'in') slices.push({ line, input: record, draws: [] });
    else if (record.k === 'draw') slices.at(-1)?.draws.push(record);
  }
  return slices;
}

/**
 * Lets everything happen again that the trace says happened, on today's machines, synchronously and without any
 * process, socket or clock, and compares what they do. The caller leaves the directory as it is: nothing in it
 * can move any more.
 */
export function replayTrace(trace: Trace, options: ReplayTraceOptions = {}): TraceReplay {
  const { level = 'effects', until = Infinity, kinds = machines, observer } = options;
  const comparison = new Comparison(trace, level);
  // With what they remember only where the recording has it too: a hint can say what became of it.
  const isFull = trace.head.profile === 'full';
  const steps = new Steps({ texts: new Texts(), digest: (text) => sha256Of([text]), isFull });
  const trapped: Trapped[] = [];
  const redactedReads: RedactedRead[] = [];
  const failed: unknown[] = [];
  const tap = new Tap((error) => failed.push(error));
  const hasSteps = level !== 'effects' && trace.head.profile !== 'inputs';
  tap.add({
    record: (record) => comparison.take(record),
    ...(hasSteps && {
      inspect: (event) => {
        if (event.type === '@xstate.microstep') comparison.take(steps.of(event));
      },
    }),
  });
  if (observer) tap.add(observer);
  const inert = new Inert();
  const isRedacted = trace.lines.some(({ text }) => redacted.test(text));
  const filled = isRedacted ? watchGuards(kinds, (read) => redactedReads.push(read)) : kinds;
  const directory = assemble(new Directory(inert, tap), filled);

  if (trace.key) restoreFrom(trace.key.frame, directory, (a, letters) => inert.listen(directory, a, letters));
  const all = slicesOf(trace.lines);
  const slices = all.filter(({ line }) => line.s <= until);
  const next = all[slices.length]?.line;
  let last: TraceLine | undefined;
  let handled = 0;
  withTraps(
    (use) => trapped.push(use),
    () => {
      for (const { line, input, draws } of slices) {
        comparison.before(line);
        if (comparison.isOver) return;
        inert.time = line.t;
        const { matched } = comparison;
        const isHeard = inert.apply(directory, input, draws);
        if (!isHeard || (comparison.matched === matched && !comparison.isOver)) comparison.unheard(line);
        if (comparison.isOver) return;
        last = line;
        handled += 1;
      }
      if (next) comparison.upTo(next);
      else comparison.after(trace.tail);
    },
  );
  if (failed.length > 0) throw failed[0];
  return {
    divergence: comparison.divergence,
    matched: comparison.matched,
    total: comparison.total,
    inputs: handled,
    digest: comparison.digest,
    seen: comparison.seen,
    trapped,
    redactedReads,
    directory,
    last,
  };
}
