import type { Edge } from './imports.ts';
import type { Violation } from './source.ts';

/** Circles of imports among files. Type imports count, too: the reader follows them. */
export const cycleViolations = (edges: readonly Edge[]): Violation[] =>
  circles(
    edges.flatMap(({ from, to, line, lazy }) => (to === undefined || lazy ? [] : [{ from, to, line }])),
  );

interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly line: number;
}

/** Depth first; each arrow back onto the path that led here closes a circle. */
function circles(arrows: readonly Arrow[]): Violation[] {
  const out = grouped(arrows);
  const done = new Set<string>();
  const violations: Violation[] = [];
  const visit = (node: string, path: readonly string[]): void => {
    for (const { to, line } of out.get(node) ?? []) {
      const at = path.indexOf(to);
      if (at >= 0) {
        const what = `a circle of imports: ${[...path.slice(at), to].join(' → ')}`;
        violations.push({ path: node, line, what, instead: 'move what both need below both' });
      } else if (!done.has(to)) visit(to, [...path, to]);
    }
    done.add(node);
  };
  for (const node of out.keys()) if (!done.has(node)) visit(node, [node]);
  return violations;
}

// By hand, because Map.groupBy came with Node 21.
function grouped(arrows: readonly Arrow[]): Map<string, Arrow[]> {
  const out = new Map<string, Arrow[]>();
  for (const arrow of arrows) out.set(arrow.from, [...(out.get(arrow.from) ?? []), arrow]);
  return out;
}
