import type { CheckedFailure, Checks } from '../../machines/inspection.ts';
import type { Trace } from '../../machines/trace/reading.ts';
import { Bench, type SeenRecord } from '../invariants/index.ts';
import { boundsOf } from '../invariants/lateness.ts';
import { examined } from './replay.ts';

const mostOfOne = 3;
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
/** Only the record of a listener that was added or removed has none. */
const isNumbered = ({ record }: SeenRecord): boolean => record.k !== 'in' || record.via !== 'outlet';

export interface ShownRecord {
  readonly s: number;
  readonly t: number;
  readonly k: string;
  readonly ch: string | undefined;
}
const others: ReadonlySet<string> = new Set(['head', 'tail', 'list', 'facts', 'frame', 'step', 'mark']);
/** `shown` has more records than the file when that was recorded without steps. */
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
