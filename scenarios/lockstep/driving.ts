import type { AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';
import { machines } from '../../actors/kinds/all.ts';
import { samples } from '../stage/samples/index.ts';
import { placed, type Said, type Sample } from '../stage/samples/sample.ts';
import { aftersOf, idle } from '../stage/explore.ts';
import { everythingFor, stateSpaceOf, type StateSpace } from '../stage/state-space.ts';
import { Difference, lockstepTelling } from './lockstep.ts';

function attempt(step: () => AnyMachineSnapshot): AnyMachineSnapshot | string | undefined {
  try {
    return step();
  } catch (error) {
    return error instanceof Difference ? error.message : undefined;
  }
}
/** No action is performed. */
export function differenceAt(snapshot: AnyMachineSnapshot, event: EventObject): string | undefined {
  const after = attempt(() => snapshot.machine.transition(snapshot, event, idle));
  return typeof after === 'string' ? after : undefined;
}

const inLockstep = lockstepTelling(() => {});
const unwatched = { isStepped: false };
function machineOf(kind: string): AnyStateMachine {
  const machine = machines[kind];
  if (!machine) throw new Error(`no machine of the kind '${kind}'`);
  return machine.provide({});
}
export const spacesInLockstep = (): StateSpace[] =>
  Object.entries(samples).map(([kind, sample]) => {
    const space = stateSpaceOf(kind, machineOf(kind), sample);
    inLockstep(space.machine, () => unwatched);
    return space;
  });

export interface Walk {
  readonly kind: string;
  readonly picks: readonly number[];
}
const walked = new Map<string, AnyStateMachine>();
export const opensOf = ({ owned = {} }: Sample): Map<string, string> =>
  new Map(Object.keys(owned).map((kind) => [kind, kind]));
export function differenceOnWalk({ kind, picks }: Walk): string | undefined {
  const machine = walked.get(kind) ?? inLockstep(machineOf(kind), () => unwatched);
  walked.set(kind, machine);
  const sample = samples[kind] as Sample;
  const opens = opensOf(sample);
  let snapshot = attempt(() => machine.getInitialSnapshot(idle, { ...placed, ...sample.input }));
  for (const pick of picks) {
    if (typeof snapshot !== 'object' || snapshot.status !== 'active') break;
    const from = snapshot;
    const events = eventsAt({ sample, opens }, from);
    const event = events[pick % events.length] as Said;
    snapshot = attempt(() => machine.transition(from, event, idle));
  }
  return typeof snapshot === 'string' ? snapshot : undefined;
}

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
export const eventsAt = (
  space: Pick<StateSpace, 'sample' | 'opens'>,
  snapshot: AnyMachineSnapshot,
): Said[] => [
  ...everythingFor(space),
  ...always,
  ...ofInvoked(snapshot),
  ...(aftersOf(snapshot) as readonly Said[]),
];
