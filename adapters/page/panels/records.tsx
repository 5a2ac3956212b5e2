/** Panel of all trace records, each with its causes and the changes that it made. */
import { type Row, listOf, numberOf, textOf } from '../../../machines/trace/row.ts';
import type { VNode } from 'preact';
import { useEffect, useReducer, useRef } from 'preact/hooks';
import { contextAfter } from '../../../machines/trace/record.ts';
import { causesOf, changesOf, eventOf } from '../causes.ts';
import { Empty, Head, Link, LongList, type RowProps } from '../pieces.tsx';
import type { Session } from '../session.ts';
import { Value } from '../value.tsx';
import { clockText, countText, countWhile, durationText, stateText, visible } from '../values.ts';
import { fieldsOf } from '../../../machines/protocol/json.ts';

const rowHeight = 24;
const words: Readonly<Record<string, string>> = {
  in: 'from outside',
  said: 'to the host',
  post: 'message',
  step: 'transition',
  open: 'opened',
  end: 'ended',
  timer: 'timer',
  out: 'to a port',
  draw: 'answered at once',
  key: 'checkpoint',
  facts: 'what held',
  list: 'a list',
  mark: 'mark',
  head: 'head',
  tail: 'tail',
  defect: 'defect',
  frame: 'frame',
};
/** Returns the text for a record of what the host received or sent: channel and event. */
const crossingText = (row: Row): string => {
  const ch = textOf(row['ch']);
  if (ch === '') return '';
  const { v, threw, req } = row;
  const drawn = threw === undefined ? JSON.stringify(v) : `threw ${textOf(fieldsOf(threw)['message'])}`;
  const what = row.k === 'draw' ? drawn : eventOf(row) || 'is over';
  return `${ch}: ${what}${typeof req === 'string' && !ch.includes(req) ? ` (${req})` : ''}`;
};
const whatOf = (row: Row): string => {
  const event = eventOf(row);
  const { k } = row;
  if (k === 'step') return `${event} → ${stateText(row['v'])}`;
  if (k === 'timer') return row['op'] === 'set' ? `set to ${durationText(Number(row['ms']))}` : 'cleared';
  if (k === 'mark') return textOf(row['text']);
  if (k === 'list') return `${listOf(row['v']).length} entries, ${textOf(row['h'])}`;
  if (k === 'end') return textOf(row['why']);
  if (k === 'open') return textOf(row['kind']);
  if (k === 'post')
    return `${event} from ${textOf(row['from'])}${row['dead'] === undefined ? '' : ', to nobody'}`;
  if (k === 'defect') return textOf(row['what']);
  return crossingText(row) || event;
};
/** Returns the text that a search looks at: the record's line in the list, and all of its values. */
const searched = (row: Row): string =>
  `${row.s} ${row.k} ${textOf(row['a'])} ${whatOf(row)}\n${JSON.stringify(row)}`.toLowerCase();
