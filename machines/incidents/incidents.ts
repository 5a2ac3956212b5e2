/** Folds the records of a running host, or of a file, into what went wrong. Wall clock in ms. Pure. */
import { type Row, listOf, numberOf, textOf } from '../trace/row.ts';
import { fieldsOf, isObject, type Fields } from '../protocol/json.ts';
import { wireCodes } from '../protocol/failure.ts';
import type { ServerState } from '../server-state.ts';
import { waitsFor } from '../server-states.ts';
import { keptForIn, type KeptFor } from '../trace/reasons.ts';
import { Calls, isAnswer, whyOf, type Call } from './calls.ts';
import { partIn } from '../kernel/effects.ts';
import {
  cut,
  isOpen,
  keptCall,
  viewOf,
  viewsAt,
  type Incident,
  type IncidentKind,
  type IncidentView,
} from './incident.ts';

/** Time in ms within which a server that fails again continues its incident, as in a crash loop. */
const againMs = 60_000;
/** Limits of what is kept: incidents, their age in ms, and of one its times, descriptions and calls. */
const most = { incidents: 500, ageMs: 24 * 60 * 60_000, times: 30, texts: 10, calls: 10 };
/** A call is slow after 10 s, or after ten times the median of its tool where that is at least a second. */
const slow = { ms: 10_000, leastMs: 1_000, times: 10, samples: 20, fewest: 5, tools: 1_000 };
/** Tools of a server that have left its list. */
const mostGone = 100;
/** Time in ms within which an application should have answered a read of a window or a document. */
const readMs = 8_000;

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
/** Reasons of Socket.IO for a connection that one side ended on purpose. */
const politely: ReadonlySet<string> = new Set([
  'client namespace disconnect',
  'server namespace disconnect',
  'server shutting down',
]);
const whereItRan = 'Look at the machine where it ran.';
const ifSlow = 'Look at what its server waits for; one that is under way can be cancelled.';
const subjectIn = (channel: string): string => /^\w+:(.*)\/\d+$/.exec(channel)?.[1] ?? '';
const listText = (names: readonly string[]): string =>
  names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
interface Reading {
  readonly server: string;
  readonly uri: string;
  readonly from: number;
}
export interface StoryOptions {
  /** Hides secrets in texts before they are cut. */
  readonly hide?: (text: string) => string;
  /** Reads an ISO 8601 time. */
  readonly timeOf?: (text: string) => number;
  /** Calls that went well are dropped, because only a page lists them. */
  readonly isBrief?: boolean;
}

export class Story {
  all: Incident[] = [];
  readonly reasons: KeptFor[] = [];
  readonly calls: Calls;
  since: number | undefined;
  /** Number of the last change. */
  revision = 0;
  /** A page gets the incidents of a running host from it, and folds only the calls. */
  isTold = false;
  /** Revision at which some were dropped, so that a page needs all again. */
  pruned = 0;
  #now = 0;
  readonly #options: StoryOptions;
  readonly #states = new Map<string, string>();
  /** Latest durations in ms by server and tool. */
  readonly #durations = new Map<string, number[]>();
  /** Tools that have left the list of a server. */
  readonly #gone = new Map<string, Set<string>>();
  /** Open reads of resources by the channel of the question. */
  readonly #reads = new Map<string, Reading>();
  /** Reason for which the last socket was closed, until the next input. */
  #closed: string | undefined;
  /** Computers that have left the office of an agent. */
  readonly #away = new Set<string>();

