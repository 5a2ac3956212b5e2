/** Each invariant of charts finds a violation in a small machine that violates it, and in no other. */
import { describe, expect, it } from 'vitest';
import { assign, fromCallback, fromPromise, setup, type AnyEventObject, type AnyStateMachine } from 'xstate';
import { effects } from '../../../machines/kernel/effects.ts';
import { processPort } from '../../../machines/kernel/ports.ts';
import { ignoredOrders, unawaited, unheardEnds, type ChartInvariant } from './chart-invariants.ts';
import { invokesOf, unheardInvokes } from './invokes.ts';
import { stateSpaceOf } from '../../stage/state-space.ts';
import type { Sample } from '../../stage/samples/sample.ts';

const parts = setup({
  types: { context: {} as { isFull: boolean }, events: {} as AnyEventObject },
  actors: { port: fromCallback(() => {}), process: processPort, promise: fromPromise(async () => 1) },
  actions: effects,
  guards: { hasRoom: ({ context }) => !context.isFull },
  delays: { soon: 1 },
});
const isFull = { isFull: false };
const dock = { type: 'open', params: { kind: 'boat', key: 'b', input: {} } } as const;
const question = { type: 'request', params: { id: 'q', target: 's', method: 'm' } } as const;
const said = (events: readonly string[]): Record<string, readonly object[]> =>
  Object.fromEntries(events.map((type) => [type, [{}]]));
const judged = (invariant: ChartInvariant, machine: unknown, sample: Partial<Sample>): string[] => {
  const chart = machine as AnyStateMachine;
  return invariant(stateSpaceOf(chart.id, chart, { input: {}, orders: {}, ...sample }));
};

describe('no order is ignored', () => {
  const harbour = (moored: object) =>
    parts.createMachine({
      id: 'harbour',
      context: isFull,
      initial: 'open',
      states: {
        open: {
          initial: 'empty',
          states: { empty: { on: { 'boat.moor': 'taken' } }, taken: { on: { 'boat.moor': moored } } },
          on: { close: '#harbour.closed' },
        },
        closed: { type: 'final' },
      },
    } as never);
  const orders = said(['boat.moor', 'close']);

  it('holds where each state says what it does, {} among it', () => {
    expect(judged(ignoredOrders, harbour({}), { orders })).toEqual([]);
  });
  it('names a state that does not know an order', () => {
    const deaf = judged(ignoredOrders, harbour([]), { orders });
    expect(deaf).toEqual(['harbour: open.taken ignores boat.moor']);
  });
  it('names the highest state in which it is so everywhere', () => {
    const more = { orders: { ...orders, ...said(['boat.sink']) } };
    expect(judged(ignoredOrders, harbour({}), more)).toEqual(['harbour: (any) ignores boat.sink']);
  });
  it('says so where it depends on what the machine remembers', () => {
    const jetty = parts.createMachine({
      id: 'jetty',
      context: isFull,
      on: { 'boat.moor': { guard: 'hasRoom', actions: assign({ isFull: true }) } },
    });
    const sample = { orders: said(['boat.moor']), tellApart: (c: Record<string, unknown>) => c.isFull };
    expect(judged(ignoredOrders, jetty, sample)).toEqual(['jetty: (any) ignores boat.moor at times']);
  });
});

describe('an owner hears how each of its roots ends', () => {
  const owner = (on: object, docked: object = {}) =>
    parts.createMachine({
      id: 'owner',
      context: isFull,
      initial: 'empty',
      states: {
        empty: { on: { 'boat.moor': { target: 'docked', actions: dock } } },
        docked: { on: { ...on, 'boat.moor': docked } },
      },
    } as never);
  const orders = said(['boat.moor']);

  it('holds where every end is heard while it may come, and needs no ear before', () => {
    expect(judged(unheardEnds, owner({ 'owned.ended': 'empty' }), { orders })).toEqual([]);
  });
  it('names an end that nobody hears, by why it came', () => {
    const ended = { guard: ({ event }: { event: AnyEventObject }) => event.why === 'done', target: 'empty' };
    expect(judged(unheardEnds, owner({ 'owned.ended': ended }), { orders })).toEqual([
      'owner: (any) does not hear that its boat ended as closed',
      'owner: (any) does not hear that its boat ended as failed',
    ]);
  });
  it('names a second opening under the same key whose refusal nobody hears', () => {
    const twice = { 'owned.ended': 'empty' };
    expect(judged(unheardEnds, owner(twice, { actions: dock }), { orders })).toEqual([
      'owner: (any) does not hear that a boat of this key lives already',
    ]);
    const heard = owner({ ...twice, 'open.refused': {} }, { actions: dock });
    expect(judged(unheardEnds, heard, { orders })).toEqual([]);
  });
});

