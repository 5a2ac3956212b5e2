import { fieldsOf } from './values.ts';
import type { Row } from './living.ts';

/** The records that a page has, as a trace that `a2c replay` plays. Pure. */

/** Up to this index, from the beginning or from the checkpoint after the last records that the page missed. */
export function traceUpTo(rows: readonly Row[], index: number): string {
  const shown = rows.slice(0, index + 1);
  const head = shown.find(({ k }) => k === 'head');
  let from = 0;
  for (let at = 1; at < shown.length; at++)
    if (shown[at]?.k === 'key' && shown[at]?.s !== (shown[at - 1]?.s ?? 0) + 1) from = at;
  const kept = shown.slice(from).filter(({ k }) => k !== 'head' && k !== 'tail');
  const lines = head ? [{ ...fieldsOf(head), next: kept[0]?.s ?? 1 }, ...kept] : kept;
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}
