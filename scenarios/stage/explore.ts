import {
  type AnyMachineSnapshot,
  initialTransition,
  transition,
  type AnyStateMachine,
  type EventObject,
} from 'xstate';

export interface Asked {
  readonly type: string;
  readonly params?: unknown;
}
/** Snapshot of a machine after one step, with the actions that the step asks to perform. */
export type Stepped = readonly [snapshot: AnyMachineSnapshot, actions: readonly Asked[]];
export interface Stepping {
  readonly first: Stepped;
  step(from: AnyMachineSnapshot, event: EventObject): Stepped;
}

/**
 * Steps a machine without an actor, so that no action runs. For each step XState makes a throw-away actor with a
 * first snapshot without input, which costs more than the step itself, the more so when it throws; here that actor is
 * given an existing first snapshot.
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

/** Place that a walk through a chart has reached, with the events that led there. */
export interface Spot {
  readonly snapshot: AnyMachineSnapshot;
  readonly how: readonly string[];
}
export interface Explored<S extends Spot> {
  readonly spots: ReadonlyMap<string, S>;
  /** Keys of the places from which some path leads to an end. */
  readonly ending: ReadonlySet<string>;
}

export const isAlive = ({ snapshot }: Spot): boolean => snapshot.status === 'active';
export const shown = ({ snapshot, how }: Spot): string =>
  `${JSON.stringify(snapshot.value)}, after ${how.join(' → ') || 'the start'}`;

/** Returns the events of the `after` timers that run in this state. */
export const aftersOf = (snapshot: AnyMachineSnapshot): readonly { readonly type: string }[] =>
  [...new Set(snapshot._nodes.flatMap(({ after }) => after.map(({ eventType }) => eventType)))].map(
    (type) => ({ type }),
  );

/** Walks a chart breadth first, so that the path shown for a state is a shortest one. */
export function explore<S extends Spot>(
  starts: readonly S[],
  next: (from: S) => readonly S[],
  key: (spot: S) => string,
  limit: number,
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
  for (let spot = queue.shift(); spot; spot = queue.shift()) {
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
  // Adding to a set while iterating over it extends the iteration, so the loop ends when no further state leads into
  // the set.
  for (const at of ending) for (const before of comesFrom.get(at) ?? []) ending.add(before);
  return { spots, ending };
}
