/** Descriptions of living actors in words for a person. Uses neither a clock nor the DOM. */
import { clientState, stateFor, type ServerState } from '../../machines/server-state.ts';
import { numberOf, textOf } from '../../machines/trace/row.ts';
import {
  connectingStep,
  stepsThatWait,
  stateWords,
  waitsText,
  limitOf,
} from '../../machines/server-states.ts';
import type { Chart, Charts } from '../../machines/trace/chart.ts';
import type { Failure } from '../../machines/protocol/failure.ts';
import { percentileOf } from './call-list.ts';
import { standingOf, type Call } from '../../machines/incidents/calls.ts';
import type { Alive, History, Living } from './history.ts';
import { needsLook, type IncidentView } from '../../machines/incidents/incident.ts';
import { activeIn, countText, durationText, sizeOf, isWithin, nameOf, type Range } from './values.ts';
import { fieldsOf, isObject } from '../../machines/protocol/json.ts';

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
  /** Time at which the current try to connect fails without an answer, in ms since the trace began; null without such a try. */
  readonly endsAt: number | null;
  readonly attempt: string;
  readonly calls: number;
  /** Time since which the server is in this state, in ms since the trace began; null when it was in it before the first record. */
  readonly since: number | null;
  readonly facts: readonly string[];
  readonly incidents: readonly IncidentView[];
  readonly needsLook: boolean;
}
export interface CallCounts {
  readonly calls: number;
  readonly failed: number;
  readonly unknown: number;
  /** Duration in ms within which 95 of 100 of the latest calls ended; undefined before any ended. */
  readonly p95: number | undefined;
}
export function moodOfCall(call: Call, at: number): Mood {
  const { isOver, isBad } = standingOf(call, at);
  if (!isOver) return 'busy';
  return isBad ? 'bad' : call.ended?.outcome === 'succeeded' ? 'good' : 'off';
}
const mostDurations = 1_000;
/** As they were at a time of the wall clock. With a range, counts those that were running in it. */
export function countsOf(calls: readonly Call[], at: number, range?: Range): ReadonlyMap<string, CallCounts> {
  const byServer = new Map<string, Call[]>();
  for (const call of calls) {
    if (call.from > at || !isWithin(range, call.from, call.ended?.at ?? at)) continue;
    const others = byServer.get(call.server);
    if (others) others.push(call);
    else byServer.set(call.server, [call]);
  }
  return new Map(
    [...byServer].map(([server, all]) => {
      const ended = all.filter((call) => call.ended !== undefined && call.ended.at <= at);
      const durations = ended
        .slice(-mostDurations)
        .map((call) => (call.ended?.at ?? 0) - call.from)
        .toSorted((a, b) => a - b);
      const having = (outcome: string): number =>
        ended.filter((call) => call.ended?.outcome === outcome).length;
      return [
        server,
        {
          calls: all.length,
          failed: having('failed'),
          unknown: having('unknown'),
          p95: percentileOf(durations, 0.95),
        },
      ];
    }),
  );
}
export interface PageFacts {
  readonly incidents: readonly IncidentView[];
  readonly counts: ReadonlyMap<string, CallCounts>;
  /** Time of the trace and of the wall clock at the moment shown, in ms. */
  readonly nowMs: number;
  readonly wallNow: number;
}
const hasTag = (chart: Chart | undefined, state: unknown, tag: string): boolean => {
  const active = new Set(activeIn(state));
  return chart?.nodes.some(({ path, tags }) => active.has(path) && tags.includes(tag)) ?? false;
};
const noneTold: PageFacts = { incidents: [], counts: new Map(), nowMs: 0, wallNow: 0 };
/** Comparison of names that puts `server-9` before `server-10`. */
const byName = new Intl.Collator('en', { numeric: true });
export function serversOf(alive: Alive, charts: Charts, told: PageFacts = noneTold): ServerView[] {
  const all = [...alive.values()];
  const views = all
    .filter(({ kind }) => kind === 'client')
    .map((client) => serverOf(client, all, charts['client'], told));
  const known = new Set(views.map(({ name }) => name));
  return [...views, ...all.flatMap(disabledOf).filter(({ name }) => !known.has(name))].toSorted(
    (a, b) => rankOf(a) - rankOf(b) || byName.compare(a.name, b.name),
  );
}
/** Returns a number for the order of servers: broken ones, then those with an incident that lasts, then those that have recovered. */
function rankOf({ mood, incidents, needsLook: isNeeded }: ServerView): number {
  const isDown = incidents.some(({ kind, to }) => kind === 'down' && to === undefined);
  if (mood === 'bad' || isDown) return 0;
  if (incidents.some(({ to }) => to === undefined)) return 1;
  if (isNeeded) return 2;
  return ['busy', 'good', 'off'].indexOf(mood) + 3;
}
function disabledOf({ kind, address, context }: Living): ServerView[] {
  if (kind !== 'computer') return [];
  const { servers } = fieldsOf(fieldsOf(context)['shown']);
  return Object.entries(fieldsOf(servers)).flatMap(([name, config]): ServerView[] =>
    fieldsOf(config)['disabled'] === true
      ? [
          {
            address,
            name,
            state: 'disabled',
            mood: moods.disabled,
            words: stateWords.disabled,
            why: '',
            remedy: '',
            nextAt: null,
            endsAt: null,
            attempt: '',
            calls: 0,
            since: null,
            facts: [],
            incidents: [],
            needsLook: false,
          },
        ]
      : [],
  );
}
function serverOf(
  client: Living,
  all: readonly Living[],
  chart: Chart | undefined,
  told: PageFacts,
): ServerView {
  const { address, state: value, context, since, timers } = client;
  const { attempt, budget, server, failure: last, inFlight } = fieldsOf(context);
  const failure = fieldsOf(last);
  const snapshot = { value, hasTag: (tag: string) => hasTag(chart, value, tag) };
  const state = stateFor(
    clientState(snapshot),
    isObject(last) ? { code: failure['code'] as Failure['code'] } : null,
  );
  const mood = moods[state];
  const tries = numberOf(attempt) ?? 0;
  const name = typeof server === 'string' ? server : address;
  const incidents = told.incidents.filter((each) => each.subject === name && needsLook(each));
  const connection = all.find(({ owner, kind }) => owner === address && kind === 'connection');
  const owned = all.filter(({ owner }) => owner === address || (connection && owner === connection.address));
  const message = mood === 'good' || mood === 'off' ? '' : textOf(failure['message']);
  const wait = state === 'connecting' ? waitOf(client, owned, message, told) : undefined;
  return {
    address,
    name,
    state,
    mood,
    words: stateWords[state],
    why: wait?.text ?? message,
    remedy: mood === 'bad' ? textOf(failure['remedy']) : '',
    nextAt: state === 'waiting' || state === 'open' ? nextTryOf(timers) : null,
    endsAt: wait?.endsAt ?? null,
    attempt: attemptText(mood, state, tries, numberOf(budget)),
    calls: Math.max(numberOf(inFlight) ?? 0, owned.filter(({ kind }) => kind === 'call').length),
    since,
    facts: factsOf(client, owned, told.counts.get(name)),
    incidents,
    needsLook: mood === 'bad' || incidents.length > 0,
  };
}
function attemptText(mood: Mood, state: ServerState, tries: number, budget: number | undefined): string {
  if (mood === 'good' || tries === 0) return '';
  return state === 'open' ? `${countText(tries, 'try')} failed` : `try ${tries} of ${budget ?? '?'}`;
}
function waitOf(
  { state, context, since }: Living,
  owned: readonly Living[],
  before: string,
  { nowMs, wallNow }: PageFacts,
): { readonly text: string; readonly endsAt: number | null } {
  const step = stepsThatWait[connectingStep(state)];
  if (step === undefined) return { text: before, endsAt: null };
  const waits = fieldsOf(fieldsOf(context)['waits']);
  const isHandshake = step === 'initialize' && textOf(waits['for']) !== '';
  const ms = isHandshake ? wallNow - Date.parse(textOf(waits['since'])) : nowMs - (since ?? nowMs);
  const limitMs = limitOf(step, numberOf(fieldsOf(fieldsOf(context)['timing'])['connectMs']));
  const text = waitsText(isHandshake ? (waits['for'] as 'initialize') : step, textOf(waits['came']), {
    hasProcess: owned.some(({ kind }) => kind === 'process'),
    ms,
  });
  return {
    text: before === '' ? text : `${text}; before that: ${before}`,
    endsAt: limitMs === undefined ? null : nowMs - ms + limitMs,
  };
}
function factsOf({ context }: Living, owned: readonly Living[], counts: CallCounts | undefined): string[] {
  const of = (kind: string): Living | undefined => owned.find((actor) => actor.kind === kind);
  const pid = numberOf(fieldsOf(of('process')?.context)['pid']);
  const { version } = fieldsOf(fieldsOf(context)['info']);
  const entries = owned
    .filter(({ kind }) => kind === 'catalog')
    .map((catalog) => fieldsOf(catalog.context))
    .find(({ list }) => list === 'tools')?.['entries'];
  const tools = sizeOf(entries);
  const unfinished = counts ? counts.failed + counts.unknown : 0;
  return [
    pid === undefined ? '' : `pid ${pid}`,
    textOf(version) === '' ? '' : `version ${textOf(version)}`,
    tools === undefined ? '' : countText(tools, 'tool'),
    counts === undefined ? '' : countText(counts.calls, 'call'),
    unfinished === 0 ? '' : `${unfinished} without success`,
    counts?.p95 === undefined ? '' : `p95 ${durationText(counts.p95)}`,
  ].filter((text) => text !== '');
}
/** Returns the time of the next try to start a server: its timer of the kind deadline, not one of a state in its chart. */
const nextTryOf = (timers: Living['timers']): number | null =>
  nextOf(new Map([...timers].filter(([, { isDeadline }]) => isDeadline)));
