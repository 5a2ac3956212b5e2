import { machines } from '../../actors/runtime/assemble.ts';
import type { Trace } from '../../machines/trace/index.ts';
import type { Violation } from '../invariants/index.ts';
import { replayedInside } from './again/inside.ts';
import { outcomesOf, type Outcomes } from './outcomes.ts';
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

/** How far a trace is replayed. */
export interface ReplayOptions {
  /** Stops after the last input whose number is not above this. */
  readonly until?: number;
}
/** Result of one trace on today's code. */
export interface ReplayReport {
  /** The path of the trace. */
  readonly file: string;
  /** Verdict in one word. */
  readonly verdict: Verdict;
  /** For people: `SAME …` or what differs, where, why it may, and the command that shows it again. */
  readonly text: string;
  /** Outcomes of calls, servers, seats and processes today. Empty when it is unusable. */
  readonly outcomes: Outcomes;
  /** The first place at which today's code does something else; null: nowhere. */
  readonly difference: ReportedDifference | null;
  /** Notes that are no verdict, a line each. */
  readonly notes: readonly string[];
  /** How many inputs happened again. */
  readonly inputs: number;
  /** How many records of what left the host agreed. */
  readonly matched: number;
  /** How many there are in the recording. */
  readonly total: number;
  /** SHA-256 of everything that left the host: equal for two replays that did the same. Empty when unusable. */
  readonly digest: string;
  /** The invariants that are violated, whether or not the same was recorded. */
  readonly violations: readonly Violation[];
  /** How long the replay took, in ms of real time. */
  readonly durationMs: number;
  /** States of all machines at the end, by address. */
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
/** The same for a trace in memory and other machines than today's. */
export const replayOf = (file: string, trace: Trace, options: OfOthers = {}): ReplayReport =>
  examined(file, trace, options).report;
/** With what the report is made of. */
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
  // Difference inside: it explains, and decides nothing.
  const isWhole = options.until === undefined && !trace.facts;
  const isExplained = verdict === 'same' && isWhole && trace.head.profile !== 'boundary';
  const notes = notesOf(trace, judged, isExplained ? replayedInside(trace, kinds).inside : undefined);
  const report: ReplayReport = {
    file,
    verdict,
    text: reportText({ file, trace, difference, notes }, judged),
    outcomes,
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
 * Lets everything that a trace recorded happen again on today's machines, without any process, socket or clock, and tells
 * what became of it. Never rejects: a file that cannot be read is `unusable`. See docs/replay.md.
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
