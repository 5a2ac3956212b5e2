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

/** One place that a walk has come to, and the events that led there. */
export interface Spot {
  readonly snapshot: AnyMachineSnapshot;
  readonly how: readonly string[];
}
export interface Explored<S extends Spot> {
  readonly spots: ReadonlyMap<string, S>;
  /** The keys from which some path leads to an end. */
  readonly ending: ReadonlySet<string>;
}

export const isAlive = ({ snapshot }: Spot): boolean => snapshot.status === 'active';
export const shown = ({ snapshot, how }: Spot): string =>
  `${JSON.stringify(snapshot.value)}, after ${how.join(' → ') || 'the start'}`;

/** The events of the `after` timers that run in this state. */
export const aftersOf = (snapshot: AnyMachineSnapshot): readonly { readonly type: string }[] =>
  [...new Set(snapshot._nodes.flatMap(({ after }) => after.map(({ eventType }) => eventType)))].map(
    (type) => ({ type }),
  );

/** Breadth first, so that the path shown for a state is a shortest one. */
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
  // A set grows while it is walked: so this ends when no further state leads into it.
  for (const at of ending) for (const before of comesFrom.get(at) ?? []) ending.add(before);
  return { spots, ending };
}
