import { posix } from 'node:path';

export interface Source {
  readonly path: string;
  readonly text: string;
}
/** The folders of `scenarios/` form one test suite and are exempt. */
const rooms = ['machines', 'actors', 'adapters'];
/** Such as `machines/client`; undefined when the file is in no subfolder of a top folder. */
function folderOf(path: string): string | undefined {
  const [room = '', folder, ...below] = path.split('/');
  return rooms.includes(room) && below.length > 0 ? `${room}/${folder}` : undefined;
}
type Arrows = ReadonlyMap<string, ReadonlySet<string>>;
/** Types included; tests and lazy `import()` are ignored. */
function arrowsOf(sources: readonly Source[]): Arrows {
  const arrows = new Map<string, Set<string>>();
  for (const { path, text } of sources) {
    const here = folderOf(path);
    if (here === undefined || path.endsWith('.test.ts')) continue;
    for (const [, specifier = ''] of text.matchAll(/^(?:import|export|\}).*? from '(\.[^']+)'/gm)) {
      const there = folderOf(posix.join(posix.dirname(path), specifier));
      if (there === undefined || here === there || here.split('/')[0] !== there.split('/')[0]) continue;
      arrows.set(here, (arrows.get(here) ?? new Set()).add(there));
    }
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
/** Directly or over other folders. */
export function foldersInCircles(sources: readonly Source[]): string[] {
  const arrows = arrowsOf(sources);
  return [...arrows.keys()].filter((folder) => reachedFrom(folder, arrows).has(folder)).toSorted();
}
