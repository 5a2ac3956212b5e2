/** Panel of tool calls, the newest first, with filters and totals; beside it the page of the chosen call. */
import type { ComponentChildren, VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import {
  askerOf,
  callKinds,
  hostItself,
  listCalls,
  noFilter,
  serverOf,
  type CallFilter,
  type CallKind,
  type CallList,
} from '../call-list.ts';
import { standingOf, type Call } from '../../../machines/incidents/calls.ts';
import { moodOfCall } from '../model.ts';
import { Button, Empty, LongList, type RowProps, State } from '../pieces.tsx';
import type { Session } from '../session.ts';
import { countText, dayTimeText, durationText, visible, type Range } from '../values.ts';
import { Tools } from './tools.tsx';
import { CallPage } from './call.tsx';

const rowHeight = 44;
interface Bar extends RowProps {
  readonly call: Call;
  /** Times of the wall clock in ms: the moment shown, and the left and right edge of the bars. */
  readonly now: number;
  readonly begin: number;
  readonly end: number;
}
function CallRow({ call, now, begin, end, ...props }: Bar): VNode {
  const { tool, from, ended, ticket } = call;
  const asker = askerOf(call);
  const { words, why, isOver } = standingOf(call, now);
  const mood = moodOfCall(call, now);
  const over = isOver ? (ended?.at ?? now) : now;
  const percent = (t: number): string => `${(100 * (t - begin)) / (end - begin)}%`;
  return (
    <div {...props} class="call" data-call={ticket} title={visible(why)}>
      <div class="line name">
        <strong>{visible(tool)}</strong>{' '}
        <span class="quiet">
          {visible([serverOf(call), asker !== hostItself && `for ${asker}`].filter(Boolean).join(' '))}
        </span>
      </div>
      <div class="line small why">
        <State mood={mood}>{words}</State> <span class="quiet">{visible(why)}</span>
      </div>
      <div class="number took">{durationText(over - from)}</div>
      <div class="number small quiet at">{dayTimeText(from, now)}</div>
      <div class="track" aria-hidden="true">
        <span
          class={`bar ${mood}-bar`}
          style={{ left: percent(from), width: `max(3px, ${percent(begin + over - from)})` }}
        />
      </div>
    </div>
  );
}
/** Button that opens a form for a call. Hidden where the host takes no orders. */
function NewCall({ session }: { session: Session }): VNode | null {
  const [isOpen, open] = useState(false);
  if (!session.control || session.phase !== 'live') return null;
  return isOpen ? (
    <Tools session={session} close={() => open(false)} />
  ) : (
    <Button onClick={() => open(true)}>call a tool</Button>
  );
}
/** Text that says why no call is listed; a page may not know the past. */
function NoCalls({ session }: { session: Session }): VNode {
  const { since } = session.story;
  const from = since === undefined ? '' : ` since ${dayTimeText(since, session.wallNow)}`;
  return (
    <>
      <Empty>
        No call was made{from} until this moment. Make one: <code>npx a2c call TOOL --url OFFICE</code>
      </Empty>
      <NewCall session={session} />
    </>
  );
}
const kindNames: Readonly<Record<CallKind, string>> = {
  all: 'all',
  failed: '▲ failed',
  unknown: '▲ may have happened',
  waiting: '◐ waiting',
};
interface Choosing {
  readonly list: CallList;
  readonly filter: CallFilter;
  readonly set: (change: Partial<CallFilter>) => void;
}
const Names = ({
  label,
  names,
  value,
  onPick,
}: {
  label: string;
  names: readonly string[];
  value: string;
  onPick: (name: string) => void;
}): VNode => (
  <select aria-label={label} value={value} onChange={({ currentTarget }) => onPick(currentTarget.value)}>
    <option value="">{label}</option>
    {names.map((name) => (
      <option key={name} value={name}>
        {visible(name)}
      </option>
    ))}
  </select>
);
function Filters({ list, filter, set, children }: Choosing & { children: ComponentChildren }): VNode {
  const { counts, p50, p99, calls, tools, servers, agents } = list;
  return (
    <div class="filters">
      <input
        id="find-calls"
        type="search"
        aria-label="Find calls"
        placeholder="find in names, arguments, results"
        value={filter.text}
        onInput={({ currentTarget }) => set({ text: currentTarget.value })}
      />
      <div role="group" aria-label="Outcome" class="group">
        {callKinds.map((kind) => (
          <Button
            key={kind}
            aria-pressed={filter.kind === kind}
            onClick={() => set({ kind })}
            data-kind={kind}
          >
            {kindNames[kind]} {counts[kind].toLocaleString('en')}
          </Button>
        ))}
      </div>
      <Names label="any tool" names={tools} value={filter.tool} onPick={(tool) => set({ tool })} />
      <Names label="any server" names={servers} value={filter.server} onPick={(server) => set({ server })} />
      <Names label="any agent" names={agents} value={filter.agent} onPick={(agent) => set({ agent })} />
      <span id="call-totals" class="quiet" role="status">
        {countText(calls.length, 'call')}
        {p50 !== undefined && `, p50 ${durationText(p50)}`}
        {p99 !== undefined && `, p99 ${durationText(p99)}`}
      </span>
      {children}
    </div>
  );
}
/** Keeps the list until a call begins or ends, another moment is shown, or the filter changes. */
function useCallList(session: Session, now: number): CallList {
  const kept = useRef<{
    key: string;
    filter: CallFilter;
    range: Range | undefined;
    from: unknown;
    list: CallList;
  }>();
  const { calls } = session.story;
  const { calls: filter, range } = session.choice;
  const key = `${calls.revision} ${session.isNow ? 'now' : now}`;
  const { current } = kept;
  if (current?.key === key && current.filter === filter && current.range === range && current.from === calls)
    return current.list;
  const list = listCalls(calls.all, filter, now, range);
  kept.current = { key, filter, range, from: calls, list };
  return list;
}
export function CallsPanel({ session }: { session: Session }): VNode {
  const now = session.wallNow;
  const list = useCallList(session, now);
  const { calls } = list;
  const filter = session.choice.calls;
  const set = (change: Partial<CallFilter>): void => session.choose({ calls: { ...filter, ...change } });
  const found = session.callOf(session.choice.call);
  const chosen = found && found.from <= now ? found : undefined;
  if (list.tools.length === 0 && !chosen && session.choice.range === undefined)
    return <NoCalls session={session} />;
  const begin = calls.reduce((least, { from }) => Math.min(least, from), Infinity);
  const end = calls.reduce((most, { ended }) => Math.max(most, Math.min(ended?.at ?? now, now)), begin + 1);
  const shown = chosen === undefined ? -1 : calls.indexOf(chosen);
  const draw = (index: number, props: RowProps): VNode | undefined => {
    const call = calls[index];
    return call && <CallRow key={call.ticket} call={call} now={now} begin={begin} end={end} {...props} />;
  };
  return (
    <div class={`calls${chosen ? ' with-call' : ''}`}>
      <Filters list={list} filter={filter} set={set}>
        <NewCall session={session} />
      </Filters>
      <div class="list-and-page">
        {calls.length === 0 ? (
          <Empty>
            No call is like that.{' '}
            <Button onClick={() => session.choose({ calls: noFilter, range: undefined })}>
              Show all calls
            </Button>
          </Empty>
        ) : (
          <LongList
            count={calls.length}
            rowHeight={rowHeight}
            label="Calls"
            chosen={shown}
            draw={draw}
            choose={(index) => session.choose({ call: calls[index]?.ticket })}
          />
        )}
        {chosen && <CallPage key={chosen.ticket} session={session} call={chosen} now={now} />}
      </div>
    </div>
  );
}
