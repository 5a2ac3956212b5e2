/** The records of a running host for open pages: in outline, or whole. */
import { systemClock } from '../../adapters/clock.ts';
import { keyOf, type Address } from '../../machines/kernel/effects.ts';
import { fieldsOf } from '../../machines/protocol/json.ts';
import { canonical } from '../../machines/trace/canonical.ts';
import type { DirectoryRecord } from '../../machines/trace/record.ts';
import type { Frames } from '../recording/frames.ts';
import { Recorder, type RecorderOptions, isKept } from '../recording/recorder.ts';
import { LargeValues, type TraceEntry, type TraceWriter, type WholeCall } from '../recording/trace-lines.ts';
import type { Directory, Root } from '../runtime/directory.ts';
import {
  frameOf,
  pictureOf,
  mostBetween,
  mostInSlice,
  mostWaiting,
  WholeRecords,
  type Viewer,
} from './whole-records.ts';

/** Text inside the address of an actor by which the actor of a call is recognized. */
const ofCall = '/call:';
const isOfCall = (address: Address): boolean => address.includes(ofCall);
/** For a page without records: exchanges with the outside, and lives of machines other than calls. */
function isOutlined(record: DirectoryRecord): boolean {
  const { k, a } = record;
  if (k === 'open' || k === 'end' || k === 'timer') return !isOfCall(a);
  return isKept(record);
}

/** Can still become a single line: all of its records have been of the expected kinds so far. */
interface Folding {
  readonly begin: TraceEntry;
  readonly parts: Set<TraceEntry>;
  readonly steps: WholeCall['steps'][number][];
  a: Address;
  isPlain: boolean;
}
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const ticketOf = (a: Address): string => a.slice(a.lastIndexOf(ofCall) + ofCall.length, a.lastIndexOf('#'));
function begun({ via, ev }: Extract<DirectoryRecord, { k: 'in' }>): string | undefined {
  const { type, ticket } = fieldsOf(ev);
  return type === 'agent.called' || (type === 'call.request' && via === 'host') ? textOf(ticket) : undefined;
}
/** Ticket of the call whose success this record reports. */
function succeeded(record: DirectoryRecord): string | undefined {
  const { type, ticket, outcome, body } = fieldsOf('ev' in record ? record.ev : undefined);
  if (record.k === 'post' && type === 'call.settled' && outcome === 'succeeded') return textOf(ticket);
  if (record.k !== 'out' || type !== 'link.answer') return undefined;
  const { isError, meta } = fieldsOf(body);
  const known = fieldsOf(meta)['a2c_outcome'];
  return isError === true || (known !== undefined && known !== 'succeeded') ? undefined : textOf(ticket);
}
/** Undefined for any other record, which the single line of a call cannot show. */
function stepOf(record: DirectoryRecord): readonly [step: string, text?: string] | undefined {
  if (record.k === 'draw' && record.port === 'judge') {
    const { decision, reason } = fieldsOf(record.v);
    return decision === 'allow'
      ? ['found', [decision, textOf(reason)].filter(Boolean).join(': ')]
      : undefined;
  }
  const { type, method } = fieldsOf('ev' in record ? record.ev : undefined);
  if (record.k === 'out' && type === 'ask' && method === 'tools/call') return ['sent'];
  return record.k === 'in' && type === 'ask.answered' && record.id === 'call' ? ['answered'] : undefined;
}

/** Each call that began and succeeded among the entries becomes one line, in order. */
function folded(entries: readonly TraceEntry[]): readonly TraceEntry[] {
  const open = new Map<string, Folding>();
  const whole = new Map<TraceEntry, WholeCall>();
  const gone = new Set<TraceEntry>();
  for (const entry of entries) {
    const what = entry.what as DirectoryRecord;
    const { k, a } = what;
    if (isOfCall(a ?? '')) {
      const call = open.get(ticketOf(a));
      const step = call && stepOf(what);
      if (!call) continue;
      if (!step) call.isPlain = false;
      else {
        call.a = a;
        call.parts.add(entry);
        call.steps.push([step[0], entry.s, entry.w, ...(step[1] === undefined ? [] : [step[1]])] as never);
      }
      continue;
    }
    const ticket = k === 'in' ? begun(what) : undefined;
    if (ticket !== undefined)
      open.set(keyOf(ticket), {
        begin: entry,
        parts: new Set([entry]),
        steps: [['asked', entry.s, entry.w]],
        a: '',
        isPlain: true,
      });
    const end = k === 'post' || k === 'out' ? succeeded(what) : undefined;
    const call = end === undefined ? undefined : open.get(keyOf(end));
    if (!call?.isPlain || call.a === '') continue;
    for (const part of call.parts) gone.add(part);
    call.steps.push(['ended', entry.s, entry.w]);
    const [ev, told] = [call.begin.what, what].map((each) => fieldsOf(each)['ev'] as object);
    whole.set(entry, { k: 'call', a: call.a, ev: ev ?? {}, told: told ?? {}, steps: call.steps });
  }
  if (whole.size === 0) return entries;
  return entries
    .filter((entry) => !gone.has(entry))
    .map((entry) => {
      const call = whole.get(entry);
      return call ? { ...entry, what: call } : entry;
    });
}