/** Longest time in ms of a search in one turn of the event loop; the rest waits for the next turn. */
const searchMs = 25;
interface Matches {
  readonly found: readonly number[];
  /** Share of the records that were searched, from 0 to 1. */
  readonly share: number;
}
/** Finds the records of a kind that contain `wanted`, in small steps. Records searched before are not searched again. */
function useMatches(
  { history, recordsInRange, choice: { range } }: Session,
  kind: string,
  wanted: string,
): Matches | undefined {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  const [first, length] = recordsInRange;
  const fresh = { history, range, kind, wanted, until: first, found: [] as number[] };
  const kept = useRef(fresh);
  const isAll = wanted === '' && kind === '';
  if (
    kept.current.wanted !== wanted ||
    kept.current.kind !== kind ||
    kept.current.history !== history ||
    kept.current.range !== range
  )
    kept.current = fresh;
  const { current } = kept;
  const end = performance.now() + searchMs;
  const until = isAll ? 0 : length;
  while (current.until < until) {
    const row = history.row(current.until);
    if (row && (kind === '' || row.k === kind) && (wanted === '' || searched(row).includes(wanted)))
      current.found.push(current.until);
    current.until += 1;
    if (current.until % 64 === 0 && performance.now() > end) break;
  }
  const isOver = current.until >= until;
  useEffect(() => {
    if (isOver) return;
    const timer = setTimeout(() => draw(undefined));
    return () => clearTimeout(timer);
  });
  return isAll
    ? undefined
    : { found: current.found, share: isOver ? 1 : (current.until - first) / Math.max(1, length - first) };
}
function Detail({ session }: { session: Session }): VNode {
  const { history, at } = session;
  const row = history.row(at);
  if (!row) return <Empty>Choose a record.</Empty>;
  const actor = textOf(row['a']);
  const before = history.at(at - 1).get(actor)?.context;
  const isChanged = row.k === 'step' && (row['ctx'] !== undefined || row['gone'] !== undefined);
  const changes = isChanged
    ? changesOf(before, contextAfter(before, { ctx: row['ctx'], gone: row['gone'] }))
    : [];
  const wall = numberOf(row['w']);
  return (
    <div id="detail">
      <h2>
        Record {row.s}: {visible(whatOf(row))}
      </h2>
      {wall !== undefined && <p class="quiet">{clockText(wall)}</p>}
      {Array.isArray(row['tr']) && row['tr'].length > 0 && (
        <p class="mono" id="taken">
          {row['tr'].map((each) => visible(String(each))).join(', ')}
        </p>
      )}
      <Causes session={session} index={at} />
      {changes.length > 0 && (
        <table id="changes">
          <Head of={['it remembers', 'before', 'after']} />
          <tbody>
            {changes.map(({ path, before: old, after }) => (
              <tr key={path}>
                <th scope="row" class="mono">
                  {visible(path)}
                </th>
                <td class="mono del">− {visible(JSON.stringify(old) ?? 'nothing')}</td>
                <td class="mono ins">+ {visible(JSON.stringify(after) ?? 'nothing')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Value key={row.s} session={session} value={row} label="The record" />
    </div>
  );
}
function Causes({ session, index }: { session: Session; index: number }): VNode | null {
  const causes = causesOf(session.history, index);
  if (causes.length === 0) return null;
  return (
    <>
      <h3>because of</h3>
      <ol id="causes">
        {causes.map((cause) => {
          const row = session.history.row(cause);
          return (
            row && (
              <li key={cause}>
                <Link onClick={() => session.goTo(cause)}>{row.s}</Link>{' '}
                <span class="mono">{visible(textOf(row['a']))}</span> {words[row.k] ?? row.k}:{' '}
                {visible(whatOf(row))}
              </li>
            )
          );
        })}
      </ol>
    </>
  );
}
/** Search field and kind of the listed records, and the number of records found. */
function Bar({ session, count, share }: { session: Session; count: number; share: number }): VNode {
  return (
    <div class="bar">
      <input
        id="filter"
        type="search"
        aria-label="Find records"
        placeholder="find in records"
        value={session.choice.find}
        onInput={({ currentTarget }) => session.choose({ find: currentTarget.value })}
      />
      <select
        aria-label="Kind of record"
        value={session.choice.findKind}
        onChange={({ currentTarget }) => session.choose({ findKind: currentTarget.value })}
      >
        <option value="">any kind</option>
        {Object.entries(words).map(([kind, name]) => (
          <option key={kind} value={kind}>
            {name}
          </option>
        ))}
      </select>
      <span class="quiet" id="count" role="status">
        {countText(count, 'record')}
        {share < 1 && `, searched ${Math.floor(share * 100)} % …`}
      </span>
    </div>
  );
}
export function RecordsPanel({ session }: { session: Session }): VNode {
  const { history, choice, at } = session;
  const matches = useMatches(session, choice.findKind, choice.find.trim().toLowerCase());
  const found = matches?.found;
  const [first, end] = session.recordsInRange;
  const count = found?.length ?? end - first;
  const shown = found ? countWhile(found, (index) => index <= at) - 1 : Math.min(at, end - 1) - first;
  const indexOf = (place: number): number => found?.[place] ?? first + place;
  const draw = (place: number, props: RowProps): VNode | undefined => {
    const row = history.row(indexOf(place));
    return (
      row && (
        <div
          key={row.s}
          {...props}
          class={`record ${row.k}`}
          data-s={row.s}
          aria-selected={indexOf(place) === at}
        >
          <span class="number">{row.s}</span>
          <span class="number">{(row.t / 1_000).toFixed(3)}</span>
          <span>{words[row.k] ?? row.k}</span>
          <span class="mono">{visible(textOf(row['a']))}</span>
          <span>{visible(whatOf(row))}</span>
        </div>
      )
    );
  };
  return (
    <div class="records">
      <Bar session={session} count={count} share={matches?.share ?? 1} />
      {count === 0 && (matches?.share ?? 1) === 1 ? (
        <Empty>
          {history.length === 0
            ? 'Nothing has happened yet. What happens from now on comes here.'
            : 'No record is like that. Clear the field above, or end the range of time, to see all.'}
        </Empty>
      ) : (
        <LongList
          count={count}
          rowHeight={rowHeight}
          label="Records"
          chosen={shown}
          draw={draw}
          choose={(place) => session.goTo(indexOf(place))}
        />
      )}
      <Detail session={session} />
    </div>
  );
}
