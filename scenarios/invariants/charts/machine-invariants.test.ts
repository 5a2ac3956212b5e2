/** What the chart of every machine keeps to, decided by walking it through its whole life. */
import { describe, expect, test } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { machines } from '../../../actors/runtime/assemble.ts';
import { statesOf, transitionsOf } from '../../../actors/runtime/charts.ts';
import { walkOut } from './charts.ts';
import { ignoredOrders, unawaited, unheardEnds, type ChartInvariant } from './chart-invariants.ts';
import { unheardInvokes } from './invokes.ts';
import { everythingFor, stateSpaceOf, type StateSpace } from '../../stage/state-space.ts';
import { heldTo } from './reasons.ts';
import { samples } from '../../stage/samples/index.ts';
import { placed } from '../../stage/samples/sample.ts';

const spaces = Object.entries(samples).map(([kind, sample]) =>
  stateSpaceOf(kind, machines[kind] as AnyStateMachine, sample),
);
const violationsOf = (invariant: ChartInvariant): string[] => spaces.flatMap(invariant).sort();

describe('the whole state space of every machine is explored', () => {
  test('from a sample of its own', () => {
    expect(Object.keys(samples).toSorted()).toEqual(Object.keys(machines).toSorted());
  });
  test('and has every state, except those in which no machine stays', () => {
    for (const { machine, stops, sample } of spaces) {
      const ends = statesOf(machine).filter(
        (state) => machine.getStateNodeById(`${machine.id}.${state}`).type === 'final',
      );
      const seen = new Set(
        stops.flatMap(({ snapshot }) => snapshot._nodes.map(({ path }) => path.join('.'))),
      );
      const missed = statesOf(machine).filter((state) => !seen.has(state) && !ends.includes(state));
      expect(missed, machine.id).toEqual(sample.passedThrough ?? []);
    }
  });
  test('and has every transition that an event can take: one that no sample takes is dead code', () => {
    // One chart may live under several kinds, each of which takes its own ways through it.
    const taken = new Set(spaces.flatMap((space) => [...space.taken]));
    const sent = spaces.flatMap(({ machine }) => transitionsOf(machine));
    const missed = sent.filter((each) => !each.includes('--always') && !taken.has(each));
    expect([...new Set(missed)]).toEqual([]);
  });
});

test.each(['desktop', 'finder', 'cache', 'catalog', 'client'])(
  'a %s can be connecting, ready, refreshing, closing, and killed in the end',
  (of) => {
    const { machine, stops, taken } = spaces.find(({ kind }) => kind === of) as StateSpace;
    const lived = new Set(stops.flatMap(({ snapshot }) => [...snapshot.tags]));
    expect([...lived].toSorted()).toEqual(['closing', 'connecting', 'ready', 'refreshing']);
    expect([...machine.getStateNodeById(`${machine.id}.killed`).tags]).toEqual(['killed']);
    expect([...taken].filter((each) => each.endsWith('> killed'))).not.toEqual([]);
  },
);

test.each(['desktop', 'finder', 'cache', 'catalog', 'client'])(
  'a %s can be connecting, ready, refreshing, closing, and killed in the end',
  (of) => {
    const { machine, stops, taken } = spaces.find(({ kind }) => kind === of) as StateSpace;
    const lived = new Set(stops.flatMap(({ snapshot }) => [...snapshot.tags]));
    expect([...lived].toSorted()).toEqual(['closing', 'connecting', 'ready', 'refreshing']);
    expect([...machine.getStateNodeById(`${machine.id}.killed`).tags]).toEqual(['killed']);
    expect([...taken].filter((each) => each.endsWith('> killed'))).not.toEqual([]);
  },
);

test('no order is ignored: each state says what it does upon it, or that it does nothing', () => {
  expect(heldTo('ignored', violationsOf(ignoredOrders))).toEqual([]);
});

describe('every child has its done and its error handled', () => {
  test('an invoked actor that can be done is heard when it is, and when it fails; a port fails its machine', () => {
    expect(Object.values(machines).flatMap(unheardInvokes)).toEqual([]);
  });
  test('a machine opens what there is, and whoever can be opened twice has its refusal handled', () => {
    const opened = spaces.flatMap(({ opens }) => [...opens.values()]);
    expect([...new Set(opened)].filter((kind) => !(kind in machines))).toEqual([]);
    // A check that saw nothing must not pass: whoever is no root of a host is opened by a machine.
    const hosted = ['agent', 'computer', 'office', 'registry', 'settings'];
    expect([...new Set(opened), ...hosted].toSorted()).toEqual(Object.keys(machines).toSorted());
  });
  test('an owner hears how each of its roots ends, done, failed or closed, wherever it may be by then', () => {
    expect(heldTo('unheard', violationsOf(unheardEnds))).toEqual([]);
  });
});

test('no machine waits for ever: in each state a timer runs, an order leads on, or a fact of somebody who is alive', () => {
  expect(heldTo('unawaited', violationsOf(unawaited))).toEqual([]);
});

describe('from every state, close and timers alone lead to an end, whatever else is said meanwhile', () => {
  test.each(Object.keys(samples).map((kind, n) => [kind, spaces[n] as StateSpace] as const))(
    '%s',
    (_kind, space) => {
      const { machine, sample } = space;
      const events = everythingFor(space);
      const { notAfterClose = [], passedThrough = [], tellApart } = sample;
      const walk = walkOut(machine, {
        input: { ...placed, ...sample.input },
        events,
        meanwhile: events.filter(({ type }) => !notAfterClose.includes(type)),
        timers: [{ type: 'deadline.passed' }],
        ...(tellApart && { tellApart }),
      } as never);
      expect(walk.withoutWayOut).toEqual([]);
      expect(statesOf(machine).filter((state) => !walk.reached.has(state))).toEqual(passedThrough);
    },
  );
});
