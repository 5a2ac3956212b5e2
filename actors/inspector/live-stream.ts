import type { EventObject } from 'xstate';
import { LargeValues } from '../recording/large-values.ts';
import { Recorder, type RecorderOptions } from '../recording/recorder.ts';
import type { TraceEntry, TraceWriter } from '../recording/trace-lines.ts';
import type { Frames } from './frames.ts';
import type { Directory } from '../runtime/directory.ts';
import type { Root } from '../runtime/root.ts';
import { systemClock } from '../../adapters/index.ts';
import type { ToPage } from '../../machines/inspection.ts';
import { fieldsOf } from '../../machines/protocol/json.ts';
import { canonical, type HeldFrame, type Checkpoint, type RootFrame } from '../../machines/trace/index.ts';

/** Inspector page, as the live stream sees it. */
export interface Viewer {
  send(message: ToPage): void;
  /** Number of bytes sent to the page that have not left this process yet. */
  readonly waiting: number;
}
const batchMs = 200;
/** Time in ms for which records are written before the event loop is free again, and number written between two looks. */
const sliceMs = 8;
const mostInSlice = 32;
/** Most bytes that wait for one page, 8 MiB; beyond that the page misses records. */
const mostWaiting = 8 * 1024 * 1024;
/**
 * Most records in one batch; larger batches are skipped and followed by a checkpoint, because converting records to
 * text blocks the host.
 */
const mostInBatch = 5_000;
/** Number of records after which a checkpoint follows, from which on a page may drop what is older. */
const mostBetween = 25_000;
const ringBytes = 32 * 1024 * 1024;
/** Digest that is never computed: what a page gets has no end at which it would stand. */
const noDigest = (): ReturnType<RecorderOptions['digest']> => ({ add: () => {}, value: () => '' });
interface Running {
  readonly recorder: Recorder;
  writer: TraceWriter;
  readonly leave: () => void;
  /** Number of the next trace record that is sent to pages. */
  next: number;
  /** Number of trace records since the last checkpoint. */
  since: number;
}

/**
 * Stream of everything that happens in a directory, as trace records of the profile `full`, for the attached pages;
 * nothing is recorded without a page. All pages get the same records. A slow page misses some, is told how many, and
 * continues from a checkpoint.
 */
export class LiveStream {
  readonly #directory: Directory;
  readonly #wires: Frames;
  readonly #options: () => RecorderOptions;
  /** Attached pages, each with the number of records that it has missed. */
  readonly #viewers = new Map<Viewer, number>();
  readonly #large = new LargeValues();
  #running: Running | undefined;
  /** Records that are taken and not written yet. */
  #waiting: TraceEntry[] = [];
  #timer: unknown;

