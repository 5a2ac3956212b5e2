import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { MessageRow, MessagesWanted } from '../messages.ts';
import { Empty, Link, LongList, type RowProps } from '../pieces.tsx';
import type { Session } from '../session.ts';
import { Value } from '../value.tsx';
import { dayTimeText, durationText, isWithin, visible } from '../values.ts';

/** Panel of the messages on the wire of one server, link or seat, in order and in both directions. */

const rowHeight = 24;
const kinds: ReadonlySet<string> = new Set(['client', 'link', 'seat']);
export const hasWire = ({ history }: Session, actor: string): boolean =>
  kinds.has(history.lane(actor)?.kind ?? '');
const wiresOf = ({ history }: Session): readonly string[] =>
  [...history.at(Infinity).values()].flatMap(({ kind, address }) => (kinds.has(kind) ? [address] : []));

/** Time in ms between two requests to a running host for new messages. */
const askMs = 500;
/** Asks a running host for these messages again and again while they are shown. Returns the reason when the host does not send them. */
export function useMessages(session: Session, wanted: MessagesWanted | undefined): string {
  const [problem, tell] = useState('');
  const isLive = session.phase === 'live';
  const key = JSON.stringify(wanted);
  useEffect(() => {
    if (wanted === undefined || !isLive) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const ask = async (): Promise<void> => {
      const said = await session.wantMessages(wanted);
      if (isOver) return;
      tell(said);
      timer = setTimeout(() => void ask(), askMs);
    };
    void ask();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [session, key, isLive]);
  return problem;
}
const said = ({ body }: MessageRow): string => (typeof body === 'string' ? body : JSON.stringify(body));
const isWanted = (row: MessageRow, wanted: string): boolean =>
  wanted === '' || `${row.name} ${row.req} ${row.by ?? ''} ${said(row)}`.toLowerCase().includes(wanted);

function Detail({ row, session }: { row: MessageRow; session: Session }): VNode {
  const { id, by, name, cut, body, at } = row;
  return (
    <div id="message">
      <h2>
        {row.dir === 'out' ? 'sent' : 'received'}: {visible(name)}
        {row.isAnswer ? ' (answer)' : ''}
      </h2>
      <p>
        {by !== undefined && (
          <>
            for <span class="mono">{visible(by)}</span>,{' '}
          </>
        )}
        <Link onClick={() => session.goToTime(at)}>what happened then</Link>
      </p>
      {cut > 0 && <p class="bad">▲ {cut.toLocaleString('en')} more characters are not kept.</p>}
      <Value key={id} session={session} value={body} label="The message" />
    </div>
  );
}
function Line({ row, now, ...props }: RowProps & { row: MessageRow; now: number }): VNode {
  return (
    <div {...props} class="record message">
      <span class="number">{dayTimeText(row.at, now)}</span>
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
      ? 'No message of it yet, or none that the host still has: it keeps the last 1 MiB of all.'
      : 'This recording has no messages of it. A file has the last 1 MiB, or a fifth of all that was recorded.'}
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
  const problem = useMessages(session, actor === undefined ? undefined : { a: actor });
  const { wallNow } = session;
  const all = actor === undefined ? [] : session.messages.of(actor);
  const wanted = find.trim().toLowerCase();
  const { range } = session.choice;
  const rows = all.filter(
    (row) => (session.isNow || row.at <= wallNow) && isWithin(range, row.at) && isWanted(row, wanted),
  );
  const place = shown === undefined ? -1 : rows.findIndex(({ id }) => id === shown);
  const row = rows[place];
  const onWire = (next: string): void => {
    choose(next);
    show(undefined);
  };
  const draw = (n: number, props: RowProps): VNode | undefined => {
    const each = rows[n];
    return each && <Line key={each.id} row={each} now={wallNow} {...props} />;
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
          chosen={place}
          isAtEnd
          draw={draw}
          choose={(n) => show(rows[n]?.id)}
        />
      )}
      {row && <Detail row={row} session={session} />}
    </div>
  );
}
