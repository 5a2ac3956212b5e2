/** The records of a running host for open pages: in outline, or whole. */
import { systemClock } from '../../adapters/clock.ts';
import type { Address } from '../../machines/kernel/effects.ts';
import { fieldsOf, type Fields } from '../../machines/protocol/json.ts';
import { canonical } from '../../machines/trace/canonical.ts';
import type { Checkpoint, DirectoryRecord } from '../../machines/trace/record.ts';
import { CallsUnderWay } from '../recording/calls-under-way.ts';
import type { Frames } from '../recording/frames.ts';
import { Recorder, type RecorderOptions, isKept } from '../recording/recorder.ts';
import { LargeValues, type TraceEntry, type WholeCall } from '../recording/trace-lines.ts';
import { textOf } from '../../machines/trace/row.ts';
import type { Directory, Root } from '../runtime/directory.ts';
import type { Microstep } from '../runtime/stepper/stepper.ts';
import { livingRoot, pictureOf } from './checkpoint.ts';
import { Feed, type Viewer } from './feed.ts';

/** Text inside the address of an actor by which the actor of a call is recognized. */
const ofCall = '/call:';
const isOfCall = (address: Address): boolean => address.includes(ofCall);
/** For a page without records: exchanges with the outside, and lives of machines other than calls. */
function isOutlined(record: DirectoryRecord): boolean {
  const { k, a } = record;
  if (k === 'open' || k === 'end' || k === 'timer') return !isOfCall(a);
  return isKept(record);
}
/** Change of the state of a machine, not only of what it remembers. */
const isMove = ({ actor, transitions }: Microstep): boolean =>
  transitions.some(({ target }) => target) && !isOfCall(actor.id);

const eventIn = (record: DirectoryRecord): Fields => fieldsOf('ev' in record ? record.ev : undefined);
/** Undefined for any other record, which the single line of a call cannot show. */
function stepOf(record: DirectoryRecord): readonly [step: string, text?: string] | undefined {
  if (record.k === 'draw' && record.port === 'judge') {
    const { decision, reason } = fieldsOf(record.v);
    return decision === 'allow'
      ? ['found', [decision, textOf(reason)].filter(Boolean).join(': ')]
      : undefined;
  }
  const { type, method } = eventIn(record);
  if (record.k === 'out' && type === 'ask' && method === 'tools/call') return ['sent'];
  return record.k === 'in' && type === 'ask.answered' && record.id === 'call' ? ['answered'] : undefined;
}

type RecordEntry = TraceEntry & { readonly what: DirectoryRecord };
/** The single line of a call that succeeded; undefined when something else happened in it. */
function wholeOf(held: readonly RecordEntry[]): TraceEntry | undefined {
  const [begin, end] = [held[0], held.at(-1)];
  const a = held.find(({ what }) => isOfCall(what.a))?.what.a;
  if (!begin || !end || a === undefined) return undefined;
  const between: WholeCall['steps'][number][] = [];
  for (const { s, w, what } of held.slice(1, -1)) {
    const [step, text] = stepOf(what) ?? [];
    if (step === undefined) return undefined;
    between.push(text === undefined ? [step, s, w] : [step, s, w, text]);
  }
  const steps: WholeCall['steps'] = [['asked', begin.s, begin.w], ...between, ['ended', end.s, end.w]];
  return { ...end, what: { k: 'call', a, ev: eventIn(begin.what), told: eventIn(end.what), steps } };
}
/** A call of an agent may pass through this host once more, where it is told. */
const mayFold = (entry: TraceEntry): entry is RecordEntry =>
  'k' in entry.what &&
  entry.what.k !== 'frame' &&
  entry.what.k !== 'mark' &&
  !('roots' in entry.what) &&
  entry.what.k !== 'call' &&
  eventIn(entry.what)['type'] !== 'agent.call';
/** Each call that began and succeeded among the entries becomes one line, in order. */
function folded(entries: readonly TraceEntry[]): readonly TraceEntry[] {
  const all: TraceEntry[] = [];
  const calls = new CallsUnderWay<RecordEntry>(
    (entry) => void all.push(entry),
    (held) => {
      const whole = wholeOf(held);
      all.push(...(whole ? [whole] : held));
    },
  );
  for (const entry of entries) if (!mayFold(entry) || !calls.take(entry)) all.push(entry);
  calls.foldAll();
  return all.toSorted((a, b) => a.s - b.s);
}

const batchMs = 200;
/** Longest time in ms for which records are written before other work gets its turn. */
const sliceMs = 8;
/** Never computed, because the lines for a page have no end that would contain it. */
const noDigest = (): ReturnType<RecorderOptions['digest']> => ({ add: () => {}, value: () => '' });
interface Running {
  readonly recorder: Recorder;
  /** For pages that show no records. */
  readonly outline: Feed;
  readonly whole: Feed;
  readonly leave: () => void;
}

