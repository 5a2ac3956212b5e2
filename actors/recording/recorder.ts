/** Keeps what happens in a host as references, and writes it as a trace. */
import { canonical, type Redactor } from '../../machines/trace/canonical.ts';
import { traceFormat, type Head } from '../../machines/trace/format.ts';
import type { DirectoryRecord, Frame } from '../../machines/trace/record.ts';
import type { Microstep } from '../runtime/stepper/stepper.ts';
import type { Observer } from '../runtime/directory.ts';
import { ForgottenRecords } from './facts.ts';
import { LargeValues, keptFrames, TraceWriter, type TraceEntry, type WritingOptions } from './trace-lines.ts';

const deepest = 32;
/** Largest number of objects that are visited in one value; a value that contains itself would never end. */
const mostVisits = 50_000;

let visits = 0;
function weigh(each: unknown, depth: number): number {
  if (typeof each === 'string') return 16 + each.length;
  if (typeof each !== 'object' || each === null) return 8;
  if (ArrayBuffer.isView(each)) return 48 + each.byteLength;
  visits += 1;
  if (depth > deepest || visits > mostVisits) return 48;
  let sum = 48;
  if (Array.isArray(each)) for (const one of each) sum += 8 + weigh(one, depth + 1);
  else for (const key in each) sum += 8 + weigh((each as Record<string, unknown>)[key], depth + 1);
  return sum;
}
function weightOf(value: unknown): number {
  visits = 0;
  try {
    return weigh(value, 0);
  } catch {
    return 48;
  }
}
export const weightOfFrame = ({ json }: Frame): number => 120 + weightOf(json);

/** Latest entries, one column for each field: an object for each record would take twice the memory. */
export class EntryRing {
  #numbers: number[] = [];
  #times: number[] = [];
  #walls: number[] = [];
  #whats: (TraceEntry['what'] | undefined)[] = [];
  #weights: number[] = [];
  #first = 0;
  #weight = 0;

