/** Incidents of a host, with its calls. Times are those of the wall clock in ms. Pure. */
import { excessBytes, fieldsOf } from '../protocol/json.ts';
import type { Call } from './calls.ts';

export const incidentKinds = [
  'down',
  'login',
  'input',
  'config',
  'silent',
  'slow',
  'tools',
  'gone',
  'window',
  'person',
  'call',
  'seat',
  'link',
  'host',
  'check',
  'file',
] as const;
/** Kind of an incident: `down` for a server that failed, `call` for a call that may have happened, and others. */
export type IncidentKind = (typeof incidentKinds)[number];
export const incidentNames: Readonly<Record<IncidentKind, string>> = {
  down: 'server failed',
  login: 'login wanted',
  input: 'input wanted',
  config: 'config unusable',
  silent: 'no answer',
  slow: 'slow',
  tools: 'tools missing',
  gone: 'tool gone',
  window: 'not readable',
  person: 'person asked',
  call: 'may have happened',
  seat: 'left without a word',
  link: 'office lost',
  host: 'host failed',
  check: 'check failed',
  file: 'file damaged',
};
interface Told {
  readonly at: number;
  readonly what: string;
  readonly remedy: string;
}
/** Later reports are added to it. */
export interface Incident {
  readonly id: string;
  /** Kind and subject, which a later incident may share. */
  readonly key: string;
  readonly kind: IncidentKind;
  readonly subject: string;
  /** Number of the record with which the incident began; null for one from before the page connected to the host. */
  readonly s: number | null;
  /** Descriptions of the incident, each with the time from which it holds. */
  readonly texts: Told[];
  /** Times at which the incident happened: the first, and the latest ones of a crash loop. */
  readonly times: number[];
  /** Number of times, also of those that are no longer in `times`. */
  count: number;
  /** Times at which the incident was over; it may begin again after each. */
  readonly overs: number[];
  readonly isStopped: number[];
  /** The first of the calls that it cost, without their results, and the number of the others. */
  readonly calls: Call[];
  more: number;
  /** True once a person has looked at it; false again when it happens again. */
  isSeen: boolean;
  /** A person was asked, and nobody answered. */
  isMissed: boolean;
  /** Trace that the host has written because of it. */
  trace: string | null;
  /** Number of its last change among all changes of its host. */
  revision: number;
}
export interface IncidentView {
  readonly incident: Incident;
  readonly kind: IncidentKind;
  readonly subject: string;
  readonly from: number;
  readonly what: string;
  readonly remedy: string;
  readonly times: number;
  readonly last: number;
  readonly to: number | undefined;
  readonly isStopped: boolean;
  /** Calls whose effect is unknown because of the incident. */
  readonly lost: readonly Call[];
  /** Calls that failed because of the incident and had no effect. */
  readonly refused: readonly Call[];
}
/** Shortest wait in ms for an answer to `initialize` that is shown as an incident. */
const silentMs = 3_000;
const longSilentMs = 10_000;

export const isOpen = ({ times, overs }: Pick<Incident, 'times' | 'overs'>): boolean =>
  (overs.at(-1) ?? -Infinity) < (times.at(-1) ?? 0);
/** A question that was answered, and a start that was not slow. */
const isNothing = ({ kind, isMissed }: Incident, from: number, to: number | undefined, at: number): boolean =>
  (kind === 'person' && to !== undefined && !isMissed) ||
  (kind === 'silent' && (to ?? at) - from < (to === undefined ? silentMs : longSilentMs));

