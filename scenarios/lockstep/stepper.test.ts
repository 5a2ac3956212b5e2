import { describe, expect, it } from 'vitest';
import { createActor, createMachine, type AnyStateMachine } from 'xstate';
import { compiled, interpreted, steppingOf } from '../../actors/runtime/stepper/stepper.ts';
import type { Observer } from '../../actors/runtime/directory.ts';
import { Harness } from '../stage/harness.ts';
import { lockstepTelling } from './lockstep.ts';

const unwatched = () => ({ isStepped: false, isInspected: false });

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

describe('A2C_STEPPER', () => {
  it('is the compiled stepper or the interpreter of XState', () => {
    expect([steppingOf(), steppingOf('compiled'), steppingOf('xstate')]).toEqual([
      compiled,
      compiled,
      interpreted,
    ]);
  });

  it.each(['lockstep', 'xstat', '', 'toString'])('is refused as %j, with those that it can be', (name) => {
    expect(() => steppingOf(name)).toThrow(`A2C_STEPPER is '${name}': it can be compiled or xstate`);
  });
});

describe('a chart that somebody inspects', async () => {
  type When = 'never' | 'from birth' | 'from later on' | 'for a while';
  async function told(
    when: When,
  ): Promise<{ readonly trace: readonly string[]; readonly inspected: ReadonlySet<string> }> {
    const inspected = new Set<string>();
    const inspector: Observer = { inspect: ({ type }) => inspected.add(type) };
    const s = new Harness({ servers: {}, ...(when === 'from birth' && { observer: () => inspector }) });
    await s.office();
    s.computer({ linked: true });
    const leave =
      when === 'from later on' || when === 'for a while' ? s.directory.tap.add(inspector) : undefined;
    await s.run(1_000);
    if (when === 'for a while') {
      leave?.();
      inspected.clear();
    }
    s.agent();
    await s.run(1_000);
    s.close();
    await s.run(1_000);
    return { trace: s.trace, inspected };
  }
  const { trace } = await told('never');

  it.each<When>(['from birth', 'from later on'])(
    'is stepped by XState itself, and nothing else is different: %s',
    async (when) => {
      const { inspected, trace: same } = await told(when);
      // The compiled stepper reports no microsteps to inspectors, so XState's interpreter was in use.
      expect([...inspected]).toContain('@xstate.microstep');
      expect(same).toEqual(trace);
    },
  );

  it('is stepped by XState no more once nobody inspects it', async () => {
    const { inspected, trace: same } = await told('for a while');
    expect([...inspected]).toEqual([]);
    expect(same).toEqual(trace);
  });
});
