import { createEmptyActor, type AnyMachineSnapshot, type AnyStateMachine, type EventObject } from 'xstate';
import { machines } from '../../actors/runtime/assemble.ts';
import type { Scope } from '../../actors/runtime/stepper/implementations.ts';
import { samples } from '../stage/samples/index.ts';
import { placed, type Said, type Sample } from '../stage/samples/sample.ts';
import { aftersOf } from '../stage/explore.ts';
import { everythingFor, stateSpaceOf, type StateSpace } from '../stage/state-space.ts';
import { Difference, lockstepTelling } from './lockstep.ts';

const self = createEmptyActor();
/** Scope of an actor that does not run: what it would do is put off for ever. */
const scope = { self, system: self.system, defer: () => {}, actionExecutor: () => {} } as unknown as Scope;

/** The snapshot after a step, or how it differs; undefined: the machine has thrown, both ways. */
function attempt(step: () => AnyMachineSnapshot): AnyMachineSnapshot | string | undefined {
  try {
    return step();
  } catch (error) {
    return error instanceof Difference ? error.message : undefined;
  }
}
/** Takes an event both ways where a machine stands that steps in lockstep, and does nothing of it. */
export function differenceAt(snapshot: AnyMachineSnapshot, event: EventObject): string | undefined {
  const after = attempt(() => snapshot.machine.transition(snapshot, event, scope as never));
  return typeof after === 'string' ? after : undefined;
}

const inLockstep = lockstepTelling(() => {});
const unwatched = { isStepped: false, isInspected: false };
function machineOf(kind: string): AnyStateMachine {
  const machine = machines[kind];
  if (!machine) throw new Error(`no machine of the kind '${kind}'`);
  return machine.provide({});
}
/** Charts of the project, by kind, on machines that step in lockstep, with all states that the samples reach. */
export const spacesInLockstep = (): StateSpace[] =>
  Object.entries(samples).map(([kind, sample]) => {
    const space = stateSpaceOf(kind, machineOf(kind), sample);
    inLockstep(space.machine, () => unwatched);
    return space;
  });

/** A walk of a machine from its first state, and what it meets on its way. */
export interface Walk {
  readonly kind: string;
  /** Number of the event at each step, among all that may come there. */
  readonly picks: readonly number[];
}
const walked = new Map<string, AnyStateMachine>();
/** Each kind that it can open, under its own name. */
export const opensOf = ({ owned = {} }: Sample): Map<string, string> =>
  new Map(Object.keys(owned).map((kind) => [kind, kind]));
export function differenceOnWalk({ kind, picks }: Walk): string | undefined {
  const machine = walked.get(kind) ?? inLockstep(machineOf(kind), () => unwatched);
  walked.set(kind, machine);
  const sample = samples[kind] as Sample;
  const opens = opensOf(sample);
  let snapshot = attempt(() => machine.getInitialSnapshot(scope as never, { ...placed, ...sample.input }));
  for (const pick of picks) {
    if (typeof snapshot !== 'object' || snapshot.status !== 'active') break;
    const from = snapshot;
    const events = eventsAt({ sample, opens }, from);
    const event = events[pick % events.length] as Said;
    snapshot = attempt(() => machine.transition(from, event, scope as never));
  }
  return typeof snapshot === 'string' ? snapshot : undefined;
}

/** Events that can come to any machine. */
const always: readonly Said[] = [
  { type: 'xstate.stop' },
  { type: 'nobody.knows.it' },
  { type: 'deadline.passed' },
  { type: 'xstate.error.actor.nobody', error: new Error('gone') },
];
const ofInvoked = ({ _nodes: nodes }: AnyMachineSnapshot): Said[] =>
  nodes.flatMap(({ invoke }) =>
    invoke.flatMap(({ id }) => [
      { type: `xstate.done.actor.${id}`, output: undefined },
      { type: `xstate.error.actor.${id}`, error: new Error('broken') },
    ]),
  );
/** Everything that may come to a machine of such a space where it stands. */
export const eventsAt = (
  space: Pick<StateSpace, 'sample' | 'opens'>,
  snapshot: AnyMachineSnapshot,
): Said[] => [
  ...everythingFor(space),
  ...always,
  ...ofInvoked(snapshot),
  ...(aftersOf(snapshot) as readonly Said[]),
];