export function viewOf(incident: Incident, time: number): IncidentView | undefined {
  const { kind, subject, calls, count } = incident;
  const times = incident.times.filter((at) => at <= time);
  const [from] = times;
  const last = times.at(-1);
  if (from === undefined || last === undefined) return undefined;
  const over = incident.overs.findLast((at) => at <= time);
  const to = over !== undefined && over >= last ? over : undefined;
  if (isNothing(incident, from, to, time)) return undefined;
  const told = incident.texts.findLast(({ at }) => at <= time) ?? incident.texts[0];
  const ended = calls.filter((call) => (call.ended?.at ?? Infinity) <= time);
  return {
    incident,
    kind,
    subject,
    from,
    what: told?.what ?? '',
    remedy: told?.remedy ?? '',
    times: times.length === incident.times.length ? count : times.length,
    last,
    to,
    isStopped: to !== undefined && incident.isStopped.includes(to),
    lost: ended.filter((call) => call.ended?.outcome === 'unknown'),
    refused: ended.filter((call) => call.ended?.outcome !== 'unknown'),
  };
}
/** What is no failure, but wants a look. */
const mild: ReadonlySet<IncidentKind> = new Set(['slow', 'gone', 'window', 'person']);
export const isMild = ({ kind, lost }: IncidentView): boolean => mild.has(kind) && lost.length === 0;
/** The lower, the sooner a person should look. */
function rankOf(view: IncidentView): number {
  if (!needsLook(view)) return 3;
  // A person is asked for a limited time.
  if (view.to === undefined)
    return view.kind === 'person' ? -1 : isMild(view) || view.kind === 'tools' ? 1 : 0;
  return view.lost.length > 0 ? 0 : 2;
}
/** As they were at a time: the worst first, then the latest. */
export function viewsAt(incidents: readonly Incident[], time: number): IncidentView[] {
  const all = incidents.flatMap((incident) => viewOf(incident, time) ?? []);
  const downOf = ({ kind, subject, to }: IncidentView): IncidentView | undefined =>
    kind === 'silent'
      ? all.find(
          (other) =>
            other.kind === 'down' &&
            other.subject === subject &&
            (to !== undefined || other.to === undefined),
        )
      : undefined;
  const isSilent = ({ kind, subject, to }: IncidentView): boolean =>
    kind === 'silent' && to === undefined && subject !== '';
  // Shows a start without an answer and the failure of its server as one incident, described by what the server waits for now.
  return all
    .filter((view) => downOf(view) === undefined)
    .map((view) => {
      const silent = all.find((other) => isSilent(other) && downOf(other) === view);
      return silent ? { ...view, what: silent.what, remedy: silent.remedy } : view;
    })
    .toSorted((a, b) => rankOf(a) - rankOf(b) || b.last - a.last);
}
/** True while it lasts, and until a person has looked at it. */
export const needsLook = ({ to, isStopped, incident }: IncidentView): boolean =>
  to === undefined || (!isStopped && !incident.isSeen);

/** Largest number of bytes of the arguments of a call that are kept, and of steps of a call. */
const [mostBytes, mostSteps, mostChars] = [2_000, 12, 2_000];
export const cut = (text: string): string =>
  text.length > mostChars ? `${text.slice(0, mostChars - 1)}…` : text;
/** Without its result, because incidents are kept for a day. */
export function keptCall(call: Call, hide: (text: string) => string): Call {
  const { params, moments, ended } = call;
  const { code, message, remedy } = fieldsOf(ended?.failure);
  const shown = (text: unknown): string => (typeof text === 'string' ? cut(hide(text)) : '');
  const failure = { code, message: shown(message), remedy: shown(remedy) };
  return {
    ...call,
    params: excessBytes(params, mostBytes) === undefined ? params : undefined,
    moments: moments.slice(0, mostSteps),
    ...(ended && { ended: { ...ended, failure, result: undefined } }),
  };
}

/** Something that went wrong; kept for a day, or until 500 others have. */
export interface IncidentFact {
  /** Kind, such as `down` for a server that failed or `call` for a call that may have happened. */
  readonly kind: IncidentKind;
  /** Server, computer or agent; empty where it is the host itself. */
  readonly subject: string;
  /** Description in one sentence. */
  readonly message: string;
  /** Remedy: the action that a person can take. */
  readonly remedy?: string;
  /** Time at which it first happened, ISO 8601. */
  readonly since: string;
  /** Time at which it happened last, ISO 8601. */
  readonly last: string;
  /** Number of times. */
  readonly times: number;
  /** True when it does not last any more. */
  readonly isOver: boolean;
  /** True once a person has looked at it on the page, or has stopped its server. */
  readonly isSeen: boolean;
  /** Tools of calls whose effect is unknown because of it. */
  readonly mayHaveHappened: readonly string[];
  /** Tools of calls that were refused because of it. */
  readonly refused: readonly string[];
  /** Path of the trace that was written because of it. */
  readonly trace?: string;
}
export const incidentFactOf = (view: IncidentView, clock: (ms: number) => string): IncidentFact => ({
  kind: view.kind,
  subject: view.subject,
  message: view.what,
  ...(view.remedy !== '' && { remedy: view.remedy }),
  since: clock(view.from),
  last: clock(view.last),
  times: view.times,
  isOver: view.to !== undefined,
  isSeen: view.incident.isSeen || view.isStopped,
  mayHaveHappened: view.lost.map(({ tool }) => tool),
  refused: view.refused.map(({ tool }) => tool),
  ...(view.incident.trace !== null && { trace: view.incident.trace }),
});
