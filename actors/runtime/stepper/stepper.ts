import type { AnyStateMachine, EventObject } from 'xstate';
import { Chart } from './chart-tables.ts';
import {
  noSpawn,
  type Scope,
  type Snapshot,
  type StepWatch,
  type Transition,
  type XStateEvent,
} from './implementations.ts';
import { Macrostep } from './macrostep.ts';

export type { Microstep } from './implementations.ts';

/** A watch that is asked before each step, and whether XState's own inspector looks on. */
export interface Looking extends StepWatch {
  readonly isStepped: boolean;
  readonly isInspected: boolean;
}
type LookingAt = (self: object) => Looking;
/** Gives a machine another way to step; the machine itself is returned. */
export type Stepping = (machine: AnyStateMachine, lookingAt: LookingAt) => AnyStateMachine;
type Logic = Pick<AnyStateMachine, 'transition' | 'getInitialSnapshot'>;
interface XStateInspection {
  readonly type: string;
  readonly event: EventObject;
  readonly snapshot: Snapshot;
  readonly _transitions: readonly Transition[];
}
type Inspected = { _sendInspectionEvent(event: XStateInspection): void };

/** The scope of an actor, whose microsteps and actions are told by XState's interpreter. */
function overheard(scope: Scope, watch: StepWatch): Scope {
  const system = scope.system as Inspected;
  const told = (event: XStateInspection): void => {
    system._sendInspectionEvent(event);
    if (event.type !== '@xstate.microstep') return;
    watch.step?.({
      actor: scope.self,
      event: event.event,
      transitions: event._transitions,
      snapshot: event.snapshot,
    });
  };
  const actionExecutor = (action: { readonly type: string; readonly params: unknown }): void => {
    watch.performed?.(action.type, action.params);
    scope.actionExecutor(action);
  };
  return Object.create(scope, {
    system: { value: Object.create(system, { _sendInspectionEvent: { value: told } }) },
    actionExecutor: { value: actionExecutor, writable: true },
  }) as Scope;
}
function interpreterOf({ transition, getInitialSnapshot }: Logic, lookingAt: LookingAt): Logic {
  const heard = (scope: Scope): Scope => {
    const looking = lookingAt(scope.self);
    return looking.isStepped ? overheard(scope, looking) : scope;
  };
  return {
    transition: (snapshot, event, scope) => transition(snapshot, event, heard(scope as never) as never),
    getInitialSnapshot: (scope, input) => getInitialSnapshot(heard(scope as never) as never, input),
  };
}
/** XState's own interpreter. */
export const interpreted: Stepping = (machine, lookingAt) =>
  Object.assign(machine, interpreterOf(machine, lookingAt));

/** The compiled stepper; while XState's inspector looks on, XState's own interpreter. */
export const compiled: Stepping = (machine, lookingAt) => {
  const { transition, getInitialSnapshot } = machine;
  const theirs = interpreterOf({ transition, getInitialSnapshot }, lookingAt);
  const chart = new Chart(machine);
  const { context } = machine.config as { context?: unknown };
  const begun = (scope: Scope, input: unknown, watch: StepWatch | undefined): Snapshot => {
    const event: XStateEvent = { type: 'xstate.init', input };
    const born = chart.born(typeof context === 'function' ? {} : (context ?? {}));
    try {
      if (typeof context === 'function') born.context = context({ input, self: scope.self, spawn: noSpawn });
      return new Macrostep(chart, born, event, scope, watch).begin();
    } catch (error) {
      return { ...born, status: 'error', error } as Snapshot;
    }
  };
  const ours = {
    transition(snapshot: Snapshot, event: EventObject, scope: Scope): Snapshot {
      const looking = lookingAt(scope.self);
      // Neither is an event of a chart: XState knows what to do with whoever sends it.
      const isForeign = event.type === '*' || event.type === 'xstate.init';
      if (looking.isInspected || isForeign) return theirs.transition(snapshot, event, scope as never);
      return new Macrostep(chart, snapshot, event, scope, looking.isStepped ? looking : undefined).take();
    },
    getInitialSnapshot(scope: Scope, input: unknown): Snapshot {
      const looking = lookingAt(scope.self);
      if (looking.isInspected) return theirs.getInitialSnapshot(scope as never, input);
      return begun(scope, input, looking.isStepped ? looking : undefined);
    },
  };
  return Object.assign(machine, ours);
};

const steppings: Readonly<Record<string, Stepping>> = { compiled, xstate: interpreted };
/** `A2C_STEPPER=xstate` takes XState's interpreter in place of the compiled one. */
export function steppingOf(name = 'compiled'): Stepping {
  const known = Object.hasOwn(steppings, name) ? steppings[name] : undefined;
  if (known) return known;
  throw new Error(`A2C_STEPPER is '${name}': it can be ${Object.keys(steppings).join(' or ')}`);
}
