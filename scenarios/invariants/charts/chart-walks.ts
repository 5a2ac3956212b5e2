import {
  type AnyStateMachine,
  type EventFromLogic,
  type EventObject,
  type InputFrom,
  type SnapshotFrom,
} from 'xstate';
import { pathOf } from '../../../actors/runtime/charts.ts';
import { aftersOf, explore, isAlive, shown, type Spot, stepping } from '../../stage/explore.ts';
import {
  endsAt,
  factsAt,
  ordersOf,
  timersAt,
  transitionsFor,
  type StateSpace,
  type Stop,
} from '../../stage/state-space.ts';

export interface WalkOptions<Machine extends AnyStateMachine> {
  readonly input?: InputFrom<Machine>;
  /** Each is tried in every state. */
  readonly events: readonly EventFromLogic<Machine>[];
  /** May come after `close`, and must not undo it. */
  readonly meanwhile?: readonly EventFromLogic<Machine>[];
  /** Tells two states apart; small, or the walk does not end. Default: nothing. */
  readonly tellApart?: (context: SnapshotFrom<Machine>['context'], value: unknown) => unknown;
  /** `{ type: 'close' }` by default. */
  readonly close?: EventObject;
  /** Beside `after`, such as `deadline.passed` of the machine's own timer. */
  readonly timers?: readonly EventFromLogic<Machine>[];
  /** 5,000 states by default; more is an error of the caller, not a pass. */
  readonly limit?: number;
}
export interface Walk {
  readonly explored: number;
  readonly reached: ReadonlySet<string>;
  /** `close` and timers alone do not end them; each as `state, after a → b`. An empty list is the proof. */
  readonly withoutWayOut: readonly string[];
}

/** From every state `close`, then timers alone in any order must end the machine; no action runs. */
export function walkOut<Machine extends AnyStateMachine>(
  machine: Machine,
  options: WalkOptions<Machine>,
): Walk {
  const { tellApart = () => null, close = { type: 'close' }, meanwhile = [], limit = 5_000 } = options;
  const broken: string[] = [];
  const steps = stepping(machine, options.input);
  const key = ({ snapshot: { value, status, context } }: Spot): string =>
    JSON.stringify([status, value, tellApart(context, value)]);
  const step = ({ snapshot, how }: Spot, event: EventObject): Spot[] => {
    const path = [...how, event];
    try {
      return [{ snapshot: steps.step(snapshot, event)[0], how: path }];
    } catch (thrown) {
      broken.push(`${shown({ snapshot, how })}: ${event.type} throws ${String(thrown)}`);
      return [];
    }
  };
  const timersOf = ({ snapshot }: Spot): EventObject[] => [...aftersOf(snapshot), ...(options.timers ?? [])];
  const tried = (events: readonly EventObject[]) => (at: Spot) =>
    [...events, ...timersOf(at)].flatMap((event) => step(at, event));

  const all = explore([{ snapshot: steps.first[0], how: [] }], tried(options.events), key, limit);
  const told = [...all.spots.values()].filter(isAlive).flatMap((spot) => step(spot, close));
  const closing = explore(told, tried([close, ...meanwhile]), key, limit);
  const alone = explore([...closing.spots.values()], tried([]), key, limit);
  const stuck = [...alone.spots].filter(([at]) => !alone.ending.has(at)).map(([, spot]) => spot);
  return {
    explored: all.spots.size,
    reached: new Set([...all.spots.values()].flatMap((spot) => spot.snapshot._nodes.map(pathOf))),
    withoutWayOut: [...new Set([...stuck.map(shown), ...broken])],
  };
}

/** One sentence for each violation: the highest state in which it is so everywhere. */
export type ChartInvariant = (space: StateSpace) => string[];

const pathAt = ({ snapshot }: Stop): string =>
  snapshot._nodes
    .filter(({ type }) => type === 'atomic' || type === 'final')
    .map(({ path }) => path.join('.'))
    .join(' | ');
const isUnder = (path: string, above: string): boolean =>
  above === '' || path === above || path.startsWith(`${above}.`);
const abovesOf = (path: string): string[] => {
  const parts = path === '' ? [] : path.split('.');
  return [0, ...parts.keys()].map((n, i) => parts.slice(0, i === 0 ? 0 : n + 1).join('.'));
};

interface Seen {
  readonly stop: Stop;
  readonly what: string;
  readonly isBroken: boolean;
}
function grouped<T>(all: readonly T[], by: (each: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const each of all) {
    const group = groups.get(by(each));
    if (group) group.push(each);
    else groups.set(by(each), [each]);
  }
  return groups;
}
/** As few sentences as possible; `at times`: it depends on the machine's context in one and the same state. */
function told({ kind }: StateSpace, seen: readonly Seen[]): string[] {
  const sentences = new Set<string>();
  for (const [what, about] of grouped(seen, (each) => each.what)) {
    const states = grouped(about, ({ stop }) => pathAt(stop));
    const degrees = new Map(
      [...states].map(([path, at]) => {
        const broken = at.filter(({ isBroken }) => isBroken).length;
        return [path, broken === 0 ? 'never' : broken === at.length ? 'always' : 'at times'] as const;
      }),
    );
    for (const [path, degree] of degrees) {
      if (degree === 'never') continue;
      const isAllSo = (above: string): boolean =>
        [...degrees].every(([other, its]) => !isUnder(other, above) || its === degree);
      const where = abovesOf(path).find(isAllSo) ?? path;
      sentences.add(`${kind}: ${where || '(any)'} ${what}${degree === 'always' ? '' : ' at times'}`);
    }
  }
  return [...sentences].sort();
}

export const ignoredOrders: ChartInvariant = (space) =>
  told(
    space,
    space.stops.flatMap((stop) =>
      ordersOf(space.sample).map((order) => ({
        stop,
        what: `ignores ${order.type}`,
        isBroken: transitionsFor(space.machine, stop, order).length === 0,
      })),
    ),
  );

export const unheardEnds: ChartInvariant = (space) => [
  ...told(
    space,
    space.stops.flatMap((stop) =>
      endsAt(stop, space.sample).map((end) => ({
        stop,
        what: `does not hear that its ${String(end.kind)} ended as ${String(end.why)}`,
        isBroken: transitionsFor(space.machine, stop, end).length === 0,
      })),
    ),
  ),
  ...told(
    space,
    space.refusals.map(({ stop, kind, isHeard }) => ({
      stop,
      what: `does not hear that a ${kind} of this key lives already`,
      isBroken: !isHeard,
    })),
  ),
];

/** No timer runs, no order but `close` leads on, nor does a fact of a port, an owned actor or a question. */
export const unawaited: ChartInvariant = (space) =>
  told(
    space,
    space.stops.map((stop) => {
      const { sample } = space;
      const orders = ordersOf(sample).filter(({ type }) => type !== 'close');
      const coming = [...timersAt(stop), ...orders, ...factsAt(stop, sample), ...endsAt(stop, sample)];
      return {
        stop,
        what: 'waits for nobody',
        isBroken: !coming.some((event) => leadsOn(space, stop, event)),
      };
    }),
  );

function leadsOn(
  { steps, sample: { tellApart } }: StateSpace,
  { snapshot }: Stop,
  event: { readonly type: string },
): boolean {
  const [next] = steps.step(snapshot, event);
  const shown = ({ value, context }: typeof next): string =>
    JSON.stringify([value, tellApart?.(context, value)]);
  return next.status !== 'active' || shown(next) !== shown(snapshot);
}
