import type { RefObject, VNode } from 'preact';
import { Button } from './pieces.tsx';
import { useRef, useState } from 'preact/hooks';
import { kindOf } from './call-list.ts';
import type { Session } from './session.ts';
import { isMild } from '../../machines/incidents/incident.ts';
import { countText, dayTimeText, durationText, finerTimeText, type Range } from './values.ts';

/** Strip of all time above the panels, with calls and incidents. A drag limits the panels to a range of time. */

/** Shortest move in px that makes a press a drag and not a click. */
const leastDrag = 4;
interface Dragging {
  /** Element whose left edge is the origin of positions. */
  readonly box: RefObject<HTMLElement>;
  /** Width in px at the left of the element that does not belong to the time axis. */
  readonly gutter: number;
  readonly timeAt: (x: number) => number;
  readonly choose: (range: Range) => void;
}
interface Drag {
  readonly handlers: Readonly<
    Record<'onPointerDown' | 'onPointerMove' | 'onPointerUp', (event: PointerEvent) => void>
  >;
  /** True when the click which the browser reports now is the end of a drag. */
  readonly isOver: boolean;
  /** Drawing of the range that is being chosen. */
  readonly band: VNode | null;
}
/** Lets a person choose a range of time by dragging over an element. */
export function useDrag({ box, gutter, timeAt, choose }: Dragging): Drag {
  const [drag, set] = useState<readonly [from: number, to: number] | undefined>(undefined);
  const isOver = useRef(false);
  const xOf = ({ clientX }: PointerEvent): number => {
    const { left = 0, width = 0 } = box.current?.getBoundingClientRect() ?? {};
    return Math.max(gutter, Math.min(width, clientX - left));
  };
  const ends = drag && ([Math.min(...drag), Math.max(...drag)] as const);
  const isWide = ends !== undefined && ends[1] - ends[0] >= leastDrag;
  const onPointerDown = (event: PointerEvent): void => {
    isOver.current = false;
    if (event.button !== 0) return;
    const { left = 0 } = box.current?.getBoundingClientRect() ?? {};
    if (event.clientX - left < gutter) return;
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    set([xOf(event), xOf(event)]);
  };
  const onPointerMove = (event: PointerEvent): void => {
    if (drag) set([drag[0], xOf(event)]);
  };
  const onPointerUp = (): void => {
    if (isWide) choose({ from: timeAt(ends[0]), to: timeAt(ends[1]) });
    isOver.current = isWide;
    set(undefined);
  };
  return {
    handlers: { onPointerDown, onPointerMove, onPointerUp },
    get isOver() {
      return isOver.current;
    },
    band: isWide ? (
      <span class="band" style={{ left: `${ends[0]}px`, width: `${ends[1] - ends[0]}px` }} />
    ) : null,
  };
}

/** Number of columns of the drawing, and its height in its own units. */
const [columns, height] = [240, 24];
interface Columns {
  readonly all: readonly number[];
  readonly bad: readonly number[];
}
/** Counts the calls that began in each column of the strip, and the failed ones among them. */
function counted({ story }: Session, { from, to }: Range): Columns {
  const all = Array.from({ length: columns }, () => 0);
  const bad = [...all];
  for (const call of story.calls.all) {
    const at = Math.min(columns - 1, Math.max(0, Math.floor((columns * (call.from - from)) / (to - from))));
    const kind = kindOf(call, to);
    all[at] = (all[at] ?? 0) + 1;
    if (kind === 'failed' || kind === 'unknown') bad[at] = (bad[at] ?? 0) + 1;
  }
  return { all, bad };
}
/** Returns an SVG path of columns for these counts; the largest count reaches the height of the strip. */
const columnsPath = (counts: readonly number[], most: number): string =>
  counts
    .map((count, x) =>
      count === 0 ? '' : `M${x} ${height}v${-(2 + ((height - 4) * count) / most)}h1V${height}z`,
    )
    .join('');
