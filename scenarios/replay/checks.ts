import type { CheckedDifference, CheckedInvariant, Checks } from '../../machines/inspection/index.ts';
import type { Trace } from '../../machines/trace/index.ts';
import { Bench, invariants, type Seen } from '../invariants/index.ts';
import { boundsOf } from '../invariants/lateness.ts';
import type { Divergence } from './comparison.ts';
import { examined } from './replay.ts';
import { recordText } from './report/record-text.ts';

/** Every invariant over what was seen, with the number of the record that broke it. */
function invariantsIn(
  seen: readonly Seen[],
  numbers: readonly number[],
  isClosed: boolean,
): readonly CheckedInvariant[] {
  const bench = new Bench(boundsOf(seen));
  const found = new Map<string, CheckedInvariant['violations'][number][]>();
  let told = 0;
  const note = (s: number | null): void => {
    for (const { invariant, at, what } of bench.violations.slice(told)) {
      const others = found.get(invariant) ?? [];
      found.set(invariant, [...others, { s, at, what }]);
    }
    told = bench.violations.length;
  };
  for (const [n, each] of seen.entries()) {
    bench.take(each);
    if (bench.violations.length > told) note(numbers[n] ?? null);
  }
  if (isClosed) bench.closed(seen.at(-1)?.at ?? 0);
  note(null);
  return invariants.map(({ invariant: name, why }) => ({ name, why, violations: found.get(name) ?? [] }));
}
const differenceIn = (
  { input, agreed, recorded, replayed, restRecorded, restReplayed }: Divergence,
  s: number | null,
): CheckedDifference => ({
  s: input ? s : null,
  agreed: agreed.map(recordText),
  recorded: [recorded, ...restRecorded].flatMap((line) => (line ? [recordText(line.record)] : [])),
  replayed: [replayed, ...restReplayed].flatMap((record) => (record ? [recordText(record)] : [])),
});

/** What `a2c replay` says of a trace. `shown` are the records of its page, which are more where it was recorded without steps. */
export function checksOf(file: string, trace: Trace, shown: Trace): Checks {
  const { report, judged } = examined(file, trace);
  const divergence = judged.replay?.divergence;
  // What was read from a text is equal, but no longer the same: invariants ask for both.
  const numbers = shown.lines.flatMap(({ s, record }) => (record.k === 'step' ? [] : [s]));
  const isClosed = trace.tail?.reason === 'closed';
  const isSame = trace.head.profile === shown.head.profile;
  const last = shown.lines.findLast(({ record }) => record.k === 'in')?.s ?? null;
  return {
    verdict: report.verdict,
    text: report.text,
    invariants: invariantsIn(judged.replay?.seen ?? [], numbers, isClosed),
    difference: divergence ? differenceIn(divergence, isSame ? (divergence.input?.s ?? null) : last) : null,
  };
}
