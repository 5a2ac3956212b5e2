import { createHash } from 'node:crypto';
import {
  canonical,
  RollingHash,
  textOfRecord,
  type DirectoryRecord,
  type Step,
  type Trace,
  type TraceLine,
} from '../../machines/trace/index.ts';
import type { Seen } from '../invariants/index.ts';

/** From the laxest to the strictest. */
export const levels = ['effects', 'steps', 'strict'] as const;
/**
 * How exactly a replay has to agree with its trace. `effects`: in what left the machines. `steps`: and in how they got
 * there. `strict`: and in what they remembered.
 */
export type Level = (typeof levels)[number];
export type Produced = DirectoryRecord | Step;

/** Where recorded and replayed part. */
export interface Divergence {
  /**
   * `record`: one record is another. `check`: the trace holds inputs only, and somewhere in what this input led to
   * is a difference. `deaf`: nobody waits for the input any more.
   */
  readonly how: 'record' | 'check' | 'deaf';
  /** The input that was being handled; undefined: it is the first that differs. */
  readonly input: TraceLine | undefined;
  /** The last records on which both agree. */
  readonly agreed: readonly Produced[];
  /** Undefined: the recording has nothing more for this input, or holds inputs only. */
  readonly recorded: TraceLine | undefined;
  /** Undefined: today's code did nothing more. */
  readonly replayed: Produced | undefined;
  /** What else was recorded, and what else was replayed, while this input was handled. */
  readonly restRecorded: readonly TraceLine[];
  readonly restReplayed: readonly Produced[];
}

const agreedShown = 3;
const restShown = 200;

/** Holds what today's code does against what was recorded, record by record, and stops at the first difference. */
export class Comparison {
  readonly #level: Level;
  readonly #hasOutputs: boolean;
  /** What follows from the last line of a torn trace was never written. */
  readonly #isOpenEnded: boolean;
  readonly #expected: readonly TraceLine[];
  readonly #rollingHash: RollingHash;
  readonly #digest = createHash('sha256');
  /** Each at the time of its input. */
  readonly seen: Seen[] = [];
  #agreed: Produced[] = [];
  #sinceInput: Produced[] = [];
  input: TraceLine | undefined;
  matched = 0;
  #found: Omit<Divergence, 'restReplayed'> | undefined;

  constructor({ head, lines, key, tail }: Trace, level: Level) {
    this.#rollingHash = new RollingHash(key?.check);
    this.#level = level;
    this.#hasOutputs = head.profile !== 'inputs';
    this.#isOpenEnded = tail === undefined;
    this.#expected = lines.filter(({ record, text }) => this.#keyOf(record, text) !== undefined);
  }
  /** What of a record is compared; undefined: nothing. */
  #keyOf(record: Produced, text?: string): string | undefined {
    if (record.k === 'step') {
      if (this.#level === 'effects' || !this.#hasOutputs) return undefined;
      const { ctx: _, c, ...step } = record;
      return canonical(this.#level === 'strict' ? { ...step, c } : step);
    }
    const isCompared = this.#hasOutputs || record.k === 'in' || record.k === 'draw';
    return isCompared ? (text ?? textOfRecord(record)) : undefined;
  }
  get total(): number {
    return this.#expected.length;
  }
  /** Over all effects so far. */
  get digest(): string {
    return this.#digest.copy().digest('hex');
  }
  get isOver(): boolean {
    return this.#found !== undefined;
  }
  get divergence(): Divergence | undefined {
    if (!this.#found) return undefined;
    const isWhole = this.#found.how === 'check';
    return { ...this.#found, restReplayed: isWhole ? this.#sinceInput : this.#sinceInput.slice(1) };
  }
  #diverge(how: Divergence['how'], recorded?: TraceLine, replayed?: Produced): void {
    const rest = this.#expected.slice(this.matched + 1, this.matched + 1 + restShown);
    const end = rest.findIndex(({ record }) => record.k === 'in');
    const restRecorded = recorded ? rest.slice(0, end < 0 ? rest.length : end) : [];
    if (how === 'record') this.#sinceInput = replayed ? [replayed] : [];
    this.#found = { how, input: this.input, agreed: this.#agreed, recorded, replayed, restRecorded };
  }
  /** Before the line is applied: does what came before it agree? */
  before(line: TraceLine): void {
    this.upTo(line);
    if (!this.isOver) this.input = line;
  }
  upTo(line: TraceLine): void {
    const due = this.#expected[this.matched];
    // Something was recorded for the last input that today's code does not do.
    if (due !== line) this.#diverge('record', due, undefined);
    else if (!this.#isAsChecked(line.check)) this.#diverge('check');
  }
  /** Where there are no records to compare, their rolling hash is compared. */
  #isAsChecked(check: string | undefined): boolean {
    return this.#hasOutputs || check === undefined || check === this.#rollingHash.text;
  }
  /** The line was applied, and nothing heard it. */
  unheard(line: TraceLine): void {
    if (!this.isOver) this.#diverge('deaf', line);
  }
  after(tail: Trace['tail']): void {
    if (this.isOver) return;
    const due = this.#expected[this.matched];
    if (due) this.#diverge('record', due, undefined);
    else if (!this.#isAsChecked(tail?.check)) this.#diverge('check');
  }
  take(record: Produced): void {
    if (this.#sinceInput.length < restShown) this.#sinceInput.push(record);
    if (this.isOver) return;
    let text: string | undefined;
    if (record.k !== 'step') {
      text = textOfRecord(record);
      this.#digest.update(text).update('\n');
      this.#rollingHash.take(record);
      this.seen.push({ at: this.input?.t ?? 0, record });
      if (record.k === 'in') this.#sinceInput = [];
    }
    const key = this.#keyOf(record, text);
    if (key !== undefined) this.#compare(record, key);
  }
  #compare(record: Produced, key: string): void {
    const line = this.#expected[this.matched];
    if (!line && this.#isOpenEnded) return;
    if (!line || this.#keyOf(line.record, line.text) !== key) return this.#diverge('record', line, record);
    this.matched += 1;
    this.#agreed = [...this.#agreed.slice(1 - agreedShown), record];
  }
}
