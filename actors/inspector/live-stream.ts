import { systemClock } from '../../adapters/index.ts';
import type { ToPage } from '../../machines/inspection/index.ts';
import { pictureOf } from '../recording/checkpoint.ts';
import { Recorder, type RecorderOptions } from '../recording/recorder.ts';
import type { TraceWriter } from '../recording/trace-lines.ts';
import type { Frames } from './frames.ts';
import type { Directory } from '../runtime/directory.ts';

/** A page, as the stream sees it. */
export interface Viewer {
  send(message: ToPage): void;
  /** Bytes that were sent and have not left yet. */
  readonly waiting: number;
}
const batchMs = 200;
/** What waits for one page; beyond that it misses records. */
const mostWaiting = 8 * 1024 * 1024;
/** Records become text in the turns of the host: of more than these in one batch a page sees the end only. */
const mostInBatch = 5_000;
/** After so many a checkpoint follows, up to which a page may let go what is older. */
const mostBetween = 25_000;
const ringBytes = 32 * 1024 * 1024;
/** A longer message is cut: who looks at it sees its beginning. */
const frames = { held: ringBytes, mostChars: 64 * 1024, leastChars: Infinity, share: 0 };

interface Running {
  readonly recorder: Recorder;
  writer: TraceWriter;
  readonly leave: () => void;
  /** The number of the next entry that goes out. */
  next: number;
  /** Records since the last checkpoint. */
  since: number;
}

/**
 * What happens in a directory, as trace records of the profile `full`, for the pages that are attached: nothing is
 * recorded while there is none. All pages have the same records. One that is too slow misses some, is told how many, and
 * goes on from a checkpoint.
 */
export class LiveStream {
  readonly #directory: Directory;
  readonly #options: () => RecorderOptions;
  /** With how many records each has missed. */
  readonly #viewers = new Map<Viewer, number>();
  #running: Running | undefined;
  #timer: unknown;

  constructor(directory: Directory, options: () => RecorderOptions, wires: Frames) {
    wires.heard = (frame) => this.#running?.recorder.frame(frame);
    this.#directory = directory;
    this.#options = options;
  }
  /** From now on it hears everything. What is returned comes first: a head, and a checkpoint of all that lives. */
  add(viewer: Viewer): string {
    this.#flush();
    const running = (this.#running ??= this.#start());
    const head = running.recorder.head(running.writer.next);
    const lines = this.#checkpoint(running);
    this.#tell(lines, 1);
    this.#viewers.set(viewer, 0);
    return head + lines;
  }
  remove(viewer: Viewer): void {
    if (!this.#viewers.delete(viewer) || this.#viewers.size > 0) return;
    systemClock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running?.leave();
    this.#running = undefined;
  }
  /** What has happened is told to these, and that nothing more will come. */
  part(viewers: Iterable<Viewer>, reason: string): void {
    this.#flush();
    for (const viewer of viewers) {
      viewer.send({ type: 'closed', reason });
      this.remove(viewer);
    }
  }

  #start(): Running {
    const recorder = new Recorder({ ...this.#options(), ringBytes, frames, onEntry: () => this.#due() });
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
    // Lists that it refers to stand before it: a page may not have seen them.
    running.writer = running.recorder.writer(running.writer.next, running.writer);
    const entries = running.recorder.take();
    running.next = (entries.at(-1)?.s ?? 0) + 1;
    running.since = 0;
    return running.writer.lines(entries);
  }
  /** Comes between two inputs, as timers and sockets do: a checkpoint may be taken. */
  #flush(): void {
    systemClock.clearTimeout(this.#timer);
    this.#timer = undefined;
    const running = this.#running;
    if (!running) return;
    const entries = running.recorder.take();
    const last = entries.at(-1)?.s ?? running.next - 1;
    const count = last + 1 - running.next;
    const isTooMuch = count > entries.length || count > mostInBatch;
    running.next = last + 1;
    running.since += count;
    if (count > 0 && isTooMuch) {
      // What it remembers of contexts is no longer what the pages have seen.
      // The numbers of what they miss are missing, too.
      running.writer = running.recorder.writer(running.writer.next + count, running.writer);
      for (const [viewer, missed] of this.#viewers) this.#viewers.set(viewer, missed + count);
    } else if (count > 0) this.#tell(running.writer.lines(entries), count);
    this.#recover(running, isTooMuch);
    if (running.since > mostBetween) this.#tell(this.#checkpoint(running), 1);
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
