import { assign, createActor, fromCallback, setup, type AnyStateMachine, type AnyEventObject } from 'xstate';
import { describe, expect, it } from 'vitest';
import { chartText, statesOf, namesOf, transitionsOf } from '../../../actors/runtime/charts.ts';
import { walkOut } from './charts.ts';

const parts = setup({
  types: {
    context: {} as { tries: number },
    events: {} as { type: 'open' } | { type: 'close' } | { type: 'lost'; times: number } | { type: 'noted' },
  },
  actors: { port: fromCallback(() => {}) },
  guards: { canRetry: ({ context }) => context.tries < 2 },
  delays: { backoff: 100, grace: 50 },
  actions: {
    count: assign(({ context }) => ({ tries: context.tries + 1 })),
    note: () => {},
  },
});

/** A small client: everything a chart can declare, and a way out of everywhere. */
const good = parts.createMachine({
  id: 'toy',
  context: { tries: 0 },
  initial: 'idle',
  on: { close: '.closing' },
  states: {
    idle: { on: { open: 'open' } },
    open: {
      initial: 'steady',
      invoke: { src: 'port', id: 'line', onDone: 'closed', onError: 'waiting' },
      on: { lost: [{ guard: 'canRetry', target: 'waiting', actions: 'count' }, { target: 'closed' }] },
      onDone: 'closed',
      states: { steady: { on: { noted: { actions: 'note' } } }, over: { type: 'final' } },
    },
    waiting: { after: { backoff: 'open' } },
    closing: { always: { guard: 'canRetry', target: 'draining' }, after: { grace: 'closed' } },
    draining: { on: { close: {} }, after: { grace: 'closed' } },
    closed: { type: 'final' },
  },
});

/** The same with a corner that close leads into and nothing leads out of. */
const trapped = parts.createMachine({
  id: 'trap',
  context: { tries: 0 },
  initial: 'idle',
  states: {
    idle: { on: { open: 'open', close: 'closed' } },
    open: { on: { close: 'closing', lost: 'idle' } },
    closing: { after: { grace: 'stuck' } },
    stuck: { on: { lost: 'closed' } },
    closed: { type: 'final' },
  },
});

describe('a chart', () => {
  it('names every state', () => {
    const states = ['idle', 'open', 'open.steady', 'open.over', 'waiting', 'closing', 'draining', 'closed'];
    expect(statesOf(good)).toEqual(states);
  });

  it('names every declared transition once', () => {
    expect(transitionsOf(good)).toEqual([
      'toy: (any) --close--> closing',
      'toy: idle --open--> open',
      'toy: open --lost [canRetry]--> waiting',
      'toy: open --lost--> closed',
      'toy: open --onDone--> closed',
      'toy: open --done(line)--> closed',
      'toy: open --error(line)--> waiting',
      'toy: open.steady --noted--> .',
      'toy: waiting --after backoff--> open',
      'toy: closing --after grace--> closed',
      'toy: closing --always [canRetry]--> draining',
      'toy: draining --close--> .',
      'toy: draining --after grace--> closed',
    ]);
    expect(new Set(transitionsOf(good)).size).toBe(transitionsOf(good).length);
  });

  it('tells two transitions apart that read the same', () => {
    const twice = parts.createMachine({
      id: 'twice',
      context: { tries: 0 },
      on: { open: [{ guard: () => false }, { guard: () => true }] },
    });
    const ids = ['twice: (any) --open [guard]--> .', 'twice: (any) --open [guard]--> . (2)'];
    expect(transitionsOf(twice)).toEqual(ids);
    expect(taken(twice, [{ type: 'open' }])).toEqual([ids[1]]);
  });

  it('has a text that changes with the chart and with nothing else', () => {
    expect(chartText(good.provide({ actions: { note: () => {} } }))).toBe(chartText(good));
    expect(chartText(trapped)).not.toBe(chartText(good));
  });
});

