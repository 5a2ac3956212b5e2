/** All scenarios run in this one file, so that what they took together can be counted at its end. */
import './breaker.scenario.ts';
import './broken-machines.scenario.ts';
import './calls-on-stage.scenario.ts';
import './catalogs.scenario.ts';
import './clients-on-stage.scenario.ts';
import './config-on-stage.scenario.ts';
import './dsl.scenario.ts';
import './found-on-stage.scenario.ts';
import './health.scenario.ts';
import './histories.scenario.ts';
import './ladders.scenario.ts';
import './launching.scenario.ts';
import './lazy.scenario.ts';
import './links.scenario.ts';
import './names.scenario.ts';
import './offices.scenario.ts';
import './partings.scenario.ts';
import './refreshes.scenario.ts';
import './renewals.scenario.ts';
import './repeated-orders.scenario.ts';
import './seats.scenario.ts';
import './stopping.scenario.ts';
import './supervision.scenario.ts';
import './turns.scenario.ts';
import './views.scenario.ts';
import './watches.scenario.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { registered, wordsOf } from './dsl/index.ts';
import { testVirtually } from './dsl/suite.ts';
import { vocabulary } from './faults/fault.ts';
import { heldTo } from './reasons.ts';
import { played, taken } from './scenario.ts';
import { untaken } from './untaken.ts';

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

const plans = new URL('./plans.ndjson', import.meta.url);
test('a scenario is data: all of them stand in plans.ndjson, one a line, for whoever plays them elsewhere', () => {
  const lines = registered.map((plan) => `${JSON.stringify(plan)}\n`).join('');
  if (process.env.A2C_UPDATE_PLANS) writeFileSync(plans, lines);
  expect(readFileSync(plans, 'utf8'), 'A2C_UPDATE_PLANS=1 writes it').toBe(lines);
});
