import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assign as theirs, initialTransition, setup, transition } from 'xstate';
import { assign } from './assign.ts';

type Memory = Readonly<Record<string, number> & { f0: number }>;
/** Says what to remember: as a function of what there is, and field by field. */
const machineOf = (remember: typeof theirs, fields: number) =>
  setup({
    types: {
      context: {} as Memory,
      events: {} as { type: 'add' | 'set'; field: string; n: number },
    },
    actions: {
      add: remember(({ context, event: { field, n } }) => ({ [field]: (context[field] ?? 0) + n })),
      set: remember({ f0: ({ event }) => event.n, f1: 7 }),
      given: remember((_, { n }: { n: number }) => ({ f2: n })),
    },
  }).createMachine({
    context: { f0: 0, ...Object.fromEntries(Array.from({ length: fields }, (_, n) => [`f${n}`, n])) },
    initial: 'odd',
    on: { set: { actions: 'set' } },
    states: {
      odd: { tags: 'one', on: { add: { target: 'even', actions: 'add' } } },
      even: {
        on: { add: { target: 'odd', actions: ['add', { type: 'given', params: ({ event }) => event }] } },
      },
    },
  });
const event = fc.record({
  type: fc.constantFrom('add' as const, 'set' as const),
  field: fc.constantFrom('f0', 'f1', 'f2'),
  n: fc.integer(),
});

describe('assign', () => {
  it('leaves the same snapshot as that of XState, whatever happens and however much is remembered', () => {
    fc.assert(
      fc.property(fc.array(event), fc.integer({ min: 3, max: 40 }), (events, fields) => {
        const [ours, xstates] = [assign, theirs].map((remember) => {
          const machine = machineOf(remember, fields);
          let [snapshot] = initialTransition(machine);
          for (const each of events) [snapshot] = transition(machine, snapshot, each);
          return snapshot;
        });
        expect(ours?.toJSON()).toEqual(xstates?.toJSON());
        expect([ours?.hasTag('one'), ours?.matches('odd')]).toEqual([
          xstates?.hasTag('one'),
          xstates?.matches('odd'),
        ]);
      }),
    );
  });
  it('changes nothing of the snapshot before it', () => {
    const machine = machineOf(assign, 30);
    const [before] = initialTransition(machine);
    const { context } = before;
    const [after] = transition(machine, before, { type: 'set', field: 'f0', n: 5 });
    expect(before.context).toBe(context);
    expect([context['f0'], after.context['f0']]).toEqual([0, 5]);
  });
  it('is told of by a chart as that of XState is', () => {
    const [ours, xstates] = [assign({ a: 1 }), theirs({ a: 1 })];
    expect(Object.keys(ours)).toEqual(Object.keys(xstates));
    expect((ours as { type?: string }).type).toBe('xstate.assign');
  });
});
