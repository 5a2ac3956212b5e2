import { machines } from '../../actors/runtime/assemble.ts';
import { chartText } from '../../actors/runtime/charts.ts';
import type { Trace } from '../../machines/trace/index.ts';
import type { Violation } from '../invariants/index.ts';
import { levels, type Divergence, type Level } from './comparison.ts';
import { readTraceFile, sha256Of } from './report/files.ts';
import { reportText } from './report/report.ts';
import { replayTrace, type Kinds } from './replay-trace.ts';
import { judgeTrace, type Judged, type Verdict } from './report/verdict.ts';

export { levels, type Level, type Verdict };
export type { Violation };

/** How exactly, and how far, a trace is replayed. */
export interface ReplayOptions {
  /** `effects` (default) survives refactoring; `steps` and `strict` do not, and need the profile `steps`. */
  readonly level?: Level;
  /** Stops after the last input whose number is not above this. */
  readonly until?: number;
}
/** What became of one trace on today's code. */
export interface ReplayReport {
  /** The path of the trace. */
  readonly file: string;
  /** What became of it, in one word. */
  readonly verdict: Verdict;
  /** For people: `SAME …` or what differs, where, why it may, and the command that shows it again. */
  readonly text: string;
  /** How many inputs happened again, and how many records agreed of those that were compared. */
  readonly inputs: number;
  /** How many records agreed. */
  readonly matched: number;
  /** How many records were compared. */
  readonly total: number;
  /** SHA-256 of everything that happened: equal for two replays that did the same. Empty when unusable. */
  readonly digest: string;
  /** The invariants that are violated, whether or not the same was recorded. */
  readonly violations: readonly Violation[];
  /** How long the replay took, in ms of real time. */
  readonly durationMs: number;
  /** Where every machine stood at the end: address → state. */
  readonly states: Readonly<Record<string, string>>;
}

const changedCharts = ({ head: { charts } }: Trace, kinds: Kinds): string[] =>
  Object.entries(charts)
    .filter(([kind, print]) => kinds[kind] && sha256Of([chartText(kinds[kind])]) !== print)
    .map(([kind]) => kind);

const statesOf = ({ replay }: Judged): Record<string, string> =>
  Object.fromEntries(
    [...(replay?.directory.roots ?? [])].map((root) => [
      root.id,
      JSON.stringify((root.ref.getSnapshot() as { value: unknown }).value).replaceAll('"', ''),
    ]),
  );

/** At `effects` steps are not compared, but they tell why: the first that differs, maybe inputs earlier. */
function partedSteps(
  trace: Trace,
  { verdict, replay }: Judged,
  kinds: Kinds,
  level: Level,
): Divergence | undefined {
  const input = replay?.divergence?.input;
  if (!input || verdict === 'unusable' || level !== 'effects' || trace.head.profile === 'inputs')
    return undefined;
  const { divergence } = replayTrace(trace, { kinds, level: 'steps', until: input.s });
  const isStep = divergence?.recorded?.record.k === 'step' || divergence?.replayed?.k === 'step';
  return isStep ? divergence : undefined;
}

type OfOthers = ReplayOptions & { readonly kinds?: Kinds };
/** The same for a trace in memory and other machines than today's. */
export const replayOf = (file: string, trace: Trace, options: OfOthers = {}): ReplayReport =>
  examined(file, trace, options).report;
/** With what the report is made of. */
export function examined(
  file: string,
  trace: Trace,
  { kinds = machines, level = 'effects', ...options }: OfOthers = {},
): { readonly report: ReplayReport; readonly judged: Judged } {
  const start = performance.now();
  const judged = judgeTrace(trace, { kinds, level, ...options });
  const durationMs = Math.round(performance.now() - start);
  const steps = partedSteps(trace, judged, kinds, level);
  const place = { file, level, trace, changed: changedCharts(trace, kinds), steps };
  const { verdict, violations, replay } = judged;
  const report: ReplayReport = {
    file,
    verdict,
    text: reportText(place, judged),
    inputs: replay?.inputs ?? 0,
    matched: replay?.matched ?? 0,
    total: replay?.total ?? 0,
    digest: replay?.digest ?? '',
    violations,
    durationMs,
    states: statesOf(judged),
  };
  return { report, judged };
}
const nothing = { inputs: 0, matched: 0, total: 0, digest: '', violations: [], durationMs: 0, states: {} };

/**
 * Lets everything that a trace recorded happen again on today's machines, without any process, socket or clock,
 * and tells what became of it. Never rejects: a file that cannot be read is `unusable`. See docs/replay.md.
 */
export async function replay(file: string, options: ReplayOptions = {}): Promise<ReplayReport> {
  const unusable = (problem: string, remedy: string): ReplayReport => ({
    ...nothing,
    file,
    verdict: 'unusable',
    text: `UNUSABLE ${file}: ${problem}\n  ${remedy}`,
  });
  try {
    const read = readTraceFile(file);
    return read.ok
      ? replayOf(file, read.trace, options)
      : unusable(`line ${read.line}: ${read.problem}`, read.remedy);
  } catch (error) {
    return unusable((error as Error).message, 'Is it the right path?');
  }
}
