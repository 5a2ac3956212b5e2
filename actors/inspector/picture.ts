import type { EventObject } from 'xstate';
import type { Directory } from '../runtime/directory.ts';
import type { Root } from '../runtime/root.ts';
import type { Checkpoint, HeldFrame, RootFrame } from '../../machines/trace/index.ts';

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
/** Returns the state of one actor, as a checkpoint has it. */
export const frameOf = (root: Root): RootFrame => ({
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
export const pictureOf = (directory: Directory): Checkpoint => ({
  k: 'key',
  opened: directory.opened,
  outlets: [...directory.subscribers].map(([a, { messages }]) => ({ a, letters: messages })),
  roots: [...directory.roots].map(frameOf),
});
