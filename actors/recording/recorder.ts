import type { InspectionEvent } from 'xstate';
import {
  canonical,
  RollingHash,
  textOfRecord,
  Texts,
  traceFormat,
  type DirectoryRecord,
  type Frame,
  type Head,
  type Checkpoint,
  type Profile,
  type Redactor,
  type RootFrame,
} from '../../machines/trace/index.ts';
import { remembered } from '../../machines/kernel/remembered.ts';
import type { Observer } from '../runtime/observer.ts';
import { isMicrostep, lineOf, Steps, type Entry } from './trace-lines.ts';

export interface RecorderOptions {
  readonly profile: Profile;
  /** ms, monotonic. */
  readonly now: () => number;
  /** Hides secrets; without it everything is written as it is. */
  readonly redactor?: Redactor;
  readonly sha256: (text: string) => string;
  readonly digest: () => { add(text: string): void; value(): string };
  /** What only the host knows of itself. */
  readonly about: Pick<Head, 'runtime' | 'xstate' | 'node' | 'clock' | 'started' | 'redaction'> & {
    readonly title?: string;
  };
  /** Fingerprints of the charts, asked for when something is written. */
  readonly charts: () => Head['charts'];
  /** Bytes in memory, as a rough weight of what is held; the oldest goes first. Default 16 MiB. */
  readonly ringBytes?: number;
  /** Something that must not happen: a machine failed, a message was lost, a defect. */
  readonly onAlarm?: (what: string) => void;
  /** Told of each new entry, by whoever writes them out as they come. `isFull`: what is not taken now is lost. */
  readonly onEntry?: (isFull: boolean) => void;
}
const defaultRingBytes = 16 * 1024 * 1024;
const deepest = 32;
/** What holds itself has no end, and more ways than one to go round. */
const mostVisits = 50_000;

/** About so many bytes are held by a value. */
function weightOf(value: unknown): number {
  let visits = 0;
  const weigh = (each: unknown, depth: number): number => {
    if (typeof each === 'string') return 16 + each.length;
    if (typeof each !== 'object' || each === null) return 8;
    visits += 1;
    if (depth > deepest || visits > mostVisits) return 48;
    let sum = 48;
    if (Array.isArray(each)) for (const one of each) sum += 8 + weigh(one, depth + 1);
    else for (const key in each) sum += 8 + weigh((each as Record<string, unknown>)[key], depth + 1);
    return sum;
  };
  try {
    return weigh(value, 0);
  } catch {
    // A getter of a stranger that throws.
    return 48;
  }
}
const remembersOf = remembered<object, number>(weightOf);
/** What a machine remembers is mostly the same as the last time: only what is new in its context is looked through. */
const contextOf = ({ snapshot }: RootFrame): object => (snapshot as { readonly context: object }).context;
function weightOfRoot(frame: RootFrame): number {
  let sum = weightOf({ ...frame, snapshot: undefined });
  for (const value of Object.values(contextOf(frame)) as readonly unknown[])
    sum += 8 + (typeof value === 'object' && value !== null ? remembersOf(value) : weightOf(value));
  return sum;
}
const alarmOf = (record: DirectoryRecord): string | undefined => {
  if (record.k === 'defect') return `${record.a}: ${record.what}`;
  if (record.k === 'end' && record.why === 'failed') return `${record.a} failed: ${record.error}`;
  if (record.k === 'post' && record.dead === 'lost') return `${record.ev.type} to nobody at ${record.a}`;
  return undefined;
};

/**
 * The flight recorder: an observer of the one tap. With the profile `inputs` it keeps what the world did and
 * nothing else; what the machines did goes into a rolling hash that each input carries. References are kept,
 * and become text only when somebody wants to read them.
 */
