import type { ElkNode, ElkPoint } from 'elkjs/lib/elk-api.js';
import type { RefObject, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, onKeys, useWheel } from '../pieces.tsx';
import { ChartDrawing, type Lit } from './drawing.tsx';
import type { LaidOut } from './graph.ts';

/** Visible part and scale of a chart, in the box that shows it. */
interface View {
  /** Distance in px by which the chart is moved inside its box. */
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}
interface Size {
  readonly width: number;
  readonly height: number;
}
const readable = 0.85;
const within = (scale: number): number => Math.max(0.1, Math.min(4, scale));
const fitting = (chart: Size, box: Size): number =>
  Math.min(1.2, box.width / chart.width, box.height / chart.height);

/** Returns the view that shows the whole chart. */
function wholeView(chart: Size, box: Size): View {
  const scale = within(fitting(chart, box));
  return { scale, x: Math.max(0, (box.width - chart.width * scale) / 2), y: 0 };
}
/** Changes the scale around a point of the box, which stays in its place. */
function zoomed({ x, y, scale }: View, by: number, at: ElkPoint): View {
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
function firstView(drawn: ElkNode, active: ReadonlySet<string>, box: Size): View {
  const { width = 1, height = 1 } = drawn;
  const at = placeOf(drawn, active);
  if (!at || fitting({ width, height }, box) >= readable) return wholeView({ width, height }, box);
  const free = (size: number, all: number, middle: number): number =>
    all * readable <= size
      ? (size - all * readable) / 2
      : Math.min(0, Math.max(size - all * readable, size / 2 - middle * readable));
  return { scale: readable, x: free(box.width, width, at.x), y: free(box.height, height, at.y) };
}

interface ZoomedProps {
  readonly chart: LaidOut;
  readonly lit: Lit;
  readonly label: string;
}
const larger = 1.25;
interface Viewing {
  readonly box: RefObject<HTMLDivElement>;
  readonly view: View;
  /** Moves of the view by key. */
  readonly steps: Readonly<Record<string, () => void>>;
  readonly pan: (x: number, y: number) => void;
}
/** View of a chart, which the wheel zooms; another chart begins with its active state in the middle. */
function useView(chart: LaidOut, active: ReadonlySet<string>): Viewing {
  const { width = 1, height = 1 } = chart.drawn;
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<View>({ x: 0, y: 0, scale: 1 });
  const size = (): Size => ({
    width: box.current?.clientWidth ?? width,
    height: box.current?.clientHeight ?? height,
  });
  const whole = (): void => setView(wholeView({ width, height }, size()));
  const zoom = (by: number, at?: ElkPoint): void =>
    setView((old) => zoomed(old, by, at ?? { x: size().width / 2, y: size().height / 2 }));
  const pan = (x: number, y: number): void => setView((old) => ({ ...old, x: old.x + x, y: old.y + y }));
  useEffect(() => setView(firstView(chart.drawn, active, size())), [chart]);
  // Follows the active state when it leaves the visible part.
  useEffect(() => {
    const at = placeOf(chart.drawn, active);
    const { width: wide, height: high } = size();
    const isSeen = (place: number, all: number): boolean => place > 0 && place < all;
    const isIn = at && isSeen(view.x + at.x * view.scale, wide) && isSeen(view.y + at.y * view.scale, high);
    if (at && !isIn)
      setView(({ scale }) => ({ scale, x: wide / 2 - at.x * scale, y: high / 2 - at.y * scale }));
  }, [[...active].join(' ')]);
  useWheel(box, ({ deltaY, clientX, clientY }) => {
    const { left = 0, top = 0 } = box.current?.getBoundingClientRect() ?? {};
    zoom(Math.exp(-deltaY / 500), { x: clientX - left, y: clientY - top });
  });
  const steps: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => pan(60, 0),
    ArrowRight: () => pan(-60, 0),
    ArrowUp: () => pan(0, 60),
    ArrowDown: () => pan(0, -60),
    '+': () => zoom(larger),
    '-': () => zoom(1 / larger),
    '0': whole,
  };
  return { box, view, steps, pan };
}
/** Chart that is moved by dragging or with the arrow keys, and zoomed with the wheel or + and -. */
export function Zoomed({ chart, lit, label }: ZoomedProps): VNode {
  const { box, view, steps, pan } = useView(chart, lit.active);
  return (
    <div class="canvas">
      <div class="zoom">
        <Button onClick={steps['+']} aria-label="Larger">
          +
        </Button>
        <Button onClick={steps['-']} aria-label="Smaller">
          −
        </Button>
        <Button onClick={steps['0']}>Whole</Button>
      </div>
      <div
        class="drawing"
        ref={box}
        tabIndex={0}
        role="img"
        aria-label={label}
        onKeyDown={onKeys(steps)}
        onPointerMove={(event) => event.buttons === 1 && pan(event.movementX, event.movementY)}
      >
        <svg class="chart">
          <g transform={`translate(${view.x} ${view.y}) scale(${view.scale})`}>
            <ChartDrawing chart={chart} lit={lit} />
          </g>
        </svg>
      </div>
    </div>
  );
}
