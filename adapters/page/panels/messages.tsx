import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Messages, type MessageRow } from '../messages.ts';
import { Empty, LongList } from '../pieces.tsx';
import type { Session } from '../session.ts';
import { Value } from '../value.tsx';
import { durationText, visible } from '../values.ts';

/** Panel of the messages on the wire of one server, link or seat, in order and in both directions. */

const rowHeight = 24;
const kinds: ReadonlySet<string> = new Set(['client', 'link', 'seat']);
const wiresOf = ({ history }: Session): readonly string[] =>
  [...history.at(Infinity).values()].flatMap(({ kind, address }) => (kinds.has(kind) ? [address] : []));

/** Asks a running host to collect the messages of an actor while this panel is open. */
function useFrames(session: Session, actor: string | undefined): string {
  const [problem, tell] = useState('');
  const isLive = session.phase === 'live';
  useEffect(() => {
    if (actor === undefined || !isLive) return;
    const ask = (on: boolean): Promise<void> =>
      session
        .ask({ type: 'ask', what: 'frames', a: actor, on })
        .then((answer) => tell(answer.ok ? '' : answer.error));
    void ask(true);
    return () => void ask(false);
  }, [session, actor, isLive]);
  return problem;
}
const said = ({ body }: MessageRow): string => (typeof body === 'string' ? body : JSON.stringify(body));
const isWanted = (row: MessageRow, wanted: string): boolean =>
  wanted === '' || `${row.name} ${row.req} ${row.by ?? ''} ${said(row)}`.toLowerCase().includes(wanted);

function Detail({ row, session }: { row: MessageRow; session: Session }): VNode {
  const { by, name, cut, body, index } = row;
  return (
    <div id="message">
      <h3>
        {row.dir === 'out' ? 'sent' : 'received'}: {visible(name)}
        {row.isAnswer ? ' (answer)' : ''}
      </h3>
      <p>
        {by !== undefined && (
          <>
            for <span class="mono">{visible(by)}</span>,{' '}
          </>
        )}
        <button
          type="button"
          class="plain"
          onClick={() => {
            session.choose({ panel: 'records', find: '' });
            session.goTo(index);
          }}
        >
          what happened then
        </button>
      </p>
      {cut > 0 && <p class="bad">▲ {cut.toLocaleString('en')} more characters are not kept.</p>}
      <Value key={index} session={session} value={body} label="The message" />
    </div>
  );
}
interface LineProps {
  readonly id: string;
  readonly row: MessageRow;
  readonly isShown: boolean;
  readonly show: () => void;
}
function Line({ id, row, isShown, show }: LineProps): VNode {
  return (
    <div
      id={id}
      role="option"
      aria-selected={isShown}
      class="record message"
      style={{ height: `${rowHeight}px` }}
      onClick={show}
    >
      <span class="number">{durationText(row.t)}</span>
      <span>{row.dir === 'out' ? '→ sent' : '← received'}</span>
      <span class="mono">
        {row.isAnswer ? '↩ ' : ''}
        {visible(row.name)}
      </span>
      <span class="number">{row.afterMs === null ? '' : `after ${durationText(row.afterMs)}`}</span>
      <span class="mono quiet">{visible(said(row).slice(0, 300))}</span>
    </div>
  );
}
const NoMessages = ({ session }: { session: Session }): VNode => (
  <Empty>
    {session.phase === 'live'
      ? 'No message yet. Those that pass from now on, while this panel is open, come here.'
      : 'This recording has no messages: a host keeps them only while somebody looks at them here. What a live page has seen is saved under Checks.'}
  </Empty>
);
interface Choosing {
  readonly wires: readonly string[];
  readonly actor: string | undefined;
  readonly find: string;
  readonly status: string;
  readonly onWire: (wire: string) => void;
  readonly onFind: (text: string) => void;
}
const Bar = ({ wires, actor, find, status, onWire, onFind }: Choosing): VNode => (
  <div class="bar">
    <select
      aria-label="Whose messages"
      value={actor ?? ''}
      onChange={({ currentTarget }) => onWire(currentTarget.value)}
    >
      {wires.map((each) => (
        <option key={each} value={each}>
          {visible(each)}
        </option>
      ))}
    </select>
    <input
      type="search"
      aria-label="Find messages"
      placeholder="method, id or text"
      value={find}
      onInput={({ currentTarget }) => onFind(currentTarget.value)}
    />
    <span class="quiet" role="status" id="messages-count">
      {visible(status)}
    </span>
  </div>
);
export function MessagesPanel({ session }: { session: Session }): VNode {
  const wires = wiresOf(session);
  const { actor: chosen } = session.choice;
  const [wire, choose] = useState<string | undefined>(undefined);
  const [find, search] = useState('');
  const [shown, show] = useState<number | undefined>(undefined);
  const actor = wire ?? (chosen !== undefined && wires.includes(chosen) ? chosen : wires[0]);
  const problem = useFrames(session, actor);
  const { history, at } = session;
  const kept = useRef({ history, messages: new Messages('') });
  if (kept.current.messages.actor !== (actor ?? '') || kept.current.history !== history)
    kept.current = { history, messages: new Messages(actor ?? '') };
  const all = kept.current.messages.read(history.rows(), history.length);
  const wanted = find.trim().toLowerCase();
  const rows = all.filter((row) => row.index <= at && isWanted(row, wanted));
  const place = shown === undefined ? -1 : rows.findIndex(({ index }) => index === shown);
  const row = rows[place];
  const onWire = (next: string): void => {
    choose(next);
    show(undefined);
  };
  const draw = (n: number, id: string): VNode | null => {
    const each = rows[n];
    if (!each) return null;
    return (
      <Line
        key={each.index}
        id={id}
        row={each}
        isShown={each.index === shown}
        show={() => show(each.index)}
      />
    );
  };
  const status = problem === '' ? `${rows.length.toLocaleString('en')} messages` : problem;
  return (
    <div class="records messages">
      <Bar wires={wires} actor={actor} find={find} status={status} onWire={onWire} onFind={search} />
      {rows.length === 0 ? (
        <NoMessages session={session} />
      ) : (
        <LongList
          count={rows.length}
          rowHeight={rowHeight}
          label="Messages"
          shown={place < 0 ? rows.length - 1 : place}
          draw={draw}
          onMove={(by) => show(rows[Math.max(0, Math.min(rows.length - 1, place + by))]?.index)}
        />
      )}
      {row && <Detail row={row} session={session} />}
    </div>
  );
}
