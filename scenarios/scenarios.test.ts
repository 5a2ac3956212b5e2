/** All scenarios run in this one file, so that what they took together can be counted at its end. */
import './calls.scenario.ts';
import './clients.scenario.ts';
import './confirmation.scenario.ts';
import './ladders.scenario.ts';
import './links.scenario.ts';
import './names.scenario.ts';
import './offices.scenario.ts';
import './orders.scenario.ts';
import './partings.scenario.ts';
import './processes.scenario.ts';
import './seats.scenario.ts';
import './second-thoughts.scenario.ts';
import './supervision.scenario.ts';
import './views.scenario.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { machines } from '../actors/assemble.ts';
import { transitionsOf } from '../actors/charts.ts';
import { played, taken } from './scenario.ts';

const listed = new URL('./untaken.json', import.meta.url);
const untaken = (): string[] =>
  Object.values(machines)
    .flatMap((machine) => transitionsOf(machine))
    .filter((transition) => !taken.has(transition));

test('every transition is taken by a scenario, or stands on the list that may only shrink', () => {
  expect(played.count).toBeGreaterThan(170);
  if (process.env.A2C_UPDATE_UNTAKEN) writeFileSync(listed, `${JSON.stringify(untaken(), null, 2)}\n`);
  const known = JSON.parse(readFileSync(listed, 'utf8')) as string[];
  // A transition that is taken by now, or exists no more, has to leave the list.
  expect(untaken()).toEqual(known);
});
