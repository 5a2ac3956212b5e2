import { describe, expect, it } from 'vitest';
import { assign, fromCallback, setup, type AnyEventObject, type AnyStateMachine } from 'xstate';
import { effects } from '../../../machines/kernel/effects.ts';
import type { Sample } from '../../stage/samples/sample.ts';
import { stateSpaceOf } from '../../stage/state-space.ts';
import { ignoredOrders, unawaited, unheardEnds, walkOut, type ChartInvariant } from './chart-walks.ts';

const parts = setup({
  types: { context: {} as { isFull: boolean }, events: {} as AnyEventObject },
  actors: { port: fromCallback(() => {}) },
  actions: effects,
  guards: { hasRoom: ({ context }) => !context.isFull },
  delays: { soon: 1 },
});
const chart = (id: string, rest: object): AnyStateMachine =>
  parts.createMachine({ id, context: { isFull: false }, ...rest } as never) as unknown as AnyStateMachine;
const dock = { type: 'open', params: { kind: 'boat', key: 'b', input: {} } } as const;
const question = { type: 'request', params: { id: 'q', target: 's', method: 'm' } } as const;
const said = (...events: string[]): Record<string, readonly object[]> =>
  Object.fromEntries(events.map((type) => [type, [{}]]));
const judged = (invariant: ChartInvariant, machine: AnyStateMachine, sample: Partial<Sample>): string[] =>
  invariant(stateSpaceOf(machine.id, machine, { input: {}, orders: {}, ...sample }));

it('no order is ignored: each state says what it does, {} among it', () => {
  const harbour = (moored: object) =>
    chart('harbour', {
      initial: 'empty',
      states: { empty: { on: { 'boat.moor': 'taken' } }, taken: { on: { 'boat.moor': moored } } },
    });
  const orders = said('boat.moor');
  expect(judged(ignoredOrders, harbour({}), { orders })).toEqual([]);
  expect(judged(ignoredOrders, harbour([]), { orders })).toEqual(['harbour: taken ignores boat.moor']);
  const jetty = chart('jetty', {
    on: { 'boat.moor': { guard: 'hasRoom', actions: assign({ isFull: true }) } },
  });
  const sample = { orders, tellApart: (c: Record<string, unknown>) => c['isFull'] };
  expect(judged(ignoredOrders, jetty, sample)).toEqual(['jetty: (any) ignores boat.moor at times']);
});

it('an owner hears how each of its roots ends, and that a second of one key was refused', () => {
  const owner = (on: object, again: object = {}) =>
    chart('owner', {
      initial: 'empty',
      states: {
        empty: { on: { 'boat.moor': { target: 'docked', actions: dock } } },
        docked: { on: { ...on, 'boat.moor': again } },
      },
    });
  const orders = said('boat.moor');
  const done = { guard: ({ event }: { event: AnyEventObject }) => event['why'] === 'done', target: 'empty' };
  const heard = { 'owned.ended': 'empty', 'open.refused': {} };
  expect(judged(unheardEnds, owner(heard, { actions: dock }), { orders })).toEqual([]);
  expect(judged(unheardEnds, owner({ 'owned.ended': done }), { orders })).toEqual([
    'owner: (any) does not hear that its boat ended as closed',
    'owner: (any) does not hear that its boat ended as failed',
  ]);
  const deaf = owner({ 'owned.ended': 'empty' }, { actions: dock });
  expect(judged(unheardEnds, deaf, { orders })).toEqual([
    'owner: (any) does not hear that a boat of this key lives already',
  ]);
});

describe('the check that no machine waits for ever', () => {
  const standby = (state: object) =>
    chart('standby', {
      initial: 'waiting',
      on: { close: '.closed' },
      states: { waiting: state, left: { type: 'final' }, closed: { type: 'final' } },
    });
  const leaves = { port: [{ type: 'port.opened' }] };
  const answers = [{ type: 'ask.answered', result: 1 }];
  const owned = { boat: { says: [{ type: 'boat.sailed' }] } };
  const deadline = { type: 'setDeadline', params: { ms: 1 } };
  const sailed = { 'boat.sailed': 'left', 'owned.ended': { actions: dock } };

  it.each<[string, object, Partial<Sample>]>([
    ['a timer', { after: { soon: 'left' } }, {}],
    ['a deadline', { entry: deadline, on: { 'deadline.passed': 'left' } }, {}],
    ['an order', { on: { 'rest.end': 'left' } }, { orders: said('rest.end', 'close') }],
    [
      'a fact of its port',
      { invoke: { id: 'port', src: 'port' }, on: { 'port.opened': 'left' } },
      { leaves },
    ],
    ['an answer', { entry: question, on: { 'ask.answered': 'left' } }, { answers }],
    ['news of a root that it owns', { entry: dock, on: sailed }, { owned }],
  ])('passes where %s leads on', (_, state, sample) => {
    expect(judged(unawaited, standby(state), sample)).toEqual([]);
  });

  it.each<[string, object, Partial<Sample>]>([
    ['nothing but close', {}, { orders: said('close') }],
    ['a timer that leads nowhere', { after: { soon: {} } }, {}],
    ['a deadline that was never set', { on: { 'deadline.passed': 'left' } }, {}],
    ['a fact of a port that is not open', { on: { 'port.opened': 'left' } }, { leaves }],
    ['an answer to no question', { on: { 'ask.answered': 'left' } }, { answers }],
    ['news of a root that does not live', { on: { 'boat.sailed': 'left' } }, { owned }],
  ])('names a state that waits for %s', (_, state, sample) => {
    expect(judged(unawaited, standby(state), sample)).toEqual(['standby: (any) waits for nobody']);
  });
});

describe('the walk out', () => {
  const events = [{ type: 'open' }];
  const closing = (on: object, more: object = {}) =>
    chart('door', {
      initial: 'idle',
      states: {
        idle: { on: { close: 'closing' } },
        closing: { on, after: { soon: 'closed' } },
        closed: { type: 'final' },
        ...more,
      },
    });

  it('finds nothing in a machine that close alone ends from everywhere', () => {
    const walk = walkOut(closing({}), { events, meanwhile: events });
    expect(walk.withoutWayOut).toEqual([]);
    expect([...walk.reached]).toEqual(expect.arrayContaining(['idle']));
  });

  it.each<[string, AnyStateMachine, string]>([
    ['an event takes a close back', closing({ open: 'idle' }), '"idle", after close → open'],
    ['a second close leads astray', closing({ close: 'lost' }, { lost: {} }), '"lost", after close → close'],
    ['close is ignored', chart('deaf', { on: { open: {} } }), '{}, after close'],
  ])('says how to get where %s', (_, machine, where) => {
    expect(walkOut(machine, { events, meanwhile: events }).withoutWayOut).toContain(where);
  });

  it('refuses to pass when it had to stop early', () => {
    const many = chart('many', {
      initial: 'a',
      states: { a: { on: { open: 'b' } }, b: { on: { open: 'c' } }, c: {} },
    });
    expect(() => walkOut(many, { events, limit: 2 })).toThrow('more than 2 states');
  });
});