const batchMs = 200;
/** Longest time in ms for which records are written before other work gets its turn. */
const sliceMs = 8;
/** A larger batch is skipped and followed by a checkpoint: converting records to text blocks the host. */
const mostInBatch = 5_000;
/** Never computed, because the lines for a page have no end that would contain it. */
const noDigest = (): ReturnType<RecorderOptions['digest']> => ({ add: () => {}, value: () => '' });
interface Running {
  readonly recorder: Recorder;
  readonly whole: WholeRecords;
  writer: TraceWriter;
  readonly leave: () => void;
  since: number;
}

/** All pages get the same outline every 200 ms; a slow page misses some of it and gets a checkpoint. */
export class LiveStream {
  readonly #directory: Directory;
  readonly #wires: Frames;
  readonly #options: () => RecorderOptions;
  /** With the number of records that each page has missed. */
  readonly #viewers = new Map<Viewer, number>();
  readonly #large = new LargeValues();
  #running: Running | undefined;
  /** Records since the last batch for the outline. */
  #taken: TraceEntry[] = [];
  #waiting: readonly TraceEntry[] = [];
  #known = new WeakMap<Root, unknown>();
  #timer: unknown;

  constructor(directory: Directory, options: () => RecorderOptions, wires: Frames) {
    wires.called = (frame) => {
      if (this.#running) this.#take(this.#running.whole.frame(frame));
    };
    this.#wires = wires;
    this.#directory = directory;
    this.#options = options;
  }
  #recorder(): Recorder {
    const own = { digest: noDigest, large: this.#large, isPart: true, ringBytes: Infinity };
    return new Recorder({ ...this.#options(), ...own });
  }
  /** Finds large values and words that are no secrets, so that the first checkpoint takes less time. */
  async prepare(pause: () => Promise<void>): Promise<void> {
    if (this.#running) return;
    const recorder = this.#recorder();
    const writer = recorder.writer();
    const { opened } = this.#directory;
    let end = systemClock.now() + sliceMs;
    for (const root of [...this.#directory.roots]) {
      writer.lines([recorder.placed({ k: 'key', opened, outlets: [], roots: [frameOf(root)] })]);
      if (systemClock.now() < end) continue;
      await pause();
      end = systemClock.now() + sliceMs;
    }
  }
  /** Returns the first lines for the page: a head, and a checkpoint of all living actors. */
  add(viewer: Viewer): string {
    const running = (this.#running ??= this.#start());
    const head = running.recorder.head(running.recorder.last);
    const lines = this.#join(running, viewer);
    this.#wires.pages = this.#viewers.size + running.whole.pages;
    return head + lines;
  }
  /** Returns the first checkpoint of the page, which is sent to the other pages, too. */
  #join(running: Running, viewer: Viewer): string {
    this.#flush(Infinity);
    const lines = this.#checkpoint(running);
    this.#tell(lines, 1);
    this.#viewers.set(viewer, 0);
    return lines;
  }
  /** All records begin with those that the host still has. */
  want(viewer: Viewer, isWhole: boolean): void {
    const running = this.#running;
    if (!running || running.whole.has(viewer) === isWhole) return;
    if (isWhole && this.#viewers.delete(viewer)) {
      running.whole.add(viewer);
      this.#flush();
    } else if (!isWhole) {
      this.#flush(Infinity);
      const missed = running.whole.left(viewer);
      running.whole.remove(viewer);
      viewer.send({ type: 'gap', missed, lines: this.#join(running, viewer) });
    }
  }
  mark(text: string): void {
    if (this.#running) this.#take(this.#running.recorder.placed({ k: 'mark', text }));
  }
  /** Left out by records, with secrets hidden; undefined when it is gone. */
  value(number: number): unknown {
    const found = this.#large.find(number);
    if (!found) return undefined;
    const { redactor, hook } = this.#options();
    // Writes the value under the name of its field, because names tell what is secret.
    const { key, value } = found;
    const text = canonical(hook?.value({ [key]: value }) ?? { [key]: value }, redactor);
    return fieldsOf(JSON.parse(text))[key];
  }
  remove(viewer: Viewer): void {
    const running = this.#running;
    if (!running || !(this.#viewers.delete(viewer) || running.whole.remove(viewer))) return;
    const left = this.#viewers.size + running.whole.pages;
    this.#wires.pages = left;
    if (left > 0) return;
    systemClock.clearTimeout(this.#timer);
    this.#timer = undefined;
    [this.#taken, this.#waiting] = [[], []];
    running.leave();
    running.whole.close();
    this.#running = undefined;
  }
  /** The last records, and the reason why no more will come, are sent first. */
  part(viewers: Iterable<Viewer>, reason: string): void {
    this.#flush(Infinity);
    for (const viewer of viewers) {
      viewer.send({ type: 'closed', reason });
      this.remove(viewer);
    }
  }

  #start(): Running {
    const recorder = this.#recorder();
    const whole = new WholeRecords(this.#directory, recorder);
    const record = (each: DirectoryRecord): void => {
      const entry = whole.record(each);
      if (isOutlined(each)) this.#take(entry);
      else this.#due();
    };
    const leave = this.#directory.tap.add({ record });
    whole.collect();
    return { recorder, whole, writer: recorder.writer(), leave, since: 0 };
  }
  #take(entry: TraceEntry): void {
    this.#taken.push(entry);
    this.#due();
  }
  #due(ms = batchMs): void {
    this.#timer ??= systemClock.setTimeout(() => this.#flush(), ms);
  }
  #checkpoint(running: Running): string {
    const { recorder } = running;
    for (const root of this.#directory.roots) this.#known.set(root, root.ref.getSnapshot());
    const key = recorder.placed(pictureOf(this.#directory), recorder.last);
    // Begins a writer that writes again all lists which the checkpoint uses, because a new page does not have them.
    running.writer = recorder.writer(key.s, running.writer);
    running.since = 0;
    return running.writer.lines([key]);
  }
  /** A succeeded call is one line; a changed machine has its latest state under the latest number. */
  #batch({ recorder }: Running): readonly TraceEntry[] {
    const entries = folded(this.#taken);
    this.#taken = [];
    const moved = this.#viewers.size === 0 ? [] : this.#moved();
    return [...entries, ...moved.map((root) => recorder.placed(stateOf(root), recorder.last))];
  }
  /** Machines, except those of calls, with another state than the pages know. */
  #moved(): Root[] {
    return [...this.#directory.roots].filter((root) => {
      const snapshot = root.ref.getSnapshot();
      if (root.kind === 'call' || this.#known.get(root) === snapshot) return false;
      this.#known.set(root, snapshot);
      return true;
    });
  }
  /** For at most `ms`. Called between two inputs (timers, sockets), so that a checkpoint may be taken. */
  #flush(ms = sliceMs): void {
    systemClock.clearTimeout(this.#timer);
    this.#timer = undefined;
    const running = this.#running;
    if (!running) return;
    running.whole.collect();
    const again = running.whole.pour(ms);
    if (again !== undefined) this.#due(again);
    const fresh = this.#batch(running);
    const all = this.#waiting.length === 0 ? fresh : [...this.#waiting, ...fresh];
    const isTooMuch = all.length > mostInBatch;
    running.since += fresh.length;
    if (isTooMuch) {
      this.#waiting = [];
      // Starts a writer that refers to no context in a skipped record, because the pages do not have those records.
      running.writer = running.recorder.writer(running.recorder.last, running.writer);
      for (const [viewer, missed] of this.#viewers) this.#viewers.set(viewer, missed + all.length);
    } else if (all.length > 0 && !this.#pour(running, all, ms)) return;
    this.#recover(running, isTooMuch);
    if (running.since > mostBetween) this.#tell(this.#checkpoint(running), 1);
  }
  /** For at most `ms`; false when there are more, which follow soon. */
  #pour({ writer }: Running, all: readonly TraceEntry[], ms: number): boolean {
    const end = systemClock.now() + ms;
    let lines = '';
    let from = 0;
    while (from < all.length && (from === 0 || systemClock.now() < end)) {
      lines += writer.lines(all.slice(from, from + mostInSlice));
      from += mostInSlice;
    }
    this.#tell(lines, Math.min(from, all.length));
    this.#waiting = all.slice(from);
    if (this.#waiting.length === 0) return true;
    this.#due(0);
    return false;
  }
  #tell(lines: string, count: number): void {
    for (const [viewer, missed] of this.#viewers)
      if (missed > 0 || viewer.waiting > mostWaiting) this.#viewers.set(viewer, missed + count);
      else viewer.send({ type: 'records', lines });
  }
  #recover(running: Running, isTooMuch: boolean): void {
    const behind = [...this.#viewers].filter(([, missed]) => missed > 0);
    if (behind.length === 0) return;
    const ready = isTooMuch ? [] : behind.filter(([viewer]) => viewer.waiting === 0);
    if (ready.length < behind.length) this.#due();
    if (ready.length === 0) return;
    const lines = this.#checkpoint(running);
    this.#tell(lines, 1);
    for (const [viewer, missed] of ready) {
      this.#viewers.set(viewer, 0);
      viewer.send({ type: 'gap', missed, lines });
    }
  }
}
const stateOf = ({ ref }: Root): TraceEntry['what'] => ({
  actor: ref,
  event: { type: '' },
  snapshot: ref.getSnapshot(),
  transitions: [],
});
