import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Lit } from '../chart/drawing.tsx';
import { type LaidOut, laidOut, takenOf } from '../chart/graph.ts';
import { Zoomed } from '../chart/zoomed.tsx';
import type { Chart } from '../../../machines/trace/chart.ts';
import type { Living } from '../history.ts';
import { Empty, sinceText, Button } from '../pieces.tsx';
import type { Session } from '../session.ts';
import { activeIn, dayTimeText, durationText, stateText, visible } from '../values.ts';
import { type Beat, Play, useBeats, Way } from './way.tsx';

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
/** Counts how many times each transition was taken. */
function countsOf(way: readonly Beat[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { ids } of way) for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
const mostPlaces = 9;
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
        {timers.map(({ n, due, isDeadline }) => (
          <li key={n}>
            {isDeadline ? 'deadline' : 'timer'} in {durationText(Math.max(0, due - session.nowMs))}, at{' '}
            {dayTimeText(session.clockOf(due), session.wallNow)}
          </li>
        ))}
        {ports.map((port) => (
          <li key={port}>port {port}</li>
        ))}
      </ul>
    </section>
  );
}
/** Head of the panel: the actor, its state, and a choice how much of the chart is drawn. */
function Standing({
  session,
  living,
  address,
  beats,
  isTaken,
  setTaken,
}: {
  session: Session;
  living: Living | undefined;
  address: string;
  beats: readonly Beat[];
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
      <Play session={session} beats={beats} />
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
  const beats = useBeats(session, actor);
  const way = beats.filter(({ n, index }) => n !== undefined && index <= session.at);
  const [wanted, want] = useState<boolean | undefined>(undefined);
  // Draws the whole chart of a machine of which no step is known yet, also after its first step.
  const first = useRef({ actor, isTaken: beats.length > 0 });
  if (first.current.actor !== actor) first.current = { actor, isTaken: beats.length > 0 };
  const isTaken = wanted ?? first.current.isTaken;
  const counts = countsOf(way);
  const active = new Set(activeIn(living?.state));
  // Lays out what was taken at any time, so that nothing moves while a person goes through the moments.
  const chart = useLayout(definition && isTaken ? takenOf(definition, countsOf(beats), active) : definition);
  if (actor === undefined)
    return (
      <Empty>
        Choose an actor at the left. Here comes its statechart: the state that it is in, the way that it took,
        and what it waits for.
      </Empty>
    );
  if (!definition) return <Empty>There is no chart of {visible(actor)}.</Empty>;
  if (chart instanceof Error) return <Empty>{chart.message}. Load the page again.</Empty>;
  const order = new Map(way.slice(-mostPlaces).flatMap(({ n, ids }) => ids.map((id) => [id, n ?? 0])));
  const lit: Lit = { active, taken: new Set(living?.taken), counts, order };
  return (
    <div class="chart-panel">
      <Standing
        session={session}
        living={living}
        address={actor}
        beats={beats}
        isTaken={isTaken}
        setTaken={want}
      />
      {chart ? (
        <div class="chart-parts">
          <Zoomed
            chart={chart}
            lit={lit}
            label={`Statechart of ${kind}; active: ${stateText(living?.state) || 'nothing'}`}
          />
          <aside class="ways" aria-label="What happened, and what it waits for" tabIndex={0}>
            <Way session={session} beats={beats} />
            {living && <Waits session={session} living={living} chart={definition} />}
          </aside>
        </div>
      ) : (
        <Empty>Drawing …</Empty>
      )}
    </div>
  );
}
