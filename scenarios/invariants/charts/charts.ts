import type { AnyStateMachine, EventFromLogic, EventObject, InputFrom, SnapshotFrom } from 'xstate';
import { pathOf } from '../../../actors/runtime/charts.ts';
import { aftersOf, explore, isAlive, shown, type Spot } from '../../stage/explore.ts';
import { stepping } from '../../stage/stepping.ts';

/**
 * Whether every state of a machine has a way out. Leans on a fact of XState that its types do not promise: that
 * the pure `transition` creates invoked actors without starting them.
 */
export interface WalkOptions<Machine extends AnyStateMachine> {
  readonly input?: InputFrom<Machine>;
  /** One sample of everything that the world may say, with payload; tried in every state. */
  readonly events: readonly EventFromLogic<Machine>[];
  /** What may still be said after `close`, and must not undo it. */
  readonly meanwhile?: readonly EventFromLogic<Machine>[];
  /** What of the context tells two states apart; small, or the walk does not end. Default: nothing of it. */
  readonly tellApart?: (context: SnapshotFrom<Machine>['context'], value: unknown) => unknown;
  /** The order after which it has to end. Default: `{ type: 'close' }`. */
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

/**
 * Explores every state that the events and timers can reach, then checks from each that `close`, followed by
 * nothing but timers, ends the machine: in no corner that they lead to may it stay. `close` again and what may be
 * said `meanwhile` come in between as often as they like: wherever that leads, timers alone have to end it. It takes
 * timers in any order, so it sees more than real time can do. A transition that throws is reported as a state
 * without a way out. No action runs, so only ports that a machine invokes must be named, not filled.
 */
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
    const path = [...how, event.type];
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
