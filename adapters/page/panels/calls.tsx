import type { VNode } from 'preact';
import { standingOf, type Call } from '../calls.ts';
import { Order } from './asked.tsx';
import { Empty, Json, LongList, State } from '../pieces.tsx';
import type { Mood } from '../model.ts';
import type { Session } from '../session.ts';
import { countText, dayTimeText, durationText, visible } from '../values.ts';

/** Panel of tool calls as bars over time, the newest first: what was asked, how it ended, and what it waits for. */

const rowHeight = 44;
interface Bar {
  readonly session: Session;
  readonly call: Call;
  /** Times of the wall clock in ms: the moment shown, and the left and right edge of the bars. */
  readonly now: number;
  readonly begin: number;
  readonly end: number;
}
const moodOf = (call: Call, now: number): Mood => {
  const { isOver, isBad } = standingOf(call, now);
  return isBad ? 'bad' : isOver ? 'good' : 'busy';
};
function CallRow({ session, call, now, begin, end }: Bar): VNode {
  const { tool, server, computer, agent, from, ended, timeoutMs, ticket } = call;
  const { words, why, isOver } = standingOf(call, now);
  const mood = moodOf(call, now);
  const over = isOver ? (ended?.at ?? now) : now;
  const percent = (t: number): string => `${(100 * (t - begin)) / (end - begin)}%`;
  const limit = !isOver && timeoutMs > 0 ? `, given up after ${durationText(timeoutMs)}` : '';
  return (
    <div
      role="option"
      aria-selected={session.choice.call === ticket}
      class="call"
      data-call={ticket}
      style={{ height: `${rowHeight}px` }}
      title={visible(why)}
      onClick={() => session.choose({ call: ticket })}
    >
      <div class="name">
        <div class="line">
          <strong>{visible(tool)}</strong>{' '}
          <span class="quiet">
            {visible([server || computer, agent && `for ${agent}`].filter(Boolean).join(' '))}
          </span>
        </div>
        <div class="line small">
          <State mood={mood}>{words}</State>{' '}
          <span class="quiet">
            {durationText(over - from)}
            {limit}, at {dayTimeText(from, now)}
          </span>
        </div>
      </div>
      <div class="track">
        <span
          class={`bar ${mood}-bar`}
          style={{ left: percent(from), width: `max(3px, ${percent(begin + over - from)})` }}
        />
        {session.control && !isOver && session.isNow && (
          <span class="cancel">
            <Order session={session} verb="cancel" target={call.reqId} />
          </span>
        )}
        <span class="line small why">{visible(why)}</span>
      </div>
    </div>
  );
}
/** Steps of a call, each with the time since it was asked and since the step before. */
function Steps({ session, call, now }: { session: Session; call: Call; now: number }): VNode {
  const past = call.moments.filter(({ at }) => at <= now);
  return (
    <table id="steps">
      <thead>
        <tr>
          <th scope="col">step</th>
          <th scope="col">after</th>
          <th scope="col">took</th>
          <th scope="col">what</th>
        </tr>
      </thead>
      <tbody>
        {past.map(({ step, at, s, text }, index) => (
          <tr key={index}>
            <td>
              {s === null ? (
                step
              ) : (
                <button
                  type="button"
                  class="plain"
                  onClick={() => session.goToNumber(s)}
                  title={`record ${s}`}
                >
                  {step}
                </button>
              )}
            </td>
            <td class="number">{durationText(at - call.from)}</td>
            <td class="number">{index === 0 ? '' : durationText(at - (past[index - 1]?.at ?? at))}</td>
            <td>{visible(text)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
/** The chosen call: what was asked, its steps, and what came back. Choosing it does not move the moment. */
function Detail({ session, call, now }: { session: Session; call: Call; now: number }): VNode {
  const { tool, reqId, server, computer, agent, params, ended } = call;
  const { words, why, isOver } = standingOf(call, now);
  const result = isOver ? ended?.result : undefined;
  const facts = [
    ['server', server],
    ['computer', computer],
    ['asked by', agent || 'the host itself'],
    ['req_id', reqId],
    ['time limit', call.timeoutMs > 0 ? durationText(call.timeoutMs) : ''],
  ].filter(([, value]) => value !== '');
  return (
    <section id="call" aria-label="The chosen call">
      <h3>
        {visible(tool)} <State mood={moodOf(call, now)}>{words}</State>
      </h3>
      {why !== '' && <p class="bad">{visible(why)}</p>}
      <dl>
        {facts.map(([name = '', value = '']) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="mono">{visible(value)}</dd>
          </div>
        ))}
      </dl>
      <Steps session={session} call={call} now={now} />
      <h4>arguments</h4>
      <Json value={params ?? {}} label="Arguments" />
      {result !== undefined && result !== null && (
        <>
          <h4>result</h4>
          <Json value={result} label="Result" />
        </>
      )}
    </section>
  );
}
/** Tells why there is no call: an office relays calls and keeps none, and a page may not know the past. */
function NoCalls({ session }: { session: Session }): VNode {
  const { since } = session.story;
  if (session.host?.kind === 'office')
    return (
      <Empty>
        An office passes calls on and keeps none of them. Open the page of their agent or computer: npx a2c
        inspect
      </Empty>
    );
  const from = since === undefined ? '' : ` since ${dayTimeText(since, session.wallNow)}`;
  return <Empty>No call was made{from} until this moment. Make one: npx a2c call TOOL --url OFFICE</Empty>;
}
export function CallsPanel({ session }: { session: Session }): VNode {
  const now = session.wallNow;
  const calls = session.story.calls.all.filter(({ from }) => from <= now).toReversed();
  if (calls.length === 0) return <NoCalls session={session} />;
  const begin = calls.reduce((least, { from }) => Math.min(least, from), Infinity);
  const end = calls.reduce((most, { ended }) => Math.max(most, Math.min(ended?.at ?? now, now)), begin + 1);
  const shown = calls.findIndex(({ ticket }) => ticket === session.choice.call);
  const chosen = calls[shown];
  const draw = (index: number): VNode | null => {
    const call = calls[index];
    return call ? (
      <CallRow key={call.ticket} session={session} call={call} now={now} begin={begin} end={end} />
    ) : null;
  };
  const move = (by: number): void => {
    const next = calls[Math.max(0, Math.min(calls.length - 1, shown + by))];
    if (next) session.choose({ call: next.ticket });
  };
  return (
    <div class="calls">
      <p class="quiet">
        {countText(calls.length, 'call')} over {durationText(end - begin)}, the newest first
      </p>
      <LongList
        count={calls.length}
        rowHeight={rowHeight}
        label="Calls"
        shown={shown < 0 ? undefined : shown}
        draw={draw}
        onMove={move}
      />
      {chosen && <Detail session={session} call={chosen} now={now} />}
    </div>
  );
}
