/** Panel of all actors over time, on a canvas: the time for drawing grows with its pixels, not with what a host has done. */
import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Lane } from '../history.ts';
import { moodOf, moodOfCall, type Mood } from '../model.ts';
import { Button, Empty, onKeys, useBox, useWheel } from '../pieces.tsx';
import { useDrag } from '../timeline.tsx';
import type { Session } from '../session.ts';
import { durationText, visible, type Range } from '../values.ts';
import { titleOf } from './tree.tsx';

const shortest = 0.01;
/** Time in ms of a running host that is shown unless a person chooses another. */
const liveMs = 60_000;
const rowHeight = 26;
/** Width in px of the column with the names of actors. */
const gutter = 180;
const charWidth = 6;
/** Rows for actors of one name that overlap; more of them share the last. */
const mostRows = 3;

/** Row of the drawing: one actor, or several of one name, such as the calls of a tool. */
interface Track {
  readonly title: string;
  readonly lanes: Lane[];
}
/** The actors that lived in this time, each owner before its children, those of one name together. */
function tracksOf(session: Session, isShown: (lane: Lane) => boolean): readonly Track[] {
  const groups = new Map<string, Track[]>();
  for (const lane of session.history.lanes) {
    if (!isShown(lane)) continue;
    const title = titleOf(session, lane.address);
    const key = `${lane.owner} ${title}`;
    const rows = groups.get(key) ?? [];
    if (rows.length === 0) groups.set(key, rows);
    const free = rows.find(({ lanes }) => (lanes.at(-1)?.to ?? Infinity) <= lane.from);
    if (free) free.lanes.push(lane);
    else if (rows.length < mostRows) rows.push({ title, lanes: [lane] });
    else rows.at(-1)?.lanes.push(lane);
  }
  return [...groups.values()].flat().toSorted((a, b) => orderOf(a).localeCompare(orderOf(b), 'en'));
}
const orderOf = ({ lanes, title }: Track): string =>
  lanes[0]?.kind === 'call' ? `~${title}` : (lanes[0]?.address ?? '');

