/** Runs all scenarios in this one file, so that the transitions they took can be counted at its end. */
import '../stories/all.scenario.ts';
import { expect, test } from 'vitest';
import { machines } from '../../actors/runtime/assemble.ts';
import { transitionsOf } from '../../actors/runtime/charts.ts';
import { registered, wordsOf } from './plan/index.ts';
import { testVirtually } from './plan/suite.ts';
import { vocabulary } from '../fault-server/words/fault.ts';

/** Transitions that the scenarios of this run have taken, and the number of scenarios. */
const taken = new Set<string>();
let count = 0;
testVirtually((play) => {
  for (const transition of play.taken) taken.add(transition);
  count += 1;
});

test('every transition is taken by a scenario', () => {
  expect(count).toBeGreaterThan(260);
  const declared = Object.values(machines).flatMap((machine) => transitionsOf(machine));
  expect(declared.filter((transition) => !taken.has(transition))).toEqual([]);
});

test('every word of the vocabulary that can be said is said by a scenario', () => {
  const said = new Set(registered.flatMap(wordsOf));
  const sayable = vocabulary.filter(({ later }) => later === undefined).map(({ fault }) => fault);
  expect(sayable.filter((word) => !said.has(word))).toEqual([]);
});
