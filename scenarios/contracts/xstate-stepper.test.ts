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
} from 'xstate';

/** A version of XState that changes one of these needs a change of actors/runtime/stepper first (`lockstep`). */
const machine = setup({
  actors: { port: fromCallback(() => {}) },
  guards: { isCold: () => true },
  actions: { ring: () => {} },
  delays: { long: 10 },
}).createMachine({ id: 'oven' }) as AnyStateMachine;

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
