import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { vocabulary } from '../fault-server/words/fault.ts';
import { Tally } from './batch.ts';
import { spelledOut } from './drawing/draw-acts.ts';
import { broken, count, runsFrom, portion } from './known-runs.ts';

describe('every invariant', () => {
  const tally = new Tally();
  const portions = Array.from({ length: count / portion }, (_, n) => 1 + n * portion);
  it.each(portions)('holds in the 25 runs from seed %d', async (from) => {
    const runs = await runsFrom(from);
    expect(runs.flatMap(broken)).toEqual([]);
    for (const run of runs) tally.add(run);
  });

  it('holds while every fault that can happen did', () => {
    const sayable = vocabulary.filter(({ later }) => later === undefined).map(({ fault }) => fault);
    expect(sayable.filter((word) => !tally.faults.has(word) && !spelledOut.has(word))).toEqual([]);
  });

  it('goes as docs/simulator.md shows the runs of the corpus', () => {
    const shownIn = new URL('../../docs/simulator.md', import.meta.url);
    const page = readFileSync(shownIn, 'utf8');
    const digest = /(a2c sim --seed 1 --seeds 200\n[^]*? failed, digest )(\w+)/;
    // Together with the outputs of docs/replay.md.
    const isUpdating = process.env['A2C_UPDATE_PAGES'] === '1';
    const now = isUpdating ? page.replace(digest, `$1${tally.digest}`) : page;
    if (isUpdating) writeFileSync(shownIn, now);
    const shown = digest.exec(now)?.[2];
    expect(shown, 'machines, faults or drawing have changed: write the new digest there').toBe(tally.digest);
  });
});
