import { writerOf, type Trace } from '../../../machines/trace/reading.ts';
import { judge, type Violation } from '../../invariants/index.ts';
import { boundsOf } from '../../invariants/lateness.ts';
import { replayTrace, Unplayable, type ReplayTraceOptions, type TraceReplay } from '../replay-trace.ts';
import { readTraceFile } from './files.ts';
import { crossingText, timeText } from './words.ts';

const codes = { same: 0, changed: 1, broken: 2, stuck: 3, unusable: 5 } as const;
/**
 * Verdict about a replayed trace. `same`: today's code does what was recorded, and no invariant is violated. `changed`: its
 * effects on the world or the user differ. `broken`, `stuck`: the effects are the same, but an invariant is violated; `broken`
 * means that something happened that must not, `stuck` that something never happened. `unusable`: the trace cannot be replayed.
 */
export type Verdict = keyof typeof codes;
export const verdicts = Object.keys(codes) as readonly Verdict[];
export const exitCodeOf = (verdict: Verdict): number => codes[verdict];

export function traceFor(file: string): Trace | { readonly error: string; readonly code: number } {
  try {
    const read = readTraceFile(file);
    if (read.ok) return read.trace;
    const { line, problem, remedy } = read;
    return { error: `UNUSABLE ${file}: line ${line}: ${problem}\n  ${remedy}`, code: codes.unusable };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { error: `error: ${code === 'ENOENT' ? `${file}: no such trace` : message}`, code: 64 };
  }
}
export interface Problem {
  readonly message: string;
  readonly remedy: string;
}
export interface Judged {
  readonly verdict: Verdict;
  readonly replay: TraceReplay | undefined;
  readonly violations: readonly Violation[];
  readonly problem?: Problem;
}
const cutShort: Problem = {
  message: 'its beginning is missing: the ring had no room for all of it',
  remedy: 'Record to a folder (--record DIR), or with a larger ring (record.ringBytes).',
};
const ofItsVersion = ({ head }: Trace): string =>
  `Replay it with the version that wrote it, ${writerOf(head)}, or record it again.`;

export const problemOf = ({ head, facts }: Trace): Problem | undefined =>
  head.next === 1 || facts ? undefined : cutShort;
/** Rethrows any error that does not mean this. */
export function problemIn(trace: Trace, error: unknown): Problem {
  if (!(error instanceof Unplayable)) throw error;
  const { line, message } = error;
  const remedy = ofItsVersion(trace);
  if (!line) return { message: `it cannot be replayed: ${message}`, remedy };
  const { type = '' } = line.record.ev ?? {};
  const where = `record ${line.s} (${timeText(line.t)}), ${crossingText(line.record)}`;
  const isConfig = type === 'createComputer' || type === 'setServers';
  return {
    message: `${where}: ${isConfig ? 'its config cannot be read by this version' : 'it cannot be replayed'}: ${message}`,
    remedy,
  };
}

export function judgeTrace(trace: Trace, options: ReplayTraceOptions = {}): Judged {
  const unusable = (problem: Problem): Judged => ({
    verdict: 'unusable',
    replay: undefined,
    violations: [],
    problem,
  });
  const problem = problemOf(trace);
  if (problem) return unusable(problem);
  let replay: TraceReplay;
  try {
    replay = replayTrace(trace, options);
  } catch (error) {
    return unusable(problemIn(trace, error));
  }
  const isClosed = trace.tail?.reason === 'closed' && options.until === undefined && !replay.difference;
  const violations = judge(replay.seen, isClosed, { bounds: boundsOf(replay.seen) });
  return { replay, violations, ...verdictOf(replay, violations) };
}
function verdictOf(
  { difference, redactedReads: [read] }: TraceReplay,
  violations: readonly Violation[],
): Pick<Judged, 'verdict' | 'problem'> {
  if (difference && read) {
    const message = `a decision (${read.guard}) needs ${read.pointer}, which was hidden`;
    const remedy =
      'Record it again with a value that is no secret, under a name that does not look like one.';
    return { verdict: 'unusable', problem: { message, remedy } };
  }
  if (difference) return { verdict: 'changed' };
  if (violations.some(({ kind }) => kind === 'safety')) return { verdict: 'broken' };
  return { verdict: violations.length > 0 ? 'stuck' : 'same' };
}
