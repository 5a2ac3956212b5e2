import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import {
  incidentNames,
  isMild,
  needsLook,
  type IncidentKind,
  type IncidentView,
} from '../../../machines/incidents/incident.ts';
import type { Mood } from '../model.ts';
import { State, Button, Link } from '../pieces.tsx';
import type { Session } from '../session.ts';
import { countText, dayTimeText, durationText, visible } from '../values.ts';
import { StoryButtons } from './story.tsx';

/** List above all panels: what went wrong, with time, cost, calls and advice. */

const mostShown = 5;
export function moodOfIncident(view: IncidentView): Mood {
  if (!needsLook(view)) return 'off';
  return isMild(view) || (view.to !== undefined && view.lost.length === 0) ? 'busy' : 'bad';
}
/** Describes the state of an incident: whether it lasts, how often it happened, and what comes next. */
function standing({ kind, from, last, to, times, isStopped }: IncidentView, now: number): string {
  const first = times > 1 ? `${times} times since ${dayTimeText(from, now)}` : '';
  if (kind === 'call' || kind === 'check' || (kind === 'slow' && to !== undefined)) return first;
  const since = `for ${durationText(Math.max(0, now - from))}`;
  if (to === undefined) return times > 1 ? first : since;
  const ends: Partial<Record<IncidentKind, string>> = {
    silent: 'answered',
    person: 'given up',
    gone: 'seen',
  };
  const end = isStopped ? 'stopped' : (ends[kind] ?? 'recovered');
  return [first, `${end} after ${durationText(Math.max(0, to - last))}`].filter(Boolean).join(', ');
}
const toolsOf = (calls: IncidentView['lost']): string => {
  const tools = [...new Set(calls.map(({ tool }) => tool))];
  return tools.length > 3 ? `${tools.slice(0, 3).join(', ')} …` : tools.join(', ');
};
function costOf({ lost, refused, incident, kind }: IncidentView): string {
  if (kind === 'call' && lost.length === 1 && incident.more === 0) return '';
  const parts = [
    lost.length === 0 ? '' : `${countText(lost.length, 'call')} may have happened: ${toolsOf(lost)}`,
    refused.length === 0 ? '' : `${countText(refused.length, 'call')} refused: ${toolsOf(refused)}`,
    incident.more === 0 ? '' : `and ${countText(incident.more, 'more call')}`,
  ];
  return parts.filter((part) => part !== '').join('; ');
}
function Row({ session, view, now }: { session: Session; view: IncidentView; now: number }): VNode {
  const { kind, subject, what, remedy, from, last, incident } = view;
  const cost = costOf(view);
  const isChosen = session.choice.incident === incident.id;
  const isLater = last > session.wallNow + 1;
  return (
    <li class={`incident${isChosen ? ' chosen' : ''}${isLater ? ' later' : ''}`} data-kind={kind}>
      <Button class="row" onClick={() => session.showIncident(view)} aria-pressed={isChosen}>
        <time dateTime={new Date(from).toISOString()}>{dayTimeText(from, now)}</time>
        <State mood={moodOfIncident(view)}>
          {incidentNames[kind]}
          {subject === '' ? '' : ': '}
          <strong>{visible(subject)}</strong>
        </State>
        <span class="quiet standing">{standing(view, now)}</span>
        <span class="what" title={visible(what)}>
          {visible(what)}
        </span>
        {cost !== '' && <span class="cost">{visible(cost)}</span>}
      </Button>
      {isChosen && (
        <div class="remedy">
          {remedy !== '' && <p>What to do: {visible(remedy)}</p>}
          <StoryButtons session={session} view={view} />
        </div>
      )}
    </li>
  );
}
/** Says what is known to be well, and never that all is while something is unseen. */
function Nothing({ session, now }: { session: Session; now: number }): VNode {
  const { since } = session.story;
  const from = since === undefined ? '' : ` since ${dayTimeText(since, now)}`;
  if (session.choice.range) return <p class="quiet">Nothing went wrong in the chosen time.</p>;
  const failed = session.story.calls.all.filter(({ ended }) => ended && ended.outcome !== 'succeeded').length;
  return (
    <p id="nothing" class="quiet">
      {failed > 0 && <Link onClick={() => session.showFailed()}>{countText(failed, 'call')} failed.</Link>}{' '}
      Nothing {failed > 0 && 'else '}went wrong{from}.
    </p>
  );
}
/** Keeps the order of a list while a person points at it, so that nothing moves under the hand. */
function useStill(all: readonly IncidentView[]): {
  readonly views: readonly IncidentView[];
  readonly hold: (isHeld: boolean) => void;
} {
  const kept = useRef<{ isHeld: boolean; ids: readonly string[] }>({ isHeld: false, ids: [] });
  const { current } = kept;
  const place = ({ incident }: IncidentView): number => {
    const at = current.ids.indexOf(incident.id);
    return at < 0 ? Infinity : at;
  };
  const views = current.isHeld ? all.toSorted((a, b) => place(a) - place(b) || 0) : all;
  current.ids = views.map(({ incident }) => incident.id);
  return { views, hold: (isHeld) => void (current.isHeld = isHeld) };
}
/** What is wrong now, what has to be looked at, and what is over, in a few words. */
function summaryOf(all: readonly IncidentView[]): readonly string[] {
  const lasting = all.filter((view) => view.to === undefined && !isMild(view)).length;
  const wanting = all.filter((view) => needsLook(view));
  const lost = wanting.reduce((sum, view) => sum + view.lost.length, 0);
  const isAsked = ({ kind, to }: IncidentView): boolean => kind === 'person' && to === undefined;
  const asked = all.filter(isAsked).length;
  const isOther = (view: IncidentView): boolean => (view.to !== undefined || isMild(view)) && !isAsked(view);
  const unseen = wanting.filter((view) => isOther(view) && view.lost.length === 0).length;
  const parts = [
    asked === 0 ? '' : `${countText(asked, 'call')} ${asked === 1 ? 'waits' : 'wait'} for a person`,
    lasting === 0 ? '' : `${lasting} still wrong`,
    lost === 0 ? '' : `${countText(lost, 'call')} may have happened`,
    unseen === 0 ? '' : `${unseen} to look at`,
  ];
  return parts.filter((part) => part !== '');
}
export function Incidents({ session }: { session: Session }): VNode | null {
  const [isOpen, open] = useState(false);
  const all = session.phase === 'connecting' ? [] : session.incidentsInRange;
  const { views, hold } = useStill(all);
  if (session.phase === 'connecting' || session.phase === 'no token') return null;
  const now = session.wallEnd;
  if (all.length === 0)
    return session.phase === 'loading' || !session.isKnown ? null : (
      <section id="incidents" aria-label="What happened">
        <Nothing session={session} now={now} />
      </section>
    );
  const wrong = summaryOf(all);
  const isChosen = ({ incident }: IncidentView): boolean => incident.id === session.choice.incident;
  const over = all.filter((view) => !needsLook(view)).length;
  const unseen = all.filter(({ incident }) => !incident.isSeen).map(({ incident }) => incident.id);
  return (
    <section id="incidents" aria-label="What happened">
      <div class="bar-of-incidents">
        <h2>
          {wrong.length > 0 && <span class="bad">▲ {wrong.join(', ')}</span>}
          {wrong.length > 0 && over > 0 && ', '}
          {over > 0 && `${over} seen and over`}
        </h2>
        {unseen.length > 0 && session.phase === 'live' && (
          <Button onClick={() => session.see(unseen)}>all seen</Button>
        )}
        {all.length > (session.isStory ? 1 : mostShown) && (
          <Button aria-expanded={isOpen} onClick={() => open(!isOpen)}>
            {isOpen ? 'fewer' : `all ${all.length}`}
          </Button>
        )}
      </div>
      <ol
        tabIndex={isOpen ? 0 : undefined}
        aria-label="Incidents"
        class={isOpen ? 'all-incidents' : undefined}
        onPointerEnter={() => hold(true)}
        onPointerLeave={() => hold(false)}
        onFocusCapture={() => hold(true)}
        onBlurCapture={() => hold(false)}
      >
        {(isOpen ? views : session.isStory ? views.filter(isChosen) : views.slice(0, mostShown)).map(
          (view) => (
            <Row key={view.incident.id} session={session} view={view} now={now} />
          ),
        )}
      </ol>
    </section>
  );
}