const taken = (machine: AnyStateMachine, events: readonly AnyEventObject[]): string[] => {
  const ids: string[] = [];
  const actor = createActor(machine, {
    inspect: (seen) => void (seen.type === '@xstate.microstep' && ids.push(...namesOf(seen._transitions))),
  }).start();
  for (const event of events) actor.send(event);
  actor.stop();
  return ids;
};

describe('the transitions that were taken', () => {
  it('have the ids that the chart declares, also of a provided machine', () => {
    const run = taken(good.provide({ actions: { note: () => {} } }), [
      { type: 'open' },
      { type: 'noted' },
      { type: 'lost', times: 1 },
      { type: 'close' },
      { type: 'close' },
    ]);
    expect(run).toEqual([
      'toy: idle --open--> open',
      'toy: open.steady --noted--> .',
      'toy: open --lost [canRetry]--> waiting',
      'toy: (any) --close--> closing',
      'toy: closing --always [canRetry]--> draining',
      'toy: draining --close--> .',
    ]);
    expect(transitionsOf(good)).toEqual(expect.arrayContaining(run));
  });
});

describe('the walk out', () => {
  const events = [{ type: 'open' }, { type: 'noted' }, { type: 'lost', times: 1 }] as const;

  it('finds nothing in a machine that close alone ends from everywhere', () => {
    const walk = walkOut(good, { events, tellApart: ({ tries }) => tries });
    expect(walk.withoutWayOut).toEqual([]);
    expect(walk.explored).toBeGreaterThanOrEqual(6);
    expect([...walk.reached]).toEqual(expect.arrayContaining(['idle', 'open.steady', 'waiting', 'closed']));
  });

  it('reports a corner that only an event would open, and how to get there', () => {
    const { withoutWayOut } = walkOut(trapped, { events });
    expect(withoutWayOut).toContain('"stuck", after open → close → xstate.after.grace.trap.closing');
    expect(withoutWayOut.every((state) => /^"(stuck|closing)"/.test(state))).toBe(true);
  });

  it('takes timers that are not of the chart when it is told of them', () => {
    expect(walkOut(trapped, { events, timers: [{ type: 'lost', times: 1 }] }).withoutWayOut).toEqual([]);
  });

  it('reports a close that something said meanwhile takes back', () => {
    const fickle = parts.createMachine({
      id: 'fickle',
      context: { tries: 0 },
      initial: 'idle',
      states: {
        idle: { on: { close: 'closing' } },
        closing: { on: { open: 'idle' }, after: { grace: 'closed' } },
        closed: { type: 'final' },
      },
    });
    expect(walkOut(fickle, { events }).withoutWayOut).toEqual([]);
    expect(walkOut(fickle, { events, meanwhile: events }).withoutWayOut).toEqual([
      '"idle", after close → open',
    ]);
  });

  it('reports a second close that leads astray', () => {
    const nervous = parts.createMachine({
      id: 'nervous',
      context: { tries: 0 },
      initial: 'idle',
      states: {
        idle: { on: { close: 'closing' } },
        closing: { on: { close: 'confused' }, after: { grace: 'closed' } },
        confused: {},
        closed: { type: 'final' },
      },
    });
    expect(walkOut(nervous, { events }).withoutWayOut).toEqual(['"confused", after close → close']);
  });

  it('reports a machine that ignores close, and one that throws', () => {
    const deaf = parts.createMachine({
      id: 'deaf',
      context: { tries: 0 },
      on: { open: { actions: 'note' } },
    });
    expect(walkOut(deaf, { events }).withoutWayOut).toEqual(['{}, after close']);
    const rude = parts.createMachine({
      id: 'rude',
      context: { tries: 0 },
      initial: 'up',
      states: {
        up: { on: { close: { guard: () => JSON.parse('{') as boolean, target: 'down' } } },
        down: {},
      },
    });
    expect(walkOut(rude, { events }).withoutWayOut[0]).toMatch(/^"up", after the start: close throws/);
  });

  it('refuses to pass when it had to stop early', () => {
    expect(() => walkOut(good, { events, limit: 2 })).toThrow('more than 2 states');
  });
});