  get weight(): number {
    return this.#weight;
  }
  get size(): number {
    return this.#whats.length - this.#first;
  }
  push({ s, t, w, what }: TraceEntry, weight: number): void {
    this.#numbers.push(s);
    this.#times.push(t);
    this.#walls.push(w);
    this.#whats.push(what);
    this.#weights.push(weight);
    this.#weight += weight;
  }
  get oldest(): TraceEntry | undefined {
    return this.#whats.length > this.#first ? this.#at(this.#first) : undefined;
  }
  shift(): void {
    this.#weight -= this.#weights[this.#first] ?? 0;
    this.#whats[this.#first] = undefined;
    this.#first += 1;
    // Removes dropped entries only when they are half of all, because removing each one would move the rest every time.
    if (this.#first * 2 < this.#whats.length) return;
    this.#numbers = this.#numbers.slice(this.#first);
    this.#times = this.#times.slice(this.#first);
    this.#walls = this.#walls.slice(this.#first);
    this.#whats = this.#whats.slice(this.#first);
    this.#weights = this.#weights.slice(this.#first);
    this.#first = 0;
  }
  take(): readonly TraceEntry[] {
    const all = this.entries();
    for (const column of [this.#numbers, this.#times, this.#walls, this.#whats, this.#weights])
      column.length = 0;
    this.#first = 0;
    this.#weight = 0;
    return all;
  }
  entries(): readonly TraceEntry[] {
    return Array.from({ length: this.size }, (_, n) => this.#at(this.#first + n));
  }
  #at(n: number): TraceEntry {
    return {
      s: this.#numbers[n] as number,
      t: this.#times[n] as number,
      w: this.#walls[n] as number,
      what: this.#whats[n] as TraceEntry['what'],
    };
  }
}

export interface RecorderOptions extends WritingOptions {
  /** Returns the time in ms of a monotonic clock. */
  readonly now: () => number;
  /** In ms since 1970. Default: the clock of `now`. */
  readonly wallClock?: () => number;
  readonly redactor?: Redactor;
  readonly about: Pick<Head, 'runtime' | 'xstate' | 'node' | 'clock' | 'started' | 'redaction'> & {
    readonly title?: string;
    readonly cut?: boolean;
  };
  /** Limit in bytes of the records in memory, estimated; the oldest are dropped first. Default 16 MiB. */
  readonly ringBytes?: number;
  /** `isFull` means that entries which are not taken now are lost. */
  readonly onEntry?: (isFull: boolean) => void;
}
const defaultRingBytes = 16 * 1024 * 1024;
const isRecord = (what: Exclude<TraceEntry['what'], Microstep>): what is DirectoryRecord =>
  what.k !== 'key' && what.k !== 'frame' && what.k !== 'mark' && what.k !== 'call';
/** Timers are kept, too, because names of other channels depend on them. */
export const isKept = (record: DirectoryRecord): boolean => {
  const { k } = record;
  if (k === 'in') return record.via !== 'outlet';
  if (k === 'post') return record.a.startsWith('host:');
  return k === 'out' || k === 'draw' || k === 'timer' || k === 'defect';
};

const hasCrossed = (what: TraceEntry['what']): boolean =>
  'k' in what && (what.k === 'mark' || (what.k !== 'timer' && isRecord(what) && isKept(what)));
/** Longest time in ms for which earlier records are written without a pause, and number of records between two checks of the clock. */
const sliceMs = 8;
const mostInSlice = 20;
const mostTries = 5;

/** Observer of a host's tap. Keeps records as references; they become text only when they are read. */
export class Recorder implements Observer {
  readonly step?: (step: Microstep) => void;
  readonly #options: RecorderOptions;
  readonly #start: number;
  readonly #wallClock: () => number;
  readonly #limit: number;
  readonly #entries = new EntryRing();
  /** With a limit of their own, so that they never displace records that a replay needs. */
  readonly #frames = new EntryRing();
  readonly #mostFrames: number;
  #next = 1;
  #isTaken = false;
  #forgotten: ForgottenRecords | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#start = options.now();
    this.#wallClock = options.wallClock ?? (() => Math.round(options.now()));
    this.#limit = options.ringBytes ?? defaultRingBytes;
    this.#mostFrames = (options.frames ?? keptFrames).held;
    if (options.profile !== 'boundary') this.step = (step) => void this.#keep(step, 200);
  }
  record(record: DirectoryRecord): void {
    if (this.#options.profile === 'boundary' && !isKept(record)) return;
    const payload = 'ev' in record ? record.ev : 'input' in record ? record.input : undefined;
    this.#keep(record, record.k === 'timer' ? 100 : 120 + weightOf(payload));
  }
  /** `weight` is in bytes, estimated. A message only illustrates the records; a replay ignores it. */
  frame(frame: Frame, weight = weightOfFrame(frame)): void {
    const frames = this.#frames;
    frames.push(this.placed(frame), weight);
    this.#options.onEntry?.(frames.weight > this.#mostFrames);
    // Keeps at least the latest message, however large it is.
    while (frames.weight > this.#mostFrames && frames.size > 1) frames.shift();
  }
  mark(text: string): void {
    this.#keep({ k: 'mark', text }, 100 + text.length);
  }
  #keep(what: TraceEntry['what'], weight: number): void {
    this.#entries.push(this.placed(what), weight);
    this.#options.onEntry?.(this.weight > this.#limit);
    if (this.weight > this.#limit) this.#forget();
  }
  /** The entry is not kept. */
  placed(what: TraceEntry['what'], number?: number): TraceEntry {
    const t = Math.round((this.#options.now() - this.#start) * 1000) / 1000;
    const s = number ?? this.#next;
    if (number === undefined) this.#next += 1;
    return { s, t, w: this.#wallClock(), what };
  }
  #forget(): void {
    this.#forgotten ??= new ForgottenRecords();
    for (let oldest = this.#entries.oldest; oldest && this.#entries.size > 1; oldest = this.#entries.oldest) {
      const { what, t } = oldest;
      if (this.#mayBegin(what, this.#forgotten)) return;
      if ('k' in what && isRecord(what)) this.#forgotten.take(what, t);
      this.#entries.shift();
    }
  }
  /** At an input from outside while only calls are under way (`isCalm`), or when half of the memory is free. */
  #mayBegin(what: TraceEntry['what'], forgotten: ForgottenRecords): boolean {
    if (this.weight > this.#limit * 0.9) return false;
    if (!('k' in what) || what.k !== 'in') return false;
    return forgotten.isCalm || this.weight < this.#limit / 2;
  }
  get last(): number {
    return this.#next - 1;
  }
  get weight(): number {
    return this.#entries.weight;
  }
  head(next: number): string {
    const { about, profile } = this.#options;
    const head = canonical({ k: 'head', format: traceFormat, ...about, profile, next });
    return `{"s":0,"t":0,${head.slice(1)}\n`;
  }
  /** Records are chosen when it is first read, and written with pauses, so that the host goes on. */
  async *past(most: number, pause: () => Promise<void>): AsyncGenerator<string> {
    const told = this.#frames.entries().filter(({ what }) => 'via' in what && what.via === 'relay');
    const crossed = this.#entries.entries().filter(({ what }) => hasCrossed(what));
    const chosen = inOrder(crossed, told).slice(-most);
    const { redactor } = this.#options;
    for (let tries = 1; ; tries++) {
      const met = redactor?.met;
      const writer = new TraceWriter({ ...this.#options, large: new LargeValues() });
      const slices: string[] = [];
      for (let from = 0; from < chosen.length;) {
        const end = this.#options.now() + sliceMs;
        let lines = '';
        for (; from < chosen.length && (lines === '' || this.#options.now() < end); from += mostInSlice)
          lines += writer.lines(chosen.slice(from, from + mostInSlice));
        slices.push(lines);
        await pause();
      }
      // Writes everything again when a text was written before a secret in it became known.
      if (redactor?.met === met || tries === mostTries) return yield* slices;
    }
  }
  writer(next?: number, before?: TraceWriter): TraceWriter {
    return new TraceWriter(this.#options, next, before);
  }
  take(): readonly TraceEntry[] {
    this.#isTaken = true;
    return inOrder(this.#entries.take(), this.#frames.take());
  }
  tail(reason: string, writer: TraceWriter): string {
    const t = Math.round((this.#options.now() - this.#start) * 1000) / 1000;
    const { records, inputs } = writer;
    const tail = canonical({ k: 'tail', reason, records, inputs, digest: writer.digest() });
    return `{"s":${writer.next},"t":${t},${tail.slice(1)}\n`;
  }
  text(reason: string): string {
    const kept = this.#entries.entries();
    const from = this.#forgotten ? kept[0]?.s : 0;
    const frames = this.#frames.entries().filter(({ s }) => from === undefined || s >= from);
    const entries = inOrder(kept, frames);
    const { redactor } = this.#options;
    const met = redactor?.met;
    // Begins at 2 when earlier records were taken out, so that readers see that the beginning and its facts are missing.
    const start = this.#isTaken ? 2 : 1;
    const write = (): { readonly writer: TraceWriter; readonly body: string } => {
      const writer = this.writer(start);
      const [first] = entries;
      const opening = this.#forgotten && first ? writer.opening(this.#forgotten, first) : '';
      return { writer, body: opening + writer.lines(entries) };
    };
    let { writer, body } = write();
    // Writes everything again when a text was written before a secret in it became known.
    if (redactor && redactor.met !== met) ({ writer, body } = write());
    return this.head(start) + body + this.tail(reason, writer);
  }
}

const inOrder = (some: readonly TraceEntry[], others: readonly TraceEntry[]): readonly TraceEntry[] =>
  others.length === 0 ? some : [...some, ...others].toSorted((a, b) => a.s - b.s);
