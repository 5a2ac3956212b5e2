import { LargeValues } from '../recording/large-values.ts';
import { Recorder, type RecorderOptions } from '../recording/recorder.ts';
import type { TraceEntry, TraceWriter } from '../recording/trace-lines.ts';
import type { Frames } from './frames.ts';
import { folded, isOutlined } from './outline.ts';
import { frameOf, pictureOf } from './picture.ts';
import { mostBetween, mostInSlice, mostWaiting, WholeRecords, type Viewer } from './whole-records.ts';
import type { Directory } from '../runtime/directory.ts';
import type { Root } from '../runtime/root.ts';
import { systemClock } from '../../adapters/index.ts';
import { fieldsOf } from '../../machines/protocol/json.ts';
import { canonical, type DirectoryRecord } from '../../machines/trace/index.ts';

const batchMs = 200;
/** Time in ms for which records are written before the event loop is free again. */
const sliceMs = 8;
/**
 * Most records in one batch; larger batches are skipped and followed by a checkpoint, because converting records to
 * text blocks the host.
 */
const mostInBatch = 5_000;
/** Digest that is never computed: what a page gets has no end at which it would stand. */
const noDigest = (): ReturnType<RecorderOptions['digest']> => ({ add: () => {}, value: () => '' });
interface Running {
  readonly recorder: Recorder;
  readonly whole: WholeRecords;
  writer: TraceWriter;
  readonly leave: () => void;
  /** Number of records since the last checkpoint. */
  since: number;
}

/**
 * Stream of what happens in a directory, for the attached pages; nothing is recorded without a page. All pages get the
 * same outline, every 200 ms: what crosses the boundary, a line for each call, and the changed states of machines. A slow
 * page misses some, is told how many, and continues from a checkpoint. A page that shows records gets all of them instead.
 */
export class LiveStream {
  readonly #directory: Directory;
  readonly #wires: Frames;
  readonly #options: () => RecorderOptions;
  /** Pages that get the outline, each with the number of records that it has missed. */
  readonly #viewers = new Map<Viewer, number>();
  readonly #large = new LargeValues();
  #running: Running | undefined;
  /** Records of the outline since the last batch. */
  #taken: TraceEntry[] = [];
  /** Records of earlier batches that are not written yet. */
  #waiting: readonly TraceEntry[] = [];
  /** Latest snapshot of each actor that the pages know. */
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
  /**
   * Writes the state of each actor once with pauses, so that the first checkpoint, which must be written at once, finds
   * what takes long done: which values are large, and the words that are no secrets.
   */
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
  /**
   * Attaches a page, which gets the outline of what happens from now on. Returns the first lines for it: a head, and a
   * checkpoint of all living actors.
   */
  add(viewer: Viewer): string {
    const running = (this.#running ??= this.#start());
    const head = running.recorder.head(running.recorder.last);
    const lines = this.#join(running, viewer);
    this.#wires.pages = this.#viewers.size + running.whole.pages;
    return head + lines;
  }
  /** Gives a page the outline from now on; returns the checkpoint with which it begins, which the other pages get too. */
  #join(running: Running, viewer: Viewer): string {
    this.#flush(Infinity);
    const lines = this.#checkpoint(running);
    this.#tell(lines, 1);
    this.#viewers.set(viewer, 0);
    return lines;
  }
  /** Gives an attached page all records, those first that the host still has, or the outline again. */
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
  /** Returns a large value that records left out, with secrets hidden; undefined when it is gone. */
  value(number: number): unknown {
    const found = this.#large.find(number);
    if (!found) return undefined;
    const { redactor, hook } = this.#options();
    // Writes it under the name at which it stands, because names tell what is secret.
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
  /** Sends the last records to these pages, and the reason why no more will come, then detaches them. */
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
    // Writes the lists used by the checkpoint before it, because a new page may not have seen them.
    running.writer = recorder.writer(key.s, running.writer);
    running.since = 0;
    return running.writer.lines([key]);
  }
  /**
   * Returns the records since the last batch: each call once, and of each machine its latest state, which has the number
   * of the latest record.
   */
  #batch({ recorder }: Running): readonly TraceEntry[] {
    const entries = folded(this.#taken);
    this.#taken = [];
    const moved = this.#viewers.size === 0 ? [] : this.#moved();
    return [...entries, ...moved.map((root) => recorder.placed(stateOf(root), recorder.last))];
  }
  /** Returns the machines, except those of calls, that have another state than the pages know. */
  #moved(): Root[] {
    return [...this.#directory.roots].filter((root) => {
      const snapshot = root.ref.getSnapshot();
      if (root.kind === 'call' || this.#known.get(root) === snapshot) return false;
      this.#known.set(root, snapshot);
      return true;
    });
  }
  /**
   * Sends the collected records to the pages, for at most `ms`; the rest follows soon. Called by timers and sockets, that
   * is between two inputs, so that a checkpoint may be taken.
   */
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
      // Starts a writer that does not refer to contexts of skipped records, which the pages have not seen.
      running.writer = running.recorder.writer(running.recorder.last, running.writer);
      for (const [viewer, missed] of this.#viewers) this.#viewers.set(viewer, missed + all.length);
    } else if (all.length > 0 && !this.#pour(running, all, ms)) return;
    this.#recover(running, isTooMuch);
    if (running.since > mostBetween) this.#tell(this.#checkpoint(running), 1);
  }
  /** Writes records to the pages for at most `ms`; returns false when there are more, which follow soon. */
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
/** Returns a step without a transition that tells the present state of an actor. */
const stateOf = ({ ref }: Root): TraceEntry['what'] => ({
  actor: ref,
  event: { type: '' },
  snapshot: ref.getSnapshot(),
  transitions: [],
});
