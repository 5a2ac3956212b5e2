/** Whole inspector page: header, shown moment, tree of actors at the side, and one panel. */
import type { VNode } from 'preact';
import { useEffect, useReducer, useState } from 'preact/hooks';
import { CallsPanel } from './panels/calls.tsx';
import { Incidents } from './panels/incidents.tsx';
import { CollectionsPanel } from './panels/collections.tsx';
import { ChartPanel } from './panels/chart.tsx';
import { LanesPanel } from './panels/lanes.tsx';
import { MessagesPanel } from './panels/messages.tsx';
import { RecordsPanel } from './panels/records.tsx';
import { SaveTrace } from './panels/save.tsx';
import { ServersPanel } from './panels/servers.tsx';
import { TreePanel } from './panels/tree.tsx';
import { isTreeShown, type Panel } from './choice.ts';
import type { Session } from './session.ts';
import { needsLook } from '../../machines/incidents/incident.ts';
import { TimeLine } from './timeline.tsx';
import { Copy, Button } from './pieces.tsx';
import { dayTimeText, visible } from './values.ts';

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

/** Returns the state of the connection, and what to do about it when it is bad. */
function stateOfLink(session: Session): [text: string, isBad: boolean] {
  const { phase, reason, history, host, missed, dropped, away, checks, staleSince } = session;
  const skipped = missed > 0 ? `; ${missed} records were skipped: this page, or the host, was too busy` : '';
  const older = dropped > 0 ? `; ${dropped.toLocaleString('en')} older ones were let go` : '';
  const all = `${history.length.toLocaleString('en')} records`;
  const known = (at: number): string => `What is shown is as of ${dayTimeText(at, at)}.`;
  if (phase === 'connecting') return ['connecting …', false];
  if (phase === 'live' && staleSince !== undefined)
    return [
      `the host does not answer: it is suspended or busy (process ${host?.pid ?? '?'}). ${known(staleSince)}`,
      true,
    ];
  if (phase === 'live')
    return [
      `live ${dayTimeText(session.wallEnd, session.wallEnd)}${older}${skipped}${awayText(away)}`,
      missed > 0,
    ];
  if (phase === 'loading') return [`a recording, ${all} so far …`, false];
  if (phase === 'file') return [`a recording, ${all}${replayText(checks)}`, false];
  if (phase === 'over')
    return [`ended: ${visible(reason)}. ${known(session.wallEnd)} Nothing more comes.`, true];
  if (phase === 'no token')
    return ['The address has no token. Open the one that a2c printed, or run: npx a2c inspect', true];
  if (phase === 'other')
    return [
      `A host answers here, but the token is of an earlier start, or of another host. Run: npx a2c inspect${away ? `. ${known(away.from)}` : ''}`,
      true,
    ];
  if (away)
    return [`connection lost: the host was killed, or it ended. ${known(away.from)} Trying again …`, true];
  return ['Nothing answers here: the host has ended. Hosts that run: npx a2c inspect', true];
}
function Header({ session }: { session: Session }): VNode {
  const [text, isBad] = stateOfLink(session);
  const { host } = session;
  const lasting = session.story.at(session.wallEnd).filter(needsLook).length;
  const isFile = host?.kind === 'file';
  const name = isFile ? (host.name.split(/[\\/]/).at(-1) ?? '') : (host?.name ?? 'a2c inspector');
  const title = host ? `${host.kind} ${name}` : name;
  useEffect(() => {
    document.title = `${lasting > 0 ? `▲ ${lasting} · ` : ''}${visible(title)}`;
  }, [lasting, title]);
  return (
    <header>
      <h1 id="host" title={isFile ? visible(host.name) : undefined}>
        {host && (
          <span class="kind">{isFile ? 'recording' : host.kind === 'up' ? 'computer' : host.kind}</span>
        )}
        {visible(name)}
      </h1>
      <p id="link" role="status" class={isBad ? 'bad' : 'quiet'}>
        {isBad ? '▲ ' : ''}
        {text}
      </p>
      <div class="carry" role="group" aria-label="Carry away">
        <Copy label="link" text={() => location.href} />
        <SaveTrace session={session} />
      </div>
    </header>
  );
}
/** The places of the page, and the panels of each; what only experts read is shown on demand. */
const places = {
  Overview: ['servers'],
  Calls: ['calls'],
  Machine: ['chart', 'messages', 'collections'],
  advanced: ['lanes', 'records'],
} as const satisfies Record<string, readonly Panel[]>;
type Place = keyof typeof places;
const mainPlaces: readonly Place[] = ['Overview', 'Calls', 'Machine'];
export function placeOf(panel: Panel): Place {
  const found = mainPlaces.find((place) => (places[place] as readonly Panel[]).includes(panel));
  return found ?? 'Machine';
}
interface Tab {
  readonly name: string;
  readonly panel: Panel;
}
/** One row of tabs, with arrow keys between them. */
function Tabs({
  session,
  label,
  tabs,
  shown,
}: {
  session: Session;
  label: string;
  tabs: readonly Tab[];
  shown: string;
}): VNode {
  const move = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const at = tabs.findIndex(({ name }) => name === shown);
    const next = tabs[(at + by + tabs.length) % tabs.length];
    if (by === 0 || !next) return;
    event.preventDefault();
    session.choose({ panel: next.panel });
    document.getElementById(`tab-${next.name}`)?.focus();
  };
  return (
    <div role="tablist" aria-label={label} onKeyDown={move}>
      {tabs.map(({ name, panel }) => (
        <Button
          key={name}
          id={`tab-${name}`}
          role="tab"
          aria-selected={name === shown}
          aria-controls="panel"
          tabIndex={name === shown ? 0 : -1}
          onClick={() => session.choose({ panel })}
        >
          {name}
        </Button>
      ))}
    </div>
  );
}
/** Panels of the place Machine, and a button for those that few people read. */
function MachineTabs({ session }: { session: Session }): VNode {
  const { panel } = session.choice;
  const isExpert = (places.advanced as readonly Panel[]).includes(panel);
  const [isOpen, open] = useState(isExpert);
  const isWide = isOpen || isExpert;
  const hasWindows = panel === 'collections' || session.history.lanes.some(({ kind }) => kind === 'cache');
  const all: readonly Panel[] = [...places.Machine, ...(isWide ? places.advanced : [])];
  const tabs = all.filter((each) => each !== 'collections' || hasWindows);
  const isTree = isTreeShown(session.choice);
  return (
    <>
      <Button id="actors" aria-pressed={isTree} onClick={() => session.choose({ tree: !isTree })}>
        Actors
      </Button>
      <Tabs
        session={session}
        label="Of the chosen machine"
        tabs={tabs.map((each) => ({ name: names[each], panel: each }))}
        shown={names[panel]}
      />
      {session.phase === 'live' && (
        <Button id="before" onClick={() => void session.tell()}>
          before this page
        </Button>
      )}
      <Button id="advanced" aria-expanded={isWide} onClick={() => open(!isWide)}>
        advanced
      </Button>
    </>
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
  const place = mainPlaces[Number(key) - 1];
  if (place) session.choose({ panel: places[place][0] });
  else if (key === ',') session.goTo(session.at - 1);
  else if (key === '.') session.goTo(session.at + 1);
  else if (key === 'n') session.stepIncident(1);
  else if (key === 'p') session.stepIncident(-1);
  else if (key === 'e') session.choose({ moment: undefined });
  else if (key === 'Escape' && session.choice.range) session.choose({ range: undefined });
  else if (key === '/') {
    event.preventDefault();
    const isOfCalls = session.choice.panel === 'calls';
    if (!isOfCalls) session.choose({ panel: 'records' });
    requestAnimationFrame(() => document.getElementById(isOfCalls ? 'find-calls' : 'filter')?.focus());
  }
}
/** The page of a host, or the story of one of its incidents in its place. */
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
  const { opened, telling } = session;
  return (
    <>
      {(opened ?? telling) && (
        <p class="story-bar" role="status">
          {opened && <Button onClick={() => session.closeStory()}>← back to the live host</Button>} {telling}
          {opened &&
            (opened.choice.incident === undefined
              ? 'This is what the host did before, from its memory.'
              : 'This is the story of an incident, from the trace of the host.')}
        </p>
      )}
      <Whole session={opened ?? session} />
    </>
  );
}
function Whole({ session }: { session: Session }): VNode {
  const { panel } = session.choice;
  const Shown = drawn[panel];
  const place = placeOf(panel);
  const isTree = isTreeShown(session.choice);
  return (
    <div class={`whole${session.isStale ? ' stale' : ''}`}>
      <Header session={session} />
      <Incidents session={session} />
      <TimeLine session={session} />
      <section class="tabs-and-time" aria-label="View">
        <Tabs
          session={session}
          label="Places"
          tabs={mainPlaces.map((name) => ({ name, panel: places[name][0] }))}
          shown={place}
        />
        {place === 'Machine' && <MachineTabs session={session} />}
      </section>
      <main>
        {isTree && <TreePanel session={session} />}
        <section id="work" aria-label={names[panel]}>
          <div id="panel" role="tabpanel" aria-labelledby={`tab-${place}`}>
            <Shown session={session} />
          </div>
        </section>
      </main>
      <footer>
        Keys: <kbd>1</kbd>–<kbd>3</kbd> place, <kbd>n</kbd> <kbd>p</kbd> incident, <kbd>,</kbd> <kbd>.</kbd>{' '}
        one record back or on, <kbd>e</kbd> now, <kbd>Esc</kbd> all time, <kbd>/</kbd> search
      </footer>
    </div>
  );
}
