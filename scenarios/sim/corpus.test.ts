import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { vocabulary } from '../faults/fault.ts';
import type { Plan } from '../dsl/plan.ts';
import { dayOf, Tally, type Day } from './batch.ts';
import { spelledOut } from './draw-acts.ts';
import { simulate } from './simulate.ts';

/** Plans that broke a law once, as small as they got, one a line; a seed draws another day whenever the drawing changes. */
const regressions = readFileSync(new URL('./regressions.ndjson', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as { readonly because: string; readonly plan: Plan });

/** The days of every run: those that the README shows. */
const first = 1;
const count = 200;
const portion = 25;
const drawing = { forMs: 60_000, faults: 'all' };
const said = ({ seed, breaches }: Day): string[] =>
  breaches.map(({ law, what }) => `a2c sim --seed ${seed} --shrink: ${law}: ${what}`);

describe('every law holds', () => {
  it.each(regressions)('again: $because', ({ plan }) => {
    expect(simulate(plan).breaches).toEqual([]);
  });

  const tally = new Tally();
  const portions = Array.from({ length: count / portion }, (_, n) => first + n * portion);
  it.each(portions)('in the 25 days from seed %d', (from) => {
    const days = Array.from({ length: portion }, (_, n) => dayOf(from + n, drawing));
    expect(days.flatMap(said)).toEqual([]);
    for (const day of days) tally.add(day);
  });

  it('while every fault that can happen did', () => {
    const sayable = vocabulary.filter(({ later }) => later === undefined).map(({ fault }) => fault);
    expect(sayable.filter((word) => !tally.faults.has(word) && !spelledOut.has(word))).toEqual([]);
  });

  it('and they go as the README shows them', () => {
    const readme = new URL('../../README.md', import.meta.url);
    const page = readFileSync(readme, 'utf8');
    const digest = /(a2c sim --seed 1 --seeds 200\n[^]*? failed, digest )(\w+)/;
    // Together with the outputs of docs/replay.md.
    const isUpdating = process.env['A2C_UPDATE_PAGES'] === '1';
    const now = isUpdating ? page.replace(digest, `$1${tally.digest}`) : page;
    if (isUpdating) writeFileSync(readme, now);
    const shown = digest.exec(now)?.[2];
    expect(shown, 'machines, faults or drawing have changed: write the new digest there').toBe(tally.digest);
  });
});