export class LiveStream {
  readonly #directory: Directory;
  readonly #wires: Frames;
  readonly #options: () => RecorderOptions;
  readonly #large = new LargeValues();
  #running: Running | undefined;
  /** Snapshots that the pages of the outline know. */
  #known = new WeakMap<object, unknown>();
  #timer: unknown;

  constructor(directory: Directory, options: () => RecorderOptions, wires: Frames) {
    wires.called = (frame) => this.#place(frame);
    this.#wires = wires;
    this.#directory = directory;
    this.#options = options;
  }
  #recorder(): Recorder {
    const own = { digest: noDigest, large: this.#large, isPart: true };
    return new Recorder({ ...this.#options(), ...own });
  }
  /** Finds large values and words that are no secrets, so that the first checkpoint takes less time. */
  async prepare(pause: () => Promise<void>): Promise<void> {
    if (this.#running) return;
    const recorder = this.#recorder();
    const writer = recorder.writer();
    let end = systemClock.now() + sliceMs;
    for (const root of [...this.#directory.roots]) {
      writer.lines([recorder.placed({ k: 'key', roots: [livingRoot(root)] })]);
      if (systemClock.now() < end) continue;
      await pause();
      end = systemClock.now() + sliceMs;
    }
  }
  /** Returns the first lines for the page: a head, and a checkpoint of all living actors. */
  add(viewer: Viewer): string {
    const { recorder, outline, whole } = (this.#running ??= this.#start());
    const head = recorder.head(recorder.last);
    const lines = outline.add(viewer);
    this.#wires.pages = outline.size + whole.size;
    return head + lines;
  }
  /** From a checkpoint on the page gets all records, or the outline again. */
  want(viewer: Viewer, isWhole: boolean): void {
    if (!this.#running) return;
    const { outline, whole } = this.#running;
    const [from, to] = isWhole ? [outline, whole] : [whole, outline];
    if (!from.has(viewer)) return;
    from.flush(Infinity);
    from.remove(viewer);
    viewer.send({ type: 'gap', missed: 0, lines: to.add(viewer) });
  }
  mark(text: string): void {
    this.#place({ k: 'mark', text });
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
    if (!this.#running) return;
    const { outline, whole, leave } = this.#running;
    if (!outline.remove(viewer) && !whole.remove(viewer)) return;
    this.#wires.pages = outline.size + whole.size;
    if (this.#wires.pages > 0) return;
    systemClock.clearTimeout(this.#timer);
    this.#timer = undefined;
    leave();
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
    // Takes a number for the first checkpoint: each has that of the record before it.
    recorder.placed({ k: 'mark', text: '' });
    const due = (ms?: number): void => this.#due(ms);
    const picture = (): Checkpoint => pictureOf(this.#directory);
    const outline = new Feed({
      recorder,
      due,
      picture: () => {
        for (const { ref } of this.#directory.roots) this.#known.set(ref, ref.getSnapshot());
        return picture();
      },
      // A succeeded call is one line; a changed machine has its latest state under the latest number.
      batch: (taken) => [
        ...folded(taken),
        ...this.#moved().map((root) => recorder.placed(stateOf(root), recorder.last)),
      ],
    });
    const whole = new Feed({ recorder, due, picture, batch: (taken) => taken });
    const record = (each: DirectoryRecord): void => this.#place(each, isOutlined(each));
    const step = (each: Microstep): void => {
      const isShown = isMove(each);
      if (isShown) this.#known.set(each.actor, each.snapshot);
      if (isShown || whole.size > 0) this.#place(each, isShown);
      else due();
    };
    return { recorder, outline, whole, leave: this.#directory.tap.add({ record, step }) };
  }
  #place(what: TraceEntry['what'], isShown = true): void {
    if (!this.#running) return;
    const { recorder, outline, whole } = this.#running;
    const entry = recorder.placed(what);
    if (isShown) outline.take(entry);
    whole.take(entry);
    this.#due();
  }
  #due(ms = batchMs): void {
    this.#timer ??= systemClock.setTimeout(() => this.#flush(), ms);
  }
  /** Machines, except those of calls, with another state than the pages know. */
  #moved(): Root[] {
    return [...this.#directory.roots].filter(({ kind, ref }) => {
      const snapshot = ref.getSnapshot();
      if (kind === 'call' || this.#known.get(ref) === snapshot) return false;
      this.#known.set(ref, snapshot);
      return true;
    });
  }
  /** For at most `ms`. */
  #flush(ms = sliceMs): void {
    systemClock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running?.outline.flush(ms);
    this.#running?.whole.flush(ms);
  }
}
const stateOf = ({ ref }: Root): TraceEntry['what'] => ({
  actor: ref,
  event: { type: '' },
  snapshot: ref.getSnapshot(),
  transitions: [],
});
