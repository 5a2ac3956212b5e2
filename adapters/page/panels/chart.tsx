import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Lit } from '../chart/drawing.tsx';
import type { LaidOut } from '../chart/graph.ts';
import { laidOut } from '../chart/layout.ts';
import { anyPath, isStaying, labelOf } from '../chart/graph.ts';
import { Zoomed } from '../chart/zoomed.tsx';
import type { Chart } from '../../../machines/inspection.ts';
import { Empty, sinceText } from '../pieces.tsx';
import type { Session } from '../session.ts';
import { activeIn, stateText, visible } from '../values.ts';

/**
 * Panel with the whole statechart of one actor: its active states, the last transitions, and the possible next ones.
 */

type Kept = LaidOut | Error | undefined;
function useLayout(session: Session, kind: string | undefined): Kept {
  const [kept, keep] = useState<{ kind: string | undefined; made: Kept }>({ kind, made: undefined });
  const chart = kind === undefined ? undefined : session.charts[kind];
  useEffect(() => {
    let isWanted = true;
    if (chart)
      laidOut(chart).then(
        (made) => isWanted && keep({ kind, made }),
        (error: unknown) => isWanted && keep({ kind, made: error as Error }),
      );
    return () => void (isWanted = false);
  }, [chart]);
  return kept.kind === kind ? kept.made : undefined;
}
/** Returns the number of times each transition was taken up to the moment shown. */
function countsOf({ history, at }: Session, address: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const index of history.lane(address)?.rows ?? []) {
    if (index > at) break;
    const row = history.row(index);
    if (row?.k === 'step' && Array.isArray(row['tr']))
      for (const id of row['tr']) counts.set(String(id), (counts.get(String(id)) ?? 0) + 1);
  }
  return counts;
}
/** Lists the transitions out of the chosen state, or else of the active states: event, guard or delay, and target. */
function Ways({ chart, lit }: { chart: Chart; lit: Lit }): VNode {
  const from = lit.chosen === undefined ? [...lit.active].toReversed() : [lit.chosen];
  const paths = lit.chosen === undefined ? [...from, anyPath] : from;
  return (
    <aside class="ways" aria-label="Ways out">
      {paths.map((path) => {
        const ways = chart.transitions.filter((each) => each.from === path);
        return (
          <section key={path}>
            <h4>{path === anyPath ? 'in any state' : `in ${path}`}</h4>
            {ways.length === 0 && <p class="quiet small">No way out of its own.</p>}
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
    </aside>
  );
}
export function ChartPanel({ session }: { session: Session }): VNode {
  const { actor } = session.choice;
  const alive = session.history.at(session.at);
  const living = actor === undefined ? undefined : alive.get(actor);
  const kind = living?.kind ?? session.history.lane(actor ?? '')?.kind;
  const chart = useLayout(session, kind);
  const [chosen, choose] = useState<string | undefined>(undefined);
  if (actor === undefined)
    return <Empty>Choose an actor on the left: here is its statechart, with the state that it is in.</Empty>;
  const definition = kind === undefined ? undefined : session.charts[kind];
  if (kind === undefined || !definition) return <Empty>There is no chart of {visible(actor)}.</Empty>;
  if (chart instanceof Error) return <Empty>{chart.message}. Load the page again.</Empty>;
  const state = stateText(living?.state);
  const text = living
    ? `is in ${state} ${sinceText(living.since, session.nowMs)}`
    : 'does not live at this moment';
  const lit: Lit = {
    active: new Set(activeIn(living?.state)),
    taken: new Set(living?.taken),
    counts: countsOf(session, actor),
    chosen,
  };
  return (
    <div class="chart-panel">
      <p id="standing">
        <span class="mono">{visible(actor)}</span> <strong>{text}</strong>
        {living && living.taken.length > 0 && (
          <span class="quiet">
            {' '}
            — last: {living.taken.map((id) => visible(id.replace(/^[^:]*: /, ''))).join(', ')}
          </span>
        )}
      </p>
      {chart ? (
        <div class="chart-parts">
          <Zoomed
            chart={chart}
            lit={lit}
            label={`Statechart of ${kind}; active: ${state || 'nothing'}`}
            onChoose={choose}
          />
          <Ways chart={definition} lit={lit} />
        </div>
      ) : (
        <Empty>Drawing …</Empty>
      )}
    </div>
  );
}
