import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { onKeys } from '../pieces.tsx';
import { ChartDrawing, type Lit } from './drawing.tsx';
import type { ElkPoint } from './graph.ts';
import type { LaidOut } from './graph.ts';
import { firstView, wholeView, zoomed, type Size, type View } from './view.ts';

interface ZoomedProps {
  readonly chart: LaidOut;
  readonly lit: Lit;
  readonly label: string;
  /** Called with the path of the clicked state, or undefined for a click beside all states. */
  readonly onChoose: (path: string | undefined) => void;
}
const larger = 1.25;
/** Chart that is moved by dragging or with the arrow keys, and zoomed with the wheel or + and -. */
export function Zoomed({ chart, lit, label, onChoose }: ZoomedProps): VNode {
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
  useEffect(() => setView(firstView(chart.drawn, lit.active, size())), [chart]);
  useEffect(() => {
    const { current } = box;
    const turned = (event: WheelEvent): void => {
      event.preventDefault();
      const { left = 0, top = 0 } = current?.getBoundingClientRect() ?? {};
      zoom(Math.exp(-event.deltaY / 500), { x: event.clientX - left, y: event.clientY - top });
    };
    current?.addEventListener('wheel', turned, { passive: false });
    return () => current?.removeEventListener('wheel', turned);
  }, []);
  const steps: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => pan(60, 0),
    ArrowRight: () => pan(-60, 0),
    ArrowUp: () => pan(0, 60),
    ArrowDown: () => pan(0, -60),
    '+': () => zoom(larger),
    '-': () => zoom(1 / larger),
    '0': whole,
  };
  const onClick = ({ target }: MouseEvent): void =>
    onChoose((target as Element).closest('[data-state]')?.getAttribute('data-state') ?? undefined);
  return (
    <div class="canvas">
      <div class="zoom">
        <button type="button" onClick={steps['+']} aria-label="Larger">
          +
        </button>
        <button type="button" onClick={steps['-']} aria-label="Smaller">
          −
        </button>
        <button type="button" onClick={whole}>
          Whole
        </button>
      </div>
      <div
        class="drawing"
        ref={box}
        tabIndex={0}
        role="img"
        aria-label={label}
        onKeyDown={onKeys(steps)}
        onClick={onClick}
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
