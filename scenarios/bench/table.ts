import type { Row } from './measure.ts';

const columns = ['in flight', 'chain', 'CPU µs/call', '×', 'calls/s', '×', 'p50 ms', '×', 'p99 ms', '×'];

/** One block per group; `×` is the ratio to the first chain of the group at the same number in flight. */
export function tableOf(rows: readonly Row[]): string {
  const groups = [...new Set(rows.map(({ group }) => group))];
  return groups.map((group) => `${group}\n${block(rows.filter((row) => row.group === group))}`).join('\n\n');
}

function block(rows: readonly Row[]): string {
  const lines = rows
    .toSorted((a, b) => a.inFlight - b.inFlight)
    .map((row) => {
      const base = yardstick(rows, row);
      const cell = (value: number, of: number, digits: number): string[] => [
        value.toFixed(digits),
        base === row ? '' : (value / of).toFixed(2),
      ];
      return [
        String(row.inFlight),
        row.name,
        ...cell(row.cpuUs, base.cpuUs, 0),
        ...cell(row.perSecond, base.perSecond, 0),
        ...cell(row.p50Ms, base.p50Ms, 2),
        ...cell(row.p99Ms, base.p99Ms, 2),
      ];
    });
  const table = [columns, ...lines];
  const widths = columns.map((_, i) => Math.max(...table.map((line) => line[i]?.length ?? 0)));
  return table.map((line) => line.map((cell, i) => pad(cell, widths[i] ?? 0, i === 1)).join('  ')).join('\n');
}

export const yardstick = (rows: readonly Row[], { group, inFlight }: Row): Row =>
  rows.find((row) => row.group === group && row.inFlight === inFlight) as Row;

const pad = (cell: string, width: number, left: boolean): string =>
  left ? cell.padEnd(width) : cell.padStart(width);
