import type { CheckedFailure, Checks } from '../../machines/inspection.ts';
import type { Trace } from '../../machines/trace/index.ts';
import { Bench, type SeenRecord } from '../invariants/index.ts';
import { boundsOf } from '../invariants/lateness.ts';
import { examined } from './replay.ts';

/** Largest number of violations of one invariant that a page tells. */
const mostOfOne = 3;
/** Checks every invariant over the replayed records, with the number of the record that broke it. */
function failuresIn(
  seen: readonly SeenRecord[],
  numbers: readonly number[],
  isClosed: boolean,
): CheckedFailure[] {
  const bench = new Bench(boundsOf(seen));
  const found: CheckedFailure[] = [];
  let told = 0;
  const note = (s: number | null): void => {
    for (const { invariant: name, what } of bench.violations.slice(told))
      if (found.filter((other) => other.name === name).length < mostOfOne) found.push({ name, s, what });
    told = bench.violations.length;
  };
  for (const [n, each] of seen.entries()) {
    bench.take(each);
    if (bench.violations.length > told) note(numbers[n] ?? null);
  }
  if (isClosed) bench.closed(seen.at(-1)?.at ?? 0);
  note(null);
  return found;
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
  const failures = failuresIn(
    (judged.replay?.seen ?? []).filter(isNumbered),
    numbers,
    isClosed && !difference,
  );
  if (difference)
    failures.push({
      name: 'replay',
      s: place?.s ?? null,
      what: `Today's code does something else: ${difference.cause}`,
    });
  return { verdict: report.verdict, failures };
}
