import type { VNode } from 'preact';
import { lastErrorOf, moodOf, nextOf, restartsOf, treeOf, type TreeRow } from '../model.ts';
import { Empty, LongList, marks, type RowProps } from '../pieces.tsx';
import type { Session } from '../session.ts';
import { durationText, nameOf, stateText, visible } from '../values.ts';

/** Tree of the actors that live at the moment shown, under their owners. */

const rowHeight = 44;
/** Returns the name of an actor for a person: the tool of a call, else the last part of its address. */
export function titleOf({ story }: Session, address: string): string {
  const tool = story.calls.toolOf(address);
  return tool === undefined ? shortOf(address) : `call ${tool}`;
}
/** Returns the last part of an address: `client:files` for `computer/client:files#1`. */
const shortOf = (address: string): string => nameOf(address.split('/').at(-1) ?? address);

function facts(session: Session, { actor, depth: _ }: TreeRow, calls: number): string {
  const { address, kind, timers, opened } = actor;
  const now = session.nowMs;
  const next = nextOf(timers);
  const restarts = kind === 'client' ? restartsOf(session.history, address, now) : 0;
  return [
    `${durationText(Math.max(0, now - opened))} old`,
    restarts > 0 ? `started again ${restarts} ×` : '',
    calls > 0 ? `${calls} in flight` : '',
    next === null
      ? ''
      : `${kind === 'client' && stateText(actor.state) === 'off.waiting' ? 'tried again' : 'timer'} in ${durationText(Math.max(0, next - now))}`,
    visible(lastErrorOf(actor)),
  ]
    .filter((text) => text !== '')
    .join(' · ');
}
export function TreePanel({ session }: { session: Session }): VNode {
  const { actor: chosen, findActor } = session.choice;
  const wanted = findActor.toLowerCase();
  const all = treeOf(session.history.at(session.at));
  const calls = new Map<string, number>();
  for (const { actor } of all)
    if (actor.kind === 'call' && actor.owner !== null)
      calls.set(actor.owner, (calls.get(actor.owner) ?? 0) + 1);
  const rows = all.filter(
    ({ actor: { address, state } }) =>
      wanted === '' || `${address} ${stateText(state)}`.toLowerCase().includes(wanted),
  );
  const at = rows.findIndex(({ actor }) => actor.address === chosen);
  const draw = (index: number, props: RowProps): VNode | undefined => {
    const row = rows[index];
    if (!row) return undefined;
    const { actor, depth } = row;
    const text = stateText(actor.state);
    const mood = moodOf(actor.kind, text);
    const told = facts(session, row, calls.get(actor.address) ?? 0);
    return (
      <div
        key={actor.address}
        {...props}
        class={`actor ${mood}-row`}
        data-address={actor.address}
        title={`${visible(actor.address)}\n${told}`}
        style={{ height: `${rowHeight}px`, paddingLeft: `${0.5 + depth * 0.9}rem` }}
        onDblClick={() => session.choose({ actor: actor.address, panel: 'chart' })}
      >
        <div class="line">
          <span class={mood}>{marks[mood]}</span> <strong>{visible(titleOf(session, actor.address))}</strong>{' '}
          <span class={mood === 'bad' ? 'bad' : ''}>{text}</span>
        </div>
        <div class="line quiet small">{told}</div>
      </div>
    );
  };
  return (
    <nav aria-label="Actors">
      <input
        type="search"
        aria-label="Find actors"
        placeholder="find actors"
        value={findActor}
        onInput={({ currentTarget }) => session.choose({ findActor: currentTarget.value })}
      />
      {rows.length === 0 ? (
        <Empty>{all.length === 0 ? 'No machine lives at this moment.' : 'No actor is called so.'}</Empty>
      ) : (
        <LongList
          count={rows.length}
          rowHeight={rowHeight}
          label="Actors"
          chosen={at}
          draw={draw}
          choose={(index) => session.choose({ actor: rows[index]?.actor.address })}
        />
      )}
    </nav>
  );
}
