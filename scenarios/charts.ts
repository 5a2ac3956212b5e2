import { createHash } from 'node:crypto';
import {
  initialTransition,
  transition,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
  type AnyTransitionDefinition,
  type EventFromLogic,
  type EventObject,
  type InputFrom,
  type InspectionEvent,
  type SnapshotFrom,
} from 'xstate';

/**
 * Reads the chart of a machine: what it declares, what of it was taken, and whether every state has a way out.
 * Leans on two facts of XState that its types do not promise: `microstep._transitions`, and that the pure
 * `transition` creates invoked actors without starting them.
 */

const nodesOf = (node: AnyStateNode): AnyStateNode[] => [
  node,
  ...Object.values(node.states as Record<string, AnyStateNode>).flatMap(nodesOf),
];

const pathOf = (node: AnyStateNode): string => node.path.join('.') || '(any)';

/** Every state but the root as its path, such as `connected.ready.steady`, in the order of the chart. */
export const statesOf = (machine: AnyStateMachine): string[] =>
  nodesOf(machine.root)
    .filter((node) => node.parent)
    .map(pathOf);

const declared = (node: AnyStateNode): AnyTransitionDefinition[] => [
  ...[...node.transitions.values()].flat(),
  ...(node.always ?? []),
];

/**
 * One id per declared transition: `client: ready.steady --tools.changed--> ready.refreshing`, `… --after
 * backoff--> …`, `… --always [isDone]--> …`, `… --done(child)--> …`; targetless ones end in `--> .`. Two that
 * would read the same are numbered in the order of the chart.
 */
export const transitionsOf = (machine: AnyStateMachine): string[] =>
  nodesOf(machine.root).flatMap((node) => declared(node).map(idOf));

/** The ids of the declared transitions that an inspection event took: count them to see what no test takes. */
export function takenBy(inspected: InspectionEvent): string[] {
  if (inspected.type !== '@xstate.microstep') return [];
  // The step into the first state has a transition that no chart declares.
  return inspected._transitions.filter((taken) => declared(taken.source).some(same(taken))).map(idOf);
}

// XState hands out copies, so identity is: the same place in the same list of the same state.
const same = (a: AnyTransitionDefinition) => (b: AnyTransitionDefinition) => a === b || a.toJSON === b.toJSON;

function idOf(of: AnyTransitionDefinition): string {
  const alike = declared(of.source).filter((other) => labelOf(other) === labelOf(of));
  const nth = alike.findIndex(same(of));
  return nth > 0 ? `${labelOf(of)} (${nth + 1})` : labelOf(of);
}

function labelOf({ source, target, eventType, guard }: AnyTransitionDefinition): string {
  const when = guard ? ` [${guardName(guard)}]` : '';
  const to = target?.map(pathOf).join(' + ') ?? '.';
  return `${source.machine.id}: ${pathOf(source)} --${eventName(eventType, source)}${when}--> ${to}`;
}

function eventName(eventType: string, source: AnyStateNode): string {
  if (eventType === '') return 'always';
  const [, kind, id = ''] = /^xstate\.(after|done\.actor|error\.actor|snapshot)\.(.*)$/.exec(eventType) ?? [];
  if (kind === 'after') return `after ${id.slice(0, -source.id.length - 1)}`;
  if (kind) return `${kind.replace('.actor', '')}(${id})`;
  return eventType === `xstate.done.state.${source.id}` ? 'onDone' : eventType;
}

function guardName(guard: unknown): string {
  if (typeof guard === 'string') return guard;
  if (typeof guard === 'function') {
    const inner: unknown = 'guards' in guard ? guard.guards : undefined;
    const name = (guard.name || 'inline').replace(/^_?(and|or|not)\d*$/, '$1');
    return Array.isArray(inner) ? `${name}(${inner.map(guardName).join(', ')})` : name;
  }
  return typeof guard === 'object' && guard && 'type' in guard ? String(guard.type) : 'inline';
}

/** Changes when the chart changes: states, tags, transitions, actions by name, invoked actors. */
export function fingerprint(machine: AnyStateMachine): string {
  const named = (actions: readonly unknown[]): string => actions.map(guardName).join(',');
  const lines = nodesOf(machine.root).flatMap((node) => [
    [pathOf(node), node.type, node.tags.join(), named(node.entry), named(node.exit)].join('|'),
    ...node.invoke.map(({ id, src }) => `invoke ${id} ${guardName(src)}`),
    ...declared(node).map(
      (each) => `${idOf(each)} / ${named(each.actions)}${each.reenter ? ' reenter' : ''}`,
    ),
  ]);
  return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16);
}

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
