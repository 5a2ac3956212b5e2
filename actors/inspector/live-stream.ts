import type { EventObject } from 'xstate';
import { Recorder, type RecorderOptions } from '../recording/recorder.ts';
import type { TraceWriter } from '../recording/trace-lines.ts';
import type { Directory } from '../runtime/directory.ts';
import type { Root } from '../runtime/root.ts';
import { systemClock } from '../../adapters/index.ts';
import type { ToPage } from '../../machines/inspection.ts';
import { nameOf, type Address } from '../../machines/kernel/address.ts';
import type { Frame, HeldFrame, Checkpoint, RootFrame } from '../../machines/trace/index.ts';

/** A page, as the stream sees it. */
export interface Viewer {
  send(message: ToPage): void;
  /** Bytes that were sent and have not left yet. */
  readonly waiting: number;
}
const batchMs = 200;
/** Most bytes that wait for one page; beyond that it misses records. */
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
 * Stream of what happens in a directory, as trace records of the profile `full`, for the pages that are attached:
 * nothing is recorded without a page. All pages have the same records. A slow page misses some, is told how many, and
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
  /** Sends these pages the last records, and the reason why no more will come. */
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
      // The contexts that it remembers are no longer those that the pages have seen.
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

/** The messages on the wires of those whom somebody looks at, and of sessions for a recorder. Of all others nothing is kept. */
export class Frames {
  /** Number of pages that look at an actor, by its name. */
  readonly #watched = new Map<Address, number>();
  /** Hears those that somebody looks at. */
  heard: (frame: Frame) => void = () => {};
  /** Hears those of all MCP sessions. */
  kept: ((frame: Frame) => void) | undefined;

  /** Begins to keep the messages of this client, link or seat; the returned function ends that. */
  watch(actor: Address): () => void {
    const name = nameOf(actor);
    this.#watched.set(name, (this.#watched.get(name) ?? 0) + 1);
    return () => {
      const left = (this.#watched.get(name) ?? 1) - 1;
      if (left > 0) this.#watched.set(name, left);
      else this.#watched.delete(name);
    };
  }
  /** Takes messages of sockets; undefined while no page looks at any. */
  get ofSockets(): ((a: Address, dir: Frame['dir'], message: unknown) => void) | undefined {
    return this.#watched.size === 0 ? undefined : this.#takeOfSocket;
  }
  readonly #takeOfSocket = (a: Address, dir: Frame['dir'], message: unknown): void =>
    this.take(a, 'socket', dir, message);
  /** `a`: the port instance that the message passes. */
  readonly take = (a: Address, via: Frame['via'], dir: Frame['dir'], message: unknown): void => {
    const isSeen = this.#watched.size > 0 && this.#isWatched(a);
    const kept = via === 'mcp' ? this.kept : undefined;
    if (!isSeen && !kept) return;
    const frame: Frame = { k: 'frame', a, via, dir, json: message };
    if (isSeen) this.heard(frame);
    kept?.(frame);
  };
  #isWatched(a: Address): boolean {
    for (const name of this.#watched.keys())
      if (a.startsWith(name) && (a[name.length] === '#' || a[name.length] === '/')) return true;
    return false;
  }
}

/**
 * Leans on two facts of XState that its types do not promise: a persisted snapshot names its children, and the system lists
 * its delayed events in the order in which they were scheduled.
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
    // In the order in which they were set, as XState has them.
    const { id = '', event: ev = { type: '' } } = scheduled.shift() ?? {};
    return { held: 'timer', n: name as number, id, ev, left };
  });
}
/**
 * XState looks through the whole context for actors, which takes longer the more a machine remembers. There are none in ours,
 * and a context never changes: it is kept as it is.
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

/** A picture of the whole directory. Only between two inputs: nothing may be under way. */
const pictureOf = (directory: Directory): Checkpoint => ({
  k: 'key',
  opened: directory.opened,
  outlets: [...directory.subscribers].map(([a, { messages }]) => ({ a, letters: messages })),
  roots: [...directory.roots].map(frameOf),
});
