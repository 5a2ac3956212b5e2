import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { machines } from '../../actors/kinds/all.ts';
import { namesOf, pathOf } from '../../actors/runtime/charts.ts';
import type { Kinds } from '../replay/replay-trace.ts';
import { registered } from '../stage/plan/index.ts';
import type { Plan } from '../stage/plan/plan.ts';
import { act } from '../stage/plan/virtual/play-virtual.ts';
import type { ChartEdit } from './edits.ts';

/** Of each transition or state: the shortest stories, and some of the longest, for the shortest may be trivial ones. */
const [mostShort, mostLong] = [25, 10];
/** No step tells of the states in which a machine begins. */
const firstStatesOf = (node: AnyStateNode): AnyStateNode[] => [
  node,
  ...(node.type === 'parallel' ? Object.values(node.states) : (node.initial?.target ?? [])).flatMap(
    firstStatesOf,
  ),
];
const visitOf = (machine: string, state: string): string => `${machine}: in ${state}`;
export interface Players {
  /** And those that visit the state where it shows; the shortest first. */
  of(edit: ChartEdit): readonly Player[];
}
interface Player {
  readonly plan: Plan;
  readonly length: number;
  readonly turns: number;
}
export async function players(): Promise<Players> {
  const takers = new Map<string, Player[]>();
  for (const plan of registered) {
    const seen = new Set<unknown>();
    const keys = new Set<string>();
    const { world } = await act(plan, {
      observer: {
        record: (record) => {
          const root = record.k === 'open' ? machines[record.kind]?.root : undefined;
          for (const node of root ? firstStatesOf(root) : [])
            keys.add(visitOf(node.machine.id, pathOf(node)));
        },
        step: ({ snapshot, transitions }) => {
          for (const each of transitions)
            if (!seen.has(each.toJSON)) {
              seen.add(each.toJSON);
              for (const id of namesOf([each])) keys.add(id);
            }
          for (const node of snapshot._nodes)
            if (!seen.has(node)) {
              seen.add(node);
              keys.add(visitOf(node.machine.id, pathOf(node)));
            }
        },
      },
    });
    const { trace, turns } = world.harness;
    const player = { plan, length: trace.length, turns };
    for (const key of keys) takers.set(key, [...(takers.get(key) ?? []), player]);
  }
  const some = (found: Iterable<Player>): Player[] => {
    const all = [...new Set(found)].toSorted((a, b) => a.length - b.length);
    return [...all.slice(0, mostShort), ...all.slice(mostShort).slice(-mostLong)];
  };
  return {
    of: ({ what, at, within }) => {
      const visitors = within === undefined ? [] : takers.get(visitOf(what.split(':', 1)[0] ?? '', within));
      return [...new Set([...some(at.flatMap((id) => takers.get(id) ?? [])), ...some(visitors ?? [])])];
    },
  };
}

/** Undefined when the story has an own machine in its place. */
function kindsOf({ stage }: Plan, sound: AnyStateMachine, other: AnyStateMachine): Kinds | undefined {
  const own = stage?.kinds ?? machines;
  const users = Object.keys(machines).filter((kind) => machines[kind] === sound);
  if (users.some((kind) => own[kind] !== sound)) return undefined;
  return { ...own, ...Object.fromEntries(users.map((kind) => [kind, other])) };
}
/** After so many times the sound turns a play counts as endless: it grows slower as it goes on. */
const mostLonger = 3;
export async function isNoticed(
  { plan, turns }: Player,
  sound: AnyStateMachine,
  other: AnyStateMachine,
): Promise<boolean> {
  const kinds = kindsOf(plan, sound, other);
  if (!kinds) return false;
  try {
    return (await act(plan, { kinds, mostTurns: 100 + mostLonger * turns })).wrong.length > 0;
  } catch {
    return true; // an expectation of code, an error of the chart, or a play without an end
  }
}
