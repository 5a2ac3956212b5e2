import type { AnyStateMachine } from 'xstate';
import { machines } from '../../actors/kinds/all.ts';
import { editsOf, type ChartEdit } from './edits.ts';
import { endingsOf, pathsOf, probed, walk, walkerOf, type Path } from './paths.ts';
import { isNoticed, type Players } from './plays.ts';
import { violationsOf } from './rules.ts';

export interface UsedChart {
  readonly machine: AnyStateMachine;
  readonly kinds: readonly string[];
}
export const charts: readonly UsedChart[] = [...new Set(Object.values(machines))].map((machine) => ({
  machine,
  kinds: Object.keys(machines).filter((kind) => machines[kind] === machine),
}));

/** Paths into a state, the shortest first, that are told one event more. */
const mostAround = 5;
function leadsTo(transition: string, state: string): boolean {
  const target = transition.split('--> ')[1] ?? '';
  const isIn = (inner: string, outer: string): boolean => inner === outer || inner.startsWith(`${outer}.`);
  return isIn(target, state) || isIn(state, target);
}

function isFoundOn(kind: string, machine: AnyStateMachine, paths: readonly Path[]): boolean {
  try {
    const walker = walkerOf(kind, machine);
    return paths.some((path) =>
      endingsOf(kind).some((ending) => violationsOf(walk(walker, path, ending)).length > 0),
    );
  } catch {
    return true;
  }
}

export async function survivorsOf({ machine, kinds }: UsedChart, players: Players): Promise<string[]> {
  const ways = kinds.map((kind) => {
    const walker = walkerOf(kind, machine);
    return { walker, paths: pathsOf(walker) };
  });
  const isNoticedOnWays = ({ at, within }: ChartEdit, other: AnyStateMachine): boolean =>
    ways.some(({ walker, paths }) => {
      const taking = paths.filter(({ takes }) => at.includes(takes));
      const around = within === undefined ? [] : paths.filter(({ takes }) => leadsTo(takes, within));
      const probedPaths = new Set([...taking, ...around.slice(0, mostAround)]);
      // What is done on entry and exit may show on any way, for each ends by closing.
      const others = at.length > 0 ? [] : paths;
      const all = [...[...probedPaths].flatMap((path) => probed(walker, path)), ...others];
      return isFoundOn(walker.kind, other, all);
    });
  const survivors: string[] = [];
  for (const edit of editsOf(machine)) {
    const other = edit.make();
    if (isNoticedOnWays(edit, other)) continue;
    const found = await noticing(players.of(edit), machine, other);
    if (!found) survivors.push(edit.what);
  }
  return survivors;
}
async function noticing(
  players: ReturnType<Players['of']>,
  machine: AnyStateMachine,
  other: AnyStateMachine,
): Promise<boolean> {
  for (const player of players) if (await isNoticed(player, machine, other)) return true;
  return false;
}