describe('an actor that a chart invokes', () => {
  const invoking = (invoke: object) =>
    parts.createMachine({
      id: 'invoking',
      context: isFull,
      initial: 'up',
      states: { up: { invoke }, down: {} },
    } as never) as unknown as AnyStateMachine;

  it('may be a port: that is never done, and fails its machine', () => {
    const machine = invoking({ id: 'child', src: 'process' });
    expect(invokesOf(machine)).toMatchObject([{ state: 'up', id: 'child', src: 'process', isPort: true }]);
    expect(unheardInvokes(machine)).toEqual([]);
  });
  it('has its done and its error declared when it is none', () => {
    expect(unheardInvokes(invoking({ id: 'work', src: 'promise', onDone: 'down' }))).toEqual([
      'invoking: up does not hear the error of work',
    ]);
    expect(unheardInvokes(invoking({ id: 'work', src: 'port' }))).toHaveLength(2);
    expect(unheardInvokes(invoking({ id: 'work', src: 'promise', onDone: 'down', onError: 'down' }))).toEqual(
      [],
    );
  });
});

describe('no machine waits for ever', () => {
  const standby = (state: object) =>
    parts.createMachine({
      id: 'standby',
      context: isFull,
      initial: 'waiting',
      on: { close: '.closed' },
      states: { waiting: state, left: { type: 'final' }, closed: { type: 'final' } },
    } as never);
  const leaves = { port: [{ type: 'port.opened' }] };
  const answers = [{ type: 'ask.answered', result: 1 }];
  const owned = { boat: { says: [{ type: 'boat.sailed' }] } };
  const stuck = ['standby: (any) waits for nobody'];

  it.each<[string, object, Partial<Sample>]>([
    ['a timer', { after: { soon: 'left' } }, {}],
    [
      'a deadline',
      { entry: { type: 'setDeadline', params: { ms: 1 } }, on: { 'deadline.passed': 'left' } },
      {},
    ],
    ['an order', { on: { 'rest.end': 'left' } }, { orders: said(['rest.end', 'close']) }],
    [
      'a fact of its port',
      { invoke: { id: 'port', src: 'port' }, on: { 'port.opened': 'left' } },
      { leaves },
    ],
    ['an answer', { entry: question, on: { 'ask.answered': 'left' } }, { answers }],
    [
      'news of a root that it owns',
      { entry: dock, on: { 'boat.sailed': 'left', 'owned.ended': { actions: dock } } },
      { owned },
    ],
    ['the end of a root that it owns', { entry: dock, on: { 'owned.ended': 'left' } }, {}],
  ])('holds where %s leads on', (_, state, sample) => {
    expect(judged(unawaited, standby(state), sample)).toEqual([]);
  });

  it.each<[string, object, Partial<Sample>]>([
    ['nothing but close', {}, { orders: said(['close']) }],
    ['a timer that leads nowhere', { after: { soon: {} } }, {}],
    ['a deadline that was never set', { on: { 'deadline.passed': 'left' } }, {}],
    ['a fact of a port that is not open', { on: { 'port.opened': 'left' } }, { leaves }],
    ['an answer to no question', { on: { 'ask.answered': 'left' } }, { answers }],
    [
      'an answer to a question that was withdrawn',
      { entry: [question, { type: 'cancel', params: { id: 'q' } }], on: { 'ask.answered': 'left' } },
      { answers },
    ],
    [
      'news of a root that may have ended',
      { entry: dock, on: { 'boat.sailed': 'left', 'owned.ended': {} } },
      { owned },
    ],
    ['news of a root that does not live', { on: { 'boat.sailed': 'left' } }, { owned }],
    ['a fact of somebody else', { on: { 'other.spoke': 'left' } }, { told: [{ type: 'other.spoke' }] }],
  ])('names a state that waits for %s', (_, state, sample) => {
    expect(judged(unawaited, standby(state), sample).map((told) => told.replace(' at times', ''))).toEqual(
      stuck,
    );
  });
});
