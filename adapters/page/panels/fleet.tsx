/** Page of several hosts: who is connected to whom, what is wrong where, and each call on its way through all of them. */
import type { VNode } from 'preact';
import { useEffect, useReducer } from 'preact/hooks';
import { App } from '../app.tsx';
import { phasesOf } from '../call-list.ts';
import { standingOf } from '../../../machines/incidents/calls.ts';
import type { Fleet, FleetSeen } from '../fleet.ts';
import type { HostFacts } from '../../../machines/inspection.ts';
import { needsLook } from '../../../machines/incidents/incident.ts';
import { moodOfIncident } from './incidents.tsx';
import type { FleetView } from '../choice.ts';
import { isNamedBy, type CallPart, type JoinedCall } from '../joined.ts';
import { moodOfCall, type Mood } from '../model.ts';
import { Button, Empty, Link, LongList, type RowProps, State } from '../pieces.tsx';
import type { Session } from '../session.ts';
import { countText, dayTimeText, durationText, visible } from '../values.ts';

const drawMs = 250;
const rowHeight = 44;
const nameOf = ({ facts }: FleetSeen, host: number): string => {
  const { kind = 'file', name = '' } = facts[host] ?? {};
  return `${kind} ${name}`;
};
const endOfHost = (fleet: Fleet, host: number): number => fleet.sessions[host]?.wallEnd ?? 0;

/** Why nothing is heard of a host; undefined while it is heard, and of one that said that it closed. */
function silenceOf(session: Session | undefined): string | undefined {
  if (session?.phase === 'lost') return 'has left without a word';
  return session?.staleSince === undefined ? undefined : 'does not answer';
}
function standingOfHost(fleet: Fleet, host: number): { readonly note: string; readonly mood: Mood } {
  const session = fleet.sessions[host];
  if (session?.phase === 'over') return { note: 'has ended', mood: 'off' };
  const wrong = session?.story.at(endOfHost(fleet, host)).filter((view) => needsLook(view)).length ?? 0;
  const silence = silenceOf(session);
  const note = silence ?? (wrong > 0 ? countText(wrong, 'incident') : 'fine');
  return { note, mood: wrong > 0 || silence !== undefined ? 'bad' : 'good' };
}
/** Each host with the seats of its office and the servers of its computer. */
function Connections({ fleet, seen }: { fleet: Fleet; seen: FleetSeen }): VNode {
  return (
    <ul id="connections">
      {fleet.sessions.map((session, host) => {
        const { note, mood } = standingOfHost(fleet, host);
        const isHeard = silenceOf(session) === undefined && session.phase !== 'over';
        return (
          <li key={host}>
            <State mood={mood}>
              <Link onClick={() => fleet.choose({ host })}>{visible(nameOf(seen, host))}</Link>
            </State>{' '}
            <span class="quiet">{note}</span>
            <ul>
              {seen.connections
                .filter(({ from, to }) => from === host && to !== host)
                .map(({ to, kind, name, office, state }) => (
                  <li key={`${kind} ${office} ${name}`}>
                    <State mood={state === 'joined' ? 'good' : 'busy'}>
                      seat of {kind} <strong>{visible(name)}</strong>
                    </State>{' '}
                    <span class="quiet">
                      in {visible(office)}
                      {to === undefined && ', not on this page'}
                    </span>
                  </li>
                ))}
              {session.servers.map((server) => (
                <li key={`server ${server.name}`}>
                  <State mood={isHeard ? server.mood : 'off'}>
                    server <strong>{visible(server.name)}</strong>
                  </State>{' '}
                  <span class="quiet">
                    {!isHeard && 'last heard: '}
                    {server.words}
                  </span>
                </li>
              ))}
            </ul>
          </li>
        );
      })}
    </ul>
  );
}
function Wrong({ fleet, seen }: { fleet: Fleet; seen: FleetSeen }): VNode {
  const all = fleet.sessions.flatMap((session, host) => {
    const end = endOfHost(fleet, host);
    return session.story
      .at(end)
      .filter((view) => needsLook(view))
      .map((view) => ({ host, view, session, at: view.last }));
  });
  const isBack = ({ kind, name }: HostFacts): boolean =>
    fleet.sessions.some(
      ({ phase }, n) => phase === 'live' && seen.facts[n]?.kind === kind && seen.facts[n].name === name,
    );
  const silent = fleet.sessions.flatMap((session, host) => {
    const [what, facts] = [silenceOf(session), seen.facts[host]];
    return what === undefined || !facts || (session.phase === 'lost' && isBack(facts))
      ? []
      : [{ host, what, session }];
  });
  if (all.length + silent.length === 0) return <p class="quiet">Nothing is wrong on any of them.</p>;
  return (
    <ul id="fleet-incidents">
      {silent.map(({ host, what, session }) => (
        <li key={`silent ${host}`}>
          <time>{dayTimeText(session.heardOn, session.heardOn)}</time>{' '}
          <State mood="bad">
            <Link onClick={() => fleet.choose({ host })}>{visible(nameOf(seen, host))}</Link>
          </State>{' '}
          {what}. What is shown of it is as of then.
        </li>
      ))}
      {all
        .toSorted((one, other) => other.at - one.at)
        .slice(0, 12)
        .map(({ host, view, session, at }) => {
          const show = (): void => {
            fleet.choose({ host });
            session.showIncident(view);
          };
          return (
            <li key={`${host} ${view.incident.id}`}>
              <time dateTime={new Date(at).toISOString()}>{dayTimeText(at, endOfHost(fleet, host))}</time>{' '}
              <State mood={moodOfIncident(view)}>
                <Link onClick={show}>{visible(nameOf(seen, host))}</Link>
                {view.subject === '' ? '' : ': '}
                <strong>{visible(view.subject)}</strong>
              </State>{' '}
              <span>{visible(view.what)}</span>
            </li>
          );
        })}
    </ul>
  );
}
interface Shown {
  readonly fleet: Fleet;
  readonly seen: FleetSeen;
  readonly joined: JoinedCall;
}
interface Scale {
  readonly from: number;
  readonly to: number;
}
const percentOf = ({ from, to }: Scale, at: number): string =>
  `${(100 * (at - from)) / Math.max(1, to - from)}%`;
