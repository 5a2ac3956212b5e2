/** The recording that the page shows, of a file or a running host: takes its lines, and tells the panels what has changed. */
import { type Row, listOf, numberOf, textOf } from '../../machines/trace/row.ts';
import { inspectionProtocol } from '../../machines/inspection.ts';
import type { Checks, FromPage, HostFacts, ToPage } from '../../machines/inspection.ts';
import type { Charts } from '../../machines/trace/chart.ts';
import type { KeepWord } from '../../machines/trace/reasons.ts';
import { History, type Lane } from './history.ts';
import type { Call } from '../../machines/incidents/calls.ts';
import { partIn } from '../../machines/kernel/effects.ts';
import { Messages, type MessagesWanted } from './messages.ts';
import { Story } from '../../machines/incidents/incidents.ts';
import { incidentNames, type IncidentView } from '../../machines/incidents/incident.ts';
import { firstChoice, fragmentOf, needsRecords, type Choice, type LinkedView, type Panel } from './choice.ts';
import { countsOf, serversOf, type ServerView } from './model.ts';
import { Lists } from './trace-lines.ts';
import { fieldsOf } from '../../machines/protocol/json.ts';
import { isWithin, type Range } from './values.ts';

export type Phase = 'connecting' | 'live' | 'loading' | 'file' | 'over' | 'lost' | 'other' | 'no token';
/** Number of records that the page keeps of a running host; beyond it the older half is dropped, up to a checkpoint. */
export const mostKept = 200_000;
/** A larger one is checked when a person asks, because that takes seconds. */
const mostCheckedAtOnce = 20_000;
/** Outcome of the call for which a trace was written; the other events are about servers. */
const outcomeOf: Partial<Record<KeepWord, string>> = {
  callUnknown: 'unknown',
  callFailed: 'failed',
  outputMismatch: 'succeeded',
};
/** Time in ms for which a running host still sends all records after the page stopped showing them. */
const leaveMs = 30_000;
/** A running host tells every two seconds that it runs. */
const silentMs = 5_000;
const folding = { timeOf: Date.parse };
const gone = 'The host is not connected';
type Unnumbered<T> = T extends unknown ? Omit<T, 'id'> : never;
export type Question = Unnumbered<FromPage>;
export type Answer = Extract<ToPage, { type: 'answer' }>;

export class Session {
  /** Replaced when the oldest records of a running host are dropped. */
  history = new History();
  #lists = new Lists();
  #isWhole = false;
  #neededAt = 0;
  story = new Story(folding);
  messages = new Messages();
  /** Number of the last message that the host has answered with, by the request that asked for messages. */
  readonly #looked = new Map<string, number>();
  /** Records that came while the past was still being sent; undefined when it is complete. */
  #later: Row[] | undefined;
  /** False until a running host has told its incidents. */
  get isKnown(): boolean {
    return this.phase !== 'live' || this.story.isTold;
  }
  /** Trace of an incident, or of before this page, that is shown in place of the running host. */
  opened: Session | undefined;
  telling = '';
  /** Shows the one incident that was chosen. */
  isStory = false;
  #pastLists = new Lists();
  /** Difference between the wall clock and the time of the trace, in ms; 0 before the first record with both. */
  #offset = 0;
  #hasEnd = false;
  #damage: string | undefined;
  /** Number of the record that the address of the page names, until that record is there. */
  #wanted: number | undefined;
  #counted:
    | {
        readonly key: number;
        readonly range: Range | undefined;
        readonly counts: ReturnType<typeof countsOf>;
      }
    | undefined;
  charts: Charts = {};
  host: HostFacts | undefined;
  control = false;
  phase: Phase = 'connecting';
  reason = '';
  missed = 0;
  /** Times of the wall clock between which the page last had no connection; undefined when it never lost it. */
  away: { readonly from: number; readonly to?: number } | undefined;
  dropped = 0;
  /** Results of the checks of a recording; undefined until they are known, and for one that is too long. */
  checks: Checks | undefined;
  choice: Choice = firstChoice;
  #isAtHome = true;
  /** Time of this page at which the last record arrived, so that countdowns go on between two records. */
  #arrivedAt = 0;
  #heardAt = 0;
  /** Time of day of the last message. */
  heardOn = 0;
  #listener: () => void = () => {};
  #chosen: (before: Choice, after: Choice) => void = () => {};
  #send: ((message: FromPage) => void) | undefined;
  #asked = 0;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  readonly #clock: () => number;
  readonly #wall: () => number;

