import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import type { Address } from '../../../machines/kernel/address.ts';
import { lookTwice, type StartTime } from './group.ts';
import type { Launched } from '../environment.ts';
import { reaperSeatOf } from './reaper-seat.ts';
import { stateFileOf, type Notice, type Witness } from './state-file.ts';

/** How often a group whose leader has ended is looked at until nobody of it lives. */
const watchMs = 15;

export interface ChildStreams {
  readonly stdin: Writable;
  readonly stdout: Readable;
}
export interface LiveChild {
  readonly key: Address;
  /** Of the leader of its group; undefined where it has none of this machine. */
  readonly pid: number | undefined;
  readonly startTime: StartTime | undefined;
  readonly streams: ChildStreams;
}
/** One child as it was launched, and the name under which its streams are found. */
export interface Entry extends Pick<Launched, 'signal' | 'living' | 'group'> {
  readonly key: Address;
  readonly streams: ChildStreams;
}

export interface LedgerOptions {
  /** Stands in the environment of each child. Default: a random one; two living hosts must not share it. */
  readonly instance?: string | undefined;
  /** A small process beside this one that ends the children should this one be killed. Default true. */
  readonly reaper?: boolean | undefined;
  /**
   * Where a file tells the next start what lives, for `sweepLeftovers`. Default `$XDG_STATE_HOME/a2c`, else
   * `~/.local/state/a2c`; `false`: no file.
   */
  readonly stateDir?: string | false | undefined;
  /** Hears when one of the two does not work, and what a close leaves. The children run all the same. */
  readonly notice?: Notice | undefined;
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
  /** A child is about to be born: should this process be killed in the middle of it, the child is found. */
  expect(): void;
  enter(entry: Entry): void;
  /**
   * It has ended, or never began. Answers how many of its members still live; if any, `emptied` is called when none
   * does. Only then is the child forgotten.
   */
  leaderEnded(entry: Entry, emptied: () => void): number;
  /** SIGKILL to every child with all its members, now. */
  killAll(): void;
  /**
   * Resolves when no group is alive, the reaper has ended and the file is gone. A process in uninterruptible
   * sleep keeps it waiting. What left its group by `setsid` is told, and left: it may be a daemon, or the
   * browser of a person.
   */
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

/** All that outlive this process, as one. */
function witnessOf(instance: string, { reaper = true, stateDir, notice = () => {} }: LedgerOptions): Witness {
  const all: Witness[] = [];
  if (stateDir !== false) all.push(stateFileOf(instance, stateDir, notice));
  // On Windows there are no groups that it could signal.
  if (reaper && process.platform !== 'win32') all.push(reaperSeatOf(instance, notice));
  return {
    expect: () => all.forEach((witness) => witness.expect()),
    entered: (group) => all.forEach((witness) => witness.entered(group)),
    left: (group) => all.forEach((witness) => witness.left(group)),
    dismiss: async () => void (await Promise.all(all.map((witness) => witness.dismiss()))),
  };
}

/** Looks at groups whose leader has ended until nobody of them lives. */
function watchOf(onEmpty: (entry: Entry) => void) {
  const leaderless = new Map<Entry, () => void>();
  let watch: NodeJS.Timeout | undefined;
  const look = (): void => {
    for (const [entry, emptied] of leaderless) {
      if (entry.living() > 0) continue;
      leaderless.delete(entry);
      onEmpty(entry);
      emptied();
    }
    if (leaderless.size > 0) return;
    clearInterval(watch);
    watch = undefined;
  };
  return {
    // Somebody else's leftovers must not keep a host alive, unless the host waits for just that.
    add: (entry: Entry, emptied: () => void, isAwaited: boolean): void => {
      leaderless.set(entry, emptied);
      watch ??= setInterval(look, watchMs);
      if (!isAwaited) watch.unref();
    },
    hold: () => watch?.ref(),
  };
}
/** Children of this host that still run outside of their groups; known on Linux only. */
async function tellLeft(instance: string, notice: Notice): Promise<void> {
  const left = await lookTwice({ groups: [], instances: [instance] });
  if (left.length === 0) return;
  const names = left.map(({ command, pid }) => `${command} (pid ${pid})`).join(', ');
  notice(
    `left running: ${names}; a server started it in a session of its own (setsid), as one does a daemon`,
  );
}

/** The one way to a ledger. Nothing is started or written before the first child. */
export function createLedger(options: LedgerOptions = {}): Ledger {
  const { instance = randomUUID(), notice } = options;
  const witness = witnessOf(instance, options);
  const entries = new Set<Entry>();
  const latest = new Map<Address, Entry>();
  let waiting: (() => void)[] = [];
  let hasUntold = false;

  const forget = (entry: Entry): void => {
    entries.delete(entry);
    if (entry.group) witness.left(entry.group);
    if (latest.get(entry.key) === entry) latest.delete(entry.key);
    if (entries.size > 0) return;
    setOccupied(ledger, false);
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  const watch = watchOf(forget);
  const ledger: Ledger = {
    instance,
    get size() {
      return entries.size;
    },
    list: () =>
      [...entries].map(({ key, group, streams }) => ({
        key,
        pid: group?.pgid,
        startTime: group?.startTime,
        streams,
      })),
    streamsOf: (key) => latest.get(key)?.streams,
    expect: () => witness.expect(),
    enter: (entry) => {
      entries.add(entry);
      latest.set(entry.key, entry);
      setOccupied(ledger, true);
      hasUntold = notice !== undefined;
      witness.expect();
      if (entry.group) witness.entered(entry.group);
    },
    leaderEnded: (entry, emptied) => {
      if (!entries.has(entry)) return 0;
      const left = entry.living();
      if (left === 0) {
        forget(entry);
        return 0;
      }
      if (latest.get(entry.key) === entry) latest.delete(entry.key);
      watch.add(entry, emptied, waiting.length > 0);
      return left;
    },
    killAll: () => {
      for (const entry of entries) entry.signal('SIGKILL');
    },
    closed: async () => {
      watch.hold();
      if (entries.size > 0) await new Promise<void>((resolve) => waiting.push(resolve));
      // Whoever launched again meanwhile still needs them.
      if (entries.size > 0) return;
      const isUntold = hasUntold;
      hasUntold = false;
      if (notice && isUntold) await tellLeft(instance, notice);
      if (entries.size === 0) await witness.dismiss();
    },
  };
  return ledger;
}
