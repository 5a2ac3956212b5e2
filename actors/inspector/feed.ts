/** Lines that several pages of a host get together. */
import { systemClock } from '../../adapters/clock.ts';
import type { ToPage } from '../../machines/inspection.ts';
import type { Recorder } from '../recording/recorder.ts';
import type { TraceEntry, TraceWriter } from '../recording/trace-lines.ts';
import type { Checkpoint } from '../../machines/trace/record.ts';

export interface Viewer {
  send(message: ToPage): void;
  /** Bytes sent to the page that have not left this process yet. */
  readonly waiting: number;
}
/** While more bytes wait for one page, the page gets nothing further. */
const mostWaiting = 8 * 1024 * 1024;
/** A larger batch is skipped and followed by a checkpoint: converting records to text blocks the host. */
const mostInBatch = 5_000;
/** Records between two looks at the clock, because reading it costs time. */
const mostInSlice = 32;
/** Then a checkpoint follows, from which on a page may drop what is older. */
const mostBetween = 25_000;

interface FeedOptions {
  readonly recorder: Recorder;
  /** Taken between two inputs, when nothing is being processed. */
  readonly picture: () => Checkpoint;
  /** Entries that are told for those taken since the last batch. */
  readonly batch: (taken: readonly TraceEntry[]) => readonly TraceEntry[];
  /** Wants a `flush`, after this time in ms, by default with the next batch. */
  readonly due: (ms?: number) => void;
}
/** All pages get the same batches; a slow page misses some of them and gets a checkpoint. */
export class Feed {
  /** With the number of records that each page has missed. */
  readonly #viewers = new Map<Viewer, number>();
  readonly #options: FeedOptions;
  /** Records since the last batch. */
  #taken: TraceEntry[] = [];
  #waiting: readonly TraceEntry[] = [];
  #since = 0;
  #writer: TraceWriter;

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#writer = options.recorder.writer();
  }
  get size(): number {
    return this.#viewers.size;
  }
  has(viewer: Viewer): boolean {
    return this.#viewers.has(viewer);
  }
  /** Returns the first checkpoint of the page, which is sent to the other pages, too. */
  add(viewer: Viewer): string {
    this.flush(Infinity);
    const lines = this.#checkpoint();
    this.#tell(lines, 1);
    this.#viewers.set(viewer, 0);
    return lines;
  }
  remove(viewer: Viewer): boolean {
    const wasHere = this.#viewers.delete(viewer);
    if (this.size === 0) [this.#taken, this.#waiting] = [[], []];
    return wasHere;
  }
  take(entry: TraceEntry): void {
    if (this.size > 0) this.#taken.push(entry);
  }
  /** For at most `ms`. Called between two inputs (timers, sockets), so that a checkpoint may be taken. */
  flush(ms: number): void {
    if (this.size === 0) return;
    const fresh = this.#options.batch(this.#taken);
    this.#taken = [];
    const all = this.#waiting.length === 0 ? fresh : [...this.#waiting, ...fresh];
    const isTooMuch = all.length > mostInBatch;
    this.#since += fresh.length;
    if (isTooMuch) {
      this.#waiting = [];
      // Starts a writer that refers to no context in a skipped record, because the pages do not have those records.
      const { recorder } = this.#options;
      this.#writer = recorder.writer(recorder.last, this.#writer);
      for (const [viewer, missed] of this.#viewers) this.#viewers.set(viewer, missed + all.length);
    } else if (all.length > 0 && !this.#pour(all, ms)) return;
    this.#recover(isTooMuch);
    if (this.#since > mostBetween) this.#tell(this.#checkpoint(), 1);
  }
  #checkpoint(): string {
    const { recorder, picture } = this.#options;
    const key = recorder.placed(picture(), recorder.last);
    // Begins a writer that writes again all lists which the checkpoint uses, because a new page does not have them.
    this.#writer = recorder.writer(key.s, this.#writer);
    this.#since = 0;
    return this.#writer.lines([key]);
  }
  /** For at most `ms`; false when there are more, which follow soon. */
  #pour(all: readonly TraceEntry[], ms: number): boolean {
    const end = systemClock.now() + ms;
    let lines = '';
    let from = 0;
    while (from < all.length && (from === 0 || systemClock.now() < end)) {
      lines += this.#writer.lines(all.slice(from, from + mostInSlice));
      from += mostInSlice;
    }
    this.#tell(lines, Math.min(from, all.length));
    this.#waiting = all.slice(from);
    if (this.#waiting.length === 0) return true;
    this.#options.due(0);
    return false;
  }
  #tell(lines: string, count: number): void {
    for (const [viewer, missed] of this.#viewers)
      if (missed > 0 || viewer.waiting > mostWaiting) this.#viewers.set(viewer, missed + count);
      else viewer.send({ type: 'records', lines });
  }
  #recover(isTooMuch: boolean): void {
    const behind = [...this.#viewers].filter(([, missed]) => missed > 0);
    if (behind.length === 0) return;
    const ready = isTooMuch ? [] : behind.filter(([viewer]) => viewer.waiting === 0);
    if (ready.length < behind.length) this.#options.due();
    if (ready.length === 0) return;
    const lines = this.#checkpoint();
    this.#tell(lines, 1);
    for (const [viewer, missed] of ready) {
      this.#viewers.set(viewer, 0);
      viewer.send({ type: 'gap', missed, lines });
    }
  }
}
