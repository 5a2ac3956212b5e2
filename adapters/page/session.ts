import type { Checks, Charts, FromPage, HostFacts, ToPage } from '../../machines/inspection.ts';
import { History } from './history.ts';
import { Lists } from './trace-lines.ts';
import { fieldsOf } from '../../machines/protocol/json.ts';

/** State of the page: data of the host or file that is shown, and the choices of the person. */

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
  /** Address of the actor chosen on the page. */
  readonly actor: string | undefined;
  /** Index of the record whose moment is shown; undefined for the present, or for the end of a file. */
  readonly moment: number | undefined;
  readonly find: string;
  readonly findActor: string;
}

/** Number of records that the page keeps of a running host; beyond it the older half is dropped, up to a checkpoint. */
export const mostKept = 200_000;
const gone = 'The host is not connected';
/** Question to the host before its number is given; the answer has the same number. */
type Unnumbered<T> = T extends unknown ? Omit<T, 'id'> : never;
export type Question = Unnumbered<FromPage>;
export type Answer = Extract<ToPage, { type: 'answer' }>;

export class Session {
  /** Records of the trace; replaced when the oldest records of a running host are dropped. */
  history = new History();
  #lists = new Lists();
  charts: Charts = {};
  host: HostFacts | undefined;
  control = false;
  phase: Phase = 'connecting';
  reason = '';
  missed = 0;
  /** Number of old trace records that this page has dropped. */
  dropped = 0;
  /** Results of the checks of a recording, or a text that says why there are none. */
  checks: Checks | string | undefined;
  #wantsChecks = false;
  choice: Choice = { panel: 'servers', actor: undefined, moment: undefined, find: '', findActor: '' };
  /** Time of this page at which the last record arrived, so that countdowns go on between two records. */
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
  /**
   * Sets the function that sends questions to the host; undefined when the connection is lost, which fails open
   * questions.
   */
  connect(send: ((message: FromPage) => void) | undefined): void {
    this.#send = send;
    if (send) return;
    for (const id of this.#waiting.keys()) this.#answered({ type: 'answer', id, ok: false, error: gone });
  }
  /** Asks the host a question. Never rejects: a refusal is an answer with a reason. */
  ask(question: Question): Promise<Answer> {
    const id = this.#asked++;
    return new Promise((resolve) => {
      if (!this.#send) return resolve({ type: 'answer', id, ok: false, error: gone });
      this.#waiting.set(id, resolve);
      this.#send({ ...question, id });
    });
  }
  /** Asks the host for the checks of a recording, only once. */
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
    for (const line of lines.split('\n')) if (line !== '') this.history.add(this.#lists.read(line));
    this.#arrivedAt = this.#clock();
    if (this.phase === 'live' && this.history.length > mostKept) this.#forget();
  }
  /**
   * Drops the oldest records of a running host. The rest begins with a head and a checkpoint, as any trace does, so
   * that it can be saved and replayed.
   */
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
    const { moment } = this.choice;
    if (moment !== undefined) this.choice = { ...this.choice, moment: Math.max(1, moment - from + 1) };
  }
  /** Shows a recording at its end; when all actors have ended, at the moment before the host was closed. */
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
  /** Index of the record whose moment is shown; -1 before the first record. */
  get at(): number {
    return Math.min(this.choice.moment ?? Infinity, this.history.length - 1);
  }
  get isNow(): boolean {
    return this.choice.moment === undefined;
  }
  /** Time of the moment shown, in ms since the trace began; for a running host it goes on between two records. */
  get nowMs(): number {
    const at = this.history.row(this.at)?.t ?? 0;
    return this.isNow && this.phase === 'live' ? at + (this.#clock() - this.#arrivedAt) : at;
  }
  /** Shows the trace record with this number in the panel of records. */
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
