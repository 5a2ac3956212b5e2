import { clientState, stateFor, stateWords, type ServerState } from '../../machines/server-states.ts';
import type { Chart, Charts } from '../../machines/inspection.ts';
import type { Failure } from '../../machines/protocol/index.ts';
import type { Alive, History, Lane, Living } from './history.ts';
import { activeIn, numberOf, textOf } from './values.ts';
import { fieldsOf, isObject } from '../../machines/protocol/json.ts';

/** Descriptions of living actors in words for a person. Pure: without clock and document. */

export type Mood = 'good' | 'busy' | 'bad' | 'off';
const moods: Readonly<Record<ServerState, Mood>> = {
  ready: 'good',
  standby: 'good',
  connecting: 'busy',
  recovering: 'bad',
  waiting: 'bad',
  open: 'bad',
  authorizing: 'busy',
  unauthorized: 'bad',
  closing: 'busy',
  needsInput: 'bad',
  unsupported: 'bad',
  idle: 'off',
  disabled: 'off',
};
/** Description of one MCP server, for a person who knows nothing of state machines. */
export interface ServerView {
  readonly address: string;
  readonly name: string;
  readonly state: ServerState;
  readonly mood: Mood;
  readonly words: string;
  /** Last failure of the server; the remedy is shown only while the server is down. */
  readonly why: string;
  readonly remedy: string;
  /** Time of the next attempt, in ms since the trace began; null when none is planned. */
  readonly nextAt: number | null;
  readonly attempt: string;
  readonly calls: number;
  /**
   * Time since which the server is in this state, in ms since the trace began; null when since before the first record.
   */
  readonly since: number | null;
}
const hasTag = (chart: Chart | undefined, state: unknown, tag: string): boolean => {
  const active = new Set(activeIn(state));
  return chart?.nodes.some(({ path, tags }) => active.has(path) && tags.includes(tag)) ?? false;
};
export function serversOf(alive: Alive, charts: Charts): ServerView[] {
  const all = [...alive.values()];
  return all
    .filter(({ kind }) => kind === 'client')
    .map((client) => serverOf(client, all, charts['client']))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
function serverOf(client: Living, all: readonly Living[], chart: Chart | undefined): ServerView {
  const { address, state: value, context, since, timers } = client;
  const { attempt, budget, server, failure: last } = fieldsOf(context);
  const failure = fieldsOf(last);
  const snapshot = { value, hasTag: (tag: string) => hasTag(chart, value, tag) };
  const state = stateFor(
    clientState(snapshot),
    isObject(last) ? { code: failure['code'] as Failure['code'] } : null,
  );
  const mood = moods[state];
  const tries = numberOf(attempt) ?? 0;
  return {
    address,
    name: typeof server === 'string' ? server : address,
    state,
    mood,
    words: stateWords[state],
    why: mood === 'good' || mood === 'off' ? '' : textOf(failure['message']),
    remedy: mood === 'bad' ? textOf(failure['remedy']) : '',
    nextAt: state === 'waiting' || state === 'open' ? nextOf(timers) : null,
    attempt: mood !== 'good' && tries > 0 ? `try ${tries} of ${numberOf(budget) ?? '?'}` : '',
    calls: all.filter(({ kind, owner }) => kind === 'call' && owner === address).length,
    since,
  };
}
/** Returns the time at which the next timer fires, in ms since the trace began; null when none runs. */
export const nextOf = (timers: Living['timers']): number | null =>
  timers.size === 0 ? null : Math.min(...[...timers.values()].map(({ due }) => due));

export interface TreeRow {
  readonly actor: Living;
  readonly depth: number;
}
/** Returns the tree of living actors: each owner before its children, with the depth. */
export function treeOf(alive: Alive): readonly TreeRow[] {
  const owned = new Map<string | null, Living[]>();
  for (const actor of alive.values()) {
    const owner = actor.owner !== null && alive.has(actor.owner) ? actor.owner : null;
    const others = owned.get(owner);
    if (others) others.push(actor);
    else owned.set(owner, [actor]);
  }
  const rows: TreeRow[] = [];
  const enter = (owner: string | null, depth: number): void => {
    for (const actor of owned.get(owner) ?? []) {
      rows.push({ actor, depth });
      enter(actor.address, depth + 1);
    }
  };
  enter(null, 0);
  return rows;
}
const downClient = /^(waiting|open|recovering|disconnected|login)/;
const down = /^(waiting|withdrawn|failing|offline|failed|killed|died|interrupted)/;
const underWay =
  /^(degraded|booting|connecting|resolving|queued|launching|handshaking|listing|refreshing|collecting|closing|draining|confirming)$/;
/** Returns the mood of an actor (good, busy, bad or off), which gives its color in the tree, from its state as text. */
export function moodOf(kind: string, text: string): Mood {
  if ((kind === 'client' ? downClient : down).test(text)) return 'bad';
  if (text === 'idle' || text === 'standby') return 'off';
  const regions = text.split(' + ');
  // Names of the regions of a parallel state say nothing about its mood, so only the states in them count.
  const words = regions.length > 1 ? regions.map((each) => each.split('.').at(-1) ?? '') : text.split('.');
  return words.some((word) => underWay.test(word)) ? 'busy' : 'good';
}
/** Message of the last failure that an actor remembers. */
export const lastErrorOf = ({ context }: Living): string =>
  textOf(fieldsOf(fieldsOf(context)['failure'])['message']);
/** Number of times the process of this client was started again. */
export const restartsOf = ({ lanes }: History, address: string, until: number): number =>
  Math.max(
    0,
    lanes.filter(
      ({ kind, owner, from, isOlder }) =>
        kind === 'process' && owner === address && (isOlder || from <= until),
    ).length - 1,
  );

/** One tool call, from start to end, as the page shows it. */
export interface CallView {
  readonly lane: Lane;
  readonly tool: string;
  /** Request id by which a tool call can be cancelled. */
  readonly reqId: string;
  readonly server: string;
  /** Time at which the call is given up, in ms since the trace began; undefined when never. */
  readonly deadline: number | undefined;
  /** End of the call, such as `succeeded` or `timedOut`; `under way` while the call runs. */
  readonly end: string;
  readonly mood: Mood;
  readonly why: string;
}
const callMoods: Readonly<Record<string, Mood>> = {
  succeeded: 'good',
  cancelled: 'off',
  'under way': 'busy',
};
/** Returns the calls that began before `until`, in ms since the trace began, as they were at that time. */
export function callsOf({ lanes }: History, until: number): CallView[] {
  return lanes
    .filter(({ kind, from, isOlder }) => kind === 'call' && (isOlder || from <= until))
    .map((lane) => {
      const { request, server, computer, reqId } = fieldsOf(lane.input);
      const { params, method } = fieldsOf(request);
      const { tool_name: asked, name } = fieldsOf(params);
      const settled = lane.settled && lane.settled.t <= until ? lane.settled : undefined;
      const end = settled ? settled.end : isOver(lane, until) ? 'ended' : 'under way';
      const at = lane.address.split('/');
      return {
        lane,
        tool: textOf(asked) || textOf(name) || textOf(method) || 'call',
        reqId: textOf(reqId),
        server: textOf(server) || textOf(computer) || (at.at(-2) ?? '').replace(/^client:|#\d+$/g, ''),
        deadline: lane.timers.findLast(({ isDeadline, from }) => isDeadline && from <= until)?.due,
        end,
        mood: callMoods[end] ?? 'bad',
        why: settled?.why ?? '',
      };
    });
}
const isOver = ({ to }: Lane, until: number): boolean => to !== undefined && to <= until;
