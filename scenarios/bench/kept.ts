import { median } from './measure.ts';
import type { Figure, Outcome } from './row.ts';
import { numberOf } from './table.ts';

/** Medians of the last run that was kept, by row and figure. */
export type Kept = Readonly<Record<string, number>>;

const nameOf = (row: string, { what }: Figure): string => `${row}: ${what}`;
const all = (outcomes: readonly Outcome[]): [name: string, figure: Figure][] =>
  outcomes.flatMap(({ row, figures }) =>
    figures.map((figure): [string, Figure] => [nameOf(row, figure), figure]),
  );

/** Those of rows that were not measured stay. */
export const keptWith = (kept: Kept, outcomes: readonly Outcome[]): Kept => ({
  ...kept,
  ...Object.fromEntries(
    all(outcomes).map(([name, { values }]) => [name, Number(median(values).toPrecision(3))]),
  ),
});

/** Part by which a median may be worse than the kept one, and the least room by unit: machines are noisy. */
const room = 0.25;
const least: Readonly<Record<string, number>> = { '×': 0.1, MB: 5, KB: 10, ms: 20 };
/** Figures that are worse than the kept ones, in sentences. A figure that was not kept is not judged. */
export function worseThan(kept: Kept, outcomes: readonly Outcome[]): string[] {
  return all(outcomes).flatMap(([name, { values, unit, aim }]) => {
    const before = kept[name];
    if (before === undefined) return [];
    const value = median(values);
    const worse = aim?.best === 'high' ? before - value : value - before;
    if (worse <= Math.max(Math.abs(before) * room, least[unit] ?? 0)) return [];
    return [`${name} is ${numberOf(value)} ${unit}, and was ${numberOf(before)}`];
  });
}
