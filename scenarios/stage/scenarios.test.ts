/** All scenarios run in this one file, so that what they took together can be counted at its end. */
import '../stories/all.scenario.ts';
import { expect, test } from 'vitest';
import { registered, wordsOf } from './plan/index.ts';
import { testVirtually } from './plan/suite.ts';
import { vocabulary } from '../fault-server/words/fault.ts';
import { heldTo } from '../invariants/charts/reasons.ts';
import { played, taken, testInHarness } from './scenario.ts';
import { untaken } from '../invariants/charts/untaken.ts';

testInHarness();
testVirtually((play) => {
  for (const transition of play.taken) taken.add(transition);
  played.count += 1;
});

test('every transition is taken by a scenario, or stands on the list that may only shrink', () => {
  expect(played.count).toBeGreaterThan(260);
  expect(heldTo('untaken', untaken(taken))).toEqual([]);
});

test('every word of the vocabulary that can be said is said by a scenario', () => {
  const said = new Set(registered.flatMap(wordsOf));
  const sayable = vocabulary.filter(({ later }) => later === undefined).map(({ fault }) => fault);
  expect(sayable.filter((word) => !said.has(word))).toEqual([]);
});