const spanOf = (fleet: Fleet, { host, call }: CallPart): Scale => ({
  from: call.from,
  to: Math.max(call.from, call.ended?.at ?? endOfHost(fleet, host)),
});
const scaleOf = ({ fleet, joined }: Shown): Scale => {
  const spans = joined.parts.map((part) => spanOf(fleet, part));
  return { from: Math.min(...spans.map(({ from }) => from)), to: Math.max(...spans.map(({ to }) => to)) };
};
function CallLine({ shown, ...props }: RowProps & { readonly shown: Shown }): VNode | null {
  const { fleet, seen, joined } = shown;
  const [first] = joined.parts;
  if (!first) return null;
  const now = endOfHost(fleet, first.host);
  const { words, why } = standingOf(first.call, now);
  const mood = moodOfCall(first.call, now);
  const scale = scaleOf(shown);
  const server = joined.parts.map(({ call }) => call.server).findLast((name) => name !== '') ?? '';
  const way = [...joined.parts.map(({ host }) => nameOf(seen, host)), server].filter((name) => name !== '');
  return (
    <div {...props} class="call fleet-call" data-req={first.call.reqId}>
      <div class="name">
        <div class="line">
          <strong>{visible(first.call.tool)}</strong> <span class="quiet">{visible(way.join(' → '))}</span>
        </div>
        <div class="line small">
          <State mood={mood}>{words}</State>{' '}
          <span class="quiet">
            {durationText(scale.to - scale.from)}, at {dayTimeText(scale.from, now)} {visible(why)}
          </span>
        </div>
      </div>
    </div>
  );
}
/** One call on its way through the hosts: a bar for each host, divided into phases. */
function Way(shown: Shown): VNode {
  const { fleet, seen, joined } = shown;
  const scale = scaleOf(shown);
  return (
    <section id="way" aria-label="The way of the chosen call">
      <h3>
        {visible(joined.parts[0]?.call.tool ?? '')}{' '}
        <span class="quiet mono small">req_id {visible(joined.parts[0]?.call.reqId ?? '')}</span>
      </h3>
      <table>
        <tbody>
          {joined.parts.map((part) => {
            const { host, call } = part;
            const now = endOfHost(fleet, host);
            const span = spanOf(fleet, part);
            return (
              <tr key={`${host} ${call.ticket}`}>
                <th scope="row">
                  <Link onClick={() => fleet.showCall(host, call.ticket)}>{visible(nameOf(seen, host))}</Link>
                </th>
                <td class="outcome">
                  <State mood={moodOfCall(call, now)}>{standingOf(call, now).words}</State>
                </td>
                <td class="number">{durationText(span.to - span.from)}</td>
                <td class="way-track">
                  {phasesOf(call, now)
                    .filter(({ step }) => step !== 'ended')
                    .map((phase, n) => {
                      const { from, to } = phase;
                      const width = `max(2px, ${percentOf(scale, scale.from + to - from)})`;
                      const title = `${phase.name}, ${durationText(to - from)}`;
                      return (
                        <span
                          key={n}
                          class={`phase-bar ${phase.step === 'sent' ? 'work' : ''}`}
                          style={{ left: `min(${percentOf(scale, from)}, calc(100% - 2px))`, width }}
                          title={visible(title)}
                        />
                      );
                    })}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
function CallsOfAll({ fleet, seen }: { fleet: Fleet; seen: FleetSeen }): VNode {
  const at = ({ parts: [first] }: JoinedCall): number => first?.call.from ?? 0;
  const calls = seen.calls.toSorted((one, other) => at(other) - at(one));
  if (calls.length === 0)
    return (
      <Empty>
        No call was made. Make one: <code>npx a2c call TOOL --url OFFICE</code>
      </Empty>
    );
  const place = calls.findIndex((joined) => isNamedBy(joined, fleet.call));
  const chosen = calls[place];
  const draw = (n: number, props: RowProps): VNode | undefined => {
    const joined = calls[n];
    return joined && <CallLine key={joined.key} shown={{ fleet, seen, joined }} {...props} />;
  };
  return (
    <>
      {chosen && <Way fleet={fleet} seen={seen} joined={chosen} />}
      <p class="quiet small">{countText(calls.length, 'call')}, the newest first</p>
      <LongList
        count={calls.length}
        rowHeight={rowHeight}
        label="Calls of all hosts"
        chosen={place}
        draw={draw}
        choose={(n) => fleet.choose({ call: calls[n]?.key })}
      />
    </>
  );
}
function All({ fleet }: { fleet: Fleet }): VNode {
  const { seen } = fleet;
  if (fleet.sessions.length === 0)
    return (
      <Empty>
        No host of yours runs now. Those that start come here: <code>npx a2c up --inspect</code>
      </Empty>
    );
  return (
    <main id="fleet">
      <h1>{countText(fleet.sessions.length, 'host')}</h1>
      <section aria-label="Connections">
        <h2>What is wrong</h2>
        <Wrong fleet={fleet} seen={seen} />
        <h2>Who is connected to whom</h2>
        <Connections fleet={fleet} seen={seen} />
      </section>
      <section aria-label="Calls" class="calls">
        <h2>Calls</h2>
        <CallsOfAll fleet={fleet} seen={seen} />
      </section>
    </main>
  );
}
const stateOf = ({ phase }: Session): string => (phase === 'lost' || phase === 'over' ? ' (ended)' : '');
/** Page of all hosts, or of the host that is chosen. */
export function FleetApp({ fleet }: { fleet: Fleet }): VNode {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    fleet.onChange(() => redraw(undefined));
    redraw(undefined);
    const timer = setInterval(() => redraw(undefined), drawMs);
    return () => clearInterval(timer);
  }, [fleet]);
  const { seen, shown } = fleet;
  const choose = (change: Partial<FleetView>) => (): void => fleet.choose(change);
  return (
    <>
      <nav id="hosts" aria-label="Hosts">
        <Button aria-pressed={shown === undefined} onClick={choose({ host: undefined })}>
          all {fleet.sessions.length}
        </Button>
        {fleet.sessions.map((session, host) => (
          <Button key={host} aria-pressed={fleet.host === host} onClick={choose({ host })}>
            {session.host?.kind === 'file' ? `${host + 1}: ` : ''}
            {visible(nameOf(seen, host))}
            {stateOf(session)}
          </Button>
        ))}
      </nav>
      {shown ? <App key={fleet.host} session={shown} /> : <All fleet={fleet} />}
    </>
  );
}
