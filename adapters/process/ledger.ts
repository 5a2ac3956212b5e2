import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import type { Address } from '../../machines/address.ts';
import type { Group, StartTime } from './group.ts';

/** How often a group whose leader has ended is looked at until nobody of it lives. */
const watchMs = 15;

export interface ChildStreams {
  readonly stdin: Writable;
  readonly stdout: Readable;
}
export interface LiveChild {
  readonly key: Address;
  readonly pid: number;
  readonly startTime: StartTime | undefined;
  readonly streams: ChildStreams;
}
/** What the launcher knows of a child that it enters. */
export interface Entry {
  readonly key: Address;
  readonly group: Group;
  readonly streams: ChildStreams;
}

/**
 * Every child process that may be alive, whatever the actor tree says: an actor that crashed has forgotten its
 * child, the ledger has not. A host ends with `killAll()` and awaits `closed()`; when the process itself
 * exits, every group in every ledger is killed.
 */
export interface Ledger {
  /** Stands as `A2C_INSTANCE` in the environment of each child, so that leftovers can be found after a crash. */
  readonly instance: string;
  readonly size: number;
  list(): readonly LiveChild[];
  /** The streams of the child that was entered last under this key, while its leader lives. */
  streamsOf(key: Address): ChildStreams | undefined;
  enter(entry: Entry): void;
  /**
   * The leader was reaped. Answers how many of its group still live; if any, `emptied` is called when none is.
   * Only then is the child forgotten.
   */
  leaderEnded(entry: Entry, emptied: () => void): number;
  /** SIGKILL to every group, now. */
  killAll(): void;
  /** Resolves when no group is alive. A process in uninterruptible sleep keeps it waiting. */
  closed(): Promise<void>;
}

/** Ledgers with children; one exit hook for all of them, and none while there are none. */
const occupied = new Set<Ledger>();
const killEverything = (): void => {
  for (const ledger of occupied) ledger.killAll();
};
function setOccupied(ledger: Ledger, isOccupied: boolean): void {
  if (isOccupied && occupied.size === 0) process.on('exit', killEverything);
  if (isOccupied) occupied.add(ledger);
  else occupied.delete(ledger);
  if (occupied.size === 0) process.off('exit', killEverything);
}

export function createLedger(instance: string = randomUUID()): Ledger {
  const entries = new Set<Entry>();
  const latest = new Map<Address, Entry>();
  const leaderless = new Map<Entry, () => void>();
  let waiting: (() => void)[] = [];
  let watch: NodeJS.Timeout | undefined;

  const forget = (entry: Entry): void => {
    entries.delete(entry);
    leaderless.delete(entry);
    if (latest.get(entry.key) === entry) latest.delete(entry.key);
    if (entries.size > 0) return;
    setOccupied(ledger, false);
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  const look = (): void => {
    for (const [entry, emptied] of leaderless) {
      if (entry.group.living() > 0) continue;
      forget(entry);
      emptied();
    }
    if (leaderless.size > 0) return;
    clearInterval(watch);
    watch = undefined;
  };
  const ledger: Ledger = {
    instance,
    get size() {
      return entries.size;
    },
    list: () =>
      [...entries].map(({ key, group, streams }) => ({
        key,
        pid: group.pid,
        startTime: group.startTime,
        streams,
      })),
    streamsOf: (key) => latest.get(key)?.streams,
    enter: (entry) => {
      entries.add(entry);
      latest.set(entry.key, entry);
      setOccupied(ledger, true);
    },
    leaderEnded: (entry, emptied) => {
      if (!entries.has(entry)) return 0;
      entry.group.leaderReaped();
      const left = entry.group.living();
      if (left === 0) {
        forget(entry);
        return 0;
      }
      if (latest.get(entry.key) === entry) latest.delete(entry.key);
      leaderless.set(entry, emptied);
      watch ??= setInterval(look, watchMs);
      // Somebody else's leftovers must not keep a host alive, unless the host waits for just that.
      if (waiting.length === 0) watch.unref();
      return left;
    },
    killAll: () => {
      for (const entry of entries) entry.group.signal('SIGKILL');
    },
    closed: () => {
      if (entries.size === 0) return Promise.resolve();
      watch?.ref();
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
  return ledger;
}
