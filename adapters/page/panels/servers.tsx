/** First panel of the page: servers, those that need a look first, with the reason and the next attempt. */
import { textOf } from '../../../machines/trace/row.ts';
import type { VNode } from 'preact';
import { incidentNames, needsLook } from '../../../machines/incidents/incident.ts';
import { nextOf, treeOf, type Mood, type ServerView } from '../model.ts';
import { ServerControls } from './asked.tsx';
import { Empty, Head, Link, sinceText, State } from '../pieces.tsx';
import type { Session } from '../session.ts';
import { activeIn, countText, dayTimeText, durationText, stateText, visible } from '../values.ts';
import { fieldsOf } from '../../../machines/protocol/json.ts';

const nextText = ({ nextAt, endsAt, attempt, state }: ServerView, now: number): string => {
  if (endsAt !== null)
    return `without an answer, this try ends in ${durationText(Math.max(0, endsAt - now))}`;
  if (state === 'unauthorized' || state === 'authorizing') return 'goes on after the login';
  if (nextAt !== null)
    return nextAt - now < 1 ? 'is tried now' : `tried again in ${durationText(nextAt - now)}`;
  if (state === 'open' || state === 'needsInput' || state === 'unsupported')
    return 'is not tried again by itself';
  return attempt === '' ? '' : 'is tried now';
};
function Server({ server, session }: { server: ServerView; session: Session }): VNode {
  const { name, mood, words, why, remedy, attempt, calls, since, address, facts, incidents } = server;
  const now = session.nowMs;
  const next = nextText(server, now);
  return (
    <tr class={mood === 'bad' ? 'broken' : server.needsLook ? 'shaky' : undefined}>
      <th scope="row">
        <Link
          title={`show the chart of ${visible(name)}`}
          onClick={() => session.choose({ actor: address, panel: 'chart' })}
        >
          {visible(name)}
        </Link>
      </th>
      <td>
        <State mood={mood}>{words}</State>{' '}
        {server.state !== 'disabled' && <span class="quiet">{sinceText(since, now)}</span>}
      </td>
      <td>
        {visible(why)}
        {remedy !== '' && <div class="remedy">What to do: {visible(remedy)}</div>}
        {why === '' &&
          incidents.map((view) => (
            <Link key={view.incident.id} onClick={() => session.showIncident(view)}>
              {incidentNames[view.kind]} at {dayTimeText(view.last, session.wallNow)}
            </Link>
          ))}
        <div class="quiet small">{visible(facts.join(' · '))}</div>
      </td>
      <td>
        {next}
        {attempt !== '' && <div class="quiet">{attempt}</div>}
        {calls > 0 && <div>{countText(calls, 'call')} under way</div>}
      </td>
      <td>
        <div class="orders">
          <ServerControls session={session} server={server} />
        </div>
      </td>
    </tr>
  );
}
function Servers({ session, servers }: { session: Session; servers: readonly ServerView[] }): VNode {
  return (
    <table id="servers" class={servers.length > fewServers ? 'many' : undefined}>
      <Head of={['server', 'state', 'why', 'what happens next', 'more']} />
      <tbody>
        {servers.map((server) => (
          <Server key={server.address} server={server} session={session} />
        ))}
      </tbody>
    </table>
  );
}
/** Largest number of servers for which the rows are drawn with more space. */
const fewServers = 20;
const mostNamed = 8;
const summary = (all: readonly ServerView[], isAllSeen: boolean): string => {
  const servers = all.filter(({ state }) => state !== 'disabled');
  const disabled = all.length - servers.length;
  const others = disabled === 0 ? '' : ` ${disabled} ${disabled === 1 ? 'is' : 'are'} disabled.`;
  const bad = servers.filter(({ needsLook }) => needsLook);
  if (bad.length === 0 && isAllSeen) return `${countText(servers.length, 'server')} fine.${others}`;
  if (bad.length === 0)
    return `${countText(servers.length, 'server')} ready; look at what stands above.${others}`;
  const named = bad.slice(0, mostNamed).map(({ name }) => visible(name));
  const more = bad.length > mostNamed ? ` and ${bad.length - mostNamed} more` : '';
  return `${bad.length} of ${servers.length} servers ${bad.length === 1 ? 'needs' : 'need'} a look: ${named.join(', ')}${more}.${others}`;
};
/** Moods and words for the states of machines in the table of peers, by the names of the states from the outer to the inner one. */
const peerWords: Readonly<Record<string, readonly [mood: Mood, words: string]>> = {
  'office.opening': ['busy', 'is opening'],
  'office.serving': ['good', 'is open'],
  'office.serving.draining': ['busy', 'lets its seats go, and takes no new ones'],
  'office.closing': ['busy', 'is closing'],
  'seat.connected': ['busy', 'is connected, and has not joined'],
  'seat.joined': ['good', 'has joined'],
  'seat.asking.claiming': ['busy', 'is joining'],
  'seat.asking.leaving': ['busy', 'is leaving'],
  'link.online.connecting': ['busy', 'is connecting to its office'],
  'link.online.joining': ['busy', 'is joining its office'],
  'link.online.joined': ['good', 'has joined its office'],
  'link.online.leaving': ['busy', 'is leaving its office'],
  'link.waiting': ['bad', 'has lost its office, and waits for its next try'],
  'agent.offline': ['bad', 'is in no office'],
  'agent.joined': ['good', 'is in its office'],
  'agent.closing': ['busy', 'is ending'],
};
function PeerState({ kind, state }: { kind: string; state: unknown }): VNode {
  const known = activeIn(state).findLast((path) => `${kind}.${path}` in peerWords);
  const [mood, words] = peerWords[`${kind}.${known}`] ?? ['busy', stateText(state)];
  return <State mood={mood}>{words}</State>;
}
const peers: Readonly<Record<string, string>> = {
  office: 'Office',
  seat: 'Seat',
  link: 'Link',
  agent: 'Agent',
};

