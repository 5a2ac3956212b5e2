import { describe, expect, test } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { machines } from '../../../actors/kinds/all.ts';
import { statesOf, transitionsOf } from '../../../actors/runtime/charts.ts';
import { ignoredOrders, unawaited, unheardEnds, walkOut, type ChartInvariant } from './chart-walks.ts';
import { everythingFor, stateSpaceOf, type StateSpace } from '../../stage/state-space.ts';
import { samples } from '../../stage/samples/index.ts';
import { placed } from '../../stage/samples/sample.ts';

const spaces = Object.entries(samples).map(([kind, sample]) =>
  stateSpaceOf(kind, machines[kind] as AnyStateMachine, sample),
);
const violationsOf = (invariant: ChartInvariant): string[] => spaces.flatMap(invariant).sort();

describe('the whole state space of every machine', () => {
  test('is explored from a sample of its own', () => {
    expect(Object.keys(samples).toSorted()).toEqual(Object.keys(machines).toSorted());
  });
  test('has every state, except those in which no machine stays', () => {
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
  test('has every transition that an event can take: one that no sample takes is dead code', () => {
    // One chart may be used for several kinds, and each takes other transitions of it.
    const taken = new Set(spaces.flatMap((space) => [...space.taken.keys()]));
    const sent = spaces.flatMap(({ machine }) => transitionsOf(machine));
    const missed = sent.filter((each) => !each.includes('--always') && !taken.has(each));
    expect([...new Set(missed)]).toEqual([]);
  });
});

test.each(['client'])('a %s can be connecting, ready, refreshing, closing, and killed in the end', (of) => {
  const { machine, stops, taken } = spaces.find(({ kind }) => kind === of) as StateSpace;
  const lived = new Set(stops.flatMap(({ snapshot }) => [...snapshot.tags]));
  expect([...lived].toSorted()).toEqual(['closing', 'connecting', 'ready', 'refreshing']);
  expect([...machine.getStateNodeById(`${machine.id}.killed`).tags]).toEqual(['killed']);
  expect([...taken.keys()].filter((each) => each.endsWith('> killed'))).not.toEqual([]);
});

test('no order is ignored: each state says what it does upon it, or that it does nothing', () => {
  expect(violationsOf(ignoredOrders)).toEqual([]);
});

describe('roots that a machine opens', () => {
  test('are of kinds that there are, and every kind but those of hosts is opened by a machine', () => {
    const opened = spaces.flatMap(({ opens }) => [...opens.values()]);
    expect([...new Set(opened)].filter((kind) => !(kind in machines))).toEqual([]);
    const hosted = ['agent', 'computer', 'office', 'settings'];
    expect([...new Set(opened), ...hosted].toSorted()).toEqual(Object.keys(machines).toSorted());
  });
  test('end in a way that their owner hears, done, failed or closed, in any of its states', () => {
    // The key of a seat is the id of its socket, which Socket.IO gives once.
    const known = ['office: (any) does not hear that a seat of this key lives already'];
    expect(violationsOf(unheardEnds)).toEqual(known);
  });
});

test('no machine waits for ever: in each state a timer runs, an order leads on, or a fact of somebody who is alive', () => {
  // A seat waits for its office, which answers each claim when its register has answered or failed to.
  expect(violationsOf(unawaited)).toEqual(['seat: asking waits for nobody at times']);
});

describe('an end from every state', () => {
  test.each(Object.keys(samples).map((kind, n) => [kind, spaces[n] as StateSpace] as const))(
    'is reached by close and timers alone, whatever else is said meanwhile: %s',
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