/** Time that is drawn, on the clock of the trace: the chosen one, the last minute of a running host, or all of a recording. */
function rangeOf(session: Session): [Range, (next: Range | undefined) => void] {
  const { history, nowMs, phase, choice } = session;
  const { range } = choice;
  const end = phase === 'live' ? nowMs : (history.row(history.length - 1)?.t ?? 0);
  const first = Math.max(history.row(1)?.t ?? 0, phase === 'live' ? end - liveMs : 0);
  const last = Math.max(end, first + 1);
  const shown = range
    ? { from: session.traceTime(range.from), to: session.traceTime(range.to) }
    : { from: first, to: last + (last - first) * 0.02 };
  const choose = (next: Range | undefined): void =>
    session.choose({
      range: next && { from: session.clockOf(next.from), to: session.clockOf(next.to) },
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
interface Scale extends Range {
  readonly width: number;
  /** Converts a time, in ms since the trace began, into a position in px. */
  readonly x: (t: number) => number;
}
/** Reads a color of the style sheet, which a canvas cannot resolve itself. */
function colorOf(name: string): string {
  const text = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`);
  const [, light = text, dark = text] = /\(([^,]+),([^)]+)\)/.exec(text) ?? [];
  return (matchMedia('(prefers-color-scheme: dark)').matches ? dark : light).trim();
}
/** Mood of a span: of a call by its outcome, of another actor by its state. */
function moodsOf({ story, wallEnd }: Session, { kind, address }: Lane): (state: string) => Mood {
  const call = kind === 'call' ? story.calls.callAt(address) : undefined;
  const mood = call?.ended && moodOfCall(call, wallEnd);
  return (state) => mood ?? moodOf(kind, state);
}
const worst: readonly Mood[] = ['off', 'good', 'busy', 'bad'];
/** Draws the visible rows. Spans that share a pixel are one, with the worst mood of them. */
function draw(canvas: HTMLCanvasElement, session: Session, rows: readonly Track[], scale: Scale): void {
  const height = rows.length * rowHeight;
  const ratio = devicePixelRatio;
  [canvas.width, canvas.height] = [scale.width * ratio, height * ratio];
  const context = canvas.getContext('2d');
  if (!context) return;
  context.scale(ratio, ratio);
  context.font = '11px system-ui, "DejaVu Sans", sans-serif';
  const fills = new Map(worst.map((mood) => [mood, colorOf(`${mood}-fill`)]));
  const [ink, bad, accent] = [colorOf('ink'), colorOf('bad'), colorOf('accent')];
  const clamp = (t: number): number => Math.max(gutter, Math.min(scale.width, scale.x(t)));
  const { history, nowMs } = session;
  const end = session.phase === 'live' ? nowMs : (history.row(history.length - 1)?.t ?? 0);
  for (const [n, { lanes }] of rows.entries()) {
    const top = n * rowHeight + 4;
    let drawn = { to: -1, rank: -1 };
    for (const lane of lanes) {
      const mood = moodsOf(session, lane);
      const spans = lane.spans.length === 0 ? [{ state: '', from: lane.from }] : lane.spans;
      for (const [at, { state, from }] of spans.entries()) {
        const [left, right] = [clamp(from), clamp(spans[at + 1]?.from ?? lane.to ?? end)];
        const now = mood(state);
        const rank = worst.indexOf(now);
        if (right <= drawn.to && rank <= drawn.rank) continue;
        const width = Math.max(1, right - left);
        context.fillStyle = fills.get(now) ?? '';
        context.fillRect(left, top, width, rowHeight - 10);
        if (now === 'bad') {
          context.fillStyle = bad;
          context.fillRect(left, top + rowHeight - 12, width, 2);
        }
        drawn = { to: left + width, rank };
        if (width < charWidth * 3) continue;
        context.fillStyle = ink;
        context.fillText(fitting(state, width), left + 3, top + 12);
      }
    }
  }
  context.fillStyle = bad;
  for (const { t } of history.faults)
    if (t >= scale.from && t <= scale.to) context.fillRect(scale.x(t), 0, 2, height);
  context.fillStyle = ink;
  for (const { t } of history.marks)
    if (t >= scale.from && t <= scale.to) context.fillRect(scale.x(t), 0, 1, height);
  context.fillStyle = accent;
  if (nowMs >= scale.from) context.fillRect(scale.x(nowMs), 0, 1.5, height);
}
const fitting = (text: string, width: number): string => {
  const most = Math.floor(width / charWidth) - 1;
  return text.length <= most ? text : most > 3 ? `${text.slice(0, most - 1)}…` : '';
};
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
/** Number of states that the name of a row tells, for who does not see the drawing. */
const mostTold = 20;
function Rows({ session, rows, scale }: { session: Session; rows: readonly Track[]; scale: Scale }): VNode {
  const { actor } = session.choice;
  const isIn = ({ from }: { from: number }): boolean => from <= scale.to;
  return (
    <>
      {rows.map(({ title, lanes }, n) => {
        const [only] = lanes;
        const states = lanes.length > 1 ? [] : (only?.spans ?? []).filter(isIn).map(({ state }) => state);
        const name = lanes.length > 1 ? `${title} × ${lanes.length.toLocaleString('en')}` : title;
        const isChosen = lanes.some(({ address }) => address === actor);
        return (
          <Button
            key={only?.address}
            class={`lane${isChosen ? ' chosen' : ''}`}
            data-lane={only?.address}
            aria-pressed={isChosen}
            aria-label={visible(`${name}: ${states.slice(-mostTold).join(', ') || 'calls'}`)}
            style={{ top: `${n * rowHeight}px`, height: `${rowHeight}px`, width: `${gutter}px` }}
            onClick={() => session.choose({ actor: only?.address })}
          >
            {visible(fitting(name, gutter))}
          </Button>
        );
      })}
    </>
  );
}
/** Without a key the wheel scrolls; `x` is the position of the pointer in the window. */
const zoomBy =
  (zoom: (by: number, x: number) => void) =>
  ({ ctrlKey, shiftKey, deltaX, deltaY, clientX }: WheelEvent): unknown =>
    (ctrlKey || shiftKey) && zoom(Math.exp((deltaY || deltaX) / 400), clientX);
type Moves = Readonly<Record<string, () => void>>;
interface BarProps {
  readonly range: Range;
  readonly moves: Moves;
  readonly isAll: boolean;
  readonly showAll: (isAll: boolean) => void;
}
const buttons = [
  ['+', '+', 'Zoom in'],
  ['-', '−', 'Zoom out'],
  ['ArrowLeft', '◀', 'Earlier'],
  ['ArrowRight', '▶', 'Later'],
] as const;
const Bar = ({ range, moves, isAll, showAll }: BarProps): VNode => (
  <div class="bar">
    {buttons.map(([key, text, label]) => (
      <Button key={key} onClick={moves[key]} aria-label={label}>
        {text}
      </Button>
    ))}
    <Button aria-pressed={isAll} onClick={() => showAll(!isAll)}>
      lists and processes
    </Button>
    <span class="quiet" id="range">
      {durationText(Math.max(0, range.from))} to {durationText(range.to)}; drag or ctrl and the wheel zoom
    </span>
  </div>
);
const movesOf = (range: Range, choose: (next: Range | undefined) => void): Moves => ({
  '+': () => choose(about(range, 0.5)),
  '-': () => choose(about(range, 2)),
  '0': () => choose(undefined),
  ArrowLeft: () => choose(moved(range, -0.2)),
  ArrowRight: () => choose(moved(range, 0.2)),
});
/** Lists and processes of a server change with it, so they are left out unless a person chose one. */
const isInner = ({ kind }: Lane): boolean => ['catalog', 'connection', 'process'].includes(kind);

export const LanesPanel = ({ session }: { session: Session }): VNode =>
  session.history.lanes.length === 0 ? <Empty>No actor has lived yet.</Empty> : <Lanes session={session} />;
function Lanes({ session }: { session: Session }): VNode {
  const [isAll, showAll] = useState(false);
  const [box, size, measure] = useBox();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [range, choose] = rangeOf(session);
  const free = Math.max(1, size.width - gutter);
  const x = (t: number): number => gutter + ((t - range.from) / (range.to - range.from)) * free;
  const scale: Scale = { ...range, width: size.width, x };
  const timeAt = (at: number): number => range.from + ((at - gutter) / free) * (range.to - range.from);
  const left = (): number => box.current?.getBoundingClientRect().left ?? 0;
  useWheel(
    box,
    zoomBy((by, at) => choose(about(range, by, Math.max(range.from, timeAt(at - left()))))),
  );
  const isShown = (lane: Lane): boolean =>
    lane.from <= range.to &&
    (lane.to ?? Infinity) >= range.from &&
    (isAll || !isInner(lane) || lane.address === session.choice.actor);
  const tracks = tracksOf(session, isShown);
  const first = Math.max(0, Math.floor(size.top / rowHeight) - 2);
  const rows = tracks.slice(first, first + Math.ceil(size.height / rowHeight) + 4);
  useLayoutEffect(() => {
    if (canvas.current) draw(canvas.current, session, rows, scale);
  });
  const moves = movesOf(range, choose);
  const drag = useDrag({ box, gutter, timeAt, choose });
  const onClick = (event: MouseEvent): void => {
    const at = event.clientX - left();
    const y = event.clientY - (canvas.current?.getBoundingClientRect().top ?? 0);
    if (drag.isOver || at <= gutter) return;
    const t = timeAt(at);
    const lane = rows[Math.floor(y / rowHeight)]?.lanes.find(
      ({ from, to = Infinity }) => from <= t && to >= t,
    );
    if (lane) session.choose({ actor: lane.address });
    session.goTo(session.history.indexAt(t));
  };
  return (
    <div class="lanes">
      <Bar range={range} moves={moves} isAll={isAll} showAll={showAll} />
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
          style={{ height: `${tracks.length * rowHeight}px` }}
          onClick={onClick}
          {...drag.handlers}
        >
          {drag.band}
          <div class="rows" style={{ transform: `translateY(${first * rowHeight}px)` }}>
            <canvas
              ref={canvas}
              style={{ width: `${size.width}px`, height: `${rows.length * rowHeight}px` }}
            />
            <Rows session={session} rows={rows} scale={scale} />
          </div>
        </div>
      </div>
    </div>
  );
}
