import { isReached, type Judged } from './aims.ts';
import type { Endured } from './rows/endurance.ts';
import type { Row } from './measure.ts';
import type { Stood } from './rows/standing.ts';
import type { Weighed } from './rows/weight.ts';

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
        ...cell(row.cpuUs, base.cpuUs, row.cpuUs < 10 ? 1 : 0),
        ...cell(row.perSecond, base.perSecond, 0),
        ...cell(row.p50Ms, base.p50Ms, 2),
        ...cell(row.p99Ms, base.p99Ms, 2),
      ];
    });
  return aligned([columns, ...lines], 1);
}

export const yardstick = (rows: readonly Row[], { group, inFlight }: Row): Row =>
  rows.find((row) => row.group === group && row.inFlight === inFlight) as Row;

/** What a call costs as more of them run at once, for the group that asks for more than the usual numbers. */
export function flightTable(rows: readonly Row[]): string {
  const ours = rows
    .filter(({ group, name }) => group === 'directory alone' && name === 'ours')
    .toSorted((a, b) => a.inFlight - b.inFlight);
  const [first] = ours;
  if (!first) return '';
  const line = (name: string, value: (row: Row) => string): string[] => [name, ...ours.map(value)];
  const table = aligned(
    [
      line('in flight', (row) => String(row.inFlight)),
      line('CPU µs/call', (row) => row.cpuUs.toFixed(1)),
      line('from – to', (row) => `${row.cpuUsMin.toFixed(0)}–${row.cpuUsMax.toFixed(0)}`),
      line('÷ at 1', (row) => (row.cpuUs / first.cpuUs).toFixed(2)),
    ],
    0,
  );
  return `cost with the number in flight: directory alone, ours\n${table}`;
}

/** What a call costs in a computer beyond the bare one, and whether that grows with the number in flight. */
export function callsTable(rows: readonly Row[]): string {
  const ours = rows
    .filter(({ group, name }) => group === 'calls' && name === 'ours')
    .toSorted((a, b) => a.inFlight - b.inFlight);
  const [first] = ours;
  if (!first) return '';
  const more = (row: Row): number => row.cpuUs - yardstick(rows, row).cpuUs;
  const lines = ours.map((row) => [
    String(row.inFlight),
    yardstick(rows, row).cpuUs.toFixed(1),
    row.cpuUs.toFixed(1),
    more(row).toFixed(1),
    (more(row) / more(first)).toFixed(2),
  ]);
  return `calls: CPU µs\n${aligned([['in flight', 'bare', 'ours', 'ours − bare', '÷ at 1'], ...lines], 0)}`;
}

export function enduranceTable(endured: readonly Endured[]): string {
  if (endured.length === 0) return '';
  const lines = endured.map((each) => [
    each.name,
    String(each.calls),
    (each.grownBytes / 1024 ** 2).toFixed(2),
  ]);
  return `calls in a row, in a process of their own\n${aligned([['chain', 'calls', 'MB of heap more'], ...lines], 0)}`;
}

export function weightTable(weights: readonly Weighed[]): string {
  if (weights.length === 0) return '';
  const kb = (bytes: number): string => (bytes / 1024).toFixed(2);
  const lines = weights.map((each) => [each.name, kb(each.heldBytes), kb(each.leftBytes)]);
  return `heap per call, 10,000 in flight\n${aligned([['chain', 'KB in flight', 'KB left after'], ...lines], 0)}`;
}

/** Heap that an answer takes for as long as it is kept. */
export interface Kept {
  readonly group: string;
  readonly name: string;
  readonly bytes: number;
}
export function keptTable(kept: readonly Kept[]): string {
  if (kept.length === 0) return '';
  const lines = kept.map(({ group, name, bytes }) => {
    const base = kept.find((each) => each.group === group);
    const ratio = base === undefined || base.name === name ? '' : (bytes / base.bytes).toFixed(2);
    return [group, name, (bytes / 1024 ** 2).toFixed(2), ratio];
  });
  return `heap of what was found\n${aligned([['', 'chain', 'MB', '×'], ...lines], 1)}`;
}

/** Servers inside the host: until all serve, until all but one do that never answers, and what they hold. */
export function standingTable(stood: readonly Stood[]): string {
  if (stood.length === 0) return '';
  const lines = stood.map((each) => {
    const base = stood.find(({ group }) => group === each.group);
    const cells = (key: 'startMs' | 'besideMuteMs' | 'heldBytes', unit: number): string[] => {
      const [value, of] = [each[key], base?.[key]];
      if (value === undefined) return ['', ''];
      return [(value / unit).toFixed(1), base === each || of === undefined ? '' : (value / of).toFixed(2)];
    };
    return [
      each.group,
      each.name,
      ...cells('startMs', 1),
      ...cells('besideMuteMs', 1),
      ...cells('heldBytes', 1024),
    ];
  });
  const head = [
    '',
    'chain',
    'ms till all serve',
    '×',
    'ms beside a mute one',
    '×',
    'KB per idle server',
    '×',
  ];
  return `servers inside the host\n${aligned([head, ...lines], 1)}`;
}

export function aimsTable(judged: readonly Judged[]): string {
  if (judged.length === 0) return '';
  const lines = judged.map((aim) => [
    aim.what,
    `${aim.best === 'low' ? '≤' : '≥'} ${aim.limit}`,
    aim.value.toFixed(aim.value < 10 ? 2 : 0),
    isReached(aim) ? 'reached' : 'missed',
  ]);
  return aligned([['aim', '', 'measured', ''], ...lines], 0);
}

function aligned(table: readonly (readonly string[])[], leftColumn: number): string {
  const widths = (table[0] ?? []).map((_, i) => Math.max(...table.map((line) => line[i]?.length ?? 0)));
  const pad = (cell: string, i: number): string =>
    i === leftColumn ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0);
  return table.map((line) => line.map(pad).join('  ')).join('\n');
}
