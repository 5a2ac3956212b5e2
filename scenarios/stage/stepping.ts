import {
  initialTransition,
  transition,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type EventObject,
} from 'xstate';

export interface Asked {
  readonly type: string;
  readonly params?: unknown;
}
/** Where a machine stands, and the actions that are to be performed there. */
export type Stepped = readonly [snapshot: AnyMachineSnapshot, actions: readonly Asked[]];
export interface Stepping {
  readonly first: Stepped;
  step(from: AnyMachineSnapshot, event: EventObject): Stepped;
}

/**
 * A machine step by step, without an actor: no action runs. For each step XState makes an actor that it throws away,
 * and for that one a first snapshot without input, which costs more than the step, the more so where it throws. Here
 * it is given the first snapshot that there is.
 */
export function stepping(machine: AnyStateMachine, input: unknown): Stepping {
  const first = initialTransition<AnyStateMachine>(machine, input) as unknown as Stepped;
  const getInitialSnapshot = (): AnyMachineSnapshot => first[0];
  const steps = Object.create(machine, {
    getInitialSnapshot: { value: getInitialSnapshot },
  }) as AnyStateMachine;
  return {
    first,
    step: (from, event) => transition<AnyStateMachine>(steps, from, event),
  };
}
