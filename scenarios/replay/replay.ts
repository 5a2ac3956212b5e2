import { machines } from '../../actors/kinds/all.ts';
import type { Trace } from '../../machines/trace/reading.ts';
import type { Violation } from '../invariants/index.ts';
import { replayedInside } from './again/inside.ts';
import { outcomesOf, type Outcomes } from './outcomes.ts';
import { reasonsOf } from './report/outcome.ts';
import { readTraceFile } from './report/files.ts';
import {
  notesOf,
  reportedDifference,
  reportText,
  unusableText,
  type ReportedDifference,
} from './report/report.ts';
import { judgeTrace, type Judged, type Verdict } from './report/verdict.ts';
import type { Kinds } from './replay-trace.ts';

export type { ReportedDifference, Verdict, Violation };

/** Options for replaying one trace. */
export interface ReplayOptions {
  /** Stops after the last input whose number is at most this; by default all inputs are replayed. */
  readonly until?: number;
}
/** Result of replaying one trace on today's code. */
export interface ReplayReport {
  /** Path of the trace file. */
  readonly file: string;
  /** Verdict about the trace, in one word. */
  readonly verdict: Verdict;
  /** Report for people: `SAME …`, or what differs, where, why, and the command that shows it again. */
  readonly text: string;
  /** Outcomes of calls, servers, seats and processes in the replay; empty when the trace is unusable. */
  readonly outcomes: Outcomes;
  /**
   * Reasons for which a host wrote the file by itself, such as `callUnknown read` or `serverGaveUp files`; empty when it
   * was asked for the file.
   */
  readonly reasons: readonly string[];
  /** First place where today's code differs from the recording; null when there is none. */
  readonly difference: ReportedDifference | null;
  /** Notes that do not change the verdict, one line each. */
  readonly notes: readonly string[];
  /** Number of inputs that were replayed. */
  readonly inputs: number;
  /** Number of records leaving the host that agree with the recording. */
  readonly matched: number;
  /** Number of records leaving the host in the recording. */
  readonly total: number;
  /** SHA-256 of everything that left the host; equal for two replays that did the same. Empty when the trace is unusable. */
  readonly digest: string;
  /** Invariants that are violated in the replay, even if the recording violates them too. */
  readonly violations: readonly Violation[];
  /** Duration of the replay in ms of real time. */
  readonly durationMs: number;
  /** State of each machine at the end, by its address. */
  readonly states: Readonly<Record<string, string>>;
}

const statesOf = ({ replay }: Judged): Record<string, string> =>
  Object.fromEntries(
    [...(replay?.directory.roots ?? [])].map((root) => [
      root.id,
      JSON.stringify((root.ref.getSnapshot() as { value: unknown }).value).replaceAll('"', ''),
    ]),
  );

type OfOthers = ReplayOptions & { readonly kinds?: Kinds };
export const replayOf = (file: string, trace: Trace, options: OfOthers = {}): ReplayReport =>
  examined(file, trace, options).report;
export function examined(
  file: string,
  trace: Trace,
  { kinds = machines, ...options }: OfOthers = {},
): { readonly report: ReplayReport; readonly judged: Judged } {
  const start = performance.now();
  const judged = judgeTrace(trace, { kinds, ...options });
  const { verdict, violations, replay } = judged;
  const outcomes = outcomesOf(replay?.crossings ?? []);
  const difference = verdict === 'changed' ? reportedDifference(trace, judged, outcomes) : null;
  // Compares the messages between machines only as an explanation; they do not change the verdict.
  const isWhole = options.until === undefined && !trace.facts;
  const isExplained = verdict === 'same' && isWhole && trace.head.profile !== 'boundary';
  const notes = notesOf(trace, judged, isExplained ? replayedInside(trace, kinds).inside : undefined);
  const reasons = reasonsOf(trace);
  const report: ReplayReport = {
    file,
    verdict,
    text: reportText({ file, trace, reasons, difference, notes }, judged),
    outcomes,
    reasons,
    difference,
    notes,
    inputs: replay?.inputs ?? 0,
    matched: replay?.matched ?? 0,
    total: replay?.total ?? 0,
    digest: replay?.digest ?? '',
    violations,
    durationMs: Math.round(performance.now() - start),
    states: statesOf(judged),
  };
  return { report, judged };
}
const nothing = {
  outcomes: outcomesOf([]),
  reasons: [],
  difference: null,
  notes: [],
  inputs: 0,
  matched: 0,
  total: 0,
  digest: '',
  violations: [],
  durationMs: 0,
  states: {},
};

/**
 * Replays a trace file on today's machines, without any process, socket or real clock, and reports what differs and every
 * outcome. Never rejects: a file that cannot be read has the verdict `unusable`. See docs/replay.md.
 * @example
 * const { verdict, outcomes } = await replay('acme.trace.ndjson');
 * console.log(verdict, Object.values(outcomes.calls));
 */
export async function replay(file: string, options: ReplayOptions = {}): Promise<ReplayReport> {
  const unusable = (message: string, remedy: string): ReplayReport => ({
    ...nothing,
    file,
    verdict: 'unusable',
    text: unusableText(file, { message, remedy }),
  });
  let read: ReturnType<typeof readTraceFile>;
  try {
    read = readTraceFile(file);
  } catch (error) {
    return unusable((error as Error).message, 'Is it the right path?');
  }
  if (!read.ok) return unusable(`line ${read.line}: ${read.problem}`, read.remedy);
  return replayOf(file, read.trace, options);
}