  /** `clock` measures durations, and `wall` gives the time of day; both in ms. */
  constructor(clock: () => number, wall: () => number = () => 0) {
    this.#clock = clock;
    this.#wall = wall;
  }
  onChange(listener: () => void): void {
    this.#listener = listener;
  }
  onChoose(listener: (before: Choice, after: Choice) => void): void {
    this.#chosen = listener;
  }
  /** Undefined when the connection is lost, which fails open questions. */
  connect(send: ((message: FromPage) => void) | undefined): void {
    this.#send = send;
    if (send) return;
    for (const id of this.#waiting.keys()) this.#answered({ type: 'answer', id, ok: false, error: gone });
  }
  /** Never rejects: a refusal is an answer with a reason. */
  ask(question: Question): Promise<Answer> {
    const id = this.#asked++;
    return new Promise((resolve) => {
      if (!this.#send) return resolve({ type: 'answer', id, ok: false, error: gone });
      this.#waiting.set(id, resolve);
      this.#send({ ...question, id });
    });
  }
  #wantChecks(): void {
    if (this.checks !== undefined || this.history.length > mostCheckedAtOnce) return;
    void this.ask({ type: 'ask', what: 'checks' }).then((answer) => {
      if (answer.ok) this.judge(answer.value as Checks | null);
    });
  }
  /** Takes the checks of a recording. Each check that failed is an incident at its record. */
  judge(checks: Checks | null): void {
    this.checks = checks ?? undefined;
    if (this.phase === 'file') this.#tellFailedChecks();
    this.#listener();
  }
  #tellFailedChecks(): void {
    for (const { name, s, what } of this.checks?.failures ?? []) {
      const index = s === null ? undefined : this.history.indexOf(s);
      const t = index === undefined ? undefined : this.history.row(index)?.t;
      this.story.checkFailed(name, what, t === undefined ? this.wallEnd : this.clockOf(t), s);
    }
  }
  /** As far as the page lacks them. Returns the reason when the host refuses; empty on success. */
  async wantMessages(wanted: MessagesWanted): Promise<string> {
    const key = JSON.stringify(wanted);
    for (let isMore = true; isMore && this.phase === 'live';) {
      const after = this.#looked.get(key) ?? 0;
      const answer = await this.ask({ type: 'ask', what: 'messages', ...wanted, after });
      if (!answer.ok) return answer.error;
      const { frames, last, isMore: hasMore } = fieldsOf(answer.value);
      for (const frame of listOf(frames)) this.messages.add(frame as Row, numberOf(frame['w']) ?? 0);
      this.#looked.set(key, Math.max(after, numberOf(last) ?? after));
      isMore = hasMore === true;
    }
    this.#listener();
    return '';
  }
  #answered(answer: Answer): void {
    this.#waiting.get(answer.id)?.(answer);
    this.#waiting.delete(answer.id);
  }
  choose(change: Partial<Choice>): void {
    const before = this.choice;
    this.choice = { ...before, ...change };
    if (change.panel !== undefined) this.#isAtHome = false;
    this.#chosen(before, this.choice);
    this.#attend();
    this.#listener();
  }
  /** Calls for an office, which has no servers of its own, also in a recording; otherwise servers. */
  get #home(): Panel {
    const has = (wanted: string): boolean => this.history.lanes.some(({ kind }) => kind === wanted);
    const isOffice =
      this.host?.kind === 'file'
        ? has('office') && !has('computer') && !has('agent')
        : this.host?.kind === 'office';
    return isOffice ? 'calls' : 'servers';
  }
  /** The moment is shown as soon as its record is there. */
  show({ s, panel, ...view }: LinkedView): void {
    this.#isAtHome = panel === undefined;
    this.choice = { ...this.choice, ...view, panel: panel ?? this.#home, moment: undefined };
    this.#wanted = s;
    this.#goToWanted();
    this.#attend();
    this.#listener();
  }
  fragmentFrom(present: string): string {
    const s = this.isNow ? undefined : this.history.row(this.at)?.s;
    return fragmentOf(this.choice, s, present, this.#home);
  }
  /** Asks a running host for all records while they are shown, and some time later again without those inside of calls. */
  #attend(): void {
    if (this.phase !== 'live') return;
    const isNeeded = needsRecords(this.choice);
    if (isNeeded) this.#neededAt = this.#clock();
    const isWhole = isNeeded || (this.#isWhole && this.#clock() - this.#neededAt < leaveMs);
    if (isWhole === this.#isWhole) return;
    this.#isWhole = isWhole;
    void this.ask({ type: 'ask', what: 'records', isWhole });
  }
  #goToWanted(): void {
    const index = this.#wanted === undefined ? undefined : this.history.indexOf(this.#wanted);
    if (index === undefined && this.phase !== 'live') return;
    this.#wanted = undefined;
    if (index !== undefined) this.goTo(index);
  }
  lose(at: number): void {
    this.away = { from: at };
    this.enter('lost');
  }
  enter(phase: Phase, reason = ''): void {
    this.phase = phase;
    this.reason = reason;
    this.#listener();
  }
  /** True while nothing is heard of a host that did not say that it closed. */
  get isStale(): boolean {
    return this.phase === 'lost' || this.phase === 'other' || this.staleSince !== undefined;
  }
  /** Time of the last message of a running host that has been silent for too long; otherwise undefined. */
  get staleSince(): number | undefined {
    const isSilent = this.phase === 'live' && this.#clock() - this.#heardAt > silentMs;
    return isSilent ? this.heardOn : undefined;
  }
  take(message: ToPage): void {
    this.#heardAt = this.#clock();
    this.heardOn = this.#wall();
    if (message.type === 'welcome') {
      const { host, charts, control, mode, past, damage } = message;
      this.#comeBack(host);
      this.#damage = damage;
      Object.assign(this, { host, charts, control });
      if (past) this.#later = [];
      this.enter(mode === 'file' ? 'loading' : 'live');
    }
    if (message.type === 'answer') this.#answered(message);
    if (message.type === 'past') this.#tellPast(message.text, message.isLast);
    if (message.type === 'incidents') {
      this.story.tell(message.incidents, message.isAll);
      this.story.since = message.since;
      this.#listener();
    }
    if (message.type === 'beat' && message.charts) this.charts = message.charts;
    if (message.type === 'gap') this.missed += message.missed;
    if ('lines' in message) this.#read(message.lines);
    if (this.#isAtHome) this.choice = { ...this.choice, panel: this.#home };
    if (message.type === 'welcome' || this.#wanted !== undefined) this.#goToWanted();
    this.#attend();
    if (message.type === 'complete') this.#rest();
    if (message.type === 'closed' && message.isLost) this.lose(this.heardOn);
    else if (message.type === 'closed') {
      this.#showEnd();
      this.enter('over', message.reason);
    }
  }
  /** When the host is another one, clears the records and messages, too. */
  #comeBack(host: HostFacts): void {
    if (!this.host) return;
    const isSame = this.host.pid === host.pid && this.host.started === host.started;
    if (!isSame) {
      this.history = new History();
      this.messages = new Messages();
      this.#looked.clear();
    }
    if (this.away) this.away = { ...this.away, to: this.#wall() };
    this.#isWhole = false;
    this.story = new Story(folding);
    this.#pastLists = new Lists();
    this.#later = undefined;
    this.#counted = undefined;
  }
  #read(lines: string): void {
    for (const line of lines.split('\n')) {
      if (line === '') continue;
      const row = this.#lists.read(line);
      this.history.add(row);
      if (row.k === 'tail' || row['cut'] === true) this.#hasEnd = true;
      if (typeof row['w'] === 'number') this.#offset = row['w'] - row.t;
      if (row.k === 'frame' && row['via'] !== 'relay')
        this.messages.add(row, numberOf(row['w']) ?? this.clockOf(row.t));
      if (this.#later) this.#later.push(row);
      else this.story.add(row, row.s);
    }
    this.#arrivedAt = this.#clock();
    if (this.phase === 'live' && this.history.length > mostKept) this.#forget();
  }
  #tellPast(text: string, isLast: boolean): void {
    for (const line of text.split('\n')) {
      if (line === '') continue;
      const row = this.#pastLists.read(line);
      this.story.add(row, null);
    }
    if (!isLast) return;
    for (const row of this.#later ?? []) this.story.add(row, row.s);
    this.#later = undefined;
    this.#listener();
  }
  /** The rest begins with a head and a checkpoint, as any trace does, so that it can be saved and replayed. */
  #forget(): void {
    const rows = this.history.rows();
    let from = rows.findIndex(({ k }, index) => k === 'key' && index >= mostKept / 2);
    const [head] = rows;
    if (from < 0 || !head) return;
    // Keeps the lists written directly before the checkpoint, because it refers to them.
    while (rows[from - 1]?.k === 'list') from -= 1;
    this.history = new History();
    this.#lists = new Lists();
    for (const row of [{ ...head, next: rows[from]?.s }, ...rows.slice(from)]) {
      this.#lists.keep(row);
      this.history.add(row);
    }
    this.dropped += from - 1;
    const first = rows[from];
    if (first) this.story.calls.forget(this.clockOf(first.t));
    const { moment } = this.choice;
    if (moment !== undefined) this.choice = { ...this.choice, moment: Math.max(1, moment - from + 1) };
  }
  /** When all actors have ended, shows the moment before the host was closed. */
  #showEnd(): void {
    const { history } = this;
    let first: number | undefined;
    for (let at = history.length - 1; at >= 0 && history.at(Infinity).size === 0; at--) {
      const row = history.row(at);
      if (row?.k === 'open') break;
      if (row?.k === 'in' && fieldsOf(row['ev'])['type'] === 'close') first = at;
    }
    if (first !== undefined && this.isNow) this.choice = { ...this.choice, moment: first - 1 };
  }
  #rest(): void {
    this.#showEnd();
    if (this.#damage !== undefined) this.story.damaged(this.#damage);
    else if (!this.#hasEnd && this.history.length > 0) this.story.died();
    if (this.#isAtHome) this.#showReason();
    this.enter('file');
    this.#tellFailedChecks();
    this.#wantChecks();
    this.#goToWanted();
  }
  #showReason(): void {
    const { reasons, calls } = this.story;
    const down = this.incidentsInRange.filter(({ kind }) => kind === 'down');
    for (const { on, subject } of reasons) {
      const call = calls.all.findLast(
        ({ tool, ended }) => tool === subject && ended && ended.outcome === outcomeOf[on],
      );
      const incident = down.find((each) => each.subject === subject)?.incident.id;
      if (call) this.choice = { ...this.choice, panel: 'calls', call: call.ticket };
      else if (incident !== undefined) this.choice = { ...this.choice, incident };
      this.#isAtHome = call === undefined;
      if (call ?? incident) return;
    }
  }
  /** Index of the record whose moment is shown; -1 before the first record. */
  get at(): number {
    return Math.min(this.choice.moment ?? Infinity, this.history.length - 1);
  }
  get isNow(): boolean {
    return this.choice.moment === undefined;
  }
  /** Time of the moment shown, in ms since the trace began. For a running host the time goes on between two records. */
  get nowMs(): number {
    const at = this.history.row(this.at)?.t ?? 0;
    return this.isNow ? at + this.#sinceArrived : at;
  }
  /** Converts a time of the trace to the wall clock, in ms since 1970. */
  clockOf(t: number): number {
    return t + this.#offset;
  }
  traceTime(at: number): number {
    return at - this.#offset;
  }
  get whole(): Range {
    const { history, phase, story } = this;
    const first = history.row(1)?.t ?? 0;
    const last = Math.max(
      phase === 'live' ? this.nowMs : 0,
      history.row(history.length - 1)?.t ?? 0,
      first + 1,
    );
    const from = this.clockOf(first);
    return { from: Math.min(from, story.since ?? from), to: this.clockOf(last) };
  }
  /** Index of the first record in the chosen range, and of the one after its last. */
  get recordsInRange(): readonly [from: number, to: number] {
    const { range } = this.choice;
    if (!range) return [0, this.history.length];
    const before = (at: number): number => this.history.indexAt(this.traceTime(at)) + 1;
    // Includes records exactly at the beginning. A trace has times in thousandths of a millisecond, so half of one is subtracted.
    return [before(range.from - 0.0005), before(range.to)];
  }
  get wallNow(): number {
    return this.clockOf(this.nowMs);
  }
  /** Time of the latest known record on the wall clock, whatever moment is shown. */
  get wallEnd(): number {
    const at = this.history.row(this.history.length - 1)?.t ?? 0;
    return this.clockOf(at + this.#sinceArrived);
  }
  /** Time in ms that has passed at a running host since its last record, as far as it is known to run. */
  get #sinceArrived(): number {
    const { phase, away } = this;
    if (phase === 'live')
      return (this.staleSince === undefined ? this.#clock() : this.#heardAt) - this.#arrivedAt;
    return phase === 'lost' || phase === 'other' || (phase === 'over' && !away)
      ? Math.max(0, this.#heardAt - this.#arrivedAt)
      : 0;
  }
  get servers(): ServerView[] {
    const { incidents, nowMs, wallNow, story } = this;
    const { range } = this.choice;
    const key = this.isNow ? story.calls.revision : wallNow;
    if (this.#counted?.key !== key || this.#counted.range !== range)
      this.#counted = { key, range, counts: countsOf(story.calls.all, wallNow, range) };
    const { counts } = this.#counted;
    return serversOf(this.history.at(this.at), this.charts, { incidents, counts, nowMs, wallNow });
  }
  stepIncident(by: 1 | -1): void {
    const all = this.incidentsInRange.toSorted((a, b) => a.from - b.from);
    const at = all.findIndex(({ incident }) => incident.id === this.choice.incident);
    const next = at < 0 ? (by > 0 ? all[0] : all.at(-1)) : all[at + by];
    if (next) this.showIncident(next);
  }
  get incidentsInRange(): IncidentView[] {
    const { range } = this.choice;
    const now = this.wallEnd;
    return this.story
      .at(now)
      .filter(({ from, last, to }) => isWithin(range, from, to === undefined ? now : Math.max(last, to)));
  }
  get incidents(): IncidentView[] {
    return this.story.at(this.wallNow);
  }
  showIncident({ incident: { id, s }, subject, from }: IncidentView): void {
    this.see([id]);
    // Below 1 for a time before the first record. Both clocks tell whole milliseconds, so one is added.
    const index = s === null ? this.history.indexAt(this.traceTime(from) + 1) : this.history.indexOf(s);
    const client = this.clientOf(subject);
    this.choose({ incident: id, ...(client !== undefined && { actor: client }) });
    if (index !== undefined && index >= 1) this.goTo(index);
  }
  /** Tells the host that a person has looked at these. */
  see(ids: readonly string[]): void {
    this.story.see(ids, this.wallEnd);
    if (this.phase === 'live') void this.ask({ type: 'ask', what: 'seen', ids: [...ids] });
    this.#listener();
  }
  /** Address of the latest machine of a server. */
  clientOf(server: string): string | undefined {
    const is = ({ kind, address }: Lane): boolean =>
      kind === 'client' && partIn(address, 'client') === server;
    return this.history.lanes.findLast(is)?.address;
  }
  /** Opens the trace of an incident, or of what the host did before this page; returns the reason when the host refuses. */
  async tell(view?: IncidentView): Promise<string> {
    this.telling = 'Reading what the host did …';
    this.#listener();
    const answer = await this.ask({ type: 'ask', what: 'story', incident: view?.incident.id });
    this.telling = answer.ok ? '' : answer.error;
    const { text, checks } = fieldsOf(answer.ok ? answer.value : undefined);
    if (answer.ok) this.#open(textOf(text), checks as Checks | null, view);
    this.#listener();
    return this.telling;
  }
  #open(text: string, checks: Checks | null, view: IncidentView | undefined): void {
    const { charts, choice } = this;
    const opened = new Session(this.#clock, this.#wall);
    const name = view ? `${incidentNames[view.kind]}: ${view.subject}` : (this.host?.name ?? '');
    const host: HostFacts = { kind: 'file', name, pid: null, started: null, version: '' };
    const facts = { host, mode: 'file', control: false, charts, past: false, lines: text } as const;
    opened.take({ type: 'welcome', protocol: inspectionProtocol, ...facts });
    opened.judge(checks);
    opened.take({ type: 'complete', records: opened.history.length });
    this.opened = opened;
    if (!view) return opened.choose({ panel: choice.panel, actor: choice.actor, moment: undefined });
    opened.isStory = true;
    const own = opened.story.all.findLast(({ key }) => key === view.incident.key);
    if (own) own.trace = view.incident.trace;
    const [call] = own?.calls ?? view.incident.calls;
    const client = opened.clientOf(view.subject);
    const panel = client ? 'chart' : call ? 'calls' : 'records';
    opened.choose({
      incident: own?.id,
      panel,
      call: call?.ticket,
      actor: client,
      moment: undefined,
      tree: false,
    });
  }
  closeStory(): void {
    this.opened = undefined;
    this.#listener();
  }
  showFailed(): void {
    this.choose({ panel: 'calls', calls: { ...this.choice.calls, kind: 'failed' } });
  }
  /** Also one that only an incident still has. */
  callOf(ticket: string | undefined): Call | undefined {
    if (ticket === undefined) return undefined;
    const is = (call: Call): boolean => call.ticket === ticket;
    return this.story.calls.all.findLast(is) ?? this.story.all.flatMap(({ calls }) => calls).find(is);
  }
  /** Inside of a call that succeeded a live page has no records: the memory of the host has them. */
  goToNumber(s: number, at: number): void {
    const index = this.history.indexOf(s);
    this.choose({ panel: 'records', find: '', findKind: '' });
    if (index !== undefined) return this.goTo(index);
    if (this.phase === 'live') void this.tell().then(() => this.opened?.goToTime(at));
  }
  /** Shows a moment of the time line; the host tells what was before the first record of this page. */
  goToTime(at: number): void {
    const index = this.history.indexAt(this.traceTime(at));
    if (index > 0 || this.phase !== 'live') return this.goTo(Math.max(0, index));
    void this.tell().then(() => this.opened?.goToTime(at));
  }
  goTo(index: number): void {
    const last = this.history.length - 1;
    const isEnd = index >= last && this.phase === 'live';
    this.choose({ moment: isEnd ? undefined : Math.max(0, Math.min(index, last)) });
  }
}