export const nextOf = (timers: Living['timers']): number | null =>
  timers.size === 0 ? null : Math.min(...[...timers.values()].map(({ due }) => due));

export interface TreeRow {
  readonly actor: Living;
  readonly depth: number;
}
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
const downClient = /^off\.(waiting|open|login)|^lost/;
const down = /^(waiting|withdrawn|failing|offline|failed|killed|died|interrupted)/;
const underWay =
  /^(degraded|booting|connecting|resolving|queued|launching|handshaking|listing|refreshing|collecting|closing|draining|leaving|confirming)$/;
export function moodOf(kind: string, text: string): Mood {
  if ((kind === 'client' ? downClient : down).test(text)) return 'bad';
  if (/^(?:off\.)?(idle|standby)$/.test(text)) return 'off';
  const regions = text.split(' + ');
  // Skips the names of the regions of a parallel state, which say nothing about the mood of an actor.
  const words = regions.length > 1 ? regions.map((each) => each.split('.').at(-1) ?? '') : text.split('.');
  return words.some((word) => underWay.test(word)) ? 'busy' : 'good';
}
export const lastErrorOf = ({ context }: Living): string =>
  textOf(fieldsOf(fieldsOf(context)['failure'])['message']);
export function restartsOf({ lanes }: History, address: string, until: number): number {
  const connection = `${nameOf(address)}/connection`;
  const processes = lanes.filter(
    ({ kind, owner, from, isOlder }) =>
      kind === 'process' && nameOf(owner) === connection && (isOlder || from <= until),
  );
  return Math.max(0, processes.length - 1);
}
