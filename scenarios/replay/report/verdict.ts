import type { Trace } from '../../../machines/trace/index.ts';
import { judge, type Violation } from '../../invariants/index.ts';
import { boundsOf } from '../../invariants/lateness.ts';
import { replayTrace, type ReplayTraceOptions, type TraceReplay } from '../replay-trace.ts';

/** In the order of the exit codes of `a2c replay`. */
export const verdicts = ['same', 'diverged', 'broken', 'stuck', 'nondeterministic', 'unusable'] as const;
/**
 * `same`: today's code does what was recorded, and no invariant is violated. `diverged`: it does something else. `broken`,
 * `stuck`: it does the same, and an invariant is violated: something came that must not, or never came. `nondeterministic`:
 * it used time or chance that no port recorded. `unusable`: the trace cannot say.
 */
export type Verdict = (typeof verdicts)[number];
/** Of the process: 64 is wrong usage. */
export const exitCodeOf = (verdict: Verdict): number => verdicts.indexOf(verdict);

export interface Judged {
  readonly verdict: Verdict;
  readonly replay: TraceReplay | undefined;
  readonly violations: readonly Violation[];
  /** Why it is unusable, and what to do. */
  readonly problem?: { readonly message: string; readonly remedy: string };
}
export const cutShort = {
  message: 'its beginning is missing: the ring had no room for all of it',
  remedy: 'Record to a folder (--record DIR), or with a larger ring (record.ringBytes).',
};

export const isCutShort = ({ head, key }: Trace): boolean => head.next !== 1 && !key;

export function judgeTrace(trace: Trace, options: ReplayTraceOptions = {}): Judged {
  if (isCutShort(trace)) return { verdict: 'unusable', replay: undefined, violations: [], problem: cutShort };
  const replay = replayTrace(trace, options);
  const isClosed = trace.tail?.reason === 'closed' && options.until === undefined;
  const violations = judge(replay.seen, isClosed, { bounds: boundsOf(replay.seen) });
  return { replay, violations, ...verdictOf(replay, violations) };
}
function verdictOf(
  { divergence, trapped, redactedReads: [read] }: TraceReplay,
  violations: readonly Violation[],
): Pick<Judged, 'verdict' | 'problem'> {
  if (divergence && read) {
    const message = `guard ${read.guard} of ${read.machine} needs ${read.pointer}, which was redacted`;
    const remedy = 'Record it anew with a value that is no secret, under a name that does not look like one.';
    return { verdict: 'unusable', problem: { message, remedy } };
  }
  if (trapped.length > 0) return { verdict: 'nondeterministic' };
  if (divergence) return { verdict: 'diverged' };
  if (violations.some(({ kind }) => kind === 'safety')) return { verdict: 'broken' };
  return { verdict: violations.length > 0 ? 'stuck' : 'same' };
}
