import type { Row } from './living.ts';
import { numberOf, textOf } from './values.ts';
import { fieldsOf } from '../../machines/protocol/json.ts';

/** Functions that convert the records on the page back into a trace file. Pure. */

/** Returns the line of a record in a trace file; lists that have a line of their own become references. */
function lineOf(row: Row, hashes: ReadonlyMap<unknown, string>): string {
  const own = row.k === 'list' ? row['v'] : undefined;
  return `${JSON.stringify(row, (_, value: unknown) => {
    const h = value === own ? undefined : hashes.get(value);
    return h === undefined ? value : { $list: h };
  })}\n`;
}
/**
 * Returns the trace up to the record at `index`: from the beginning, or from the checkpoint after the last records that
 * the page missed.
 */
export function traceUpTo(rows: readonly Row[], index: number): string {
  const shown = rows.slice(0, index + 1);
  const head = shown.find(({ k }) => k === 'head');
  let from = 0;
  for (let at = 1; at < shown.length; at++) if (shown[at]?.s !== (shown[at - 1]?.s ?? 0) + 1) from = at;
  const kept = shown.slice(from).filter(({ k }) => k !== 'head' && k !== 'tail');
  const hashes = new Map(kept.flatMap((row) => (row.k === 'list' ? [[row['v'], textOf(row['h'])]] : [])));
  const lines = head ? [{ ...fieldsOf(head), next: kept[0]?.s ?? 1 } as unknown as Row, ...kept] : kept;
  return lines.map((line) => lineOf(line, hashes)).join('');
}

/**
 * Returns the wall clock time of the record at `index`, in ms since 1970, or that of the last record before it that has
 * one.
 */
export const clockAt = (rows: readonly Row[], index: number): number | undefined =>
  numberOf(rows.slice(0, index + 1).findLast(({ w }) => numberOf(w) !== undefined)?.['w']);
/** Returns the lines of a trace up to this time of the wall clock. */
export function traceUntil(trace: string, clock: number): string {
  const lines = trace.split('\n');
  const end = lines.findIndex(
    (line) => Number(/^\{"s":\d+,"t":[\d.]+,"w":([\d.]+)/.exec(line)?.[1] ?? 0) > clock,
  );
  return end < 0 ? trace : `${lines.slice(0, end).join('\n')}\n`;
}
