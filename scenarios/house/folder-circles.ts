import { isTest, type Violation } from './source.ts';
import type { Edge } from './imports.ts';

/** Rooms whose folders may not lean on each other in a circle. The folders of `scenarios/` are one proof. */
const rooms = ['machines', 'actors', 'adapters'];
/** `machines/client/client.rules.ts` → `machines/client`; undefined: it stands in no folder of a room. */
function folderOf(path: string): string | undefined {
  const [room = '', folder, ...below] = path.split('/');
  return rooms.includes(room) && below.length > 0 ? `${room}/${folder}` : undefined;
}
type Arrows = ReadonlyMap<string, ReadonlySet<string>>;
function arrowsOf(edges: readonly Edge[]): Arrows {
  const arrows = new Map<string, Set<string>>();
  for (const { from, to, lazy } of edges) {
    const [here, there] = [folderOf(from), to === undefined ? undefined : folderOf(to)];
    if (lazy || isTest(from) || here === undefined || there === undefined || here === there) continue;
    if (here.split('/')[0] === there.split('/')[0])
      arrows.set(here, (arrows.get(here) ?? new Set()).add(there));
  }
  return arrows;
}
function reachedFrom(folder: string, arrows: Arrows): Set<string> {
  const reached = new Set<string>();
  const left = [folder];
  for (let at = left.pop(); at !== undefined; at = left.pop())
    for (const next of arrows.get(at) ?? []) {
      if (reached.has(next)) continue;
      reached.add(next);
      left.push(next);
    }
  return reached;
}
/** Folders that import each other in a circle, over any number of others. */
export function foldersInCircles(edges: readonly Edge[]): string[] {
  const arrows = arrowsOf(edges);
  return [...arrows.keys()].filter((folder) => reachedFrom(folder, arrows).has(folder)).toSorted();
}
export function folderCircleViolations(edges: readonly Edge[]): Violation[] {
  return foldersInCircles(edges).map((path) => ({
    path,
    line: 1,
    what: `${path} imports a folder that imports it, perhaps over others`,
    instead: 'move what both need below both',
  }));
}
