import type { AnyActorRef, EventObject } from 'xstate';
import type { HeldFrame, Checkpoint, RootFrame } from '../../machines/trace/index.ts';
import { makeRequest, startDeadline } from '../runtime/assemble.ts';
import type { Directory } from '../runtime/directory.ts';
import { Root, type Handle } from '../runtime/root.ts';

/**
 * Leans on three facts of XState that its types do not promise: a persisted snapshot names its children, the
 * system lists its delayed events in the order in which they were scheduled, and `scheduler.schedule` puts one
 * back. XState itself does not: a machine restored from a snapshot has lost its `after`.
 */
interface Scheduled {
  readonly id: string;
  readonly event: EventObject;
}
interface Internals {
  readonly scheduler: {
    schedule(source: AnyActorRef, target: AnyActorRef, event: EventObject, delay: number, id: string): void;
  };
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
export const pictureOf = (directory: Directory): Checkpoint => ({
  k: 'key',
  opened: directory.opened,
  outlets: [...directory.subscribers].map(([a, { messages }]) => ({ a, letters: messages })),
  roots: [...directory.roots].map(frameOf),
});

const isHeld =
  (frame: HeldFrame) =>
  ({ what, name }: Handle): boolean => {
    if (what !== frame.held) return false;
    return name === ('n' in frame ? frame.n : 'a' in frame ? frame.a : frame.id);
  };

function restoreRoot(directory: Directory, frame: RootFrame): void {
  const owner = frame.owner === null ? undefined : directory.find(frame.owner);
  const name = frame.a.slice(0, frame.a.lastIndexOf('#'));
  const place = { name, id: frame.a, kind: frame.kind, key: frame.key, owner, ownerAddress: frame.tells };
  const root = new Root(directory, place, frame.will);
  const timers = frame.holds.filter((held) => held.held === 'timer');
  root.restored = {
    timers: timers.map(({ n }) => n),
    leaves: frame.holds.flatMap((held) => (held.held === 'leaf' ? [held.a] : [])),
  };
  directory.restore(root, frame.snapshot);
  for (const { id, ev } of timers) internalsOf(root).scheduler.schedule(root.ref, root.ref, ev, 0, id);
  for (const held of frame.holds) {
    if (held.held === 'ask') makeRequest(root, { id: held.id, target: '', method: '' });
    if (held.held !== 'deadline') continue;
    root.restored.timers.push(held.n);
    startDeadline(root, 0);
  }
  root.restored = undefined;
  Object.assign(root, { opened: frame.opened, leaves: frame.leaves, timers: frame.timers });
  // They are released in the order in which they were taken.
  const handles = [...root.handles];
  root.handles.clear();
  for (const held of frame.holds) {
    const handle = handles.find(isHeld(held));
    if (handle) root.handles.add(handle);
  }
}

/**
 * Puts everything back into an empty directory whose platform does nothing by itself. `listen` opens a subscriber
 * that has had so many messages. What a port instance, timer or question would be told comes from the trace.
 */
export function restoreFrom(
  key: Checkpoint,
  directory: Directory,
  listen: (subscriber: string, letters: number) => void,
): void {
  directory.isRestoring = true;
  for (const { a, letters } of key.outlets) {
    listen(a, letters);
    const subscriber = directory.subscribers.get(a);
    if (subscriber) subscriber.messages = letters;
  }
  for (const frame of key.roots) restoreRoot(directory, frame);
  directory.opened = key.opened;
  directory.isRestoring = false;
}
