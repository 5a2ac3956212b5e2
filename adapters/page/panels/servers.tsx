import type { VNode } from 'preact';
import { treeOf, type ServerView, serversOf } from '../model.ts';
import { Asked } from './asked.tsx';
import { Empty, sinceText, State } from '../pieces.tsx';
import type { Session } from '../session.ts';
import { durationText, stateText, textOf, visible } from '../values.ts';
import { fieldsOf } from '../../../machines/protocol/json.ts';

/** First panel of the page: failing servers, the reason, and the next attempt. */

const nextText = ({ nextAt, attempt, state }: ServerView, now: number): string => {
  if (nextAt !== null) return `tried again in ${durationText(Math.max(0, nextAt - now))}`;
  if (state === 'open' || state === 'needsInput' || state === 'unsupported')
    return 'is not tried again by itself';
  return attempt === '' ? '' : 'is tried now';
};
function Server({ server, session }: { server: ServerView; session: Session }): VNode {
  const { name, mood, words, why, remedy, attempt, calls, since, address } = server;
  const now = session.nowMs;
  const next = nextText(server, now);
  return (
    <tr class={mood === 'bad' ? 'broken' : undefined}>
      <th scope="row">
        <button
          type="button"
          class="plain"
          title="show its chart"
          onClick={() => session.choose({ actor: address, panel: 'chart' })}
        >
          {visible(name)}
        </button>
      </th>
      <td>
        <State mood={mood}>{words}</State>
        <div class="quiet">{sinceText(since, now)}</div>
      </td>
      <td>
        {visible(why)}
        {remedy !== '' && <div class="remedy">What to do: {visible(remedy)}</div>}
      </td>
      <td>
        {next}
        {attempt !== '' && <div class="quiet">{attempt}</div>}
      </td>
      <td class="number">{calls === 0 ? '' : calls}</td>
      <td>
        <Asked session={session} server={server} />
      </td>
    </tr>
  );
}
function Servers({ session, servers }: { session: Session; servers: readonly ServerView[] }): VNode {
  return (
    <table id="servers">
      <thead>
        <tr>
          <th scope="col">server</th>
          <th scope="col">state</th>
          <th scope="col">why</th>
          <th scope="col">what happens next</th>
          <th scope="col">calls</th>
          <th scope="col">{session.control ? 'orders' : 'more'}</th>
        </tr>
      </thead>
      <tbody>
        {servers.map((server) => (
          <Server key={server.address} server={server} session={session} />
        ))}
      </tbody>
    </table>
  );
}
const summary = (servers: readonly ServerView[]): string => {
  const bad = servers.filter(({ mood }) => mood === 'bad');
  if (bad.length === 0) return `${servers.length} of ${servers.length} servers are fine.`;
  return `${bad.length} of ${servers.length} servers ${bad.length === 1 ? 'needs' : 'need'} a look: ${bad.map(({ name }) => visible(name)).join(', ')}.`;
};
const peers: Readonly<Record<string, string>> = {
  office: 'Office',
  seat: 'Seat',
  link: 'Link',
  agent: 'Agent',
};

export function ServersPanel({ session }: { session: Session }): VNode {
  const alive = session.history.at(session.at);
  const servers = serversOf(alive, session.charts);
  const others = treeOf(alive).filter(({ actor }) => actor.kind in peers);
  if (alive.size === 0)
    return session.phase === 'connecting' || session.phase === 'loading' ? (
      <Empty>Loading …</Empty>
    ) : (
      <Empty>Nobody lives at this moment. Move the slider above to another one.</Empty>
    );
  return (
    <>
      {servers.length === 0 ? (
        <Empty>
          No server is configured here. A computer with servers:{' '}
          <code>npx a2c up --config FILE --inspect</code>
        </Empty>
      ) : (
        <>
          <p id="summary" class={servers.some(({ mood }) => mood === 'bad') ? 'bad' : 'good'}>
            {summary(servers)}
          </p>
          <Servers session={session} servers={servers} />
        </>
      )}
      {others.length > 0 && (
        <table id="peers">
          <thead>
            <tr>
              <th scope="col">office, seats and links</th>
              <th scope="col">state</th>
              <th scope="col">who</th>
            </tr>
          </thead>
          <tbody>
            {others.map(({ actor: { address, kind, state, since, context } }) => {
              const { seat, name, role, url } = fieldsOf(context);
              const who = fieldsOf(seat);
              return (
                <tr key={address}>
                  <th scope="row">
                    <button
                      type="button"
                      class="plain"
                      onClick={() => session.choose({ actor: address, panel: 'chart' })}
                    >
                      {peers[kind]}
                    </button>
                  </th>
                  <td>
                    {stateText(state)} <span class="quiet">{sinceText(since, session.nowMs)}</span>
                  </td>
                  <td>
                    {visible(
                      [role ?? who['role'], name ?? who['name'], url].map(textOf).filter(Boolean).join(' '),
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </>
  );
}
