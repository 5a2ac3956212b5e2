import type { VNode } from 'preact';
import type { Session } from '../session.ts';
import { moodOf } from '../model.ts';
import type { Lane, TimerBar } from '../history.ts';
import { durationText, visible } from '../values.ts';
import { shortOf } from './tree.tsx';

/** Parts of the timeline: rows of actors, timers, arrows for messages, and bands for failures. */

export const laneHeight = 26;
/** Width in px of the column with the names of actors. */
export const gutter = 180;
const charWidth = 6;
const mostArrows = 300;
const fewestPixels = 0.4;

export interface Scale {
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
export function LaneRow({
  lane,
  top,
  scale,
  now,
  isChosen,
}: {
  lane: Lane;
  top: number;
  scale: Scale;
  now: number;
  isChosen: boolean;
}): VNode {
  const end = lane.to ?? now;
  const spans = lane.spans.flatMap(({ state, from }, at) => {
    const left = clamp(scale.x(from), scale);
    const right = clamp(scale.x(lane.spans[at + 1]?.from ?? end), scale);
    return right - left < fewestPixels ? [] : [{ state, left, width: right - left }];
  });
  // The row before the first known state has no state, because it was before the first step or before a checkpoint.
  const begin = clamp(scale.x(lane.from), scale);
  const firstAt = clamp(scale.x(lane.spans[0]?.from ?? end), scale);
  return (
    <g class={`lane${isChosen ? ' chosen' : ''}`} data-lane={lane.address}>
      <title>{visible(lane.address)}</title>
      <rect class="row" x={0} y={top} width={scale.width} height={laneHeight} />
      <text class="name" x={6} y={top + 17}>
        {visible(fitting(shortOf(lane.address), gutter))}
      </text>
      {firstAt > begin && (
        <rect class="unknown" x={begin} y={top + 4} width={firstAt - begin} height={laneHeight - 10} />
      )}
      {spans.map(({ state, left, width }) => (
        <g key={`${state} ${left}`} class={`span ${moodOf(lane.kind, state)}-span`} data-state={state}>
          <title>{`${visible(lane.address)}: ${state}`}</title>
          <rect x={left} y={top + 4} width={width} height={laneHeight - 10} />
          <text x={left + 3} y={top + 16}>
            {fitting(state, width)}
          </text>
        </g>
      ))}
      {lane.timers
        .filter(({ from, due, to }) => from <= scale.to && (to ?? due) >= scale.from)
        .map((timer) => (
          <Timer key={`${timer.n} ${timer.from}`} timer={timer} top={top} scale={scale} now={now} />
        ))}
      {lane.to !== undefined && lane.to >= scale.from && lane.to <= scale.to && (
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
interface ArrowsProps {
  readonly session: Session;
  readonly scale: Scale;
  /** Vertical middle in px of each visible lane, by address of the actor. */
  readonly places: ReadonlyMap<string, number>;
}
export function Arrows({ session: { history }, scale, places }: ArrowsProps): VNode {
  const made: VNode[] = [];
  const end = firstAt(history.letters, scale.to);
  for (let at = firstAt(history.letters, scale.from); at < end && made.length < mostArrows; at++) {
    const letter = history.letters[at];
    if (!letter) break;
    const from = places.get(letter.from);
    const to = places.get(history.lane(letter.to)?.address ?? '');
    if (from === undefined || to === undefined || from === to) continue;
    const x = scale.x(letter.t);
    const point = to > from ? -5 : 5;
    made.push(
      <g key={letter.index} class={`arrow${letter.isDead ? ' dead' : ''}`} data-said={letter.type}>
        <title>{`${visible(letter.type)}: ${visible(letter.from)} → ${visible(letter.to)}`}</title>
        <path d={`M${x} ${from}V${to}m-3 ${point}l3 ${-point}l3 ${point}`} />
      </g>,
    );
  }
  return <g class="arrows">{made}</g>;
}
/**
 * Marks across all lanes for failures outside of the actors, such as lost connections, and for notes that the host
 * wrote.
 */
export function Bands({
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
export function Axis({ scale }: { scale: Scale }): VNode {
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
          <text x={scale.x(t) + 3} y={13}>
            {durationText(t)}
          </text>
        </g>
      ))}
    </svg>
  );
}
