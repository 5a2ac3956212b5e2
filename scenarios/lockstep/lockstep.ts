import type { AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';
import type { Scope } from '../../actors/runtime/stepper/chart-tables.ts';
import {
  compiled,
  type Looking,
  type Microstep,
  type Stepping,
} from '../../actors/runtime/stepper/stepper.ts';
import { differenceIn, type Happened } from './comparison.ts';

export class Difference extends Error {}

interface Logic {
  transition(snapshot: AnyMachineSnapshot, event: EventObject, scope: Scope): AnyMachineSnapshot;
  getInitialSnapshot(scope: Scope, input: unknown): AnyMachineSnapshot;
}
type Step = (logic: Logic, scope: Scope) => AnyMachineSnapshot;
const logicOf = ({ transition, getInitialSnapshot }: AnyStateMachine): Logic =>
  ({ transition, getInitialSnapshot }) as unknown as Logic;

/** No action is performed, and its system receives nothing but microsteps. */
function inertScope(scope: Scope, { microsteps, perform }: Collected): Scope {
  const system = Object.create(scope.system, {
    _sendInspectionEvent: {
      value: (told: { type: string; event: EventObject; snapshot: AnyMachineSnapshot; _transitions: [] }) => {
        const { type, event, snapshot, _transitions: transitions } = told;
        if (type === '@xstate.microstep')
          microsteps.push({ actor: scope.self, event, transitions, snapshot });
      },
    },
    _bookId: { value: () => 'inert' },
    _set: { value: () => {} },
    _unregister: { value: () => {} },
  }) as object;
  return Object.create(scope, {
    system: { value: system },
    // Child actors take the system of their parent.
    self: { value: Object.create(scope.self, { system: { value: system } }) },
    defer: { value: () => {} },
    actionExecutor: { value: perform, writable: true },
  }) as Scope;
}
class Collected {
  readonly microsteps: Microstep[] = [];
  readonly actions: [string, unknown][] = [];
  /** Actions are not performed here, yet an action that threw must end the step here, too. */
  readonly #bug: Bug | undefined;
  constructor(bug?: Bug) {
    this.#bug = bug;
  }
  readonly perform = ({ type, params }: { readonly type: string; readonly params: unknown }): void => {
    this.actions.push([type, params]);
    if (this.actions.length === this.#bug?.after) throw this.#bug.thrown;
  };
  happened(run: () => AnyMachineSnapshot): Happened {
    const { microsteps, actions } = this;
    try {
      return { microsteps, actions, snapshot: run() };
    } catch (thrown) {
      return { microsteps, actions, thrown };
    }
  }
}

interface Bug {
  readonly after: number;
  readonly thrown: unknown;
}
/** So many microsteps of one event count as an endless loop. */
const mostMicrosteps = 5_000;
function overhearThrowing({ implementations }: AnyStateMachine, hear: (thrown: unknown) => void): void {
  const overheard = (action: unknown): unknown => {
    if (typeof action !== 'function' || 'resolve' in action) return action;
    return (...all: unknown[]): void => {
      try {
        action(...all);
      } catch (thrown) {
        hear(thrown);
        throw thrown;
      }
    };
  };
  implementations.actions = Object.fromEntries(
    Object.entries(implementations.actions).map(([name, action]) => [name, overheard(action)]),
  ) as never;
}

export const visitors: ((snapshot: AnyMachineSnapshot) => void)[] = [];

/** The compiled stepper performs each event, and XState's interpreter is compared with it. */
export function lockstepTelling(tell: (difference: Difference) => void): Stepping {
  return (machine, lookingAt) => {
    const bugs: unknown[] = [];
    overhearThrowing(machine, (thrown) => bugs.push(thrown));
    const theirs = logicOf(machine);
    let watching: Looking | undefined;
    const ours = logicOf(compiled(machine, (self) => watching ?? lookingAt(self)));

    const both = (scope: Scope, from: AnyMachineSnapshot | undefined, event: EventObject, step: Step) => {
      const looking = lookingAt(scope.self);
      const we = new Collected();
      bugs.length = 0;
      watching = {
        isStepped: true,
        step: (each) => {
          if (we.microsteps.push(each) > mostMicrosteps) throw new Error('the stepper does not come to rest');
          if (looking.isStepped) looking.step?.(each);
        },
        performed: (type, params) => {
          we.actions.push([type, params]);
          if (looking.isStepped) looking.performed?.(type, params);
        },
      };
      const happened = we.happened(() => step(ours, scope));
      watching = undefined;
      const { thrown } = happened;
      const isBug = thrown !== undefined && bugs.includes(thrown);
      const they = new Collected(isBug ? { after: we.actions.length, thrown } : undefined);
      const expected = they.happened(() => step(theirs, inertScope(scope, they)));
      const differs = differenceIn(expected, happened, from);
      if (differs !== undefined) {
        const state = from ? JSON.stringify(from.value) : 'its beginning';
        const difference = new Difference(
          `The stepper differs from XState in '${machine.id}' at ${state}, event ${event.type}: ${differs}`,
        );
        tell(difference);
        throw difference;
      }
      if ('thrown' in happened) throw happened.thrown;
      const snapshot = happened.snapshot as AnyMachineSnapshot;
      visitors.forEach((visit) => visit(snapshot));
      return snapshot;
    };
    return Object.assign(machine, {
      transition: (from: AnyMachineSnapshot, event: EventObject, scope: Scope) =>
        both(scope, from, event, (logic, within) => logic.transition(from, event, within)),
      getInitialSnapshot: (scope: Scope, input: unknown) =>
        both(scope, undefined, { type: 'xstate.init' }, (logic, within) =>
          logic.getInitialSnapshot(within, input),
        ),
    });
  };
}

let isTold = false;
/** Outside of the actor, which swallows exceptions; the first difference is enough. */
function tellProcess(difference: Difference): void {
  if (!isTold)
    queueMicrotask(() => {
      throw difference;
    });
  isTold = true;
}
export const lockstep = lockstepTelling(tellProcess);
