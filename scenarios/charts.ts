import {
  initialTransition,
  transition,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type EventFromLogic,
  type EventObject,
  type InputFrom,
  type SnapshotFrom,
} from 'xstate';
import { pathOf } from '../actors/charts.ts';

/**
 * Whether every state of a machine has a way out. Leans on a fact of XState that its types do not promise: that
 * the pure `transition` creates invoked actors without starting them.
 */
export interface WalkOptions<Machine extends AnyStateMachine> {
  readonly input?: InputFrom<Machine>;
  /** One sample of everything that the world may say, with payload; tried in every state. */
  readonly events: readonly EventFromLogic<Machine>[];
  /** What of the context tells two states apart; small, or the walk does not end. Default: nothing of it. */
  readonly tellApart?: (context: SnapshotFrom<Machine>['context']) => unknown;
  /** The order after which nobody speaks any more. Default: `{ type: 'close' }`. */
  readonly close?: EventObject;
  /** Events that come by themselves, beside `after`: `deadline.passed` of a root's own timer. */
  readonly timers?: readonly EventFromLogic<Machine>[];
  /** States at most, 5,000 by default; more is an error of the caller, not a pass. */
  readonly limit?: number;
}
export interface Walk {
  readonly explored: number;
  /** Paths of the states that were reached, to compare with `statesOf`. */
  readonly reached: ReadonlySet<string>;
  /** Each as `state, after a → b`: what `close` and timers alone do not end. Empty is the proof. */
  readonly withoutWayOut: readonly string[];
}

interface Spot {
  readonly snapshot: AnyMachineSnapshot;
  readonly how: readonly string[];
}

/**
 * Explores every state that the events and timers can reach, then checks from each that `close`, followed by
 * nothing but timers, ends the machine: in no corner that they lead to may it stay. It takes timers in any
 * order, so it sees more than real time can do. A transition that throws is reported as a state without a way
 * out. No action runs, so only ports that a machine invokes must be named, not filled.
 */
export function walkOut<Machine extends AnyStateMachine>(
  machine: Machine,
  options: WalkOptions<Machine>,
): Walk {
  const { tellApart = () => null, close = { type: 'close' }, limit = 5_000 } = options;
  const broken: string[] = [];
  const key = ({ value, status, context }: AnyMachineSnapshot): string =>
    JSON.stringify([status, value, tellApart(context)]);
  const step = ({ snapshot, how }: Spot, event: EventObject): Spot[] => {
    const path = [...how, event.type];
    try {
      const [next] = transition<AnyStateMachine>(machine, snapshot, event);
      return [{ snapshot: next as AnyMachineSnapshot, how: path }];
    } catch (thrown) {
      broken.push(`${shown({ snapshot, how })}: ${event.type} throws ${String(thrown)}`);
      return [];
    }
  };
  const timersOf = ({ snapshot }: Spot): EventObject[] => [...afters(snapshot), ...(options.timers ?? [])];

  const [snapshot] = initialTransition<AnyStateMachine>(machine, options.input);
  const start = { snapshot: snapshot as AnyMachineSnapshot, how: [] };
  const all = explore(
    [start],
    (at) => [...options.events, ...timersOf(at)].flatMap((e) => step(at, e)),
    key,
    limit,
  );
  const living = [...all.spots.values()].filter(isAlive);
  const closing = explore(
    living.flatMap((spot) => step(spot, close)),
    (at) => timersOf(at).flatMap((timer) => step(at, timer)),
    key,
    limit,
  );
  const stuck = [...closing.spots.values()].filter((spot) => !closing.ending.has(key(spot.snapshot)));
  return {
    explored: all.spots.size,
    reached: new Set([...all.spots.values()].flatMap((spot) => spot.snapshot._nodes.map(pathOf))),
    withoutWayOut: [...new Set([...stuck.map(shown), ...broken])],
  };
}

const isAlive = ({ snapshot }: Spot): boolean => snapshot.status === 'active';
const shown = ({ snapshot, how }: Spot): string =>
  `${JSON.stringify(snapshot.value)}, after ${how.join(' → ') || 'the start'}`;

const afters = (snapshot: AnyMachineSnapshot): EventObject[] =>
  [...new Set(snapshot._nodes.flatMap(({ after }) => after.map(({ eventType }) => eventType)))].map(
    (type) => ({
      type,
    }),
  );

interface Explored {
  readonly spots: ReadonlyMap<string, Spot>;
  /** The keys from which some path leads to an end. */
  readonly ending: ReadonlySet<string>;
}

/** Breadth first, so that the path shown for a state is a shortest one. */
function explore(
  starts: readonly Spot[],
  next: (from: Spot) => Spot[],
  key: (snapshot: AnyMachineSnapshot) => string,
  limit: number,
): Explored {
  const spots = new Map<string, Spot>();
  const comesFrom = new Map<string, string[]>();
  const queue: Spot[] = [];
  const meet = (spot: Spot): string => {
    const at = key(spot.snapshot);
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
    const from = key(spot.snapshot);
    for (const to of next(spot).map(meet)) comesFrom.set(to, [...(comesFrom.get(to) ?? []), from]);
  }
  const ending = new Set([...spots].filter(([, spot]) => spot.snapshot.status === 'done').map(([at]) => at));
  // A set grows while it is walked: so this ends when no further state leads into it.
  for (const at of ending) for (const before of comesFrom.get(at) ?? []) ending.add(before);
  return { spots, ending };
}
