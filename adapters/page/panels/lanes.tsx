import type { RefObject, VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Lane } from '../history.ts';
import { Empty, onKeys } from '../pieces.tsx';
import type { Session } from '../session.ts';
import { durationText, visible } from '../values.ts';
import { gutter, Arrows, Axis, Bands, LaneRow, laneHeight, type Scale } from './lane-parts.tsx';

/**
 * Panel of all actors over time: a lane for each, states as spans, messages as arrows, timers as bars up to their
 * deadline.
 */

interface Range {
  readonly from: number;
  readonly to: number;
}
const shortest = 0.01;

/** Returns the lanes of actors that lived in this time, each owner before its children. */
export function lanesIn(lanes: readonly Lane[], { from, to }: Range): readonly Lane[] {
  const known = new Set(lanes.map(({ address }) => address));
  const owned = new Map<string, Lane[]>();
  for (const lane of lanes) {
    if (lane.from > to || (lane.to ?? Infinity) < from) continue;
    const owner = known.has(lane.owner) ? lane.owner : '';
    const others = owned.get(owner);
    if (others) others.push(lane);
    else owned.set(owner, [lane]);
  }
  const sorted: Lane[] = [];
  const entered = new Set<Lane>();
  const enter = (lane: Lane): void => {
    if (entered.has(lane)) return;
    entered.add(lane);
    sorted.push(lane);
    owned.get(lane.address)?.forEach(enter);
  };
  owned.get('')?.forEach(enter);
  // Adds lanes of actors whose owner ended before the time shown.
  for (const each of owned.values()) each.forEach(enter);
  return sorted;
}
function useSize(): [
  box: RefObject<HTMLDivElement>,
  size: { width: number; height: number; top: number },
  measure: () => void,
] {
  const box = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 800, height: 400, top: 0 });
  const measure = (): void => {
    const { clientWidth = 800, clientHeight = 400, scrollTop = 0 } = box.current ?? {};
    setSize((old) =>
      old.width === clientWidth && old.height === clientHeight && old.top === scrollTop
        ? old
        : { width: clientWidth, height: clientHeight, top: scrollTop },
    );
  };
  useLayoutEffect(measure, []);
  useEffect(() => {
    const sized = new ResizeObserver(measure);
    if (box.current) sized.observe(box.current);
    return () => sized.disconnect();
  }, []);
  return [box, size, measure];
}
/** Chosen range of time; undefined shows the whole trace, and follows a running host. */
function useRange({ history, nowMs, phase }: Session): [Range, (next: Range | undefined) => void, boolean] {
  const [chosen, choose] = useState<Range | undefined>(undefined);
  const first = history.row(1)?.t ?? 0;
  const last = Math.max(phase === 'live' ? nowMs : 0, history.row(history.length - 1)?.t ?? 0, first + 1);
  return [chosen ?? { from: first, to: last + (last - first) * 0.02 }, choose, chosen !== undefined];
}
const about = ({ from, to }: Range, by: number, at = (from + to) / 2): Range => {
  const width = Math.max(shortest, (to - from) * by);
  const left = at - ((at - from) / (to - from)) * width;
  return { from: left, to: left + width };
};
const moved = ({ from, to }: Range, by: number): Range => ({
  from: from + (to - from) * by,
  to: to + (to - from) * by,
});
interface LanesProps {
  readonly session: Session;
  readonly lanes: readonly Lane[];
  /** Index of the first visible lane. */
  readonly first: number;
  readonly scale: Scale;
}
function Drawing({ session, lanes, first, scale }: LanesProps): VNode {
  const height = lanes.length * laneHeight;
  const places = new Map(lanes.map((lane, at) => [lane.address, (at + 0.5) * laneHeight]));
  const cursor = scale.x(session.nowMs);
  const last =
    session.phase === 'live' ? session.nowMs : (session.history.row(session.history.length - 1)?.t ?? 0);
  return (
    <svg width={scale.width} height={height} style={{ transform: `translateY(${first * laneHeight}px)` }}>
      <title>{`Lanes of ${visible(session.host?.name ?? '')}`}</title>
      <Bands session={session} scale={scale} height={height} />
      {lanes.map((lane, at) => (
        <LaneRow
          key={lane.address}
          lane={lane}
          top={at * laneHeight}
          scale={scale}
          now={last}
          isChosen={lane.address === session.choice.actor}
        />
      ))}
      <Arrows session={session} scale={scale} places={places} />
      {cursor >= gutter && <line class="cursor" x1={cursor} x2={cursor} y1={0} y2={height} />}
    </svg>
  );
}
type Moves = Readonly<Record<string, () => void>>;
function Bar({ range, moves, isZoomed }: { range: Range; moves: Moves; isZoomed: boolean }): VNode {
  const buttons = [
    ['+', '+', 'Zoom in'],
    ['-', '−', 'Zoom out'],
    ['ArrowLeft', '◀', 'Earlier'],
    ['ArrowRight', '▶', 'Later'],
  ] as const;
  return (
    <div class="bar">
      {buttons.map(([key, text, label]) => (
        <button key={key} type="button" onClick={moves[key]} aria-label={label}>
          {text}
        </button>
      ))}
      <button type="button" disabled={!isZoomed} onClick={moves['0']}>
        All
      </button>
      <span class="quiet" id="range">
        {durationText(Math.max(0, range.from))} to {durationText(range.to)}; ctrl and the wheel zoom, a click
        goes there
      </span>
    </div>
  );
}
export function LanesPanel({ session }: { session: Session }): VNode {
  const [box, size, measure] = useSize();
  const [range, choose, isZoomed] = useRange(session);
  const free = Math.max(1, size.width - gutter);
  const scale: Scale = {
    ...range,
    width: size.width,
    x: (t) => gutter + ((t - range.from) / (range.to - range.from)) * free,
  };
  const timeAt = (x: number): number => range.from + ((x - gutter) / free) * (range.to - range.from);
  const left = (): number => box.current?.getBoundingClientRect().left ?? 0;
  useEffect(() => {
    const { current } = box;
    const turned = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.shiftKey) return;
      event.preventDefault();
      const by = Math.exp((event.deltaY || event.deltaX) / 400);
      choose(about(range, by, Math.max(range.from, timeAt(event.clientX - left()))));
    };
    current?.addEventListener('wheel', turned, { passive: false });
    return () => current?.removeEventListener('wheel', turned);
  });
  if (session.history.lanes.length === 0) return <Empty>Nobody has lived yet.</Empty>;
  const lanes = lanesIn(session.history.lanes, range);
  const first = Math.max(0, Math.floor(size.top / laneHeight) - 2);
  const shown = lanes.slice(first, first + Math.ceil(size.height / laneHeight) + 4);
  const moves: Moves = {
    '+': () => choose(about(range, 0.5)),
    '-': () => choose(about(range, 2)),
    '0': () => choose(undefined),
    ArrowLeft: () => choose(moved(range, -0.2)),
    ArrowRight: () => choose(moved(range, 0.2)),
  };
  const onClick = (event: MouseEvent): void => {
    const name = (event.target as Element).closest('[data-lane]')?.getAttribute('data-lane');
    const x = event.clientX - left();
    if (name) session.choose({ actor: name });
    if (x > gutter) session.goTo(session.history.indexAt(timeAt(x)));
  };
  return (
    <div class="lanes">
      <Bar range={range} moves={moves} isZoomed={isZoomed} />
      <Axis scale={scale} />
      <div
        class="long"
        ref={box}
        tabIndex={0}
        role="group"
        aria-label="Lanes"
        onScroll={measure}
        onKeyDown={onKeys(moves)}
      >
        <div class="all" style={{ height: `${lanes.length * laneHeight}px` }} onClick={onClick}>
          <Drawing session={session} lanes={shown} first={first} scale={scale} />
        </div>
      </div>
    </div>
  );
}
