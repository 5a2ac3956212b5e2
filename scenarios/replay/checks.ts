import type { CheckedInvariant, Checks } from '../../machines/inspection.ts';
import type { Trace } from '../../machines/trace/index.ts';
import { Bench, invariants, type SeenRecord } from '../invariants/index.ts';
import { boundsOf } from '../invariants/lateness.ts';
import { examined } from './replay.ts';

/** Checks every invariant over the replayed records, with the number of the record that broke it. */
function invariantsIn(
  seen: readonly SeenRecord[],
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
/**
 * Tells whether a record has a number in a trace with all steps; only the record of a listener that was added or removed has
 * none.
 */
const isNumbered = ({ record }: SeenRecord): boolean => record.k !== 'in' || record.via !== 'outlet';

/** Line of the trace on a page, as far as the checks need it. */
export interface ShownRecord {
  readonly s: number;
  readonly t: number;
  readonly k: string;
  readonly ch: string | undefined;
}
/** Kinds of lines that are no records of the directory. */
const others: ReadonlySet<string> = new Set([
  'head',
  'tail',
  'list',
  'facts',
  'frame',
  'step',
  'mark',
  'key',
]);
/**
 * Report of `a2c replay` about a trace, for its page. `shown` is the trace on the page, which has more records than the file when
 * that was recorded without steps.
 */
export function checksOf(file: string, trace: Trace, shown: readonly ShownRecord[]): Checks {
  const { report, judged } = examined(file, trace);
  const { difference } = report;
  const numbers = shown.flatMap(({ s, k }) => (others.has(k) ? [] : [s]));
  const isClosed = trace.tail?.reason === 'closed';
  const input = judged.replay?.difference?.inputs.at(-1);
  const place = shown.find(({ t, k, ch }) => k === 'in' && t === input?.t && ch === input.record.ch);
  return {
    verdict: report.verdict,
    text: report.text,
    invariants: invariantsIn(
      (judged.replay?.seen ?? []).filter(isNumbered),
      numbers,
      isClosed && !difference,
    ),
    difference: difference && { ...difference, s: place?.s ?? null },
  };
}
