import type { Checks, Charts, FromPage, HostFacts, ToPage } from '../../machines/inspection.ts';
import { History } from './history.ts';
import { Lists } from './lists.ts';
import type { Row } from './living.ts';
import { Story } from './story.ts';
import { fieldsOf } from '../../machines/protocol/json.ts';

/** What the page knows of the host or the file that it shows, and what somebody chose to see of it. */

export type Phase = 'connecting' | 'live' | 'loading' | 'file' | 'over' | 'lost' | 'no token';
export const panels = [
  'servers',
  'chart',
  'lanes',
  'calls',
  'records',
  'collections',
  'messages',
  'checks',
] as const;
export type Panel = (typeof panels)[number];
export interface Choice {
  readonly panel: Panel;
  /** The address of the actor. */
  readonly actor: string | undefined;
  /** The index of the record whose moment is shown; undefined: now, or the end of a file. */
  readonly moment: number | undefined;
  readonly find: string;
  readonly findActor: string;
}

/** Of a host that runs a page keeps about so many records: then the older half goes, up to a checkpoint. */
export const mostKept = 200_000;
const gone = 'The host is not connected';
/** Without the number that its answer has, too. */
type Unnumbered<T> = T extends unknown ? Omit<T, 'id'> : never;
export type Question = Unnumbered<FromPage>;
export type Answer = Extract<ToPage, { type: 'answer' }>;

export class Session {
  /** Others, once the oldest records of a host that runs were let go. */
  history = new History();
  story = new Story();
  #lists = new Lists();
  charts: Charts = {};
  host: HostFacts | undefined;
  control = false;
  phase: Phase = 'connecting';
  reason = '';
  missed = 0;
  /** Records that this page has let go. */
  dropped = 0;
  /** Of a recording; a text: why there are none. */
  checks: Checks | string | undefined;
  #wantsChecks = false;
  choice: Choice = { panel: 'servers', actor: undefined, moment: undefined, find: '', findActor: '' };
  /** ms of the trace ↔ ms of this page, to count down between two records. */
  #arrivedAt = 0;
  #listener: () => void = () => {};
  #send: ((message: FromPage) => void) | undefined;
  #asked = 0;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  readonly #clock: () => number;

  constructor(clock: () => number) {
    this.#clock = clock;
  }
  onChange(listener: () => void): void {
    this.#listener = listener;
  }
  /** From now on it can be asked; undefined: no more. */
  connect(send: ((message: FromPage) => void) | undefined): void {
    this.#send = send;
    if (send) return;
    for (const id of this.#waiting.keys()) this.#answered({ type: 'answer', id, ok: false, error: gone });
  }
  /** Never rejects: what the host refuses is an answer, too. */
  ask(question: Question): Promise<Answer> {
    const id = this.#asked++;
    return new Promise((resolve) => {
      if (!this.#send) return resolve({ type: 'answer', id, ok: false, error: gone });
      this.#waiting.set(id, resolve);
      this.#send({ ...question, id });
    });
  }
  /** Asks for them once. */
  wantChecks(): void {
    if (this.#wantsChecks || this.checks !== undefined || this.phase === 'loading') return;
    this.#wantsChecks = true;
    void this.ask({ type: 'ask', what: 'checks' }).then((answer) => {
      this.checks = answer.ok ? (answer.value as Checks) : answer.error;
      this.#listener();
    });
  }
  #answered(answer: Answer): void {
    this.#waiting.get(answer.id)?.(answer);
    this.#waiting.delete(answer.id);
  }
  choose(change: Partial<Choice>): void {
    this.choice = { ...this.choice, ...change };
    this.#listener();
  }
  enter(phase: Phase, reason = ''): void {
    this.phase = phase;
    this.reason = reason;
    this.#listener();
  }
  take(message: ToPage): void {
    if (message.type === 'welcome') {
      const { host, charts, control, mode } = message;
      Object.assign(this, { host, charts, control });
      this.enter(mode === 'file' ? 'loading' : 'live');
    }
    if (message.type === 'answer') this.#answered(message);
    if (message.type === 'gap') this.missed += message.missed;
    if ('lines' in message) this.#read(message.lines);
    if (message.type === 'complete') this.#rest();
    if (message.type === 'closed') this.enter('over', message.reason);
  }
  #read(lines: string): void {
    for (const line of lines.split('\n')) if (line !== '') this.#add(this.#lists.read(line));
    this.#arrivedAt = this.#clock();
    if (this.phase === 'live' && this.history.length > mostKept) this.#forget();
  }
  #add(row: Row): void {
    this.story.add(row, this.history.length);
    this.history.add(row);
  }
  /** What is left begins with a head and a checkpoint, as any trace: it can be saved and replayed. */
  #forget(): void {
    const rows = this.history.rows();
    let from = rows.findIndex(({ k }, index) => k === 'key' && index >= mostKept / 2);
    const [head] = rows;
    if (from < 0 || !head) return;
    // Writes its lists before it.
    while (rows[from - 1]?.k === 'list') from -= 1;
    this.history = new History();
    this.story = new Story();
    this.#lists = new Lists();
    for (const row of [{ ...head, next: rows[from]?.s }, ...rows.slice(from)]) {
      this.#lists.keep(row);
      this.#add(row);
    }
    this.dropped += from - 1;
    const { moment } = this.choice;
    if (moment !== undefined) this.choice = { ...this.choice, moment: Math.max(1, moment - from + 1) };
  }
  /** A recording in which everybody has ended is shown as it stood before the end began. */
  #rest(): void {
    const { history } = this;
    let first: number | undefined;
    for (let at = history.length - 1; at >= 0 && history.at(Infinity).size === 0; at--) {
      const row = history.row(at);
      if (row?.k === 'open') break;
      if (row?.k === 'in' && fieldsOf(row['ev'])['type'] === 'close') first = at;
    }
    if (first !== undefined && this.isNow) this.choice = { ...this.choice, moment: first - 1 };
    this.enter('file');
  }
  /** The index of the record whose moment is shown; -1: there is none yet. */
  get at(): number {
    return Math.min(this.choice.moment ?? Infinity, this.history.length - 1);
  }
  get isNow(): boolean {
    return this.choice.moment === undefined;
  }
  /** ms of the trace that is shown; of a living host it goes on between two records. */
  get nowMs(): number {
    const at = this.history.row(this.at)?.t ?? 0;
    return this.isNow && this.phase === 'live' ? at + (this.#clock() - this.#arrivedAt) : at;
  }
  /** To the record with this number, in the list of records. */
  goToNumber(s: number): void {
    const index = this.history.indexOf(s);
    if (index === undefined) return;
    this.choose({ panel: 'records', find: '' });
    this.goTo(index);
  }
  goTo(index: number): void {
    const last = this.history.length - 1;
    const isEnd = index >= last && this.phase === 'live';
    this.choose({ moment: isEnd ? undefined : Math.max(0, Math.min(index, last)) });
  }
}
