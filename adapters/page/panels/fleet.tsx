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

/** Page of several hosts: who is connected to whom, what is wrong where, and each call on its way through all of them. */

const drawMs = 250;
const rowHeight = 44;
const nameOf = ({ facts }: FleetSeen, host: number): string => {
  const { kind = 'file', name = '' } = facts[host] ?? {};
  return `${kind} ${name}`;
};
const endOfHost = (fleet: Fleet, host: number): number => fleet.sessions[host]?.wallEnd ?? 0;

// ── hosts and connections ─────────────────────────────────────────────────────────────────────────────
const columns = ['agent', 'office', 'computer', 'server'] as const;
interface Node {
  readonly id: string;
  readonly column: number;
  readonly name: string;
  readonly note: string;
  readonly mood: Mood;
  /** Index of the host; undefined for a peer or a server that is no host of this page. */
  readonly host: number | undefined;
}
interface Edge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly mood: Mood;
}
const columnOf = (kind: string): number => {
  const at = columns.indexOf(kind as 'agent');
  return at >= 0 ? at : kind === 'up' ? 2 : 1;
};
/** Why nothing is heard of a host; undefined while it is heard, and of one that said that it closed. */
function silenceOf(session: Session | undefined): string | undefined {
  if (session?.phase === 'lost') return 'has left without a word';
  return session?.staleSince === undefined ? undefined : 'does not answer';
}
function hostNode(fleet: Fleet, seen: FleetSeen, host: number): Node {
  const session = fleet.sessions[host];
  const end = endOfHost(fleet, host);
  const wrong = session?.story.at(end).filter((view) => needsLook(view)).length ?? 0;
  const isGone = session?.phase === 'over';
  const silence = silenceOf(session);
  const note = silence ?? (isGone ? 'has ended' : wrong > 0 ? countText(wrong, 'incident') : 'fine');
  const { kind = 'file', name = '' } = seen.facts[host] ?? {};
  return {
    id: `host ${host}`,
    column: columnOf(kind),
    name: kind === 'up' ? `${name} (with office)` : name,
    note,
    mood: isGone ? 'off' : wrong > 0 || silence !== undefined ? 'bad' : 'good',
    host,
  };
}
/** Returns the boxes and lines of the drawing: hosts, peers that are not on this page, and the servers of computers. */
function graphOf(fleet: Fleet, seen: FleetSeen): { nodes: readonly Node[]; edges: readonly Edge[] } {
  const nodes = new Map(seen.facts.map((_, host) => [`host ${host}`, hostNode(fleet, seen, host)]));
  const edges: Edge[] = [];
  for (const { from, to, kind, name, office, state } of seen.connections) {
    if (to === from) continue;
    const id = to === undefined ? `${kind} ${office} ${name}` : `host ${to}`;
    if (!nodes.has(id))
      nodes.set(id, {
        id,
        column: columnOf(kind),
        name,
        note: 'not on this page',
        mood: 'off',
        host: undefined,
      });
    edges.push({ from: `host ${from}`, to: id, label: office, mood: state === 'joined' ? 'good' : 'busy' });
  }
  for (const [host, session] of fleet.sessions.entries())
    for (const { name, words, mood } of session.servers) {
      const id = `server ${host} ${name}`;
      const isHeard = silenceOf(session) === undefined && session.phase !== 'over';
      const known = isHeard ? { note: words, mood } : { note: `last ${words}`, mood: 'off' as const };
      nodes.set(id, { id, column: 3, name, host, ...known });
      edges.push({ from: `host ${host}`, to: id, label: '', mood: known.mood });
    }
  return { nodes: [...nodes.values()], edges };
}
const box = { width: 190, height: 40, gap: 14, between: 90, top: 28 } as const;
interface Place {
  readonly x: number;
  readonly y: number;
}
interface Layout {
  readonly used: readonly number[];
  readonly places: ReadonlyMap<string, Place>;
  readonly line: (edge: Edge) => string;
  readonly width: number;
}
/** Arranges each kind of host in a column of its own. */
function inColumns(nodes: readonly Node[]): Layout {
  const used = columns.map((_, n) => n).filter((n) => nodes.some(({ column }) => column === n));
  const places = new Map(
    nodes.map((node) => {
      const place = nodes.filter(({ column }) => column === node.column).indexOf(node);
      const x = used.indexOf(node.column) * (box.width + box.between);
      return [node.id, { x, y: box.top + place * (box.height + box.gap) }];
    }),
  );
  const line = ({ from, to }: Edge): string => {
    const [one = { x: 0, y: 0 }, other = { x: 0, y: 0 }] = [places.get(from), places.get(to)];
    const [left, right] = one.x <= other.x ? [one, other] : [other, one];
    const [x1, y1] = [left.x + box.width, left.y + box.height / 2];
    const [x2, y2] = [right.x, right.y + box.height / 2];
    return `M ${x1} ${y1} C ${x1 + box.between / 2} ${y1} ${x2 - box.between / 2} ${y2} ${x2} ${y2}`;
  };
  return { used, places, line, width: used.length * (box.width + box.between) - box.between + 4 };
}
const indent = 26;
/** Arranges all hosts in one column, the servers after their computer, for a window as narrow as a phone. */
function inOneColumn(nodes: readonly Node[], edges: readonly Edge[]): Layout {
  const serversOf = (id: string): readonly Node[] =>
    nodes.filter((node) => node.column === 3 && edges.some(({ from, to }) => from === id && to === node.id));
  const ordered = nodes
    .filter(({ column }) => column < 3)
    .toSorted((a, b) => a.column - b.column)
    .flatMap((node) => [node, ...serversOf(node.id)]);
  const places = new Map(
    ordered.map(({ id, column }, n) => [id, { x: column * indent, y: 4 + n * (box.height + box.gap) }]),
  );
  const line = ({ from, to }: Edge): string => {
    const [one = { x: 0, y: 0 }, other = { x: 0, y: 0 }] = [places.get(from), places.get(to)];
    const [upper, lower] = one.y <= other.y ? [one, other] : [other, one];
    return `M ${upper.x + indent / 2} ${upper.y + box.height} V ${lower.y + box.height / 2} H ${lower.x}`;
  };
  return { used: [], places, line, width: box.width + 3 * indent + 4 };
}
/** Width in px up to which a window is narrow. */
const narrow = 640;
function Connections({ fleet, seen }: { fleet: Fleet; seen: FleetSeen }): VNode {
  const { nodes, edges } = graphOf(fleet, seen);
  const { used, places, line, width } = innerWidth < narrow ? inOneColumn(nodes, edges) : inColumns(nodes);
  const height = Math.max(0, ...[...places.values()].map(({ y }) => y + box.height)) + 4;
  return (
    <figure id="connections" tabIndex={0}>
      <svg
        viewBox={`-2 0 ${width} ${height}`}
        style={{ width: `min(100%, ${width}px)` }}
        role="img"
        aria-label={wordsOf(nodes, edges)}
      >
        {used.map((column, n) => (
          <text key={column} class="column" x={n * (box.width + box.between)} y={14}>
            {`${columns[column] ?? ''}s`}
          </text>
        ))}
        {edges.map((edge) => (
          <path key={`${edge.from} ${edge.to}`} class={`connection ${edge.mood}-line`} d={line(edge)} />
        ))}
        {nodes.map((node) => {
          const { x, y } = places.get(node.id) ?? { x: 0, y: 0 };
          const show = (): void => fleet.choose({ host: node.host });
          return (
            <g
              key={node.id}
              class={`host ${node.mood}`}
              transform={`translate(${x} ${y})`}
              onClick={node.host === undefined ? undefined : show}
            >
              <rect width={box.width} height={box.height} rx={6} />
              <text x={10} y={17}>
                {visible(node.name.length > 24 ? `${node.name.slice(0, 23)}…` : node.name)}
              </text>
              <text x={10} y={32} class="note">
                {visible(node.note.length > 28 ? `${node.note.slice(0, 27)}…` : node.note)}
              </text>
              <title>{visible(`${node.name}: ${node.note}`)}</title>
            </g>
          );
        })}
      </svg>
    </figure>
  );
}
/** Returns the drawing in words, for people who cannot see it. */
const wordsOf = (nodes: readonly Node[], edges: readonly Edge[]): string => {
  const named = (id: string): string => nodes.find((node) => node.id === id)?.name ?? '';
  return `Connections: ${edges.map(({ from, to }) => `${named(from)} with ${named(to)}`).join(', ') || 'none'}`;
};

// ── what is wrong ─────────────────────────────────────────────────────────────────────
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
// ── calls ─────────────────────────────────────────────────────────────────────────────────────────────
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
