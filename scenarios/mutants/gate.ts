import type { AnyStateMachine } from 'xstate';
import { machines } from '../../actors/runtime/assemble.ts';
import { editsOf, visitOf, type ChartEdit } from './edits.ts';
import { endings, pathsOf, probed, walk, walkerOf, type Path, type Walker } from './paths.ts';
import { isNoticed, type Players } from './plays.ts';
import { violationsOf } from './rules.ts';

/** Largest number of stories that one edit is tried on: who is not noticed by these is hardly noticed by more. */
const mostStories = 25;

/** A chart with the kinds of machines that use it; several kinds may share one. */
export interface UsedChart {
  readonly machine: AnyStateMachine;
  readonly kinds: readonly string[];
}
export const charts: readonly UsedChart[] = [...new Set(Object.values(machines))].map((machine) => ({
  machine,
  kinds: Object.keys(machines).filter((kind) => machines[kind] === machine),
}));

/** Tells whether a chart breaks a rule on a way. */
function isFoundOn(walker: Walker, path: Path): boolean {
  return endings.some((ending) => {
    try {
      return violationsOf(walk(walker, path, ending)).length > 0;
    } catch {
      return true; // the chart throws
    }
  });
}

/** Names the edits of a chart that neither a generated way nor a story notices. */
export async function survivorsOf({ machine, kinds }: UsedChart, players: Players): Promise<string[]> {
  const ways = kinds.map((kind) => {
    const walker = walkerOf(kind, machine);
    return { walker, paths: pathsOf(walker) };
  });
  const isNoticedOnWays = ({ at }: ChartEdit, other: AnyStateMachine): boolean =>
    ways.some(({ walker, paths }) => {
      const edited = walkerOf(walker.kind, other);
      return paths
        .filter(({ takes }) => at.includes(takes) || at[0]?.startsWith(visitOf(machine.id, '')))
        .flatMap((path) => (at.includes(path.takes) ? probed(walker, path) : [path]))
        .some((path) => isFoundOn(edited, path));
    });
  const survivors: string[] = [];
  for (const edit of editsOf(machine)) {
    const other = edit.make();
    if (isNoticedOnWays(edit, other)) continue;
    const found = await noticing(players.of(edit).slice(0, mostStories), machine, other);
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
