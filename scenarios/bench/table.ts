import { median, spread } from './measure.ts';
import type { Aim, Figure, Outcome } from './row.ts';

const isMet = ({ best, limit }: Aim, value: number): boolean =>
  best === 'low' ? value <= limit : value >= limit;

export const numberOf = (value: number): string => {
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString('en');
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
};
const head = ['row', 'what', 'median', 'quartiles', '', 'yardstick', 'ours', '', 'aim', ''];

function lineOf(row: string, { what, unit, values, sides, aim }: Figure): string[] {
  const value = median(values);
  const [low, high] = spread(values);
  return [
    row,
    what,
    numberOf(value),
    `${numberOf(low)}–${numberOf(high)}`,
    unit,
    ...(sides ? [numberOf(sides.yardstick), numberOf(sides.ours), sides.unit] : ['', '', '']),
    ...(aim
      ? [`${aim.best === 'low' ? '≤' : '≥'} ${aim.limit}`, isMet(aim, value) ? 'met' : 'missed']
      : ['', '']),
  ];
}
export function tableOf(outcomes: readonly Outcome[]): string {
  const table = [
    head,
    ...outcomes.flatMap(({ row, figures }) => figures.map((figure) => lineOf(row, figure))),
  ];
  const lines = aligned(table);
  let at = 0;
  const taken = (count: number): string[] => lines.slice(at, (at += count));
  return [
    ...taken(1),
    ...outcomes.flatMap(({ row, figures, notMeasured }) => [
      ...taken(figures.length),
      ...(notMeasured === undefined ? [] : [`${row}  not measured: ${notMeasured.replaceAll(/\s+/g, ' ')}`]),
    ]),
  ].join('\n');
}
const left = [0, 1, 4, 7, 9];
function aligned(table: readonly (readonly string[])[]): string[] {
  const widths = head.map((_, i) => Math.max(...table.map((line) => line[i]?.length ?? 0)));
  const pad = (cell: string, i: number): string =>
    left.includes(i) ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0);
  return table.map((line) => line.map(pad).join('  ').trimEnd());
}
