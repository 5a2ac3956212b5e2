import '../stories/all.scenario.ts';
import { expect, test } from 'vitest';
import { registered, wordsOf } from './plan/index.ts';
import { testVirtually } from './plan/suite.ts';
import { vocabulary } from '../fault-server/words/fault.ts';

testVirtually();

test('every word of the vocabulary that can be said is said by a scenario', () => {
  const said = new Set(registered.flatMap(wordsOf));
  const sayable = vocabulary.filter(({ later }) => later === undefined).map(({ fault }) => fault);
  expect(sayable.filter((word) => !said.has(word))).toEqual([]);
});
