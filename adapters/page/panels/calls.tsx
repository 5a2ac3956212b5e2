import type { VNode } from 'preact';
import { callsOf, type CallView } from '../model.ts';
import { Order } from './asked.tsx';
import { Empty, LongList, State } from '../pieces.tsx';
import type { Session } from '../session.ts';
import { durationText, visible } from '../values.ts';

/** Panel of tool calls as bars over time: start, end with its outcome, and the deadline. */

const rowHeight = 44;
interface Bar {
  readonly session: Session;
  readonly call: CallView;
  readonly now: number;
  /** Times at the left and right edge of the bars, in ms since the trace began. */
  readonly begin: number;
  readonly end: number;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}
function Call({ session, call, now, begin, end, isChosen, onChoose }: Bar): VNode {
  const { lane, tool, server, deadline, mood, why } = call;
  const over = Math.min(lane.to ?? now, now);
  const percent = (t: number): string => `${(100 * (t - begin)) / (end - begin)}%`;
  return (
    <div
      role="option"
      aria-selected={isChosen}
      class="call"
      data-call={lane.address}
      style={{ height: `${rowHeight}px` }}
      title={visible(`${lane.address}\n${why}`)}
      onClick={onChoose}
    >
      <div class="name">
        <div class="line">
          <strong>{visible(tool)}</strong> <span class="quiet">{visible(server)}</span>
        </div>
        <div class="line small">
          <State mood={mood}>{call.end}</State>{' '}
          <span class="quiet">
            {durationText(over - lane.from)}
            {deadline === undefined ? '' : `, given up after ${durationText(deadline - lane.from)}`}
          </span>
        </div>
      </div>
      <div class="track">
        <span
          class={`bar ${mood}-bar`}
          style={{ left: percent(lane.from), width: `max(3px, ${percent(begin + over - lane.from)})` }}
        />
        {deadline !== undefined && deadline <= end && (
          <span class="deadline" style={{ left: percent(deadline) }} title="its time is over" />
        )}
        {session.control && call.end === 'under way' && (
          <span class="cancel">
            <Order session={session} verb="cancel" target={call.reqId} />
          </span>
        )}
        <span class="line small why">{visible(why)}</span>
      </div>
    </div>
  );
}
export function CallsPanel({ session }: { session: Session }): VNode {
  const now = session.nowMs;
  const calls = callsOf(session.history, now);
  if (calls.length === 0)
    return <Empty>No call was made until this moment. Make one: npx a2c call TOOL --url OFFICE</Empty>;
  const begin = calls.reduce((least, { lane }) => Math.min(least, lane.from), Infinity);
  const end = calls.reduce((most, { lane }) => Math.max(most, Math.min(lane.to ?? now, now)), begin + 1);
  const shown = calls.findIndex(({ lane }) => lane.address === session.choice.actor);
  const choose = ({ lane }: CallView): void => {
    session.choose({ actor: lane.address });
    const last = lane.rows.at(-1);
    if (last !== undefined) session.goTo(last);
  };
  const draw = (index: number): VNode | null => {
    const call = calls[index];
    if (!call) return null;
    const { address } = call.lane;
    return (
      <Call
        key={address}
        session={session}
        call={call}
        now={now}
        begin={begin}
        end={end}
        isChosen={index === shown}
        onChoose={() => choose(call)}
      />
    );
  };
  const move = (by: number): void => {
    const next = calls[Math.max(0, Math.min(calls.length - 1, shown + by))];
    if (next) choose(next);
  };
  return (
    <div class="calls">
      <p class="quiet">
        {calls.length === 1 ? 'One call' : `${calls.length.toLocaleString('en')} calls`} over{' '}
        {durationText(end - begin)}, from {durationText(begin)} on. A click goes to the end of one.
      </p>
      <LongList
        count={calls.length}
        rowHeight={rowHeight}
        label="Calls"
        shown={shown < 0 ? undefined : shown}
        draw={draw}
        onMove={move}
      />
    </div>
  );
}