export class Recorder implements Observer {
  readonly inspect?: (event: InspectionEvent) => void;
  readonly #options: RecorderOptions;
  readonly #rollingHash = new RollingHash();
  readonly #start: number;
  readonly #limit: number;
  #entries: Entry[] = [];
  #weights: number[] = [];
  /** Entries before this one are forgotten. */
  #first = 0;
  #bytes = 0;
  #next = 1;
  #sinceKey = 0;
  /** Their numbers, of those that are not forgotten. */
  #checkpoints: number[] = [];
  /** Puts down everything, so that a replay can begin there. With it the ring forgets up to a checkpoint. */
  picture: (() => Checkpoint) | undefined;
  #inputs = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#start = options.now();
    this.#limit = options.ringBytes ?? defaultRingBytes;
    if (options.profile !== 'inputs')
      this.inspect = (event) => {
        if (event.type === '@xstate.microstep') this.#keep(event, undefined, 200);
      };
  }
  record(record: DirectoryRecord): void {
    const { profile, onAlarm } = this.#options;
    const isInput = record.k === 'in';
    // An input comes between two others: nothing is under way, so everything can be put down.
    if (isInput && this.picture && this.#sinceKey > this.#limit / 2) this.#checkpoint(this.picture());
    if (isInput || record.k === 'draw' || profile !== 'inputs') {
      const payload = 'ev' in record ? record.ev : 'input' in record ? record.input : undefined;
      this.#keep(record, isInput ? this.#rollingHash.value : undefined, 120 + weightOf(payload));
    }
    if (isInput) this.#inputs += 1;
    this.#rollingHash.take(record);
    if (!onAlarm) return;
    const alarm = alarmOf(record);
    if (alarm !== undefined) onAlarm(alarm);
  }
  /** A message on the wire: it stands beside what happened, and nothing follows from it. */
  frame(frame: Frame): void {
    this.#keep(frame, undefined, 120 + weightOf(frame.json ?? frame.text));
  }
  /** It begins in mid-life: before anything else is reported. */
  begin(key: Checkpoint): void {
    this.#checkpoint(key);
  }
  #checkpoint(key: Checkpoint): void {
    const weight = key.roots.reduce((sum, frame) => sum + weightOfRoot(frame), 200);
    this.#checkpoints.push(this.#next);
    this.#keep(key, this.#rollingHash.value, weight);
    // What it weighs itself must not bring the next one sooner.
    this.#sinceKey = 0;
  }
  #keep(what: Entry['what'], check: number | undefined, weight: number): void {
    const { now, onEntry } = this.#options;
    const t = Math.round((now() - this.#start) * 1000) / 1000;
    this.#entries.push({ s: this.#next, t, check, what });
    this.#next += 1;
    this.#weights.push(weight);
    this.#bytes += weight;
    this.#sinceKey += weight;
    onEntry?.(this.#bytes > this.#limit);
    if (this.#bytes > this.#limit) this.#forget();
  }
  /** Everything before the next checkpoint goes, so that what is left can be replayed; without one, one by one. */
  #forget(): void {
    const first = this.#entries[this.#first]?.s ?? 0;
    const until = this.#checkpoints.find((s) => s > first);
    if (until === undefined && this.picture) return;
    while (this.#first < this.#entries.length - 1) {
      if (until === undefined ? this.#bytes <= this.#limit : this.#entries[this.#first]?.s === until) break;
      this.#bytes -= this.#weights[this.#first] ?? 0;
      this.#first += 1;
    }
    this.#checkpoints = this.#checkpoints.filter((s) => s >= (until ?? 0));
    // The forgotten half goes at once: one by one would move the rest each time.
    if (this.#first * 2 < this.#entries.length) return;
    this.#entries = this.#entries.slice(this.#first);
    this.#weights = this.#weights.slice(this.#first);
    this.#first = 0;
  }
  /** Bytes held, roughly. */
  get weight(): number {
    return this.#bytes;
  }
  head(next: number): string {
    const { about, charts, profile } = this.#options;
    const head = { k: 'head', format: traceFormat, ...about, charts: charts(), profile, next };
    return lineOf({ s: 0, t: 0, check: undefined }, canonical(head));
  }
  writer(): TraceWriter {
    return new TraceWriter(this.#options);
  }
  /** What came since the last time, for whoever writes it out as it comes; forgotten here. */
  take(): readonly Entry[] {
    const taken = this.#entries.slice(this.#first);
    this.#entries = [];
    this.#weights = [];
    this.#first = 0;
    this.#bytes = 0;
    return taken;
  }
  tail(reason: string, digest: string, records: number): string {
    const t = Math.round((this.#options.now() - this.#start) * 1000) / 1000;
    const tail = { k: 'tail', reason, records, inputs: this.#inputs, check: this.#rollingHash.text, digest };
    return lineOf({ s: this.#next, t, check: undefined }, canonical(tail));
  }
  /** The whole trace as far as it is in memory. */
  text(reason: string): string {
    const entries = this.#entries.slice(this.#first);
    const met = this.#options.redactor?.met;
    let writer = this.writer();
    let body = writer.lines(entries);
    const { redactor } = this.#options;
    // What gave a secret away may have come after a text with it: then all is written again, for whom it is not new.
    if (redactor && redactor.met !== met) {
      writer = this.writer();
      body = writer.lines(entries);
    }
    return this.head(entries[0]?.s ?? this.#next) + body + this.tail(reason, writer.digest(), writer.records);
  }
}

/** Turns entries into lines, in order, and keeps the digest of all of them. */
export class TraceWriter {
  readonly #redactor: Redactor | undefined;
  readonly #texts = new Texts();
  readonly #steps: Steps;
  readonly #digest: { add(text: string): void; value(): string };
  records = 0;
  constructor({ redactor, sha256, digest, profile }: RecorderOptions) {
    this.#redactor = redactor;
    this.#steps = new Steps({ redactor, texts: this.#texts, digest: sha256, isFull: profile === 'full' });
    this.#digest = digest();
  }
  lines(entries: readonly Entry[]): string {
    let lines = '';
    for (const entry of entries) {
      const { what } = entry;
      const text = textOfRecord(isMicrostep(what) ? this.#steps.of(what) : what, this.#redactor, this.#texts);
      this.#digest.add(text);
      this.records += 1;
      lines += lineOf(entry, text);
    }
    return lines;
  }
  digest(): string {
    return this.#digest.value();
  }
}
