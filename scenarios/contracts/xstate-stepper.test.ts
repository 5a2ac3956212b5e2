import { describe, expect, it } from 'vitest';
import {
  and,
  assign,
  cancel,
  createActor,
  createMachine,
  emit,
  enqueueActions,
  fromCallback,
  not,
  or,
  raise,
  sendTo,
  setup,
  spawnChild,
  stateIn,
  stopChild,
  type AnyStateMachine,
  type AnyStateNode,
} from 'xstate';

/** A version of XState that changes one of these needs a change of actors/runtime/stepper first (`lockstep`). */
const machine = setup({
  actors: { port: fromCallback(() => {}) },
  guards: { isCold: () => true },
  actions: { ring: () => {} },
  delays: { long: 10 },
}).createMachine({
  id: 'oven',
  context: { heat: 0 },
  initial: 'off',
  states: {
    off: {
      tags: ['cold'],
      entry: 'ring',
      exit: ['ring', { type: 'ring' }],
      always: { guard: { type: 'isCold' }, target: 'on.2' },
    },
    on: {
      type: 'parallel',
      invoke: { src: 'port', id: 'plug' },
      on: { cool: { target: '#oven.off', actions: 'ring', reenter: true }, wait: {} },
      onDone: 'over',
      after: { long: 'off' },
      states: { a: { initial: 'b', states: { b: { type: 'final' } } }, 2: {} },
    },
    over: { type: 'final', output: 1 },
  },
}) as AnyStateMachine;
const nodeOf = (path: string): AnyStateNode => machine.getStateNodeById(`oven${path}`);
const { root } = machine;

describe('a state of a chart', () => {
  it('has its type, its place in the order of the chart, its parent and its children', () => {
    const on = nodeOf('.on');
    const [names, types, order] = [Object.keys(on.states), ['', '.off', '.on', '.over', '.on.2'], []];
    expect(types.map((path) => nodeOf(path).type)).toEqual([
      'compound',
      'atomic',
      'parallel',
      'final',
      'atomic',
    ]);
    expect(
      ['', '.off', '.on', '.on.2', '.on.a', '.on.a.b', '.over'].map((path) => nodeOf(path).order),
    ).toEqual([0, 1, 2, 3, 4, 5, 6].concat(order));
    expect(names, 'names that look like numbers come first').toEqual(['2', 'a']);
    expect([on.parent, root.parent, on.key, on.path]).toEqual([root, undefined, 'on', ['on']]);
  });

  it('has its actions, its actors, its tags and its output', () => {
    const [off, on, over] = [nodeOf('.off'), nodeOf('.on'), nodeOf('.over')];
    expect([off.entry, off.exit, off.tags]).toEqual([['ring'], ['ring', { type: 'ring' }], ['cold']]);
    expect(on.invoke).toMatchObject([{ id: 'plug', src: 'port' }]);
    expect(over.output).toBe(1);
  });

  it('sets its timers in its entry actions, and clears them in its exit actions', () => {
    const { entry, exit } = nodeOf('.on') as unknown as Record<string, { type: string }[]>;
    expect([entry, exit].map((all) => all?.map(({ type }) => type))).toEqual([
      ['xstate.raise'],
      ['xstate.cancel'],
    ]);
  });

  it('has its transitions by the type of an event, those without one apart, and where it begins', () => {
    const on = nodeOf('.on');
    const types = ['cool', 'wait', 'xstate.done.state.oven.on', 'xstate.after.long.oven.on'];
    expect([...on.transitions.keys()]).toEqual(types);
    const shape = {
      source: on,
      target: [nodeOf('.off')],
      actions: ['ring'],
      reenter: true,
      eventType: 'cool',
    };
    expect(on.transitions.get('cool')).toMatchObject([shape]);
    expect(on.transitions.get('wait')?.[0]).toMatchObject({ target: undefined, actions: [], reenter: false });
    expect(nodeOf('.off').always).toMatchObject([{ guard: { type: 'isCold' }, target: [nodeOf('.on.2')] }]);
    expect(root.initial).toMatchObject({ target: [nodeOf('.off')], actions: [] });
    expect([on.initial.target, on.initial.actions]).toEqual([[], []]);
  });
});

