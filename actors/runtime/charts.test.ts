import { assign, createActor, fromCallback, setup, type AnyEventObject, type AnyStateMachine } from 'xstate';
import { describe, expect, it } from 'vitest';
import { chartOf, chartText, namesOf, statesOf, transitionsOf } from './charts.ts';
import { chartSchema } from '../../machines/trace/chart.ts';
import { machines } from '../kinds/all.ts';

const parts = setup({
  types: {
    context: {} as { tries: number },
    events: {} as { type: 'open' } | { type: 'close' } | { type: 'lost'; times: number } | { type: 'noted' },
  },
  actors: { port: fromCallback(() => {}) },
  guards: { canRetry: ({ context }) => context.tries < 2 },
  delays: { backoff: 100, grace: 50 },
  actions: { count: assign(({ context }) => ({ tries: context.tries + 1 })), note: () => {} },
});

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

/** Example chart that `close` can lead into the state `stuck`, which it cannot leave by itself. */
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

const charts = Object.entries(machines).map(([kind, machine]) => ({
  kind,
  machine,
  chart: chartOf(kind, machine, (text) => String(text.length)),
}));

describe('a chart as data', () => {
  it.each(charts)('names for $kind every state and every transition as traces do', ({ machine, chart }) => {
    expect(chartSchema.parse(chart)).toEqual(chart);
    expect(chart.nodes.map(({ path }) => path)).toEqual(['(any)', ...statesOf(machine)]);
    expect(chart.transitions.map(({ id }) => id)).toEqual(transitionsOf(machine));
  });

  it.each(charts)('leads for $kind from states to states that it has', ({ chart }) => {
    const paths = new Set(chart.nodes.map(({ path }) => path));
    const named = chart.transitions.flatMap(({ from, to }) => [from, ...to]);
    const initial = chart.nodes.flatMap((node) => node.initial);
    expect([...named, ...initial].filter((path) => !paths.has(path))).toEqual([]);
  });

  it('tells what people look for: delays, guards, tags and ports by name', () => {
    const connection = charts.find(({ kind }) => kind === 'connection')?.chart;
    const delays = connection?.transitions.flatMap(({ delay = [] }) => delay);
    expect(delays).toEqual(expect.arrayContaining(['connectTimeout', 'exitGrace']));
    expect(connection?.transitions.some(({ guard }) => guard !== undefined)).toBe(true);
    expect(connection?.nodes.some(({ tags }) => tags.includes('ready'))).toBe(true);
    expect(connection?.nodes.flatMap(({ invoke }) => invoke.map(({ src }) => src))).toContain('session');
  });
});
