import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Lit } from '../chart/drawing.tsx';
import { type LaidOut, laidOut, anyPath, isStaying, labelOf, takenOf } from '../chart/graph.ts';
import { Zoomed } from '../chart/zoomed.tsx';
import type { Chart } from '../../../machines/trace/chart.ts';
import type { Living } from '../history.ts';
import { Empty, sinceText, Button, Link } from '../pieces.tsx';
import type { Session } from '../session.ts';
import { activeIn, dayTimeText, finerTimeText, durationText, stateText, visible } from '../values.ts';

/**
 * Panel with the whole statechart of one actor: its active states, the last transitions, and the possible next ones.
 */

type Kept = LaidOut | Error | undefined;
/** Lays a chart out. Until it is ready, the layout of the last chart of the same kind is shown. */
function useLayout(chart: Chart | undefined): Kept {
  const [kept, keep] = useState<{ kind: string | undefined; made: Kept }>({
    kind: undefined,
    made: undefined,
  });
  const kind = chart?.kind;
  useEffect(() => {
    let isWanted = true;
    if (chart)
      laidOut(chart).then(
        (made) => isWanted && keep({ kind, made }),
        (error: unknown) => isWanted && keep({ kind, made: error as Error }),
      );
    return () => void (isWanted = false);
  }, [chart?.fingerprint]);
  return kept.kind === kind ? kept.made : undefined;
}
/** Step of a machine that took transitions. */
interface WayStep {
  /** Position of the step among all known steps of the machine, from 1. */
  readonly n: number;
  /** Index of the record of the step. */
  readonly index: number;
  readonly t: number;
  readonly ids: readonly string[];
}
/** Returns the steps of a machine in the chosen time up to the moment shown, the oldest first. */
function wayOf({ history, at, recordsInRange }: Session, address: string): readonly WayStep[] {
  const way: WayStep[] = [];
  const [first, end] = recordsInRange;
  for (const index of history.lane(address)?.rows ?? []) {
    if (index > at || index >= end) break;
    if (index < first) continue;
    const row = history.row(index);
    if (row?.k !== 'step' || !Array.isArray(row['tr']) || row['tr'].length === 0) continue;
    way.push({ n: way.length + 1, index, t: row.t, ids: row['tr'].map(String) });
  }
  return way;
}
/** Counts how many times each transition was taken. */
function countsOf(way: readonly WayStep[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { ids } of way) for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
/** Number of the latest steps whose positions are shown at arrows, and number of steps that are listed. */
const mostPlaces = 9;
const mostSteps = 40;
/** Steps of the machine, the latest first, each with its time of day; a click goes to its moment. */
function Way({ session, way }: { session: Session; way: readonly WayStep[] }): VNode {
  const shown = way.slice(-mostSteps).toReversed();
  const timeOf = (t: number): string => {
    const wall = session.clockOf(t);
    return wall === undefined ? durationText(t) : finerTimeText(wall, session.wallNow);
  };
  return (
    <section>
      <h2>way so far</h2>
      {way.length === 0 && <p class="quiet small">No step is known until this moment.</p>}
      <ol class="way">
        {shown.map(({ n, index, t, ids }) => (
          <li key={index} class={n === way.length ? 'taken' : undefined}>
            <Link onClick={() => session.goTo(index)}>{n}</Link> <span class="quiet">{timeOf(t)}</span>{' '}
            <span>{ids.map((id) => visible(stepText(id))).join(', ')}</span>
          </li>
        ))}
      </ol>
      {way.length > mostSteps && <p class="quiet small">and {way.length - mostSteps} before</p>}
    </section>
  );
}
/** Shortens the id of a transition, `client: idle --server.start--> launching`, to its event and its target. */
const stepText = (id: string): string => id.replace(/^[^:]*: .*?--(.*)--> ?/, '$1 → ').replace(/ → \.?$/, '');
/** Reasons for which an actor waits at the moment shown: its timers with their end, and the ports that are open. */
function Waits({ session, living, chart }: { session: Session; living: Living; chart: Chart }): VNode {
  const active = new Set(activeIn(living.state));
  const ports = chart.nodes.flatMap(({ path, invoke }) =>
    active.has(path) ? invoke.map(({ src }) => src) : [],
  );
  const timers = [...living.timers.values()].toSorted((a, b) => a.due - b.due);
  return (
    <section id="waits">
      <h2>waits for</h2>
      {timers.length === 0 && ports.length === 0 && <p class="quiet small">a message; no timer runs</p>}
      <ul>
        {timers.map(({ n, due, isDeadline }) => {
          const wall = session.clockOf(due);
          return (
            <li key={n}>
              {isDeadline ? 'deadline' : 'timer'} in {durationText(Math.max(0, due - session.nowMs))}
              {wall !== undefined && `, at ${dayTimeText(wall, session.wallNow)}`}
            </li>
          );
        })}
        {ports.map((port) => (
          <li key={port}>port {port}</li>
        ))}
      </ul>
    </section>
  );
}
/** Lists the transitions out of the chosen state, or else of the active states: event, guard or delay, and target. */
function Ways({ chart, lit }: { chart: Chart; lit: Lit }): VNode {
  const from = lit.chosen === undefined ? [...lit.active].toReversed() : [lit.chosen];
  const paths = lit.chosen === undefined ? [...from, anyPath] : from;
  return (
    <>
      {paths.map((path) => {
        const ways = chart.transitions.filter((each) => each.from === path);
        return (
          <section key={path}>
            <h2>{path === anyPath ? 'ways out of any state' : `ways out of ${path}`}</h2>
            {ways.length === 0 && <p class="quiet small">none of its own</p>}
            <ul>
              {ways.map((way) => {
                const count = lit.counts.get(way.id) ?? 0;
                return (
                  <li key={way.id} class={lit.taken.has(way.id) ? 'taken' : ''} data-way={way.id}>
                    <span class="mono">{labelOf(way)}</span> → {isStaying(way) ? 'stays' : way.to.join(', ')}
                    {count > 0 && <span class="quiet"> ×{count}</span>}
                  </li>
                );
              })}
            </ul>
          </section>
        );
      })}
    </>
  );
}
/** Head of the panel: the actor, its state, and a choice how much of the chart is drawn. */
function Standing({
  session,
  living,
  address,
  isTaken,
  setTaken,
}: {
  session: Session;
  living: Living | undefined;
  address: string;
  isTaken: boolean;
  setTaken: (isTaken: boolean) => void;
}): VNode {
  const text = living
    ? `is in ${stateText(living.state)} ${sinceText(living.since, session.nowMs)}`
    : 'does not live at this moment';
  return (
    <div class="bar">
      <p id="standing">
        <span class="mono">{visible(address)}</span> <strong>{text}</strong>
      </p>
      <div role="group" aria-label="Part of the chart" class="group">
        <Button aria-pressed={!isTaken} onClick={() => setTaken(false)}>
          whole chart
        </Button>
        <Button aria-pressed={isTaken} onClick={() => setTaken(true)}>
          only what was taken
        </Button>
      </div>
    </div>
  );
}
export function ChartPanel({ session }: { session: Session }): VNode {
  const { actor } = session.choice;
  const living = actor === undefined ? undefined : session.history.at(session.at).get(actor);
  const kind = living?.kind ?? session.history.lane(actor ?? '')?.kind;
  const definition = kind === undefined ? undefined : session.charts[kind];
  const [chosen, choose] = useState<string | undefined>(undefined);
  const way = actor === undefined ? [] : wayOf(session, actor);
  const [wanted, want] = useState<boolean | undefined>(undefined);
  // Draws the whole chart of a machine of which no step is known yet, also after its first step.
  const first = useRef({ actor, isTaken: way.length > 0 });
  if (first.current.actor !== actor) first.current = { actor, isTaken: way.length > 0 };
  const isTaken = wanted ?? first.current.isTaken;
  const counts = countsOf(way);
  const active = new Set(activeIn(living?.state));
  const chart = useLayout(definition && isTaken ? takenOf(definition, counts, active) : definition);
  if (actor === undefined)
    return (
      <Empty>
        Choose an actor at the left. Here comes its statechart: the state that it is in, the way that it took,
        and what it waits for.
      </Empty>
    );
  if (!definition) return <Empty>There is no chart of {visible(actor)}.</Empty>;
  if (chart instanceof Error) return <Empty>{chart.message}. Load the page again.</Empty>;
  const order = new Map(way.slice(-mostPlaces).flatMap(({ n, ids }) => ids.map((id) => [id, n])));
  const lit: Lit = { active, taken: new Set(living?.taken), counts, order, chosen };
  return (
    <div class="chart-panel">
      <Standing session={session} living={living} address={actor} isTaken={isTaken} setTaken={want} />
      {chart ? (
        <div class="chart-parts">
          <Zoomed
            chart={chart}
            lit={lit}
            label={`Statechart of ${kind}; active: ${stateText(living?.state) || 'nothing'}`}
            onChoose={choose}
          />
          <aside class="ways" aria-label="Way and ways out" tabIndex={0}>
            {living && <Waits session={session} living={living} chart={definition} />}
            <Way session={session} way={way} />
            <Ways chart={definition} lit={lit} />
          </aside>
        </div>
      ) : (
        <Empty>Drawing …</Empty>
      )}
    </div>
  );
}
