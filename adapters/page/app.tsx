import type { VNode } from 'preact';
import { useEffect, useReducer } from 'preact/hooks';
import { CallsPanel } from './panels/calls.tsx';
import { Incidents, Marks } from './panels/incidents.tsx';
import { CollectionsPanel } from './panels/collections.tsx';
import { ChartPanel } from './panels/chart.tsx';
import { LanesPanel } from './panels/lanes.tsx';
import { MessagesPanel } from './panels/messages.tsx';
import { RecordsPanel } from './panels/records.tsx';
import { SaveTrace } from './panels/save.tsx';
import { ServersPanel } from './panels/servers.tsx';
import { TreePanel } from './panels/tree.tsx';
import { isTreeShown, panels, type Panel } from './choice.ts';
import type { Session } from './session.ts';
import { TimeLine } from './timeline.tsx';
import { Copy } from './pieces.tsx';
import { callAsMarkdown, hostAsMarkdown } from './markdown.ts';
import { dayTimeText, durationText, visible } from './values.ts';

/** Whole inspector page: header, shown moment, tree of actors at the side, and one panel. */

const names: Readonly<Record<Panel, string>> = {
  servers: 'Servers',
  chart: 'Chart',
  lanes: 'Lanes',
  calls: 'Calls',
  records: 'Records',
  collections: 'Desktop and Finder',
  messages: 'Messages',
};
const drawMs = 100;
/** Share of time for drawing while the page still reads the rest of a file; small, because drawing takes longer than reading. */
const drawnWhileLoading = 1 / 8;
/** Number of records of a file after which the page shows its first screen. */
const firstRecords = 5_000;

/** Returns a text for how long the page had no connection, because it knows nothing of what happened then. */
const awayText = (away: Session['away']): string =>
  away?.to === undefined
    ? ''
    : `; away from ${dayTimeText(away.from, away.to)} to ${dayTimeText(away.to, away.to)}`;

const replayText = (checks: Session['checks']): string =>
  checks === undefined ? '' : `; replayed: ${visible(checks.verdict.toUpperCase())}`;

