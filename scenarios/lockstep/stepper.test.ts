import { describe, expect, it } from 'vitest';
import { createActor, createMachine, type AnyStateMachine } from 'xstate';
import { compiled } from '../../actors/runtime/stepper/stepper.ts';
import { interpreted } from './interpreted.ts';
import { lockstepTelling } from './lockstep.ts';

const unwatched = () => ({ isStepped: false });

describe('a chart that the stepper does not know', () => {
  const [all, calls] = ['*', 'call.*'];
  const states = { a: {}, b: { states: { c: {} }, initial: 'c' } };
  it.each([
    ['a history state', { states: { ...states, h: { type: 'history' } } }],
    ["the wildcard '*'", { states, on: { [all]: '.b' } }],
    ["the wildcard 'call.*'", { states: { ...states, b: { on: { [calls]: 'a' } } } }],
    ['a route', { states: { ...states, b: { id: 'b', route: {} } } }],
    ["'maxIterations'", { states, options: { maxIterations: 10 } }],
  ])('is refused as it is compiled: %s', (reason, config) => {
    const machine = createMachine({ initial: 'a', ...config } as never);
    expect(() => compiled(machine, unwatched)).toThrow(reason);
  });
});

describe('an error to XState', () => {
  it.each([
    ['an event with the name of a wildcard', {}, '*'],
    ['an init that is sent', {}, 'xstate.init'],
    ['a guard that nobody implements', { on: { go: { guard: 'nobody' } } }, 'go'],
  ])('is one to the stepper: %s', (_, config, type) => {
    const differences: string[] = [];
    const stepping = lockstepTelling(({ message }) => differences.push(message));
    const errors = [interpreted, stepping].map((steps) => {
      const errors: unknown[] = [];
      const machine = steps(createMachine(config as never) as AnyStateMachine, unwatched);
      const actor = createActor(machine).start();
      actor.subscribe({ error: (error) => errors.push(String(error)) });
      actor.send({ type });
      return errors;
    });
    expect(differences).toEqual([]);
    expect(errors[1]).toEqual(errors[0]);
  });
});

it('a chart whose steps never end fails, and its host goes on', () => {
  const always = (target: string): object => ({ always: target });
  const states = { idle: { on: { go: 'a' } }, a: always('b'), b: always('a') };
  const errors: unknown[] = [];
  const machine = createMachine({ initial: 'idle', states } as never) as AnyStateMachine;
  const actor = createActor(compiled(machine, unwatched)).start();
  actor.subscribe({ error: (error) => errors.push(error) });
  actor.send({ type: 'go' });
  expect(errors).toEqual([new Error('endless: more than 10000 steps upon go')]);
});
