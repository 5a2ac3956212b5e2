import type { ElkNode, ElkPoint } from './graph.ts';

/** Visible part and scale of a chart. Pure functions. */

export interface View {
  /** Distance in px by which the chart is moved inside its box. */
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}
export interface Size {
  readonly width: number;
  readonly height: number;
}
const readable = 0.85;
const within = (scale: number): number => Math.max(0.1, Math.min(4, scale));
const fitting = (chart: Size, box: Size): number =>
  Math.min(1.2, box.width / chart.width, box.height / chart.height);

/** Returns the view that shows the whole chart. */
export function wholeView(chart: Size, box: Size): View {
  const scale = within(fitting(chart, box));
  return { scale, x: Math.max(0, (box.width - chart.width * scale) / 2), y: 0 };
}
/** Changes the scale around a point of the box, which stays in its place. */
export function zoomed({ x, y, scale }: View, by: number, at: ElkPoint): View {
  const next = within(scale * by);
  return { scale: next, x: at.x - ((at.x - x) * next) / scale, y: at.y - ((at.y - y) * next) / scale };
}
/** Returns the middle of the innermost active state. */
function placeOf(node: ElkNode, active: ReadonlySet<string>): ElkPoint | undefined {
  const found = node.children?.find(({ id }) => active.has(id));
  if (!found) return undefined;
  const { x = 0, y = 0, width = 0, height = 0 } = found;
  return placeOf(found, active) ?? { x: x + width / 2, y: y + height / 2 };
}
/** Returns the first view of a chart: large enough to read, with the active state in the middle. */
export function firstView(drawn: ElkNode, active: ReadonlySet<string>, box: Size): View {
  const { width = 1, height = 1 } = drawn;
  const at = placeOf(drawn, active);
  if (!at || fitting({ width, height }, box) >= readable) return wholeView({ width, height }, box);
  const free = (size: number, all: number, middle: number): number =>
    all * readable <= size
      ? (size - all * readable) / 2
      : Math.min(0, Math.max(size - all * readable, size / 2 - middle * readable));
  return { scale: readable, x: free(box.width, width, at.x), y: free(box.height, height, at.y) };
}