  constructor(options: StoryOptions = {}) {
    this.#options = options;
    this.calls = new Calls((call) => this.#callEnded(call), options.isBrief);
  }

  add(row: Row, s: number | null): void {
    if (row.k === 'mark') this.reasons.push(...keptForIn(textOf(row['text'])));
    if (row.k === 'tail') this.reasons.push(...keptForIn(textOf(row['reason'])));
    const at = numberOf(row['w']) ?? this.#now;
    if (at === 0) return;
    this.since ??= at;
    this.#now = at;
    this.look(at);
    const { k } = row;
    if (k === 'facts') return this.#facts(row, at, s);
    if (k === 'defect')
      return void this.#begin('host', 'defect', at, s, {
        what: `Internal error: ${textOf(row['what'])}`,
        remedy: 'Report it with its trace.',
      });
    if (k === 'frame') return row['via'] === 'relay' ? this.calls.add(row, at, s) : undefined;
    if (k !== 'in' && k !== 'out' && k !== 'said' && k !== 'draw' && k !== 'call') return;
    this.calls.add(row, at, s);
    if (this.isTold) return;
    const ev = fieldsOf(row['ev']);
    if (k === 'in') this.#closed = ev['type'] === 'socket.closed' ? textOf(ev['reason']) : undefined;
    if (k === 'said') this.#told(textOf(ev['type']), ev, at, s);
    else this.#crossed(row, ev, at, s);
  }
  /** A host that folds few of its inputs says that another one came. */
  entered(): void {
    this.#closed = undefined;
  }
  /** A call that is folded no further succeeded after this time in ms. */
  answered(server: string, tool: string, ms: number): void {
    if (server !== '') this.#learn(`${server} ${tool}`, ms);
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
  /** What the host has kept, in place of what this page would fold. */
  tell(all: readonly Incident[], isAll: boolean): void {
    this.isTold = true;
    const ids = new Set(all.map(({ id }) => id));
    this.all = [...(isAll ? [] : this.all.filter(({ id }) => !ids.has(id))), ...all];
  }
  see(ids: readonly string[], at: number): void {
    const seen = new Set(ids);
    for (const incident of this.all) {
      if (!seen.has(incident.id) || incident.isSeen) continue;
      incident.isSeen = true;
      if (incident.kind === 'gone' && isOpen(incident)) incident.overs.push(at);
      this.#touch(incident);
    }
  }
  /** Names the trace that was written for the latest incident of a server or a tool. */
  traced(subject: string, trace: string): void {
    const incident = this.all.findLast(
      (each) => each.subject === subject || each.calls.some(({ tool }) => tool === subject),
    );
    if (!incident) return;
    incident.trace = trace;
    this.#touch(incident);
  }
  #touch(incident: Incident): void {
    this.revision += 1;
    incident.revision = this.revision;
  }
  /** Finds what has taken too long by now. */
  look(now: number): void {
    if (this.isTold) return;
    for (const call of this.calls.open) {
      if (now - call.from < slow.ms) break;
      const sent = sentAt(call);
      if (call.isSlow || sent === undefined || now - sent < slow.ms) continue;
      if (this.#isUsual(call, now - sent)) continue;
      call.isSlow = true;
      const what = `${call.tool} has not answered for ${Math.round((now - sent) / 1_000)} s.`;
      this.#begin('slow', call.server, sent, null, { what, remedy: ifSlow }, `${call.server} ${call.tool}`);
    }
    for (const [ch, { server, uri, from }] of this.#reads) {
      if (now - from < readMs) break;
      this.#reads.delete(ch);
      this.#unread(server, uri, from, `it does not answer: nothing came for ${readMs / 1_000} s`);
    }
  }

  #told(type: string, ev: Fields, at: number, s: number | null): void {
    const failure = isObject(ev['failure']) ? fieldsOf(ev['failure']) : undefined;
    const name = textOf(ev['name']);
    if (type === 'server.changed') return this.#changed(name, ev, at, s);
    if (type === 'server.removed') {
      this.#states.delete(name);
      this.#gone.delete(name);
      return this.#over(['down', 'silent', 'tools'], name, at, true);
    }
    if (type === 'tools.refused' || type === 'tools.withdrawn' || type === 'list.restless') {
      if (failure === undefined) return this.#over(['tools'], `${name} ${type}`, at);
      const { message, remedy } = failure;
      this.#drop('gone', name, at);
      this.#begin('tools', name, at, s, { what: textOf(message), remedy: textOf(remedy) }, `${name} ${type}`);
    }
    if (type === 'list.changed' && ev['list'] === 'tools') this.#listed(name, ev, at, s);
    if (type === 'seat.changed' || type === 'computer.left' || type === 'computer.joined')
      this.#seated(type, ev, at, s);
    if (type === 'link.changed') this.#linkChanged(ev, at, s);
    if (type === 'closed' && ev['error'] !== undefined)
      this.#begin('host', 'host', at, s, {
        what: `The host failed: ${textOf(ev['error'])}`,
        remedy: 'Start it again.',
      });
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
    const told = { what: textOf(message), remedy: textOf(remedy) };
    const kind = kinds[state] ?? 'down';
    // Drops the incident of a lost server that turns out to want a login, because that was its only trouble.
    if (kind !== 'down') this.#drop('down', name, at);
    const isAgain = before === undefined || !trouble.has(before);
    this.#begin(kind, name, at, s, told, name, isAgain);
  }
  #listed(name: string, { added, removed }: Fields, at: number, s: number | null): void {
    const gone = this.#gone.get(name) ?? new Set();
    for (const tool of textsOf(added)) gone.delete(tool);
    const lost = textsOf(removed).filter((tool) => !gone.has(tool));
    for (const tool of lost) gone.add(tool);
    for (const oldest of gone) if (gone.size > mostGone) gone.delete(oldest);
    if (gone.size === 0) {
      this.#gone.delete(name);
      return this.#over(['gone'], name, at);
    }
    this.#gone.set(name, gone);
    const what = `Server '${name}' no longer has ${gone.size === 1 ? 'the tool' : 'the tools'} ${listText([...gone])}.`;
    const remedy = `Look at what has changed at '${name}', or start it again.`;
    if (lost.length > 0) this.#begin('gone', name, at, s, { what, remedy });
  }
  #back(computer: string, at: number): void {
    this.#away.delete(computer);
    this.#over(['seat'], computer, at);
  }
  /** Of an office, a seat whose connection broke; of an agent, whose notices do not say why, any computer. */
  #seated(type: string, { seat, stage, computer }: Fields, at: number, s: number | null): void {
    const { role = 'computer', name = computer } = fieldsOf(seat);
    const subject = textOf(name);
    if (type === 'computer.joined' || stage === 'joined') return this.#back(subject, at);
    if (type === 'computer.left') return void this.#away.add(subject);
    if (this.#closed === undefined || politely.has(this.#closed)) return;
    const what = `The ${textOf(role)} '${subject}' left without a word: ${this.#closed}.`;
    this.#begin('seat', subject, at, s, { what, remedy: whereItRan });
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
      {
        what: `No connection to the office: ${why}`,
        remedy: 'Look whether the office runs, and at its address; this host tries again by itself.',
      },
      'office',
      state === 'waiting',
    );
  }

  #crossed(row: Row, ev: Fields, at: number, s: number | null): void {
    const channel = textOf(row['ch']);
    const address = textOf(row['a']);
    const type = textOf(ev['type']);
    const server = partIn(address, 'client') || subjectIn(channel);
    if (type === 'session.waits') this.#silent(server, fieldsOf(ev['waits']), at, s);
    if (type === 'session.opened' || type === 'session.failed') this.#over(['silent'], server, at);
    if (type === 'office.failed')
      this.#begin('host', 'office', at, s, {
        what: `The office failed: ${textOf(ev['message'])}`,
        remedy: 'Fix what the message names.',
      });
    // Ends the incident of a taken port when the office is opened at another one.
    if (type === 'office.opened') this.#over(['host'], 'office', at);
    // All of a call, because the page does not know the name of a question that was asked before it connected.
    if (isAnswer(type) || type === 'withdraw') {
      this.#over(['person'], address, at);
      this.#asked(channel, type, ev, at);
    }
    if (row.k === 'out' && type === 'ask' && channel.startsWith('ask resources/read of ')) {
      const uri = textOf(fieldsOf(ev['params'])['uri']);
      this.#reads.set(channel, {
        server: server || (/^ask \S+ of (\S*)/.exec(channel)?.[1] ?? ''),
        uri,
        from: at,
      });
    }
    if (row.k !== 'out' || type !== 'ask' || !channel.startsWith('ask confirm ')) return;
    const what = `A call of ${textOf(fieldsOf(ev['params'])['tool'])} waits for a person to allow it.`;
    this.#begin('person', server, at, s, { what, remedy: 'Answer where this host runs.' }, address);
  }
  /** A person was not reached, or a window or a document was not read. */
  #asked(channel: string, type: string, ev: Fields, at: number): void {
    if (channel.startsWith('ask confirm ') && type !== 'ask.answered') {
      const person = this.all.findLast(({ kind }) => kind === 'person');
      if (!person || person.overs.at(-1) !== at) return;
      person.isMissed = true;
      const what = `${person.texts[0]?.what.replace(/ waits .*/, '') ?? 'A call'} waited for a person, and nobody answered.`;
      person.texts.push({ at, what, remedy: 'Say who answers, or what may run unasked.' });
      return this.#touch(person);
    }
    const read = this.#reads.get(channel);
    if (!read) return;
    this.#reads.delete(channel);
    if (type === 'ask.answered') this.#over(['window'], `${read.server} ${read.uri}`, at);
    if (type === 'ask.refused')
      this.#unread(read.server, read.uri, at, textOf(fieldsOf(ev['failure'])['message']));
  }
  #unread(server: string, uri: string, at: number, why: string): void {
    const what = `${uri} could not be read: ${why}`;
    const remedy = `Look at what '${server}' does, or start it again.`;
    this.#begin('window', server, at, null, { what, remedy }, `${server} ${uri}`);
  }
  #silent(server: string, waits: Fields, at: number, s: number | null): void {
    const since = this.#options.timeOf?.(textOf(waits['since'])) || at;
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
    if (!ended || this.isTold) return;
    this.#timed(call, ended.at);
    if (ended.outcome === 'succeeded') return;
    const details = fieldsOf(ended.failure['details']);
    const named = textOf(details['server_name']) || server;
    const down = this.all.findLast(({ key }) => key === `down ${named}`);
    const isRelated = down !== undefined && (isOpen(down) || ended.at - (down.overs.at(-1) ?? 0) < 2_000);
    if (ended.outcome === 'unknown') return this.#lost(call, ended.at, isRelated ? down : undefined);
    if (down && isRelated && ended.failure['code'] === 'ServerNotActive') return this.#cost(down, call);
    const gone = [...this.#gone].find(([, tools]) => tools.has(tool.replace(`${server}.`, '')))?.[0];
    if (ended.failure['code'] === wireCodes.toolNotFound && gone !== undefined) {
      const incident = this.all.findLast(({ key }) => key === `gone ${gone}`);
      if (incident) this.#cost(incident, call);
    }
    const left = this.all.findLast(({ key }) => key === `seat ${call.computer}`);
    if (call.computer === '' || ended.failure['code'] !== wireCodes.notFound) return;
    if (left && isOpen(left)) return this.#cost(left, call);
    if (!this.#away.has(call.computer)) return;
    const what = `The computer '${call.computer}' has left the office, and calls still want it.`;
    this.#cost(this.#begin('seat', call.computer, ended.at, null, { what, remedy: whereItRan }), call);
  }
  /** What may have happened is told also of a call that was cancelled. */
  #lost(call: Call, at: number, down: Incident | undefined): void {
    if (down) return this.#cost(down, call);
    const subject = call.server || call.computer;
    const isCancelled = call.ended?.end === 'cancelled';
    const why = isCancelled ? 'it was cancelled under way.' : whyOf(call);
    const what = `${call.tool} may have happened${why === '' ? '.' : `: ${why}`}`;
    const remedy = 'Look at what it did before it is run again.';
    // Joins lost calls of one tool that follow each other into one incident.
    const s = call.moments.at(-1)?.s ?? null;
    const lost = this.#begin('call', subject, at, s, { what, remedy }, `${subject} ${call.tool}`);
    lost.overs.push(at);
    this.#cost(lost, call);
  }
  #cost(incident: Incident, call: Call): void {
    if (incident.calls.length < most.calls)
      incident.calls.push(keptCall(call, this.#options.hide ?? ((text) => text)));
    else incident.more += 1;
    incident.isSeen = false;
    this.#touch(incident);
  }
  #isUsual({ server, tool }: Call, ms: number): boolean {
    const known = this.#durations.get(`${server} ${tool}`) ?? [];
    if (known.length < slow.fewest) return ms < slow.ms;
    const median = known.toSorted((a, b) => a - b)[known.length >> 1] ?? 0;
    return ms < Math.max(slow.leastMs, median * (ms < slow.ms ? slow.times : 2));
  }
  #timed(call: Call, at: number): void {
    const { server, tool, isSlow } = call;
    const sent = sentAt(call);
    if (sent === undefined || server === '') return;
    const [key, ms] = [`${server} ${tool}`, at - sent];
    if (isSlow === true || (ms >= slow.leastMs && !this.#isUsual(call, ms))) {
      const what = `${tool} took ${(ms / 1_000).toFixed(1)} s.`;
      this.#begin('slow', server, at, null, { what, remedy: ifSlow }, key, isSlow !== true);
      this.#over(['slow'], key, at);
    }
    this.#learn(key, ms);
  }
  #learn(key: string, ms: number): void {
    const known = this.#durations.get(key) ?? [];
    known.push(ms);
    if (known.length > slow.samples) known.shift();
    this.#durations.set(key, known);
    if (this.#durations.size > slow.tools)
      for (const oldest of this.#durations.keys()) return void this.#durations.delete(oldest);
  }

  #facts({ open }: Row, at: number, s: number | null): void {
    for (const { ch, ev } of listOf(open)) this.calls.add({ s: 0, t: 0, k: 'in', ch, ev }, at, s);
  }

  /** Begins an incident, or continues one of this subject that is still open or has ended within `againMs`. */
  #begin(
    kind: IncidentKind,
    subject: string,
    at: number,
    s: number | null,
    { what, remedy }: { what: string; remedy: string },
    name = subject,
    isAgain = true,
  ): Incident {
    const key = `${kind} ${name}`;
    const known = this.all.findLast((each) => each.key === key);
    const isSame = known !== undefined && (isOpen(known) || at - (known.overs.at(-1) ?? 0) < againMs);
    const { hide = (text: string): string => text } = this.#options;
    const told = { at, what: cut(hide(what)), remedy: cut(hide(remedy)) };
    const incident = isSame ? known : this.#fresh({ id: `${key} ${at}`, key, kind, subject, s });
    incident.texts.push(told);
    if (incident.texts.length > most.texts) incident.texts.splice(1, 1);
    if (!isSame || isAgain || !isOpen(known)) {
      incident.times.push(at);
      incident.count += 1;
      incident.isSeen = false;
      for (const all of [incident.times, incident.overs]) if (all.length > most.times) all.splice(1, 1);
    }
    this.#touch(incident);
    return incident;
  }
  #fresh(about: Pick<Incident, 'id' | 'key' | 'kind' | 'subject' | 's'>): Incident {
    const lists = { texts: [], times: [], overs: [], isStopped: [], calls: [] };
    const flags = { count: 0, more: 0, isSeen: false, isMissed: false, trace: null, revision: 0 };
    const fresh: Incident = { ...about, ...lists, ...flags };
    this.all.push(fresh);
    if (this.all.length > most.incidents) this.#prune();
    return fresh;
  }
  /** What nobody needs goes first: of a day ago, answered, seen, over. */
  #prune(): void {
    const recent = this.all.filter((each) => {
      const last = Math.max(each.times.at(-1) ?? this.#now, each.overs.at(-1) ?? 0);
      return isOpen(each) || (this.#now - last < most.ageMs && viewOf(each, this.#now) !== undefined);
    });
    const worth = (each: Incident): number => (isOpen(each) ? 2 : each.isSeen ? 0 : 1);
    const ranked = recent.toSorted((a, b) => worth(b) - worth(a) || (b.times[0] ?? 0) - (a.times[0] ?? 0));
    const kept = new Set(ranked.slice(0, most.incidents * 0.9));
    this.all = this.all.filter((each) => kept.has(each));
    this.pruned = this.revision;
  }
  #over(over: readonly IncidentKind[], name: string, at: number, isStopped = false): void {
    for (const incident of this.all) {
      const { kind, key, subject, overs } = incident;
      const isIt = key === `${kind} ${name}` || (kind === 'tools' && subject === name);
      if (!isIt || !over.includes(kind) || !isOpen(incident)) continue;
      overs.push(at);
      if (isStopped) incident.isStopped.push(at);
      this.#touch(incident);
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
    return viewsAt(this.all, time);
  }
}
const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(textOf) : []);
/** Waiting for a person, or for a place, is no slowness of a server. */
const sentAt = ({ moments }: Call): number | undefined => moments.findLast(({ step }) => step === 'sent')?.at;
