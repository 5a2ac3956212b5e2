/** Children of this host, so that each is ended with it. */
import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import type { Address } from '../../../machines/kernel/effects.ts';
import { lookTwice, type TracedGroup } from './group.ts';
import type { StartTime } from './process-table.ts';
import type { Launched, Remains } from '../launcher.ts';
import { reaperSeatOf } from './reaper-seat.ts';
import { stateFileOf, type Notice, type Witness } from './state-file.ts';

const watchMs = 15;

export interface ChildStreams {
  readonly stdin: Writable;
  readonly stdout: Readable;
}
export interface LiveChild {
  readonly key: Address;
  /** Undefined when the group is not on this machine. */
  readonly pid: number | undefined;
  readonly startTime: StartTime | undefined;
  readonly streams: ChildStreams;
}
/** Launched child, with the key under which its streams are found. */
export interface Entry extends Pick<Launched, 'signal' | 'living' | 'group'> {
  remains?(): Remains | undefined;
  readonly key: Address;
  readonly streams: ChildStreams;
}

export interface LedgerOptions {
  /** Set as `A2C_INSTANCE` for each child. Random by default; two running hosts must not share it. */
  readonly instance?: string | undefined;
  /** Starts a small process beside this one that ends the children when this process is killed; true by default. */
  readonly reaper?: boolean | undefined;
  /** Default `$XDG_STATE_HOME/a2c`, else `~/.local/state/a2c`; `false` writes no file. */
  readonly stateDir?: string | false | undefined;
  /** When the reaper or the state file does not work, or processes remain; children run all the same. */
  readonly notice?: Notice | undefined;
}

/** Independent of the actors, because an actor that crashed has forgotten its child. */
export interface Ledger {
  readonly instance: string;
  readonly size: number;
  list(): readonly LiveChild[];
  /** Of the child that was entered last under this key, until its leader ends. */
  streamsOf(key: Address): ChildStreams | undefined;
  /** Announces that a child is about to start, so that it is found even if this process is killed meanwhile. */
  expect(): void;
  enter(entry: Entry): void;
  /** Returns how many of the child's processes still live; if any do, `emptied` is called when all are gone. */
  leaderEnded(entry: Entry, emptied: () => void): number;
  killAll(): void;
  /** A process that left its group by `setsid` is left running: it may be a daemon or the user's browser. */
  closed(): Promise<void>;
}

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

function witnessOf(instance: string, { reaper = true, stateDir, notice = () => {} }: LedgerOptions): Witness {
  const all: Witness[] = [];
  if (stateDir !== false) all.push(stateFileOf(instance, stateDir, notice));
  if (reaper) all.push(reaperSeatOf(instance, notice));
  return {
    expect: () => all.forEach((witness) => witness.expect()),
    entered: (group) => all.forEach((witness) => witness.entered(group)),
    left: (group) => all.forEach((witness) => witness.left(group)),
    dismiss: async () => void (await Promise.all(all.map((witness) => witness.dismiss()))),
  };
}

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
    // Keeps this process alive for the check only while `closed()` is waiting for it.
    add: (entry: Entry, emptied: () => void, isAwaited: boolean): void => {
      leaderless.set(entry, emptied);
      watch ??= setInterval(look, watchMs);
      if (!isAwaited) watch.unref();
    },
    hold: () => watch?.ref(),
  };
}
/** Children outside of their process groups are found on Linux only. */
async function tellLeft(instance: string, notice: Notice): Promise<void> {
  // A young host's children have higher pids; later, pids may have begun again at low numbers.
  const after = process.uptime() < 60 ? process.pid : 0;
  const left = await lookTwice({ groups: [], instances: [instance], after });
  if (left.length === 0) return;
  const names = left.map(({ command, pid }) => `${command} (pid ${pid})`).join(', ');
  notice(
    `left running: ${names}; a server started it in a session of its own (setsid), as one does a daemon`,
  );
}

function trackingOf(witness: Witness, notice: Notice | undefined) {
  const tracks = new Map<Entry, readonly TracedGroup[]>();
  const track = (entry: Entry, groups: readonly TracedGroup[]): void => {
    for (const group of groups) witness.entered(group);
    for (const group of tracks.get(entry) ?? []) witness.left(group);
    tracks.set(entry, groups);
  };
  return {
    enter: (entry: Entry): void => {
      witness.expect();
      track(entry, entry.group ? [entry.group] : []);
    },
    /** Tells the state file and the reaper each remaining process, where these are known, because the ended leader's pid may be used again. */
    leaderEnded: (entry: Entry): void => {
      const remains = entry.remains?.();
      if (remains) track(entry, remains.living);
    },
    forget: (entry: Entry): void => {
      track(entry, []);
      tracks.delete(entry);
      const { refused = [] } = entry.remains?.() ?? {};
      if (refused.length > 0)
        notice?.(`left running: pid ${refused.join(', ')}; this system does not let us end it`);
    },
  };
}

/** No process is started and no file written before the first child. */
export function createLedger(options: LedgerOptions = {}): Ledger {
  const { instance = randomUUID(), notice } = options;
  const witness = witnessOf(instance, options);
  const entries = new Set<Entry>();
  const latest = new Map<Address, Entry>();
  let waiting: (() => void)[] = [];
  let hasUntold = false;
  const tracking = trackingOf(witness, notice);
  const forget = (entry: Entry): void => {
    entries.delete(entry);
    tracking.forget(entry);
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
      tracking.enter(entry);
    },
    leaderEnded: (entry, emptied) => {
      if (!entries.has(entry)) return 0;
      const left = entry.living();
      if (left === 0) {
        forget(entry);
        return 0;
      }
      if (latest.get(entry.key) === entry) latest.delete(entry.key);
      tracking.leaderEnded(entry);
      watch.add(entry, emptied, waiting.length > 0);
      return left;
    },
    killAll: () => {
      for (const entry of entries) entry.signal('SIGKILL');
    },
    closed: async () => {
      watch.hold();
      if (entries.size > 0) await new Promise<void>((resolve) => waiting.push(resolve));
      // Keeps the reaper and the state file when a new child was launched meanwhile.
      if (entries.size > 0) return;
      const isUntold = hasUntold;
      hasUntold = false;
      if (notice && isUntold) await tellLeft(instance, notice);
      if (entries.size === 0) await witness.dismiss();
    },
  };
  return ledger;
}
