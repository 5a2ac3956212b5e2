import type { EventObject } from 'xstate';
import { systemClock } from '../../adapters/clock.ts';
import type { ToPage } from '../../machines/inspection.ts';
import type {
  DirectoryRecord,
  Frame,
  Checkpoint,
  HeldFrame,
  RootFrame,
} from '../../machines/trace/record.ts';
import type { Recorder } from '../recording/recorder.ts';
import type { TraceEntry, TraceWriter } from '../recording/trace-lines.ts';
import type { Directory, Root } from '../runtime/directory.ts';

/** XState does not promise in types that snapshots name children and that delayed events keep their order. */
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
/** XState would search the whole context for actors, which is slow; contexts have none and never change. */
function persistedOf({ ref }: Root): unknown {
  const snapshot = ref.getSnapshot();
  const { context } = snapshot;
  const persisted = ref.logic.getPersistedSnapshot({ ...snapshot, context: {} });
  return { ...persisted, context };
}
export const frameOf = (root: Root): RootFrame => ({
  a: root.id,
  kind: root.kind,
  key: root.key,
  owner: root.owner?.id ?? null,
  tells: root.ownerAddress,
  ...(root.lastWill && { will: root.lastWill }),
  leaves: root.leaves,
  timers: root.timers,
  age: rounded(root.directory.platform.now() - root.openedAt),
  inState: rounded(root.directory.platform.now() - root.inStateSince),
  holds: heldBy(root),
  snapshot: persistedOf(root),
});

/** Allowed only between two inputs, when nothing is being processed. */
export const pictureOf = (directory: Directory): Checkpoint => ({
  k: 'key',
  opened: directory.opened,
  outlets: [...directory.subscribers].map(([a, { messages }]) => ({ a, letters: messages })),
  roots: [...directory.roots].map(frameOf),
});

export interface Viewer {
  send(message: ToPage): void;
  /** Bytes sent to the page that have not left this process yet. */
  readonly waiting: number;
}
/** While more bytes wait for one page, the page gets nothing further. */
export const mostWaiting = 8 * 1024 * 1024;
/** A page that is too slow is then checked again. */
const patienceMs = 20;
/** Number of records written between two checks of the clock. */
export const mostInSlice = 32;
/** Then a checkpoint follows, from which on a page may drop what is older. */
export const mostBetween = 25_000;
/** Estimated, while a page is open: in all, and after one checkpoint. */
const [mostBytes, mostInSegment] = [32 * 1024 * 1024, 8 * 1024 * 1024];
/** In 200 ms, while a page shows them or none does; more would cost a busy host a fifth of its time. */
const [mostShown, mostUnshown] = [5_000, 1_000];
/** Largest number of records in 200 ms with which a burst of records counts as over. */
const mostCalm = 400;

/** The records are written only for a page that shows them. */
interface Segment {
  readonly key: TraceEntry;
  readonly entries: TraceEntry[];
  weight: number;
}
/** Position in the records up to which one page has them. */
interface Reading {
  segment: Segment | undefined;
  at: number;
  /** Number of the latest record that the page has. */
  last: number;
  writer: TraceWriter;
}

/** As references, while a page is open. A burst is left out, and followed by a checkpoint. */
export class WholeRecords {
  readonly #directory: Directory;
  readonly #recorder: Recorder;
  readonly #readings = new Map<Viewer, Reading>();
  readonly #segments: Segment[] = [];
  #leave: (() => void) | undefined;
  #count = 0;

