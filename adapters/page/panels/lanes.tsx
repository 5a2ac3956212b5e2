import type { ComponentChildren, RefObject, VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Lane, Letter, TimerBar } from '../history.ts';
import { moodOf, moodOfCall, type Mood } from '../model.ts';
import { Empty, onKeys } from '../pieces.tsx';
import { useDrag } from '../timeline.tsx';
import type { Session } from '../session.ts';
import { countText, durationText, visible, type Range } from '../values.ts';
import { titleOf } from './tree.tsx';

/**
 * Panel of all actors over time: a lane for each actor, and one for all calls of a tool; states as spans, timers as bars up
 * to their deadline, and the messages of the chosen actor as arrows.
 */

const shortest = 0.01;

/** Returns the lanes of actors that lived in this time, each owner before its children. */
function lanesIn(lanes: readonly Lane[], { from, to }: Range): readonly Lane[] {
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
/** Row of the drawing: one actor, or several of one name that do not overlap, such as calls of a tool. */
interface Track {
  readonly title: string;
  readonly lanes: Lane[];
}
/** Packs actors of one name and owner into as few rows as possible, without overlaps. */
function tracksOf(session: Session, lanes: readonly Lane[]): readonly Track[] {
  const groups: Track[][] = [];
  const byName = new Map<string, Track[]>();
  for (const lane of lanes) {
    const title = titleOf(session, lane.address);
    const key = `${lane.owner} ${title}`;
    const known = byName.get(key);
    const free = known?.find((track) => (track.lanes.at(-1)?.to ?? Infinity) <= lane.from);
    if (free) free.lanes.push(lane);
    else if (known) known.push({ title, lanes: [lane] });
    else {
      const group = [{ title, lanes: [lane] }];
      groups.push(group);
      byName.set(key, group);
    }
  }
  return groups.flat();
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
/** Time range that is drawn, on the clock of the trace: the chosen one, or all time, which follows a running host. */
function rangeOf(session: Session): [Range, (next: Range | undefined) => void] {
  const { history, nowMs, phase, choice } = session;
  const first = history.row(1)?.t ?? 0;
  const last = Math.max(phase === 'live' ? nowMs : 0, history.row(history.length - 1)?.t ?? 0, first + 1);
  const { range } = choice;
  const shown = range
    ? { from: session.traceTime(range.from), to: session.traceTime(range.to) }
    : { from: first, to: last + (last - first) * 0.02 };
  const choose = (next: Range | undefined): void =>
    session.choose({
      range: next && { from: session.rangeTime(next.from), to: session.rangeTime(next.to) },
    });
  return [shown, choose];
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
const laneHeight = 26;
/** Width in px of the column with the names of actors. */
const gutter = 180;
const charWidth = 6;
const mostArrows = 300;
const fewestPixels = 0.4;

interface Scale {
  readonly from: number;
  readonly to: number;
  readonly width: number;
  /** Converts a time, in ms since the trace began, into a position in px. */
  readonly x: (t: number) => number;
}
const clamp = (value: number, scale: Scale): number => Math.max(gutter, Math.min(scale.width, value));
const fitting = (text: string, width: number): string => {
  const most = Math.floor(width / charWidth) - 1;
  return text.length <= most ? text : most > 3 ? `${text.slice(0, most - 1)}…` : '';
};
function Timer({
  timer,
  top,
  scale,
  now,
}: {
  timer: TimerBar;
  top: number;
  scale: Scale;
  now: number;
}): VNode | null {
  const end = timer.to ?? Math.max(timer.due, now);
  const [left, right] = [clamp(scale.x(timer.from), scale), clamp(scale.x(end), scale)];
  if (right - left < 2) return null;
  const how = timer.hasFired ? 'fired' : timer.to === undefined ? 'runs' : 'cleared';
  const y = top + laneHeight - 3;
  return (
    <g class={`timer${timer.hasFired ? ' fired' : ''}`}>
      <title>{`timer of ${durationText(timer.due - timer.from)}: ${how}`}</title>
      <line x1={left} x2={right} y1={y} y2={y} />
      {scale.x(end) <= scale.width && <line class="due" x1={right} x2={right} y1={y - 5} y2={y + 2} />}
    </g>
  );
}
interface Drawn {
  readonly top: number;
  readonly scale: Scale;
  readonly now: number;
}
/** Life of one actor in its row. */
function Life({
  lane,
  top,
  scale,
  now,
  isChosen,
  mood,
}: Drawn & { lane: Lane; isChosen: boolean; mood: Mood | undefined }): VNode {
  const end = lane.to ?? now;
  const spans = lane.spans.flatMap(({ state, from }, at) => {
    const left = clamp(scale.x(from), scale);
    const right = clamp(scale.x(lane.spans[at + 1]?.from ?? end), scale);
    return right - left < fewestPixels ? [] : [{ state, left, width: right - left }];
  });
  // Draws no state before the first known one, because the actor's earlier states are not recorded.
  const begin = clamp(scale.x(lane.from), scale);
  const firstAt = clamp(scale.x(lane.spans[0]?.from ?? end), scale);
  const isCall = lane.kind === 'call';
  const last = lane.spans.at(-1)?.state ?? '';
  return (
    <g class={`life${isChosen ? ' chosen' : ''}`} data-lane={lane.address}>
      <title>{visible(lane.address)}</title>
      {isCall && (
        <rect
          class={`call-bar ${mood ?? moodOf(lane.kind, last)}-span`}
          x={begin}
          y={top + 4}
          width={Math.max(2, clamp(scale.x(end), scale) - begin)}
          height={laneHeight - 10}
        />
      )}
      {firstAt > begin && (
        <rect class="unknown" x={begin} y={top + 4} width={firstAt - begin} height={laneHeight - 10} />
      )}
      {spans.map(({ state, left, width }) => (
        <g
          key={`${state} ${left}`}
          class={`span ${mood ?? moodOf(lane.kind, state)}-span`}
          data-state={state}
        >
          <title>{`${visible(lane.address)}: ${state}`}</title>
          <rect x={left} y={top + 4} width={width} height={laneHeight - 10} />
          <text x={left + 3} y={top + 16}>
            {fitting(state, width)}
          </text>
        </g>
      ))}
      {!isCall &&
        lane.timers
          .filter(({ from, due, to }) => from <= scale.to && (to ?? due) >= scale.from)
          .map((timer) => (
            <Timer key={`${timer.n} ${timer.from}`} timer={timer} top={top} scale={scale} now={now} />
          ))}
      {!isCall && lane.to !== undefined && lane.to >= scale.from && lane.to <= scale.to && (
        <line
          class="end"
          x1={scale.x(lane.to)}
          x2={scale.x(lane.to)}
          y1={top + 2}
          y2={top + laneHeight - 4}
        />
      )}
    </g>
  );
}
/** Returns the mood of the lane of an ended call, by its outcome instead of its last state; undefined for any other lane. */
function moodOfLane({ story, wallEnd }: Session, { address }: Lane): Mood | undefined {
  const call = story.calls.callAt(address);
  return call?.ended ? moodOfCall(call, wallEnd) : undefined;
}
/** Largest number of actors drawn in one row. More would be closer together than pixels, and appear when zoomed in. */
const mostLives = 400;
function TrackRow({
  session,
  track: { title, lanes },
  ...drawn
}: Drawn & { session: Session; track: Track }): VNode {
  const { actor: chosen } = session.choice;
  const { top, scale } = drawn;
  const isChosen = lanes.some(({ address }) => address === chosen);
  const step = Math.ceil(lanes.length / mostLives);
  const [only] = lanes;
  const name = lanes.length > 1 ? `${title} × ${lanes.length.toLocaleString('en')}` : title;
  return (
    <g class={`lane${isChosen ? ' chosen' : ''}`} data-lane={lanes.length === 1 ? only?.address : undefined}>
      <rect class="row" x={0} y={top} width={scale.width} height={laneHeight} />
      <text class="name" x={6} y={top + 17}>
        {visible(fitting(name, gutter))}
      </text>
      {lanes
        .filter(({ address }, n) => n % step === 0 || address === chosen)
        .map((lane) => (
          <Life
            key={lane.address}
            lane={lane}
            isChosen={lane.address === chosen}
            mood={moodOfLane(session, lane)}
            {...drawn}
          />
        ))}
    </g>
  );
}
/** Returns the index of the first item in `list` that is not before the time `t`. */
function firstAt(list: readonly { readonly t: number }[], t: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle]?.t ?? Infinity) < t) low = middle + 1;
    else high = middle;
  }
  return low;
}
/** Returns the messages from and to the chosen actor in this time. Those of all actors would hide the lanes. */
function lettersIn({ history, choice: { actor } }: Session, { from, to }: Range): readonly Letter[] {
  if (actor === undefined) return [];
  return history.letters
    .slice(firstAt(history.letters, from), firstAt(history.letters, to))
    .filter((letter) => letter.from === actor || history.lane(letter.to)?.address === actor);
}
interface ArrowsProps {
  readonly session: Session;
  readonly letters: readonly Letter[];
  readonly scale: Scale;
  /** Vertical middle in px of each visible lane, by address of the actor. */
  readonly places: ReadonlyMap<string, number>;
}
function Arrows({ session: { history }, letters, scale, places }: ArrowsProps): VNode {
  const made = letters.slice(0, mostArrows).map((letter) => {
    const from = places.get(letter.from);
    const to = places.get(history.lane(letter.to)?.address ?? '');
    if (from === undefined || to === undefined || from === to) return null;
    const x = scale.x(letter.t);
    const point = to > from ? -5 : 5;
    return (
      <g key={letter.index} class={`arrow${letter.isDead ? ' dead' : ''}`} data-said={letter.type}>
        <title>{`${visible(letter.type)}: ${visible(letter.from)} → ${visible(letter.to)}`}</title>
        <path d={`M${x} ${from}V${to}m-3 ${point}l3 ${-point}l3 ${point}`} />
      </g>
    );
  });
  return <g class="arrows">{made}</g>;
}
/**
 * Marks across all lanes for failures outside of the actors, such as lost connections, and for notes that the host
 * wrote.
 */
