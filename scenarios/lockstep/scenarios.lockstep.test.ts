import '../stories/all.scenario.ts';
import { expect, test } from 'vitest';
import type { AnyMachineSnapshot } from 'xstate';
import { machines } from '../../actors/kinds/all.ts';
import { testVirtually } from '../stage/plan/suite.ts';
import { samples } from '../stage/samples/index.ts';
import type { Sample } from '../stage/samples/sample.ts';
import { differenceAt, eventsAt, opensOf } from './driving.ts';
import { visitors } from './lockstep.ts';

const each = 3;
const reached = new Map<string, AnyMachineSnapshot[]>();
const visit = (snapshot: AnyMachineSnapshot): void => {
  const state = `${snapshot.machine.id} ${JSON.stringify(snapshot.value)}`;
  const known = reached.get(state) ?? [];
  reached.set(state, known);
  if (known.length < each && snapshot.status === 'active') known.push(snapshot);
};
visitors.push(visit);

testVirtually();

test('the charts step as XState does from every state that a scenario reaches, with every event', () => {
  visitors.pop();
  const kinds = Object.entries(samples).map(([kind, sample]): [string | undefined, Sample] => [
    machines[kind]?.id,
    sample,
  ]);
  const differences = [...reached.values()].flat().flatMap((snapshot) =>
    kinds
      .filter(([id]) => id === snapshot.machine.id)
      .flatMap(([, sample]) => eventsAt({ sample, opens: opensOf(sample) }, snapshot))
      .flatMap((event) => differenceAt(snapshot, event) ?? []),
  );
  expect(reached.size).toBeGreaterThan(100);
  expect(differences.slice(0, 5)).toEqual([]);
});
