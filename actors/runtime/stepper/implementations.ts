import {
  assign,
  cancel,
  emit,
  raise,
  sendParent,
  sendTo,
  spawnChild,
  stopChild,
  type AnyMachineSnapshot,
  type AnyTransitionDefinition,
  type EventObject,
} from 'xstate';

/**
 * Types of the objects that XState and charts hand to a step. XState's own types promise less;
 * `scenarios/contracts/xstate-stepper.test.ts` checks the rest.
 */
export type Snapshot = AnyMachineSnapshot;
export type Transition = AnyTransitionDefinition;
export type Fields = Readonly<Record<string, unknown>>;

/** Scope that XState gives to the logic of an actor, as far as a step needs it. */
export interface Scope {
  readonly self: { readonly id: string; readonly _processingStatus: number };
  readonly system: object;
  defer(run: () => void): void;
  actionExecutor(action: object): void;
}

export interface At {
  readonly context: Fields;
  readonly event: EventObject;
}
export interface Info extends At {
  readonly self: object;
  readonly system: object;
}
export type Params = unknown;
export type ParamsOf = (at: At) => Params;
/** Code of an action: of a chart, or of XState (`raise`, `assign`, …). */
export interface Implementation {
  (info: Info, params: Params): unknown;
  readonly type?: string;
  readonly assignment?: unknown;
  collect?(given: object, params: Params): void;
  resolve?(
    scope: Scope,
    snapshot: Snapshot,
    info: object,
    params: Params,
    self: Implementation,
    extra: {
      readonly internalQueue: EventObject[];
      readonly deferredActorIds: readonly string[] | undefined;
    },
  ): readonly [snapshot: Snapshot, params: Params, actions?: readonly unknown[]];
  retryResolve?(scope: Scope, snapshot: Snapshot, params: Params): void;
  execute?(scope: Scope, params: Params): void;
}
export interface Action {
  readonly type: string;
  readonly does: Implementation | undefined;
  readonly params: Params;
}

/** Microstep: the snapshot after it, and the transitions that it took; none when the event was ignored. */
export interface Microstep {
  /** Actor that made the step; its `id` is the address of a root. */
  readonly actor: { readonly id: string };
  readonly event: EventObject;
  readonly transitions: readonly Transition[];
  readonly snapshot: Snapshot;
}
/** Observer of a stepper. */
export interface StepWatch {
  readonly step?: ((step: Microstep) => void) | undefined;
  /** Takes each performed action with its parameters. */
  readonly performed?: ((type: string, params: unknown) => void) | undefined;
}
export interface XStateEvent extends EventObject {
  readonly output?: unknown;
  readonly error?: unknown;
  readonly input?: unknown;
}

let collected: unknown[] = [];
/** Sets the list that takes all actions enqueued from now on. */
export const collectInto = (list: unknown[]): void => void (collected = list);
const add = (action: unknown): void => void collected.push(action);
type Maker = (...given: unknown[]) => unknown;
const makers = {
  assign,
  cancel,
  emit,
  raise,
  sendParent,
  sendTo,
  spawnChild,
  stopChild,
} as unknown as Record<string, Maker>;
/**
 * Argument of `enqueueActions`: a function that adds an action, with a method for each kind of XState's own
 * actions.
 */
export const enqueue = Object.assign(
  add,
  Object.fromEntries(
    Object.entries(makers).map(([name, make]) => [name, (...given: unknown[]) => add(make(...given))]),
  ),
);
/** Replaces XState's `spawn` in an `assign`; always throws. */
export const noSpawn = (): never => {
  throw new Error('There is no spawn here: invoke an actor, or open a root');
};
/** Returns the fields of the next context from an `assign` of XState. */
export function partOf(assignment: unknown, at: object, given: Params): object {
  if (typeof assignment === 'function') return assignment(at, given) as object;
  const part: Record<string, unknown> = {};
  for (const key in assignment as Fields) {
    const value = (assignment as Fields)[key];
    part[key] =
      typeof value === 'function' ? (value as (at: object, given: Params) => unknown)(at, given) : value;
  }
  return part;
}
/** Makes the error of a guard that throws, in the words of XState. */
export function guardFailure({ guard, source }: Transition, event: EventObject, error: unknown): Error {
  const name = typeof guard === 'object' ? (guard as { readonly type: string }).type : guard;
  const which = typeof name === 'string' ? `'${name}' ` : '';
  return new Error(
    `Unable to evaluate guard ${which}in transition for event '${event.type}' in state node '${source.id}':\n${(error as Error).message}`,
    { cause: error },
  );
}
