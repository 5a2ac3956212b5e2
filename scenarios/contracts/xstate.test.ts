import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  createActor,
  createMachine,
  fromCallback,
  type AnyStateMachine,
  type AnyTransitionDefinition,
  type InspectionEvent,
} from 'xstate';
import { namesOf, transitionsOf } from '../../actors/runtime/charts.ts';
import { xstateVersion } from '../../machines/version.ts';

/** A version that changes one needs charts.ts, trace-lines.ts, assemble.ts, record.ts, inert.ts changed first. */
interface Package {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}
const packageAt = (path: string): Package => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));

type Microstep = Extract<InspectionEvent, { type: '@xstate.microstep' }>;
function stepsOf(machine: AnyStateMachine, ...events: readonly string[]): Microstep[] {
  const steps: Microstep[] = [];
  const inspect = (event: InspectionEvent): void =>
    void (event.type === '@xstate.microstep' && steps.push(event));
  const actor = createActor(machine, { inspect }).start();
  for (const type of events) actor.send({ type });
  return steps;
}
const door = createMachine({
  id: 'door',
  initial: 'closed',
  states: {
    closed: { on: { push: 'opening', knock: { actions: () => {} } } },
    opening: { always: 'open' },
    open: {},
  },
});
const transitionsIn = (step: Microstep | undefined): readonly AnyTransitionDefinition[] =>
  step?._transitions ?? [];

describe('the minor of XState', () => {
  const [, installed] =
    /^(\d+\.\d+)\./.exec(packageAt('../../node_modules/xstate/package.json').version) ?? [];

  it('is the one that is installed and that recordings name', () => {
    expect(installed).toBe(xstateVersion);
  });

  it('is pinned: no other one is installed unasked', () => {
    const { dependencies } = packageAt('../../package.json');
    expect(dependencies['xstate']).toMatch(new RegExp(`^~${xstateVersion.replace('.', '\\.')}\\.\\d+$`));
  });
});

describe('a microstep', () => {
  it('tells which transitions it took, with their source, event and target', () => {
    const steps = stepsOf(door, 'push');
    const told = steps.flatMap((step) =>
      transitionsIn(step).map(({ source, eventType, target }) => [
        source.path.join('.'),
        eventType,
        target?.map((node) => node.path.join('.')),
      ]),
    );
    expect(told).toEqual([
      ['closed', 'push', ['opening']],
      ['opening', '', ['open']],
    ]);
    expect(steps.flatMap((step) => namesOf(transitionsIn(step)))).toEqual(
      transitionsOf(door).filter((name) => !name.includes('knock')),
    );
  });

  it('has no transition for an event that nobody takes, and has one for an event without a target', () => {
    const [ignored, knocked] = stepsOf(door, 'shout', 'knock');
    expect(transitionsIn(ignored)).toEqual([]);
    expect(transitionsIn(knocked)).toHaveLength(1);
  });

  it('has the same transition by the same toJSON each time, also in a machine with other actions', () => {
    const provided = door.provide({ actions: {} }) as AnyStateMachine;
    for (const machine of [door, provided]) {
      const [one, other] = [stepsOf(machine, 'push'), stepsOf(machine, 'push')].map(
        (steps) => transitionsIn(steps[0])[0]?.toJSON,
      );
      expect(one).toBeTypeOf('function');
      expect(one).toBe(other);
    }
  });

  it('comes with the snapshot after it, whose value, context and status can be read', () => {
    const step = stepsOf(door, 'push').at(-1);
    expect(step?.snapshot).toMatchObject({ value: 'open', context: {}, status: 'active' });
    expect((step?.actorRef as { id?: string } | undefined)?.id).toMatch(/^(door|x:\d+)$/);
  });
});

describe('a callback actor', () => {
  function speaking() {
    const told: { say?: (event: { type: string }) => void } = {};
    const heard: string[] = [];
    const machine = createMachine({
      invoke: {
        id: 'leaf',
        src: fromCallback(({ sendBack, receive }) => {
          told.say = sendBack;
          receive((event) => heard.push(event.type));
          return () => heard.push('ended');
        }),
      },
      initial: 'waiting',
      states: { waiting: { on: { fact: 'told' } }, told: { type: 'final' } },
    });
    const actor = createActor(machine).start();
    return { actor, heard, say: (type: string) => told.say?.({ type }) };
  }

  it('is heard at once: the machine has taken the event when sendBack returns', () => {
    const { actor, say } = speaking();
    say('fact');
    expect(actor.getSnapshot().value).toBe('told');
  });

  it('has ended, in the same breath, when its machine has', () => {
    const { actor, heard, say } = speaking();
    say('fact');
    expect({ heard, status: actor.getSnapshot().status }).toEqual({ heard: ['ended'], status: 'done' });
  });

  it('hears what its machine sends before that send returns', () => {
    const { actor, heard } = speaking();
    (actor.getSnapshot().children['leaf'] as { send(event: object): void }).send({ type: 'order' });
    expect(heard).toEqual(['order']);
  });
});

describe('an actor system', () => {
  function timed() {
    const asked: string[] = [];
    const clock = {
      setTimeout: (_fire: () => void, ms: number) => asked.push(`set ${ms}`),
      clearTimeout: (id: unknown) => void asked.push(`clear ${String(id)}`),
    };
    const machine = createMachine({
      id: 'timed',
      initial: 'one',
      states: {
        one: { after: { long: 'two', short: 'two' }, on: { go: 'two' } },
        two: { after: { longest: 'one' } },
      },
    }).provide({ delays: { long: 20, short: 10, longest: 30 } });
    return { asked, actor: createActor(machine, { clock, id: 'timed#1' }).start() };
  }

  it('sets its timers at the clock it was given, in the order of the chart, and clears them as it leaves', () => {
    const { asked, actor } = timed();
    expect(asked.toSorted()).toEqual(['set 10', 'set 20']);
    actor.send({ type: 'go' });
    expect(asked.slice(2)).toEqual(['clear 1', 'clear 2', 'set 30']);
  });

  it('lists what is scheduled in the order in which it was set', () => {
    const { asked, actor } = timed();
    const system = actor.system as unknown as {
      getSnapshot(): { _scheduledEvents: Record<string, { delay: number; event: { type: string } }> };
    };
    const scheduled = Object.values(system.getSnapshot()._scheduledEvents);
    expect(scheduled.map(({ delay }) => `set ${delay}`)).toEqual(asked);
    expect(scheduled.every(({ event }) => event.type.startsWith('xstate.after.'))).toBe(true);
  });

  it('names its root as it was told, and never shows its own session ids in place of that', () => {
    expect(timed().actor.id).toBe('timed#1');
  });
});