  /** Records are kept from the next `collect` on. */
  constructor(directory: Directory, recorder: Recorder) {
    this.#directory = directory;
    this.#recorder = recorder;
  }
  get pages(): number {
    return this.#readings.size;
  }
  has(viewer: Viewer): boolean {
    return this.#readings.has(viewer);
  }
  /** Unless too many came; the returned record has its number in any case. */
  record(record: DirectoryRecord): TraceEntry {
    this.#counts();
    return (this.#leave && this.#recorder.record(record)) ?? this.#recorder.placed(record);
  }
  frame(frame: Frame): TraceEntry {
    return this.#recorder.frame(frame);
  }
  #counts(): void {
    this.#count += 1;
    const isMany = this.#count > (this.pages > 0 ? mostShown : mostUnshown);
    if (isMany || this.#recorder.weight > mostInSegment) this.#pause();
  }
  #pause(): void {
    this.#leave?.();
    this.#leave = undefined;
  }
  #resume(): void {
    const step: Recorder['step'] = (each) => {
      this.#counts();
      this.#recorder.step?.(each);
    };
    this.#leave = this.#directory.tap.add({ step });
    this.#begin();
  }
  /** Called between two inputs, when nothing is being processed. */
  #begin(): void {
    const key = this.#recorder.placed(pictureOf(this.#directory));
    this.#segments.push({ key, entries: [], weight: 0 });
  }
  /** Called between two inputs. After a burst it begins to keep records again. */
  collect(): void {
    const { weight } = this.#recorder;
    const latest = this.#segments.at(-1);
    for (const entry of this.#recorder.take()) latest?.entries.push(entry);
    if (latest) latest.weight += weight;
    if (!this.#leave && this.#count <= mostCalm) this.#resume();
    else if (this.#leave && latest && (latest.entries.length > mostBetween || latest.weight > mostInSegment))
      this.#begin();
    this.#count = 0;
    let sum = this.#segments.reduce((all, each) => all + each.weight, 0);
    while (sum > mostBytes && this.#segments.length > 1) sum -= this.#segments.shift()?.weight ?? 0;
  }
  add(viewer: Viewer): void {
    this.collect();
    const { entries, key } = this.#segments.at(-1) as Segment;
    viewer.send({ type: 'whole', until: (entries.at(-1) ?? key).s });
    this.#readings.set(viewer, { segment: undefined, at: 0, last: 0, writer: this.#recorder.writer() });
  }
  left(viewer: Viewer): number {
    const { last = this.#recorder.last } = this.#readings.get(viewer) ?? {};
    return this.#recorder.last - last;
  }
  remove(viewer: Viewer): boolean {
    return this.#readings.delete(viewer);
  }
  /** For at most `ms`. Returns the ms after which there is more to send; undefined when all is sent. */
  pour(ms: number): number | undefined {
    const end = systemClock.now() + ms;
    const again = [...this.#readings].flatMap((each) => this.#read(...each, end) ?? []);
    return again.length === 0 ? undefined : Math.min(...again);
  }
  #read(viewer: Viewer, reading: Reading, end: number): number | undefined {
    let lines = '';
    const send = (): void => {
      if (lines !== '') viewer.send({ type: 'records', lines });
      lines = '';
    };
    while (viewer.waiting <= mostWaiting) {
      const index = reading.segment ? this.#segments.indexOf(reading.segment) : -1;
      const { segment = { entries: [] }, at, writer } = reading;
      const slice = index < 0 ? [] : segment.entries.slice(at, at + mostInSlice);
      const next = slice.length > 0 ? undefined : this.#segments[index + 1];
      if (slice.length === 0 && !next) {
        send();
        return undefined;
      }
      if (next) {
        const missed = reading.last === 0 ? 0 : next.key.s - reading.last - 1;
        Object.assign(reading, { segment: next, at: 0, last: next.key.s });
        reading.writer = this.#recorder.writer(next.key.s, writer);
        const key = reading.writer.lines([next.key]);
        if (missed > 0) {
          send();
          viewer.send({ type: 'gap', missed, lines: key });
        } else lines += key;
      } else {
        lines += writer.lines(slice);
        reading.at += slice.length;
        reading.last = slice.at(-1)?.s ?? reading.last;
      }
      if (systemClock.now() < end) continue;
      send();
      return 0;
    }
    send();
    return patienceMs;
  }
  close(): void {
    this.#pause();
  }
}