  constructor(directory: Directory, options: () => RecorderOptions, wires: Frames) {
    wires.called = (frame) => this.#running?.recorder.frame(frame);
    this.#wires = wires;
    this.#directory = directory;
    this.#options = options;
  }
  /**
   * Writes the state of each actor once with pauses, so that the first checkpoint, which must be written at once, finds
   * what takes long done: which values are large, and the words that are no secrets.
   */
  async prepare(pause: () => Promise<void>): Promise<void> {
    if (this.#running) return;
    const recorder = new Recorder({ ...this.#options(), digest: noDigest, large: this.#large });
    const writer = recorder.writer();
    const { opened } = this.#directory;
    for (const root of [...this.#directory.roots]) {
      recorder.begin({ k: 'key', opened, outlets: [], roots: [frameOf(root)] });
      writer.lines(recorder.take());
      await pause();
    }
  }
  /**
   * Attaches a page, which gets every record from now on. Returns the first lines for it: a head, and a checkpoint of
   * all living actors.
   */
  add(viewer: Viewer): string {
    this.#flush(Infinity);
    const running = (this.#running ??= this.#start());
    const head = running.recorder.head(running.writer.next);
    const lines = this.#checkpoint(running);
    this.#tell(lines, 1);
    this.#viewers.set(viewer, 0);
    this.#wires.pages = this.#viewers.size;
    return head + lines;
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
    const isGone = this.#viewers.delete(viewer);
    this.#wires.pages = this.#viewers.size;
    if (!isGone || this.#viewers.size > 0) return;
    systemClock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting = [];
    this.#running?.leave();
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
    const recorder = new Recorder({
      ...this.#options(),
      digest: noDigest,
      large: this.#large,
      ringBytes,
      onEntry: () => this.#due(),
    });
    return {
      recorder,
      writer: recorder.writer(),
      leave: this.#directory.tap.add(recorder),
      next: 1,
      since: 0,
    };
  }
  #due(): void {
    this.#timer ??= systemClock.setTimeout(() => this.#flush(), batchMs);
  }
  #checkpoint(running: Running): string {
    running.recorder.begin(pictureOf(this.#directory));
    // Writes the lists used by the checkpoint before it, because a new page may not have seen them.
    running.writer = running.recorder.writer(running.writer.next, running.writer);
    const entries = running.recorder.take();
    running.next = (entries.at(-1)?.s ?? 0) + 1;
    running.since = 0;
    return running.writer.lines(entries);
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
    const entries = running.recorder.take();
    const last = entries.at(-1)?.s ?? running.next - 1;
    const count = last + 1 - running.next + this.#waiting.length;
    const isTooMuch = count > entries.length + this.#waiting.length || count > mostInBatch;
    running.next = last + 1;
    running.since += count - this.#waiting.length;
    if (count > 0 && isTooMuch) {
      this.#waiting = [];
      // Starts a writer that does not refer to contexts of skipped records, which the pages have not seen. Numbers of
      // skipped records stay unused.
      running.writer = running.recorder.writer(running.writer.next + count, running.writer);
      for (const [viewer, missed] of this.#viewers) this.#viewers.set(viewer, missed + count);
    } else if (count > 0) {
      this.#waiting = this.#waiting.length === 0 ? [...entries] : [...this.#waiting, ...entries];
      if (!this.#pour(running, ms)) return;
    }
    this.#recover(running, isTooMuch);
    if (running.since > mostBetween) this.#tell(this.#checkpoint(running), 1);
  }
  /** Writes waiting records to the pages for at most `ms`; returns false when there are more, which follow soon. */
  #pour(running: Running, ms: number): boolean {
    const end = systemClock.now() + ms;
    const waiting = this.#waiting;
    let lines = '';
    let from = 0;
    while (from < waiting.length && (from === 0 || systemClock.now() < end)) {
      lines += running.writer.lines(waiting.slice(from, from + mostInSlice));
      from += mostInSlice;
    }
    this.#tell(lines, Math.min(from, waiting.length));
    this.#waiting = waiting.slice(from);
    if (this.#waiting.length === 0) return true;
    this.#timer ??= systemClock.setTimeout(() => this.#flush(), 0);
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

/**
 * Delayed event inside XState. Relies on two facts that the types of XState do not promise: a persisted snapshot names
 * its children, and the system lists delayed events in the order in which they were scheduled.
 */
interface Scheduled {
  readonly id: string;
  readonly event: EventObject;
}
interface Internals {
  getSnapshot(): { readonly _scheduledEvents: Readonly<Record<string, Scheduled>> };
}
const internalsOf = (root: Root): Internals => root.ref.system as Internals;

const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;
function heldBy(root: Root): HeldFrame[] {
  const now = root.directory.platform.now();
  const scheduled = Object.values(internalsOf(root).getSnapshot()._scheduledEvents);
  return [...root.handles].map(({ what, name, due = now }): HeldFrame => {
    if (what === 'leaf') {
      const a = name as string;
      return { held: 'leaf', port: a.slice(a.lastIndexOf('/') + 1, a.lastIndexOf('#')), a };
    }
    if (what === 'ask') return { held: 'ask', id: name as string };
    const left = rounded(Math.max(0, due - now));
    if (what === 'deadline') return { held: 'deadline', n: name as number, left };
    // Takes the scheduled events in the order in which the timers were set, as XState lists them.
    const { id = '', event: ev = { type: '' } } = scheduled.shift() ?? {};
    return { held: 'timer', n: name as number, id, ev, left };
  });
}
/**
 * Persists the snapshot of an actor without its context and adds the context unchanged. XState would search the whole
 * context for actors, which is slow for large ones; contexts here contain no actors and never change.
 */
function persistedOf({ ref }: Root): unknown {
  const snapshot = ref.getSnapshot();
  const { context } = snapshot;
  const persisted = ref.logic.getPersistedSnapshot({ ...snapshot, context: {} });
  return { ...persisted, context };
}
const frameOf = (root: Root): RootFrame => ({
  a: root.id,
  kind: root.kind,
  key: root.key,
  owner: root.owner?.id ?? null,
  tells: root.ownerAddress,
  ...(root.lastWill && { will: root.lastWill }),
  opened: root.opened,
  leaves: root.leaves,
  timers: root.timers,
  age: rounded(root.directory.platform.now() - root.openedAt),
  inState: rounded(root.directory.platform.now() - root.inStateSince),
  holds: heldBy(root),
  snapshot: persistedOf(root),
});

/** Makes a checkpoint of the whole directory. Allowed only between two inputs, when nothing is being processed. */
const pictureOf = (directory: Directory): Checkpoint => ({
  k: 'key',
  opened: directory.opened,
  outlets: [...directory.subscribers].map(([a, { messages }]) => ({ a, letters: messages })),
  roots: [...directory.roots].map(frameOf),
});
