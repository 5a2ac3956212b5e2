import { createEmptyActor, type AnyMachineSnapshot, type AnyStateMachine, type EventObject } from 'xstate';
import { compiled } from '../../actors/runtime/stepper/stepper.ts';

export interface Asked {
  readonly type: string;
  readonly params?: unknown;
}
export type Stepped = readonly [snapshot: AnyMachineSnapshot, actions: readonly Asked[]];
export interface Stepping {
  readonly first: Stepped;
  step(from: AnyMachineSnapshot, event: EventObject): Stepped;
}

const self = createEmptyActor();
/** The actor does not run: its deferred actions are dropped. */
export const idle = { self, system: self.system, defer: () => {}, actionExecutor: () => {} } as never;

/** No action runs. The suite of the lockstep compares the steps with those of XState. */
export function stepping(machine: AnyStateMachine, input: unknown): Stepping {
  let asked: Asked[] = [];
  const performed = (type: string, params: unknown): void => void asked.push({ type, params });
  const steps = compiled(Object.create(machine) as AnyStateMachine, () => ({
    ...{ isStepped: true },
    performed,
  }));
  const first = steps.getInitialSnapshot(idle, input) as AnyMachineSnapshot;
  if (first.status === 'error') throw first.error;
  return {
    first: [first, asked],
    step(from, event) {
      asked = [];
      return [steps.transition(from, event, idle), asked];
    },
  };
}

export interface Spot {
  readonly snapshot: AnyMachineSnapshot;
  readonly how: readonly EventObject[];
}
export interface Explored<S extends Spot> {
  readonly spots: ReadonlyMap<string, S>;
  /** Keys of the places from which some path leads to an end. */
  readonly ending: ReadonlySet<string>;
}

export const isAlive = ({ snapshot }: Spot): boolean => snapshot.status === 'active';
export const shown = ({ snapshot, how }: Spot): string =>
  `${JSON.stringify(snapshot.value)}, after ${how.map(({ type }) => type).join(' → ') || 'the start'}`;

export const aftersOf = (snapshot: AnyMachineSnapshot): readonly { readonly type: string }[] =>
  [...new Set(snapshot._nodes.flatMap(({ after }) => after.map(({ eventType }) => eventType)))].map(
    (type) => ({ type }),
  );

/** Breadth first, so that the path shown for a state is a shortest one; ends early when `isEnough` says so. */
export function explore<S extends Spot>(
  starts: readonly S[],
  next: (from: S) => readonly S[],
  key: (spot: S) => string,
  limit: number,
  isEnough: () => boolean = () => false,
): Explored<S> {
  const spots = new Map<string, S>();
  const comesFrom = new Map<string, Set<string>>();
  const queue: S[] = [];
  const meet = (spot: S): string => {
    const at = key(spot);
    if (!spots.has(at)) {
      spots.set(at, spot);
      queue.push(spot);
    }
    return at;
  };
  starts.forEach(meet);
  for (let spot = queue.shift(); spot && !isEnough(); spot = queue.shift()) {
    if (spots.size > limit) throw new Error(`more than ${limit} states: let tellApart see less`);
    if (!isAlive(spot)) continue;
    const from = key(spot);
    for (const to of next(spot).map(meet)) {
      const known = comesFrom.get(to);
      if (known) known.add(from);
      else comesFrom.set(to, new Set([from]));
    }
  }
  const ending = new Set([...spots].filter(([, spot]) => spot.snapshot.status === 'done').map(([at]) => at));
  // Adding to a set extends the iteration, so the loop ends when no further state leads into it.
  for (const at of ending) for (const before of comesFrom.get(at) ?? []) ending.add(before);
  return { spots, ending };
}
