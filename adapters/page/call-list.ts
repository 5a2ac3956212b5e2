import { standingOf, whyOf, type Call, type CallStep } from '../../machines/incidents/calls.ts';
import { isWithin, type Range } from './values.ts';

/** Selection of calls for the list, their totals, and the phases of one call. Times are those of the wall clock. Pure. */

export const callKinds = ['all', 'failed', 'unknown', 'waiting'] as const;
export type CallKind = (typeof callKinds)[number];
export interface CallFilter {
  readonly kind: CallKind;
  readonly tool: string;
  readonly server: string;
  readonly agent: string;
  readonly text: string;
}
export const noFilter: CallFilter = { kind: 'all', tool: '', server: '', agent: '', text: '' };
export const hostItself = 'the host itself';
export const serverOf = ({ server, computer }: Call): string => server || computer;
const fromPage = 'a page of the inspector';
export const askerOf = ({ agent, isByPage }: Call): string => (isByPage ? fromPage : agent || hostItself);

/** As it was at a time; `all` for one that succeeded or was cancelled. */
export function kindOf(call: Call, at: number): CallKind {
  const { isOver, isBad } = standingOf(call, at);
  if (!isOver) return 'waiting';
  if (call.ended?.outcome === 'unknown') return 'unknown';
  return isBad ? 'failed' : 'all';
}
/** In lower case. The text of a call that has not ended is made again, because more of it may be known. */
const written = new WeakMap<Call, { readonly text: string; readonly isOver: boolean }>();
function searchedOf(call: Call): string {
  const known = written.get(call);
  const isOver = call.ended !== undefined;
  if (known?.isOver === isOver) return known.text;
  const { tool, server, computer, agent, reqId, params, ended } = call;
  const parts = [tool, server, computer, agent, reqId, ended?.end, whyOf(call)];
  const text = [...parts, JSON.stringify(params), JSON.stringify(ended?.result)].join('\n').toLowerCase();
  written.set(call, { text, isOver });
  return text;
}

/** Returns the value below which this share of the sorted values lies (nearest rank); undefined when there is none. */
export const percentileOf = (sorted: readonly number[], share: number): number | undefined =>
  sorted[Math.ceil(sorted.length * share) - 1];

interface CallTotals {
  /** Number of calls of each kind among those that all filters but the one by kind select. */
  readonly counts: Readonly<Record<CallKind, number>>;
  /** Durations in ms within which half, and 99 of 100, of the listed calls ended; undefined before any ended. */
  readonly p50: number | undefined;
  readonly p99: number | undefined;
}
export interface CallList extends CallTotals {
  readonly calls: readonly Call[];
  readonly tools: readonly string[];
  readonly servers: readonly string[];
  readonly agents: readonly string[];
}
const namesOf = (calls: readonly Call[], of: (call: Call) => string): readonly string[] =>
  [...new Set(calls.map(of))].filter((name) => name !== '').toSorted();

/** As they were at a time of the wall clock. With a range, selects those that were running in it. */
export function listCalls(all: readonly Call[], filter: CallFilter, at: number, range?: Range): CallList {
  const known = all.filter(({ from, ended }) => from <= at && isWithin(range, from, ended?.at ?? at));
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const named = known.filter(
    (call) =>
      (filter.tool === '' || call.tool === filter.tool) &&
      (filter.server === '' || serverOf(call) === filter.server) &&
      (filter.agent === '' || askerOf(call) === filter.agent) &&
      words.every((word) => searchedOf(call).includes(word)),
  );
  const counts: Record<CallKind, number> = { all: named.length, failed: 0, unknown: 0, waiting: 0 };
  const calls: Call[] = [];
  for (const call of named) {
    const kind = kindOf(call, at);
    if (kind !== 'all') counts[kind] += 1;
    if (filter.kind === 'all' || filter.kind === kind) calls.push(call);
  }
  const durations = calls
    .flatMap(({ from, ended }) => (ended && ended.at <= at ? [ended.at - from] : []))
    .toSorted((a, b) => a - b);
  return {
    calls: calls.toReversed(),
    counts,
    p50: percentileOf(durations, 0.5),
    p99: percentileOf(durations, 0.99),
    tools: namesOf(known, ({ tool }) => tool),
    servers: namesOf(known, serverOf),
    agents: namesOf(known, askerOf),
  };
}

/** Time between two steps of a call, with what the call did in it. */
export interface CallPhase {
  readonly step: CallStep;
  readonly name: string;
  readonly from: number;
  /** End of the phase; for the last one of a call that is under way, the moment shown. */
  readonly to: number;
  /** Number of the record with which the phase began; null for one from before the page connected to the host. */
  readonly s: number | null;
  readonly text: string;
  /** Reports of progress in this phase. */
  readonly progress: readonly { readonly at: number; readonly text: string }[];
}
const phaseNames: Readonly<Record<CallStep, string>> = {
  asked: 'asked',
  found: 'found and allowed',
  'passed on': 'passed on',
  'person asked': 'person asked',
  'person answered': 'person answered',
  queued: 'queued',
  sent: 'sent',
  progress: 'progress',
  answered: 'answered',
  ended: 'ended',
};
/** Reports of progress belong to the phase in which they came. */
export function phasesOf(call: Call, at: number): readonly CallPhase[] {
  const past = call.moments.filter((moment) => moment.at <= at);
  const steps = past.filter(({ step }) => step !== 'progress');
  return steps.map(({ step, at: from, s, text }, index) => {
    const to = steps[index + 1]?.at ?? (step === 'ended' ? from : at);
    const progress = past.filter(
      (moment) => moment.step === 'progress' && moment.at >= from && moment.at <= to,
    );
    const isLost = step === 'answered' && call.ended?.outcome === 'unknown';
    return { step, name: isLost ? 'given up' : phaseNames[step], from, to, s, text, progress };
  });
}
export function doesAfter({ step, text }: CallPhase, { computer, server }: Call): string {
  if (step === 'asked')
    return computer === '' ? 'looks for the server of the tool' : 'on the way to its computer';
  if (step === 'passed on') return 'its computer works';
  if (step === 'found') return text === '' ? 'waits for its server' : text;
  if (step === 'person asked') return 'waits for a person';
  if (step === 'person answered') return text;
  if (step === 'queued') return 'waits for its turn';
  if (step === 'sent') return server === '' ? 'its computer works' : `${server} works`;
  return step === 'answered' ? 'carried back to the asker' : text;
}
