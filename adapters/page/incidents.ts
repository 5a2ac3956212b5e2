import { fieldsOf, isObject, type Fields } from '../../machines/protocol/json.ts';
import { clientState, stateFor, type ServerState } from '../../machines/server-state.ts';
import { waitsFor } from '../../machines/server-states.ts';
import { keptForIn, type KeptFor } from '../../machines/trace/reasons.ts';
import { Calls, isAnswer, partsOf, whyOf, type Call } from './calls.ts';
import type { Row } from './trace-lines.ts';
import { listOf, numberOf, textOf } from './values.ts';

/** Incidents of a host, folded so that a running host, its past and a file give the same. Wall clock in ms. Pure. */

export type IncidentKind =
  | 'down'
  | 'login'
  | 'input'
  | 'config'
  | 'silent'
  | 'tools'
  | 'person'
  | 'call'
  | 'link'
  | 'host'
  | 'check'
  | 'file';
interface Told {
  readonly at: number;
  readonly what: string;
  readonly remedy: string;
  readonly nextAt: number | null;
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
  readonly told: Told[];
  /** Times at which the incident happened: several for a crash loop. */
  readonly times: number[];
  /** Times at which the incident was over; it may begin again after each. */
  readonly overs: number[];
  readonly isStopped: number[];
  readonly calls: Call[];
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
  readonly nextAt: number | null;
  /** Calls whose effect is unknown because of the incident. */
  readonly lost: readonly Call[];
  /** Calls that failed because of the incident and had no effect. */
  readonly refused: readonly Call[];
}
/** Time in ms within which a server that fails again continues its incident, as in a crash loop. */
const againMs = 60_000;
/** Time in ms after the end of an incident for which its server is still marked as worth a look. */
const recentMs = 15 * 60_000;
/** Shortest wait in ms for an answer to `initialize` that is shown as an incident. */
const silentMs = 3_000;
const longSilentMs = 10_000;
const mostIncidents = 2_000;

const trouble: ReadonlySet<string> = new Set<ServerState>([
  'recovering',
  'waiting',
  'open',
  'authorizing',
  'unauthorized',
  'needsInput',
  'unsupported',
]);
const kinds: Partial<Record<ServerState, IncidentKind>> = {
  authorizing: 'login',
  unauthorized: 'login',
  needsInput: 'input',
  unsupported: 'config',
};
const subjectIn = (channel: string): string => /^\w+:(.*)\/\d+$/.exec(channel)?.[1] ?? '';

