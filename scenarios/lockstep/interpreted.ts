import type { AnyStateMachine, EventObject } from 'xstate';
import type { Scope, Snapshot, StepWatch, Transition } from '../../actors/runtime/stepper/chart-tables.ts';
import type { LookingAt, Stepping } from '../../actors/runtime/stepper/stepper.ts';

/** Steps of XState's own interpreter, told to an observer as the compiled stepper tells its own. */

type Logic = Pick<AnyStateMachine, 'transition' | 'getInitialSnapshot'>;
interface XStateInspection {
  readonly type: string;
  readonly event: EventObject;
  readonly snapshot: Snapshot;
  readonly _transitions: readonly Transition[];
}
type Inspected = { _sendInspectionEvent(event: XStateInspection): void };

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
export const interpreted: Stepping = (machine, lookingAt) =>
  Object.assign(machine, interpreterOf(machine, lookingAt));
