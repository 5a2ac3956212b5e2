/** `survivors.txt` lists the mistakes that neither a generated path nor a story notices. */
import '../stories/all.scenario.ts';
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { charts, survivorsOf } from './gate.ts';
import { players, type Players } from './plays.ts';
import { readSurvivors, survivorsFile, writtenSurvivors } from './survivors.ts';

const isUpdating = process.env['A2C_UPDATE_SURVIVORS'] === '1';
const listed = readSurvivors();
const { warn } = console;
const found: string[] = [];

describe('a chart with one mistake is noticed, but for those in survivors.txt', () => {
  let stories: Players;
  beforeAll(async () => {
    // oxlint-disable-next-line no-console -- XState warns of what a stopped actor is sent, at every edit
    console.warn = () => {};
    stories = await players();
  });
  afterAll(() => {
    // oxlint-disable-next-line no-console -- as it was
    console.warn = warn;
    if (isUpdating) writeFileSync(survivorsFile, writtenSurvivors(found));
  });

  test.each(charts.map((chart) => [chart.machine.id, chart] as const))(
    '%s',
    async (id, chart) => {
      const survivors = await survivorsOf(chart, stories);
      found.push(...survivors);
      if (isUpdating) return;
      const known = [...listed.keys()].filter((what) => what.startsWith(`${id}: `));
      const advice = 'write a story that notices it, or take the line out with A2C_UPDATE_SURVIVORS=1';
      expect(survivors.toSorted(), advice).toEqual(known.toSorted());
    },
    1_800_000,
  );
});