export class Story {
  all: Incident[] = [];
  readonly reasons: KeptFor[] = [];
  readonly calls = new Calls((call) => this.#callEnded(call));
  since: number | undefined;
  #now = 0;
  readonly #states = new Map<string, string>();

  add(row: Row, s: number | null): void {
    if (row.k === 'mark') this.reasons.push(...keptForIn(textOf(row['text'])));
    if (row.k === 'tail') this.reasons.push(...keptForIn(textOf(row['reason'])));
    const at = numberOf(row['w']) ?? this.#now;
    if (at === 0) return;
    this.since ??= at;
    this.#now = at;
    const { k } = row;
    if (k === 'key') return this.#restored(row, at, s);
    if (k === 'facts') return this.#facts(row, at, s);
    if (k === 'defect')
      return void this.#begin('host', 'defect', at, s, { what: `Internal error: ${textOf(row['what'])}` });
    if (k === 'frame') return row['via'] === 'relay' ? this.calls.add(row, at, s) : undefined;
    if (k !== 'in' && k !== 'out' && k !== 'said' && k !== 'draw' && k !== 'call') return;
    this.calls.add(row, at, s);
    const ev = fieldsOf(row['ev']);
    if (k === 'said') this.#told(textOf(ev['type']), ev, at, s);
    else this.#crossed(row, ev, at, s);
  }
  died(): void {
    this.#begin('host', 'host', this.#now, null, {
      what: 'The recording has no end: its host was killed, or the file was cut here.',
      remedy: 'Look in the log of the system for a SIGKILL or too little memory at this time.',
    });
  }
  checkFailed(name: string, what: string, at: number, s: number | null): void {
    const remedy = 'Both sides: npx a2c replay FILE';
    this.#begin('check', name, at, s, { what, remedy }, `${name} ${s ?? 'end'}`).overs.push(at);
  }
  damaged(what: string): void {
    const remedy = 'Copy the file again from where it was written.';
    this.#begin('file', 'trace', this.#now, null, { what, remedy });
  }
  forget(before: number): void {
    this.all = this.all.filter(
      ({ overs, times }) => (overs.at(-1) ?? Infinity) >= before || (times.at(-1) ?? 0) >= before,
    );
    this.calls.forget(before);
  }

  // ── news of the host ───────────────────────────────────────────────────────────────────────────────
  #told(type: string, ev: Fields, at: number, s: number | null): void {
    const failure = isObject(ev['failure']) ? fieldsOf(ev['failure']) : undefined;
    const name = textOf(ev['name']);
    if (type === 'server.changed') return this.#changed(name, ev, at, s);
    if (type === 'server.removed') return this.#over(['down', 'silent', 'tools'], name, at, true);
    if (type === 'tools.refused' || type === 'tools.withdrawn' || type === 'list.restless') {
      if (failure === undefined) return this.#over(['tools'], `${name} ${type}`, at);
      const { message, remedy } = failure;
      this.#begin('tools', name, at, s, { what: textOf(message), remedy: textOf(remedy) }, `${name} ${type}`);
    }
    if (type === 'link.changed') this.#linkChanged(ev, at, s);
    if (type === 'closed' && ev['error'] !== undefined)
      this.#begin('host', 'host', at, s, { what: `The host failed: ${textOf(ev['error'])}` });
  }
  #changed(name: string, ev: Fields, at: number, s: number | null): void {
    const state = textOf(ev['state']) as ServerState;
    const before = this.#states.get(name);
    this.#states.set(name, state);
    if (state !== 'connecting') this.#over(['silent'], name, at);
    if (state === 'ready' || state === 'standby')
      return this.#over(['down', 'login', 'input', 'config'], name, at);
    if (state === 'idle' || state === 'closing' || state === 'disabled')
      return this.#over(['down', 'login', 'input', 'config', 'tools'], name, at, true);
    if (!trouble.has(state)) return;
    const { message, remedy } = fieldsOf(ev['failure']);
    const next = numberOf(ev['nextTryMs']);
    const told = {
      what: textOf(message),
      remedy: textOf(remedy),
      nextAt: next === undefined ? null : at + next,
    };
    const kind = kinds[state] ?? 'down';
    // Drops the incident of a lost server that turns out to want a login, because that was its only trouble.
    if (kind !== 'down') this.#drop('down', name, at);
    const isAgain = before === undefined || !trouble.has(before);
    this.#begin(kind, name, at, s, told, name, isAgain);
  }
  #linkChanged({ state, reason, refusal }: Fields, at: number, s: number | null): void {
    if (state === 'joined') return this.#over(['link'], 'office', at);
    const why = textOf(reason) || textOf(fieldsOf(refusal)['message']);
    if (why === '' || (state === 'closed' && !isObject(refusal))) return;
    this.#begin(
      'link',
      'office',
      at,
      s,
      { what: `No connection to the office: ${why}` },
      'office',
      state === 'waiting',
    );
  }

  // ── crossings of ports and questions ───────────────────────────────────────────────────────────────
  #crossed(row: Row, ev: Fields, at: number, s: number | null): void {
    const channel = textOf(row['ch']);
    const address = textOf(row['a']);
    const type = textOf(ev['type']);
    const server = partsOf(address).server || subjectIn(channel);
    if (type === 'session.waits') this.#silent(server, fieldsOf(ev['waits']), at, s);
    if (type === 'session.opened' || type === 'session.failed') this.#over(['silent'], server, at);
    if (type === 'office.failed')
      this.#begin('host', 'office', at, s, { what: `The office failed: ${textOf(ev['message'])}` });
    // Ends the incident of a taken port when the office is opened at another one.
    if (type === 'office.opened') this.#over(['host'], 'office', at);
    // All of a call, because the page does not know the name of a question that was asked before it connected.
    if (isAnswer(type) || type === 'withdraw') this.#over(['person'], address, at);
    if (row.k !== 'out' || type !== 'ask' || !channel.startsWith('ask confirm ')) return;
    const what = `A call of ${textOf(fieldsOf(ev['params'])['tool'])} waits for a person to allow it.`;
    this.#begin('person', server, at, s, { what, remedy: 'Answer where this host runs.' }, address);
  }
  #silent(server: string, waits: Fields, at: number, s: number | null): void {
    const since = Date.parse(textOf(waits['since'])) || at;
    const came = textOf(waits['came']);
    const what = `Server '${server}' does not answer: it ${waitsFor(textOf(waits['for']) as 'initialize')}; ${came === '' ? 'nothing came' : came}`;
    const remedy =
      came === ''
        ? 'Look at what it wrote to stderr.'
        : 'Its stdout may have JSON-RPC messages only: let it write everything else to stderr.';
    this.#begin('silent', server, Math.min(since, at), s, { what, remedy }, server, false);
  }
  #callEnded(call: Call): void {
    const { ended, server, tool } = call;
    if (!ended || ended.outcome === 'succeeded' || ended.end === 'cancelled') return;
    const details = fieldsOf(ended.failure['details']);
    const named = textOf(details['server_name']) || server;
    const down = this.all.findLast(({ key }) => key === `down ${named}`);
    const isRelated = down !== undefined && (isOpen(down) || ended.at - (down.overs.at(-1) ?? 0) < 2_000);
    if (ended.outcome === 'unknown') {
      if (down && isRelated) return void down.calls.push(call);
      const s = call.moments.at(-1)?.s ?? null;
      const what = `The effect of ${tool} is unknown: ${whyOf(call)}`;
      // Joins lost calls of one tool that follow each other into one incident.
      const subject = server || call.computer;
      const lost = this.#begin('call', subject, ended.at, s, { what }, `${subject} ${tool}`);
      lost.overs.push(ended.at);
      lost.calls.push(call);
    } else if (down && isRelated && ended.failure['code'] === 'ServerNotActive') down.calls.push(call);
  }

  // ── states in a checkpoint ─────────────────────────────────────────────────────────────────────────
  /** Adds incidents for servers that are in trouble at a checkpoint, when their earlier records are not known. */
  #restored({ roots }: Row, at: number, s: number | null): void {
    for (const { kind, snapshot, inState, holds } of listOf(roots)) {
      const { value, context } = fieldsOf(snapshot);
      const { server, failure, waits } = fieldsOf(context);
      if (kind !== 'client' || typeof server !== 'string') continue;
      const from = at - (numberOf(inState) ?? 0);
      if (isObject(waits)) this.#silent(server, fieldsOf(waits), at, s);
      const { code, message, remedy } = fieldsOf(failure);
      const known = clientState({ value, hasTag: () => false });
      const state = stateFor(known, isObject(failure) ? { code: code as 'InputNotFound' } : null);
      if (!trouble.has(state) || this.#states.has(server)) continue;
      this.#states.set(server, state);
      const left = listOf(holds).flatMap(({ held, left: ms }) =>
        held === 'deadline' ? (numberOf(ms) ?? []) : [],
      );
      const nextAt = left.length > 0 ? at + Math.min(...left) : null;
      const told = { what: textOf(message), remedy: textOf(remedy), nextAt };
      this.#begin(kinds[state] ?? 'down', server, from, s, told);
    }
  }
  #facts({ open }: Row, at: number, s: number | null): void {
    for (const { ch, ev } of listOf(open)) this.calls.add({ s: 0, t: 0, k: 'in', ch, ev }, at, s);
  }

  // ── list of incidents ──────────────────────────────────────────────────────────────────────────────
  /** Begins an incident, or continues one of this subject that is still open or has ended within `againMs`. */
  #begin(
    kind: IncidentKind,
    subject: string,
    at: number,
    s: number | null,
    { what, remedy = '', nextAt = null }: { what: string; remedy?: string; nextAt?: number | null },
    name = subject,
    isAgain = true,
  ): Incident {
    const key = `${kind} ${name}`;
    const known = this.all.findLast((each) => each.key === key);
    const isSame = known !== undefined && (isOpen(known) || at - (known.overs.at(-1) ?? 0) < againMs);
    const told: Told = { at, what, remedy, nextAt };
    if (!isSame) {
      const fresh: Incident = {
        id: `${key} ${at}`,
        key,
        kind,
        subject,
        s,
        told: [told],
        times: [at],
        overs: [],
        isStopped: [],
        calls: [],
      };
      this.all.push(fresh);
      if (this.all.length > mostIncidents) this.all = this.all.slice(mostIncidents / 2);
      return fresh;
    }
    known.told.push(told);
    if (isAgain || !isOpen(known)) known.times.push(at);
    return known;
  }
  #over(over: readonly IncidentKind[], name: string, at: number, isStopped = false): void {
    for (const incident of this.all) {
      const { kind, key, subject, overs } = incident;
      const isIt = key === `${kind} ${name}` || (kind === 'tools' && subject === name);
      if (!isIt || !over.includes(kind) || !isOpen(incident)) continue;
      overs.push(at);
      if (isStopped) incident.isStopped.push(at);
    }
  }
  /** Removes an incident that began just now, because it turned out to be another one. */
  #drop(kind: IncidentKind, name: string, at: number): void {
    this.all = this.all.filter(
      (each) => each.key !== `${kind} ${name}` || !isOpen(each) || at - (each.times[0] ?? 0) > 1_000,
    );
  }

  /** As they were at a time: those that were not over first, then the latest. */
  at(time: number): IncidentView[] {
    const all = this.all.flatMap((incident) => viewOf(incident, time) ?? []);
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
        return silent ? { ...view, what: silent.what, remedy: silent.remedy, nextAt: null } : view;
      })
      .toSorted((a, b) => Number(a.to !== undefined) - Number(b.to !== undefined) || b.last - a.last);
  }
}
const isOpen = ({ times, overs }: Pick<Incident, 'times' | 'overs'>): boolean =>
  (overs.at(-1) ?? -Infinity) < (times.at(-1) ?? 0);

