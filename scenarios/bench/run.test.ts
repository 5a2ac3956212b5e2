import { describe, expect, it } from 'vitest';
import { keptWith, worseThan } from './kept.ts';
import { plans, type Figure, type Row } from './row.ts';
import { measured, type Running } from './run.ts';
import { tableOf } from './table.ts';

const figure = (what: string, values: readonly number[], more: Partial<Figure> = {}): Figure => ({
  ...{ what, unit: '×', values },
  ...more,
});
const row = (name: string, measure: Row['measure']): Row => ({ name, about: name, measure });
const tells = (name: string, ...figures: readonly Figure[]): Row =>
  row(name, async (_plan, tell) => figures.forEach(tell));
const never = new AbortController().signal;
const hangs = (name: string, ...figures: readonly Figure[]): Row =>
  row(name, (_plan, tell) => {
    figures.forEach(tell);
    return new Promise(() => {});
  });
const running = (more: Partial<Running> = {}): Running => ({
  plan: plans.quick,
  play: async (each, plan, tell) => each.measure(plan, tell),
  late: () => never,
  stop: never,
  progress: () => {},
  ...more,
});
const linesOf = (table: string): string[] => table.split('\n').map((line) => line.replaceAll(/\s+/g, ' '));

describe('a run of rows', () => {
  it('says of a row that fails why, with what it had told before, and measures the others', async () => {
    const outcomes = await measured(
      [
        row('throws', async (_plan, tell) => {
          tell(figure('before', [1]));
          throw new Error('200 inputs\nwhere 300 were expected');
        }),
        row('at once', () => {
          throw new Error('thrown before it waits');
        }),
        tells('says nothing'),
        tells('no number', figure('ratio', [Number.NaN])),
        tells('no values', figure('ratio', [])),
        tells('whole', figure('last', [2])),
      ],
      running(),
    );
    expect(linesOf(tableOf(outcomes)).slice(1)).toEqual([
      'throws before 1.00 1.00–1.00 ×',
      'throws not measured: 200 inputs where 300 were expected',
      'at once not measured: thrown before it waits',
      'says nothing not measured: it told no figure',
      'no number not measured: ratio: NaN',
      'no values not measured: ratio: no values',
      'whole last 2.00 2.00–2.00 ×',
    ]);
  });

  it('goes on after a row that is late, and keeps what that had told', async () => {
    const late = new AbortController();
    const signals = [never, late.signal, never];
    const outcomes = await measured(
      [tells('first', figure('a', [1])), hangs('hangs', figure('b', [2])), tells('last', figure('c', [3]))],
      running({
        late: () => signals.shift() ?? never,
        progress: (text) => {
          if (text.includes('b: 2.00 ×')) late.abort(new Error('not done after 60 s'));
        },
      }),
    );
    expect(linesOf(tableOf(outcomes)).slice(1)).toEqual([
      'first a 1.00 1.00–1.00 ×',
      'hangs b 2.00 2.00–2.00 ×',
      'hangs not measured: not done after 60 s',
      'last c 3.00 3.00–3.00 ×',
    ]);
  });
});

describe('kept figures', () => {
  const told = (value: number, rate: number) => [
    {
      row: 'calls',
      figures: [figure('CPU', [value]), figure('rate', [rate], { aim: { best: 'high', limit: 1 } })],
    },
  ];
  const kept = keptWith({ 'other: size': 3 }, told(4, 0.8));
  it('stay for rows that were not measured', () => {
    expect(kept).toEqual({ 'other: size': 3, 'calls: CPU': 4, 'calls: rate': 0.8 });
  });
  it('are not worse within a quarter, and not when they are better', () => {
    expect(worseThan(kept, told(4.9, 0.65))).toEqual([]);
    expect(worseThan(kept, told(1, 3))).toEqual([]);
    expect(worseThan({}, told(9, 0.1))).toEqual([]);
  });
  it('are named with both values when they are worse', () => {
    expect(worseThan(kept, told(5.1, 0.5))).toEqual([
      'calls: CPU is 5.10 ×, and was 4.00',
      'calls: rate is 0.50 ×, and was 0.80',
    ]);
  });
});