/** Time in ms for which a drawing of calls is reused, because counting many calls takes longer than drawing the rest. */
const keptMs = 500;
function useColumns(session: Session, whole: Range): Columns {
  const kept = useRef<{ at: number; revision: number; whole: Range; drawn: Columns }>();
  const { revision } = session.story.calls;
  const { current } = kept;
  const isSame =
    current?.revision === revision && current.whole.from === whole.from && current.whole.to === whole.to;
  if (current && (isSame || performance.now() - current.at < keptMs)) return current.drawn;
  const drawn = counted(session, whole);
  kept.current = { at: performance.now(), revision, whole, drawn };
  return drawn;
}
function Drawing({ session, whole, drawn }: { session: Session; whole: Range; drawn: Columns }): VNode {
  const { all, bad } = drawn;
  const most = Math.max(1, ...all);
  const x = (at: number): number => (columns * (at - whole.from)) / (whole.to - whole.from);
  const { range } = session.choice;
  const now = session.wallEnd;
  return (
    <svg viewBox={`0 0 ${columns} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="all-calls" d={columnsPath(all, most)} />
      <path class="bad-calls" d={columnsPath(bad, most)} />
      {session.story
        .at(now)
        .filter((view) => !isMild(view))
        .map(({ incident, from, last, to }) => (
          <rect
            key={incident.id}
            class="incident-span"
            x={x(from)}
            width={Math.max(0.5, x(to === undefined ? now : Math.max(to, last)) - x(from))}
            height={2}
          />
        ))}
      {range && <rect class="outside" width={Math.max(0, x(range.from))} height={height} />}
      {range && (
        <rect class="outside" x={x(range.to)} width={Math.max(0, columns - x(range.to))} height={height} />
      )}
      <rect class="shown" x={x(session.clockOf(session.nowMs)) - 0.2} width={0.4} height={height} />
    </svg>
  );
}
/** Returns a range as text, with its length. */
function rangeText(session: Session, { from, to }: Range): string {
  return `${durationText(to - from)} of time: ${finerTimeText(from, session.wallEnd)} to ${finerTimeText(to, session.wallEnd)}`;
}
/** The moment that is shown, and the way back to the present. */
function Moment({ session }: { session: Session }): VNode {
  const { history, at, isNow, phase } = session;
  const row = history.row(at);
  const end = phase === 'live' ? 'now' : 'the end';
  return (
    <>
      <span id="moment-text">{isNow ? end : `record ${row?.s ?? 0} at ${durationText(row?.t ?? 0)}`}</span>
      <Button id="follow" disabled={isNow} onClick={() => session.choose({ moment: undefined })}>
        {phase === 'live' ? 'Now' : 'End'}
      </Button>
    </>
  );
}
export function TimeLine({ session }: { session: Session }): VNode | null {
  const box = useRef<HTMLDivElement>(null);
  const { whole, phase } = session;
  const choose = (range: Range | undefined): void => session.choose({ range });
  const timeAt = (x: number): number =>
    whole.from + (x / Math.max(1, box.current?.clientWidth ?? 1)) * (whole.to - whole.from);
  const drag = useDrag({ box, gutter: 0, timeAt, choose });
  const drawn = useColumns(session, whole);
  if (phase === 'connecting' || phase === 'no token' || session.history.length < 2) return null;
  const most = Math.max(0, ...drawn.all);
  const { range } = session.choice;
  const text = (at: number): string => dayTimeText(at, session.wallEnd);
  return (
    <section id="timeline" aria-label="Time line">
      <span class="quiet small">{text(whole.from)}</span>
      <div
        class="strip"
        ref={box}
        title="click: this moment; drag: only this time; double click: all time"
        onClick={(event) => drag.isOver || session.goToTime(timeAt(event.offsetX))}
        onDblClick={() => choose(undefined)}
        {...drag.handlers}
      >
        <Drawing session={session} whole={whole} drawn={drawn} />
        {drag.band}
        <span class="scale">{most > 0 && countText(most, 'call')}</span>
        {[0.25, 0.5, 0.75].map((part) => (
          <span key={part} class="hour" style={{ left: `${100 * part}%` }}>
            {text(whole.from + part * (whole.to - whole.from))}
          </span>
        ))}
      </div>
      {phase !== 'live' && <span class="quiet small">{text(whole.to)}</span>}
      <Moment session={session} />
      <span id="range-shown" role="status">
        {range && rangeText(session, range)}
      </span>
      {range && (
        <Button onClick={() => choose(undefined)} title="key Escape">
          all time
        </Button>
      )}
    </section>
  );
}