function stateOfLink({
  phase,
  reason,
  history,
  host,
  missed,
  dropped,
  away,
  checks,
}: Session): [text: string, isBad: boolean] {
  const skipped = missed > 0 ? `; ${missed} records were skipped: this page, or the host, was too busy` : '';
  const all = `${history.length.toLocaleString('en')} records`;
  const older = dropped > 0 ? `; ${dropped.toLocaleString('en')} older ones were let go` : '';
  if (phase === 'connecting') return ['connecting …', false];
  if (phase === 'live')
    return [`live, process ${host?.pid ?? '?'}, ${all}${older}${skipped}${awayText(away)}`, missed > 0];
  if (phase === 'loading') return [`a recording, ${all} so far …`, false];
  if (phase === 'file') return [`a recording, ${all}${replayText(checks)}`, false];
  if (phase === 'over')
    return [`ended: ${visible(reason)}. What it did is still here; nothing more comes.`, true];
  if (phase === 'no token')
    return ['The address has no token. Open the one that a2c printed, or run: npx a2c inspect', true];
  if (away) return [`connection lost at ${dayTimeText(away.from, away.from)}; trying again …`, true];
  return [
    'Not connected: the host has ended, or the token is of an earlier start. Run: npx a2c inspect',
    true,
  ];
}
/** Buttons that share the view: copy its address, copy it as text, save its trace. */
function Carry({ session }: { session: Session }): VNode {
  const text = (): string => {
    const { host, wallNow: at, incidents, servers, choice, story } = session;
    const call = choice.panel === 'calls' && story.calls.all.find(({ ticket }) => ticket === choice.call);
    if (call) return callAsMarkdown(call, at);
    return hostAsMarkdown({ title: host ? `${host.kind} ${host.name}` : 'a2c', at, incidents, servers });
  };
  return (
    <div class="carry" role="group" aria-label="Carry away">
      <Copy label="link" text={() => location.href} />
      <Copy label="Markdown" text={text} />
      <SaveTrace session={session} />
    </div>
  );
}
function Header({ session }: { session: Session }): VNode {
  const [text, isBad] = stateOfLink(session);
  const { host } = session;
  const lasting = session.story.at(session.wallEnd).filter(({ to }) => to === undefined).length;
  const isFile = host?.kind === 'file';
  const name = isFile ? (host.name.split(/[\\/]/).at(-1) ?? '') : (host?.name ?? 'a2c inspector');
  const title = host ? `${host.kind} ${name}` : name;
  useEffect(() => {
    document.title = `${lasting > 0 ? `▲ ${lasting} · ` : ''}${visible(title)}`;
  }, [lasting, title]);
  return (
    <header>
      <h1 id="host" title={isFile ? visible(host.name) : undefined}>
        {host && <span class="kind">{isFile ? 'recording' : host.kind}</span>}
        {visible(name)}
      </h1>
      <p id="link" role="status" class={isBad ? 'bad' : 'quiet'}>
        {isBad ? '▲ ' : ''}
        {text}
      </p>
      <Carry session={session} />
    </header>
  );
}
function Time({ session }: { session: Session }): VNode {
  const { history, at, isNow, phase } = session;
  const row = history.row(at);
  const end = phase === 'live' ? 'now' : 'the end';
  const text = isNow ? end : `record ${row?.s ?? 0} at ${durationText(row?.t ?? 0)}`;
  return (
    <div id="time" role="group" aria-label="Moment">
      <button type="button" onClick={() => session.goTo(at - 1)} aria-label="One record back">
        ◀
      </button>
      <span class="slider">
        <Marks session={session} />
        <input
          id="moment"
          type="range"
          aria-label="Moment"
          aria-valuetext={text}
          min={0}
          max={Math.max(0, history.length - 1)}
          value={at}
          onInput={({ currentTarget }) => session.goTo(Number(currentTarget.value))}
        />
      </span>
      <button type="button" onClick={() => session.goTo(at + 1)} aria-label="One record on">
        ▶
      </button>
      <span id="moment-text">{text}</span>
      <button
        id="follow"
        type="button"
        disabled={isNow}
        onClick={() => session.choose({ moment: undefined })}
      >
        {phase === 'live' ? 'Now' : 'End'}
      </button>
    </div>
  );
}
function Tabs({ session }: { session: Session }): VNode {
  const { panel } = session.choice;
  const move = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    const next = panels[(panels.indexOf(panel) + by + panels.length) % panels.length] ?? panel;
    session.choose({ panel: next });
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div role="tablist" aria-label="Panels" onKeyDown={move}>
      {panels.map((each, at) => (
        <button
          key={each}
          id={`tab-${each}`}
          type="button"
          role="tab"
          aria-selected={each === panel}
          aria-controls="panel"
          tabIndex={each === panel ? 0 : -1}
          title={`key ${at + 1}`}
          onClick={() => session.choose({ panel: each })}
        >
          {names[each]}
        </button>
      ))}
    </div>
  );
}
const drawn: Readonly<Record<Panel, (props: { session: Session }) => VNode>> = {
  servers: ServersPanel,
  chart: ChartPanel,
  lanes: LanesPanel,
  calls: CallsPanel,
  records: RecordsPanel,
  collections: CollectionsPanel,
  messages: MessagesPanel,
};
/** Handles keys that work on the whole page, unless a person is typing in a field. */
function onKey(session: Session, event: KeyboardEvent): void {
  const { target, key } = event;
  if (
    target instanceof HTMLSelectElement ||
    target instanceof HTMLTextAreaElement ||
    (target instanceof HTMLInputElement && target.type === 'search')
  ) {
    if (key === 'Escape') target.blur();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const panel = panels[Number(key) - 1];
  if (panel) session.choose({ panel });
  else if (key === ',') session.goTo(session.at - 1);
  else if (key === '.') session.goTo(session.at + 1);
  else if (key === 'n') session.stepIncident(1);
  else if (key === 'p') session.stepIncident(-1);
  else if (key === 'e') session.choose({ moment: undefined });
  else if (key === '[') session.limit('from');
  else if (key === ']') session.limit('to');
  else if (key === 'Escape' && session.choice.range) session.choose({ range: undefined });
  else if (key === '/') {
    event.preventDefault();
    const isOfCalls = session.choice.panel === 'calls';
    if (!isOfCalls) session.choose({ panel: 'records' });
    requestAnimationFrame(() => document.getElementById(isOfCalls ? 'find-calls' : 'filter')?.focus());
  }
}
export function App({ session }: { session: Session }): VNode {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    session.onChange(() => redraw(undefined));
    // Draws once, because messages may have arrived before this listener was set.
    redraw(undefined);
    // Redraws regularly, because ages and countdowns change and new records may have arrived.
    let ticks = 0;
    const timer = setInterval(() => {
      const { phase, history } = session;
      ticks += 1;
      const isTurn = history.length < firstRecords || ticks % (1 / drawnWhileLoading) === 0;
      if (phase === 'live' || (phase === 'loading' && isTurn)) redraw(undefined);
    }, drawMs);
    const keyed = (event: KeyboardEvent): void => onKey(session, event);
    document.addEventListener('keydown', keyed);
    return () => {
      clearInterval(timer);
      document.removeEventListener('keydown', keyed);
    };
  }, [session]);
  const { panel } = session.choice;
  const Shown = drawn[panel];
  const isTree = isTreeShown(session.choice);
  return (
    <>
      <Header session={session} />
      <Incidents session={session} />
      <TimeLine session={session} />
      <section class="tabs-and-time" aria-label="View">
        <button
          id="actors"
          type="button"
          aria-pressed={isTree}
          onClick={() => session.choose({ tree: !isTree })}
        >
          Actors
        </button>
        <Tabs session={session} />
        <Time session={session} />
      </section>
      <main>
        {isTree && <TreePanel session={session} />}
        <section id="work" aria-label={names[panel]}>
          <div id="panel" role="tabpanel" aria-labelledby={`tab-${panel}`}>
            <Shown session={session} />
          </div>
        </section>
      </main>
      <footer>
        Keys: <kbd>1</kbd>–<kbd>{panels.length}</kbd> panel, <kbd>,</kbd> <kbd>.</kbd> one record back or on,{' '}
        <kbd>n</kbd> <kbd>p</kbd> next or previous incident, <kbd>e</kbd> now, <kbd>[</kbd> <kbd>]</kbd> only
        from or until this moment, <kbd>Esc</kbd> all time, <kbd>/</kbd> search, arrows in lists
      </footer>
    </>
  );
}