/** Returns a text about a peer of an older version: the version, and what the peer cannot do. */
const missesText = (version: string, misses: readonly string[]): string =>
  `${version === '' ? 'says no version' : `protocol ${version}`}; misses ${misses.join(', ')}`;
/** Table of the office, its seats and the links of this host. */
function Peers({ session, peers: all }: { session: Session; peers: ReturnType<typeof treeOf> }): VNode {
  return (
    <table id="peers">
      <Head of={['office, seats and links', 'state', 'who']} />
      <tbody>
        {all.map(({ actor: { address, kind, state, since, context, timers } }) => {
          const { seat, name, role, url, misses, version } = fieldsOf(context);
          const who = fieldsOf(seat);
          const next = kind === 'link' && textOf(state) === 'waiting' ? nextOf(timers) : null;
          return (
            <tr key={address}>
              <th scope="row">
                <Link onClick={() => session.choose({ actor: address, panel: 'chart' })}>{peers[kind]}</Link>
              </th>
              <td>
                <PeerState kind={kind} state={state} />{' '}
                <span class="quiet">{sinceText(since, session.nowMs)}</span>
                {next !== null && `, tried again in ${durationText(Math.max(0, next - session.nowMs))}`}
              </td>
              <td>
                {visible(
                  [role ?? who['role'], name ?? who['name'], url].map(textOf).filter(Boolean).join(' '),
                )}
                {Array.isArray(misses) && (
                  <div class="quiet">{visible(missesText(textOf(version), misses.map(textOf)))}</div>
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The last machines of a host that was closed have ended, too. */
const isOver = ({ history, phase }: Session): boolean => phase === 'over' || history.length > 1;
export function ServersPanel({ session }: { session: Session }): VNode {
  const alive = session.history.at(session.at);
  const { servers } = session;
  const isAllSeen = !session.incidents.some(needsLook) && !session.isStale;
  const others = treeOf(alive).filter(({ actor }) => actor.kind in peers);
  if (alive.size === 0)
    return session.phase === 'connecting' || session.phase === 'loading' ? (
      <Empty>Loading …</Empty>
    ) : (
      <Empty>
        {isOver(session)
          ? 'The host has ended. Click the time line to see it as it was.'
          : 'Nothing is known of this host.'}
      </Empty>
    );
  return (
    <>
      {servers.length === 0 ? (
        others.every(({ actor }) => actor.kind === 'link') && (
          <Empty>
            No server is configured here. A computer with servers:{' '}
            <code>npx a2c up --config FILE --inspect</code>
          </Empty>
        )
      ) : (
        <>
          {!session.isKnown ? (
            <p class="quiet">{countText(servers.length, 'server')}. Reading what happened before …</p>
          ) : (
            <p
              id="summary"
              class={servers.some((each) => each.needsLook) ? 'bad' : isAllSeen ? 'good' : 'busy'}
            >
              {summary(servers, isAllSeen)}
            </p>
          )}
          <Servers session={session} servers={servers} />
        </>
      )}
      {others.length > 0 && <Peers session={session} peers={others} />}
    </>
  );
}
