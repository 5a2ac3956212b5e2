import { describe, expect, it } from 'vitest';
import { baselineFull, baselineRelay } from './baseline/chain.ts';
import { echoed, textOf, type Chain, type Contender } from './chain.ts';
import { chains } from './chains.ts';
import { measure, quantile } from './measure.ts';
import { tableOf } from './table.ts';

const chain = (call: Chain['call']): Chain => ({ call, close: async () => {}, pids: [] });
const contender = (name: string): Contender => ({
  group: 'relay alone',
  name,
  open: async () => chain(async (n) => textOf(n)),
});
const plan = { inFlight: [1, 8], rounds: 3, sliceMs: 5 };

describe('the baseline', () => {
  it.each([
    ['full chain', baselineFull],
    ['relay alone', baselineRelay],
  ])('gives back what it was asked: %s', async (_, open) => {
    const opened = await open();
    const texts = await Promise.all(Array.from({ length: 20 }, (_each, n) => opened.call(n)));
    await opened.close();
    expect(texts).toEqual(texts.map((_each, n) => textOf(n)));
  });

  it('leads each group', () => {
    for (const group of ['full chain', 'relay alone'])
      expect(chains.find((each) => each.group === group)?.name).toBe('baseline');
  });
});

describe('a measurement', () => {
  it('has one row per chain and number in flight, compared with the first chain', async () => {
    const [first, second] = [contender('baseline'), contender('ours')];
    const open = new Map([
      [first, await first.open()],
      [second, await second.open()],
    ]);
    const rows = await measure(open, plan);
    expect(rows.map(({ name, inFlight, rounds }) => [name, inFlight, rounds])).toEqual([
      ['baseline', 1, 3],
      ['baseline', 8, 3],
      ['ours', 1, 3],
      ['ours', 8, 3],
    ]);
    for (const row of rows) expect(row.perSecond).toBeGreaterThan(0);
    const lines = tableOf(rows).split('\n');
    expect(lines.map((line) => line.trim().split(/\s+/).slice(0, 2).join(' '))).toEqual([
      'relay alone',
      'in flight',
      '1 baseline',
      '1 ours',
      '8 baseline',
      '8 ours',
    ]);
  });

  it('fails when a chain answers with anything but the echo', async () => {
    const wrong = new Map([[contender('wrong'), chain(async () => textOf(-1))]]);
    await expect(measure(wrong, plan)).rejects.toThrow('was answered with');
    expect(() => echoed({ error: { code: 404 } })).toThrow('no echo: {"error"');
  });

  it('ends when it is aborted although a chain hangs', async () => {
    const stop = new AbortController();
    const hanging = new Map([[contender('hangs'), chain(() => new Promise(() => {}))]]);
    const run = measure(hanging, { ...plan, signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(run).rejects.toThrow('enough');
  });

  it('takes medians', () => {
    expect(quantile([9, 1, 5], 0.5)).toBe(5);
    expect(quantile([1, 2, 3, 4], 0.99)).toBe(4);
  });
});
