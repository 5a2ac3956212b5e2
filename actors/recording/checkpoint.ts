import type { EventObject } from 'xstate';
import type { HeldFrame, Checkpoint, RootFrame } from '../../machines/trace/index.ts';
import type { Directory } from '../runtime/directory.ts';
import type { Root } from '../runtime/root.ts';

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
export const pictureOf = (directory: Directory): Checkpoint => ({
  k: 'key',
  opened: directory.opened,
  outlets: [...directory.subscribers].map(([a, { messages }]) => ({ a, letters: messages })),
  roots: [...directory.roots].map(frameOf),
});