function Bands({
  session: { history },
  scale,
  height,
}: {
  session: Session;
  scale: Scale;
  height: number;
}): VNode {
  const end = firstAt(history.faults, scale.to);
  return (
    <g class="bands">
      {history.faults
        .slice(firstAt(history.faults, scale.from), end)
        .slice(0, mostArrows)
        .map(({ t, index, what }) => (
          <g key={index}>
            <title>{visible(what)}</title>
            <rect x={scale.x(t) - 3} y={0} width={6} height={height} />
          </g>
        ))}
      {history.marks
        .slice(firstAt(history.marks, scale.from), firstAt(history.marks, scale.to))
        .slice(0, mostArrows)
        .map(({ t, index, text }) => (
          <g key={index} class="mark" data-mark={visible(text)}>
            <title>{visible(text)}</title>
            <line x1={scale.x(t)} x2={scale.x(t)} y1={0} y2={height} />
          </g>
        ))}
    </g>
  );
}
const steps = [1, 2, 5];
/** Width in px that the label of a tick needs. A tick without room for it has no label. */
const labelWidth = 48;
function Axis({ scale }: { scale: Scale }): VNode {
  const rough = (scale.to - scale.from) / 6;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = (steps.find((each) => each * power >= rough) ?? 10) * power;
  const ticks: number[] = [];
  for (let t = Math.ceil(scale.from / step) * step; t <= scale.to && ticks.length < 20; t += step)
    ticks.push(t);
  return (
    <svg class="axis" width={scale.width} height={20} aria-hidden="true">
      {ticks.map((t) => (
        <g key={t}>
          <line x1={scale.x(t)} x2={scale.x(t)} y1={14} y2={20} />
          {scale.x(t) + labelWidth <= scale.width && (
            <text x={scale.x(t) + 3} y={13}>
              {durationText(t)}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}

interface LanesProps {
  readonly session: Session;
  readonly tracks: readonly Track[];
  readonly letters: readonly Letter[];
  /** Index of the first visible row. */
  readonly first: number;
  readonly scale: Scale;
}
function Drawing({ session, tracks, letters, first, scale }: LanesProps): VNode {
  const height = tracks.length * laneHeight;
  const places = new Map(
    tracks.flatMap(({ lanes }, at) =>
      lanes.map(({ address }) => [address, (at + 0.5) * laneHeight] as const),
    ),
  );
  const cursor = scale.x(session.nowMs);
  const last =
    session.phase === 'live' ? session.nowMs : (session.history.row(session.history.length - 1)?.t ?? 0);
  return (
    <svg width={scale.width} height={height} style={{ transform: `translateY(${first * laneHeight}px)` }}>
      <title>{`Lanes of ${visible(session.host?.name ?? '')}`}</title>
      <Bands session={session} scale={scale} height={height} />
      {tracks.map((track, at) => (
        <TrackRow
          key={track.lanes[0]?.address}
          track={track}
          top={at * laneHeight}
          scale={scale}
          now={last}
          session={session}
        />
      ))}
      <Arrows session={session} letters={letters} scale={scale} places={places} />
      {cursor >= gutter && <line class="cursor" x1={cursor} x2={cursor} y1={0} y2={height} />}
    </svg>
  );
}
type Moves = Readonly<Record<string, () => void>>;
/** Text that tells how many messages the chosen actor has in this time, and how many of them are drawn. */
const lettersText = (letters: number): string => {
  if (letters === 0) return 'a click goes there and shows the messages of its actor';
  const drawn = letters > mostArrows ? `, the first ${mostArrows} are drawn: zoom in` : '';
  return `${countText(letters, 'message')} of the chosen actor${drawn}`;
};
interface BarProps {
  readonly range: Range;
  readonly moves: Moves;
  readonly letters: number;
  readonly children: ComponentChildren;
}
function Bar({ range, moves, letters, children }: BarProps): VNode {
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
      {children}
      <span class="quiet" id="range">
        {durationText(Math.max(0, range.from))} to {durationText(range.to)}; drag or ctrl and the wheel zoom;{' '}
        {lettersText(letters)}
      </span>
    </div>
  );
}
/**
 * Zooms by the wheel while a modifier key is held, which the browser would otherwise use itself; `x` is the position of the
 * pointer in the window.
 */
function useWheel(box: RefObject<HTMLElement>, zoom: (by: number, x: number) => void): void {
  useEffect(() => {
    const { current } = box;
    const turned = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.shiftKey) return;
      event.preventDefault();
      zoom(Math.exp((event.deltaY || event.deltaX) / 400), event.clientX);
    };
    current?.addEventListener('wheel', turned, { passive: false });
    return () => current?.removeEventListener('wheel', turned);
  });
}
/**
 * Tells whether a lane is hidden at first: it belongs to a list, connection or process of a server, which changes with the server, or has
 * no change in the chosen time.
 */
function isIdle({ kind, address, spans, from, to }: Lane, { choice }: Session, range: Range): boolean {
  if (address === choice.actor) return false;
  if (['catalog', 'connection', 'process'].includes(kind)) return true;
  const isIn = (t: number | undefined): boolean => t !== undefined && t >= range.from && t <= range.to;
  return choice.range !== undefined && !isIn(from) && !isIn(to) && !spans.some((span) => isIn(span.from));
}
export const LanesPanel = ({ session }: { session: Session }): VNode =>
  session.history.lanes.length === 0 ? <Empty>No actor has lived yet.</Empty> : <Lanes session={session} />;
function Lanes({ session }: { session: Session }): VNode {
  const [isAll, showAll] = useState(false);
  const [box, size, measure] = useSize();
  const [range, choose] = rangeOf(session);
  const free = Math.max(1, size.width - gutter);
  const scale: Scale = {
    ...range,
    width: size.width,
    x: (t) => gutter + ((t - range.from) / (range.to - range.from)) * free,
  };
  const timeAt = (x: number): number => range.from + ((x - gutter) / free) * (range.to - range.from);
  const left = (): number => box.current?.getBoundingClientRect().left ?? 0;
  useWheel(box, (by, x) => choose(about(range, by, Math.max(range.from, timeAt(x - left())))));
  const letters = lettersIn(session, range);
  const living = lanesIn(session.history.lanes, range);
  const moving = living.filter((lane) => !isIdle(lane, session, range));
  const tracks = tracksOf(session, isAll ? living : moving);
  const first = Math.max(0, Math.floor(size.top / laneHeight) - 2);
  const shown = tracks.slice(first, first + Math.ceil(size.height / laneHeight) + 4);
  const moves: Moves = {
    '+': () => choose(about(range, 0.5)),
    '-': () => choose(about(range, 2)),
    '0': () => choose(undefined),
    ArrowLeft: () => choose(moved(range, -0.2)),
    ArrowRight: () => choose(moved(range, 0.2)),
  };
  const drag = useDrag({ box, gutter, timeAt, choose });
  const onClick = (event: MouseEvent): void => {
    if (drag.isOver) return;
    const name = (event.target as Element).closest('[data-lane]')?.getAttribute('data-lane');
    const x = event.clientX - left();
    if (name) session.choose({ actor: name });
    if (x > gutter) session.goTo(session.history.indexAt(timeAt(x)));
  };
  return (
    <div class="lanes">
      <Bar range={range} moves={moves} letters={letters.length}>
        <button type="button" aria-pressed={isAll} onClick={() => showAll(!isAll)}>
          idle {living.length - moving.length}
        </button>
      </Bar>
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
        <div
          class="all"
          style={{ height: `${tracks.length * laneHeight}px` }}
          onClick={onClick}
          {...drag.handlers}
        >
          {drag.band}
          <Drawing session={session} tracks={shown} letters={letters} first={first} scale={scale} />
        </div>
      </div>
    </div>
  );
}