function viewOf(incident: Incident, time: number): IncidentView | undefined {
  const { kind, subject, calls } = incident;
  const times = incident.times.filter((at) => at <= time);
  const [from] = times;
  const last = times.at(-1);
  if (from === undefined || last === undefined) return undefined;
  const over = incident.overs.findLast((at) => at <= time);
  const to = over !== undefined && over >= last ? over : undefined;
  // Hides a question to a person that was answered, and a start of a server that was not slow.
  if (kind === 'person' && to !== undefined) return undefined;
  if (kind === 'silent' && (to ?? time) - from < (to === undefined ? silentMs : longSilentMs))
    return undefined;
  const told = incident.told.findLast(({ at }) => at <= time) ?? incident.told[0];
  const ended = calls.filter((call) => (call.ended?.at ?? Infinity) <= time);
  return {
    incident,
    kind,
    subject,
    from,
    what: told?.what ?? '',
    remedy: told?.remedy ?? '',
    times: times.length,
    last,
    to,
    isStopped: to !== undefined && incident.isStopped.includes(to),
    nextAt: told?.nextAt ?? null,
    lost: ended.filter((call) => call.ended?.outcome === 'unknown'),
    refused: ended.filter((call) => call.ended?.outcome !== 'unknown'),
  };
}
export const needsLook = ({ to, isStopped }: IncidentView, time: number): boolean =>
  to === undefined || (!isStopped && time - to < recentMs);
