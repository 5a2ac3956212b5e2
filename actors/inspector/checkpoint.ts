import type { EventObject } from 'xstate';
import type { Checkpoint, HeldFrame, RootFrame } from '../../machines/trace/record.ts';
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
