import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { IncidentKind, IncidentView } from '../incidents.ts';
import { State } from '../pieces.tsx';
import type { Session } from '../session.ts';
import { countText, dayTimeText, durationText, visible } from '../values.ts';

/** List above all panels: what went wrong, with time, cost, calls and advice. */

const names: Readonly<Record<IncidentKind, string>> = {
  down: 'server failed',
  login: 'login wanted',
  input: 'input wanted',
  config: 'config unusable',
  silent: 'no answer',
  tools: 'tools missing',
  person: 'person asked',
  call: 'call lost',
  link: 'office lost',
  host: 'host failed',
  check: 'check failed',
  file: 'file damaged',
};
const mostShown = 4;

/** Describes the state of an incident: whether it lasts, how often it happened, and what comes next. */
function standing({ kind, from, last, to, times, isStopped, nextAt }: IncidentView, now: number): string {
  const often = times > 1 ? `${times} times in ${durationText(Math.max(0, last - from))}` : '';
  if (kind === 'call' || kind === 'check') return often;
  const next = nextAt !== null && nextAt - now >= 1 ? `next try within ${durationText(nextAt - now)}` : '';
  const since = `for ${durationText(Math.max(0, now - from))}`;
  if (to === undefined) return [often, times > 1 ? '' : since, next].filter(Boolean).join(', ');
  const end = isStopped ? 'stopped after' : kind === 'silent' ? 'answered after' : 'back after';
  return [often, `${end} ${durationText(Math.max(0, to - last))}`].filter(Boolean).join(', ');
}
const toolsOf = (calls: IncidentView['lost']): string => {
  const tools = [...new Set(calls.map(({ tool }) => tool))];
  return tools.length > 3 ? `${tools.slice(0, 3).join(', ')} …` : tools.join(', ');
};
function costOf({ lost, refused }: IncidentView): string {
  const parts = [
    lost.length === 0 ? '' : `${countText(lost.length, 'call')} lost, effect unknown: ${toolsOf(lost)}`,
    refused.length === 0 ? '' : `${countText(refused.length, 'call')} refused: ${toolsOf(refused)}`,
  ];
  return parts.filter((part) => part !== '').join('; ');
}
function Row({ session, view, now }: { session: Session; view: IncidentView; now: number }): VNode {
  const { kind, subject, what, remedy, last, to, incident } = view;
  const isOver = to !== undefined;
  const cost = costOf(view);
  const isChosen = session.choice.incident === incident.id;
  const isLater = last > session.wallNow + 1;
  return (
    <li class={`incident${isChosen ? ' chosen' : ''}${isLater ? ' later' : ''}`} data-kind={kind}>
      <button type="button" class="plain" onClick={() => session.showIncident(view)} aria-pressed={isChosen}>
        <time dateTime={new Date(last).toISOString()}>{dayTimeText(last, now)}</time>{' '}
        <State mood={isOver ? 'off' : 'bad'}>
          {names[kind]}
          {subject === '' ? '' : ': '}
          <strong>{visible(subject)}</strong>
        </State>
      </button>{' '}
      <span class="quiet standing">{standing(view, now)}</span>
      <div class="what" title={visible(what)}>
        {visible(what)}
      </div>
      {cost !== '' && <div class="cost">{visible(cost)}</div>}
      {remedy !== '' && isChosen && <div class="remedy">What to do: {visible(remedy)}</div>}
    </li>
  );
}
/** Text that says since when nothing went wrong, as far as the page knows. */
function Nothing({ session, now }: { session: Session; now: number }): VNode {
  const { since } = session.story;
  const from = since === undefined ? '' : ` since ${dayTimeText(since, now)}`;
  if (session.choice.range) return <p class="quiet">Nothing went wrong in the chosen time.</p>;
  const limit =
    session.phase === 'live' && !session.hasPast ? ', when this page came: older is not known' : '';
  const failed = session.story.calls.all.filter(({ ended }) => ended && ended.outcome !== 'succeeded').length;
  return (
    <p id="nothing" class="quiet">
      {failed === 0
        ? 'Nothing went wrong'
        : `${countText(failed, 'call')} without success, and nothing else went wrong`}
      {from}
      {limit}.
    </p>
  );
}
export function Incidents({ session }: { session: Session }): VNode | null {
  const [isOpen, open] = useState(false);
  if (session.phase === 'connecting' || session.phase === 'no token') return null;
  const now = session.wallEnd;
  const all = session.incidentsInRange;
  if (all.length === 0)
    return session.phase === 'loading' || session.isReadingPast ? null : (
      <section id="incidents" aria-label="What happened">
        <Nothing session={session} now={now} />
      </section>
    );
  const lasting = all.filter(({ to }) => to === undefined).length;
  const shown = isOpen ? all : all.slice(0, mostShown);
  const over = all.length - lasting;
  return (
    <section id="incidents" aria-label="What happened">
      <div class="bar-of-incidents">
        <h2>
          {lasting > 0 && <span class="bad">▲ {lasting} still wrong</span>}
          {lasting > 0 && over > 0 && ', '}
          {over > 0 && `${over} over`}
        </h2>
        <span class="quiet known">known since {dayTimeText(session.story.since ?? now, now)}</span>
        <button type="button" onClick={() => session.stepIncident(-1)} title="key p">
          previous
        </button>
        <button type="button" onClick={() => session.stepIncident(1)} title="key n">
          next
        </button>
        {all.length > mostShown && (
          <button type="button" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
            {isOpen ? 'fewer' : `all ${all.length}`}
          </button>
        )}
      </div>
      <ol
        tabIndex={isOpen ? 0 : undefined}
        aria-label="Incidents"
        class={isOpen ? 'all-incidents' : undefined}
      >
        {shown.map((view) => (
          <Row key={view.incident.id} session={session} view={view} now={now} />
        ))}
      </ol>
    </section>
  );
}
/** Marks of incidents on the slider of the moment, each at the record with which it began. */
export function Marks({ session }: { session: Session }): VNode {
  const { history, story } = session;
  const last = Math.max(1, history.length - 1);
  const places = story.at(session.wallEnd).flatMap(({ incident }) => {
    const index = incident.s === null ? undefined : history.indexOf(incident.s);
    return index === undefined ? [] : [{ key: incident.id, left: (100 * index) / last }];
  });
  return (
    <span class="marks" aria-hidden="true">
      {places.map(({ key, left }) => (
        <span key={key} style={{ left: `${left}%` }} />
      ))}
    </span>
  );
}
