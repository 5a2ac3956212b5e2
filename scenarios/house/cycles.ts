import type { Edge } from './imports.ts';
import type { Breach } from './source.ts';

/** A pure folder such as `wire`; a file directly in `machines/` stands for itself. */
const folderOf = (path: string): string => path.split('/').slice(0, 2).join('/');

/** Rings of imports among files, and among folders, of machines. Type imports count: they tangle minds too. */
export function cycleBreaches(edges: readonly Edge[]): Breach[] {
  const inside = edges.flatMap(({ from, to, line }) =>
    from.startsWith('machines/') && to?.startsWith('machines/') ? [{ from, to, line }] : [],
  );
  const folders = inside
    .map((arrow) => ({ ...arrow, from: folderOf(arrow.from), to: folderOf(arrow.to), path: arrow.from }))
    .filter(({ from, to }) => from !== to);
  return [
    ...rings(
      inside.map((arrow) => ({ ...arrow, path: arrow.from })),
      'files',
    ),
    ...rings(folders, 'folders'),
  ];
}

interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly line: number;
  readonly path: string;
}

/** Depth first; each arrow back onto the path that led here closes a ring. */
function rings(arrows: readonly Arrow[], of: string): Breach[] {
  const out = grouped(arrows);
  const done = new Set<string>();
  const breaches: Breach[] = [];
  const visit = (node: string, path: readonly string[]): void => {
    for (const { to, line, path: file } of out.get(node) ?? []) {
      const at = path.indexOf(to);
      if (at >= 0) {
        const what = `a ring of ${of}: ${[...path.slice(at), to].join(' → ')}`;
        breaches.push({ path: file, line, what, instead: 'move what both need below both' });
      } else if (!done.has(to)) visit(to, [...path, to]);
    }
    done.add(node);
  };
  for (const node of out.keys()) if (!done.has(node)) visit(node, [node]);
  return breaches;
}

// By hand, because Map.groupBy came with Node 21.
function grouped(arrows: readonly Arrow[]): Map<string, Arrow[]> {
  const out = new Map<string, Arrow[]>();
  for (const arrow of arrows) out.set(arrow.from, [...(out.get(arrow.from) ?? []), arrow]);
  return out;
}