describe('an action', () => {
  type Made = { type: string; resolve?: unknown; execute?: unknown; retryResolve?: unknown };
  const made = {
    assign: assign({}),
    cancel: cancel('x'),
    emit: emit({ type: 'x' }),
    enqueueActions: enqueueActions(() => {}),
    raise: raise({ type: 'x' }),
    sendTo: sendTo('x', { type: 'x' }),
    spawnChild: spawnChild('x' as never),
    stopChild: stopChild('x'),
  } as unknown as Record<string, Made>;

  it('has its type, is resolved, and is executed if anything is left to do', () => {
    const has = ({ type, resolve, execute, retryResolve }: Made) =>
      [type, resolve && 'resolve', execute && 'execute', retryResolve && 'retryResolve']
        .filter(Boolean)
        .join(' ');
    const names = ['cancel', 'emit', 'raise', 'spawnChild', 'stopChild'];
    expect(Object.fromEntries(Object.entries(made).map(([name, each]) => [name, has(each)]))).toEqual({
      ...Object.fromEntries(names.map((name) => [name, `xstate.${name} resolve execute`])),
      assign: 'xstate.assign resolve',
      enqueueActions: 'xstate.enqueueActions resolve',
      sendTo: 'xstate.sendTo resolve execute retryResolve',
    });
  });

  it('shows what it assigns, and what collects others', () => {
    const [fields, collect] = [{ heat: 1 }, () => {}];
    expect((assign(fields) as unknown as { assignment: unknown }).assignment).toBe(fields);
    expect((enqueueActions(collect) as unknown as { collect: unknown }).collect).toBe(collect);
  });

  it('is collected by a function that has one for each kind of action', () => {
    const known: string[] = [];
    const collects = enqueueActions(({ enqueue }) => void known.push(...Object.keys(enqueue)));
    createActor(createMachine({ entry: collects }));
    const all = ['assign', 'cancel', 'emit', 'raise', 'sendParent', 'sendTo', 'spawnChild', 'stopChild'];
    expect(known.toSorted()).toEqual(all);
  });

  it('resolves to a snapshot, parameters and more actions', () => {
    const snapshot = createActor(machine).getSnapshot();
    const queue = { internalQueue: [] as unknown[], deferredActorIds: undefined };
    const resolve = made['raise']?.resolve as (...given: unknown[]) => unknown[];
    const [after, params, more] = resolve({}, snapshot, {}, undefined, made['raise'], queue);
    expect([after, params, more]).toEqual([snapshot, { event: { type: 'x' } }, undefined]);
    expect(after).toBe(snapshot);
    expect(queue.internalQueue).toEqual([{ type: 'x' }]);
  });
});

it('a guard of its own has a check, one for each kind, and the guards that it is made of', () => {
  const [no, both, either, at] = [not('a'), and(['a', 'b']), or(['a']), stateIn('x')] as unknown as {
    check: unknown;
    guards?: unknown;
  }[];
  expect([no?.guards, both?.guards, either?.guards, at?.guards]).toEqual([
    ['a'],
    ['a', 'b'],
    ['a'],
    undefined,
  ]);
  const checks = [no, both, either, at].map((each) => each?.check);
  expect(new Set(checks).size).toBe(4);
  expect(checks).toEqual(Array.from({ length: 4 }, () => expect.any(Function) as unknown));
  expect((not('b') as unknown as { check: unknown }).check).toBe(no?.check);
});

it('a machine finds what is named in a chart among its implementations', () => {
  const { actions, guards, actors, delays } = machine.implementations;
  expect([actions, guards, actors, delays].map((each) => Object.keys(each))).toEqual([
    ['ring'],
    ['isCold'],
    ['port'],
    ['long'],
  ]);
});

it('a snapshot has these fields, in this order', () => {
  const fields = ['status', 'output', 'error', 'machine', 'context', '_nodes', 'value', 'tags', 'children'];
  const methods = ['historyValue', 'matches', 'hasTag', 'can', 'getMeta', 'toJSON'];
  expect(Object.keys(createActor(machine).getSnapshot())).toEqual([...fields, ...methods]);
});

describe('an actor', () => {
  it('asks the object of its logic for its first snapshot and for each next one', () => {
    const asked: string[] = [];
    const statuses: unknown[] = [];
    const logic = createMachine({ on: { go: {} } }) as AnyStateMachine;
    const { transition, getInitialSnapshot } = logic;
    type Scope = {
      self: { _processingStatus: number };
      defer: unknown;
      actionExecutor: unknown;
      system: object;
    };
    const note = (what: string, { self, defer, actionExecutor, system }: Scope): void => {
      asked.push(what);
      statuses.push(self._processingStatus);
      expect([defer, actionExecutor, system]).toEqual([
        expect.any(Function),
        expect.any(Function),
        expect.any(Object),
      ]);
    };
    Object.assign(logic, {
      transition: (...given: Parameters<typeof transition>) => {
        note('next', given[2] as unknown as Scope);
        return transition(...given);
      },
      getInitialSnapshot: (...given: Parameters<typeof getInitialSnapshot>) => {
        note('first', given[0] as unknown as Scope);
        return getInitialSnapshot(...given);
      },
    });
    const actor = createActor(logic).start();
    actor.send({ type: 'go' });
    actor.stop();
    expect(asked).toEqual(['first', 'next', 'next']);
    expect(statuses, 'it runs: 1').toEqual([0, 1, 1]);
  });

  it('performs what was put off once it has its next snapshot', () => {
    const seen: unknown[] = [];
    const logic = createMachine({
      initial: 'a',
      states: { a: { on: { go: 'b' } }, b: {} },
    }) as AnyStateMachine;
    const { transition } = logic;
    Object.assign(logic, {
      transition: (...given: Parameters<typeof transition>) => {
        given[2].defer(() => seen.push(actor.getSnapshot().value));
        return transition(...given);
      },
    });
    const actor = createActor(logic).start();
    actor.send({ type: 'go' });
    expect(seen).toEqual(['b']);
  });
});
