import { transition, type AnyStateMachine } from 'xstate';
import {
  endsAt,
  factsAt,
  ordersOf,
  timersAt,
  transitionsFor,
  type StateSpace,
  type Stop,
} from '../../stage/state-space.ts';
import type { Sample } from '../../stage/samples/sample.ts';

/**
 * Invariants of charts: checked by exploring the whole state space of one machine (state-space.ts), without a
 * harness. Each returns its violations, one sentence each: the highest state in which it is so everywhere.
 */
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
  /** What the invariant is about there: an order, an end. */
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
/** As few sentences as say it exactly. `at times`: in one state it depends on what the machine remembers. */
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

/** No order is ignored: wherever a machine may be, it says what it does upon it, or `{}` that it does nothing. */
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

/** Whoever opens a root hears how it ends, and that it could not be opened. */
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

/**
 * Nobody waits without knowing for what: in each state some timer runs, or some order but `close` leads on, or a fact
 * of somebody who lives and whom it holds: its port, its root, whoever has its question.
 */
export const unawaited: ChartInvariant = (space) =>
  told(
    space,
    space.stops.map((stop) => {
      const { machine, sample } = space;
      const orders = ordersOf(sample).filter(({ type }) => type !== 'close');
      const coming = [...timersAt(stop), ...orders, ...factsAt(stop, sample), ...endsAt(stop, sample)];
      return {
        stop,
        what: 'waits for nobody',
        isBroken: !coming.some((event) => leadsOn(machine, sample, stop, event)),
      };
    }),
  );

/** To another state, or to the same one with the next thing to do. */
function leadsOn(
  machine: AnyStateMachine,
  { tellApart }: Sample,
  { snapshot }: Stop,
  event: { readonly type: string },
): boolean {
  const [next] = transition<AnyStateMachine>(machine, snapshot, event);
  const shown = ({ value, context }: typeof next): string =>
    JSON.stringify([value, tellApart?.(context, value)]);
  return next.status !== 'active' || shown(next) !== shown(snapshot);
}
