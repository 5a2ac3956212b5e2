import { readFileSync, readdirSync } from 'node:fs';

/** Field 22 of /proc/<pid>/stat, in clock ticks since boot: with the pid it names one process for ever. */
export type StartTime = string;

const onLinux = process.platform === 'linux';

interface Stat {
  /** The name of its program, at most 15 characters, fit to be shown. */
  readonly command: string;
  readonly state: string;
  readonly parent: number;
  readonly pgrp: number;
  readonly startTime: StartTime;
}

/** What /proc says of a process, zombies too; undefined where there is no /proc or no such process. */
export function statOf(pid: number | string): Stat | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  // The command name is in brackets and may itself hold blanks and brackets, so fields count from the last one.
  const close = text.lastIndexOf(')');
  const fields = text.slice(close + 2).split(' ');
  return {
    command: text.slice(text.indexOf('(') + 1, close).replace(/[^ -~]/g, '?'),
    state: fields[0] ?? 'X',
    parent: Number(fields[1]),
    pgrp: Number(fields[2]),
    startTime: fields[19] ?? '',
  };
}

/** Zombies do not count as alive: they hold nothing, and PID 1 may be slow to reap them. */
export const isAlive = (stat: Stat | undefined): stat is Stat =>
  stat !== undefined && stat.state !== 'Z' && stat.state !== 'X';

const livesIn = (pgid: number, pid: number | string): boolean => {
  const stat = statOf(pid);
  return isAlive(stat) && stat.pgrp === pgid;
};

/** All pids in /proc, as text; none where there is no /proc. */
export function allPids(): string[] {
  if (!onLinux) return [];
  try {
    return readdirSync('/proc').filter((name) => name > '0' && name < ':');
  } catch {
    return [];
  }
}

/** Start time of a process; undefined where there is no /proc or no such process. */
export const startTimeOf = (pid: number): StartTime | undefined =>
  onLinux ? statOf(pid)?.startTime : undefined;

/** False when the group has no process at all. True says little: zombies answer to signal 0, too. */
function answers(pgid: number): boolean {
  try {
    process.kill(-pgid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists, but has changed its user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Pids of the living members of a process group. One look at all of /proc: about 1 ms per 60 processes. */
export function membersOf(pgid: number): number[] {
  if (!answers(pgid)) return [];
  const pids = allPids();
  if (pids.length === 0) return [pgid];
  return pids.filter((pid) => livesIn(pgid, pid)).map(Number);
}

/** One process group, led by the child that was spawned `detached`. */
interface Group {
  readonly pid: number;
  readonly startTime: StartTime | undefined;
  /** From now on the pid of the leader is free, and may become somebody else's. */
  leaderReaped(): void;
  /** Living members. Once 0 after the leader was reaped it stays 0: a later group of that number is a stranger. */
  living(): number;
  /** To every member. A group that is gone, or whose number was taken over, is left alone. Never throws. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
}

export function groupOf(pid: number, startTime: StartTime | undefined = startTimeOf(pid)): Group {
  let reaped = false;
  let gone = false;
  let known: number[] = [];

  /** A pid is not given away while a group of that number has members: a leader of another age is a stranger. */
  const isTakenOver = (): boolean => {
    const now = startTimeOf(pid);
    return now !== undefined && startTime !== undefined && now !== startTime;
  };
  const living = (): number => {
    if (gone) return 0;
    // Those seen last time are looked at first, so that watching a group does not read all of /proc each time.
    known = onLinux ? known.filter((member) => livesIn(pid, member)) : [];
    if (known.length === 0) known = membersOf(pid);
    if (reaped && (known.length === 0 || isTakenOver())) gone = true;
    return gone ? 0 : known.length;
  };
  return {
    pid,
    startTime,
    leaderReaped: () => {
      reaped = true;
    },
    living,
    signal: (signal) => {
      if (gone || (reaped && living() === 0)) return;
      try {
        process.kill(-pid, signal);
      } catch {
        // ESRCH: it ended meanwhile. EPERM: it is no longer ours to end. Both show in `living`.
      }
    },
  };
}

/** A process group and the start time of its leader, which tells it from a later group of that number. */
export interface TracedGroup {
  /** The process group id, which is the pid of its leader. */
  readonly pgid: number;
  /** Field 22 of `/proc/<pid>/stat` of the leader, in clock ticks since boot; undefined where nobody can tell it. */
  readonly startTime: string | undefined;
}
/** Everything of a host that is dead: its groups, and the markers that its children carry. */
interface Doomed {
  readonly groups: readonly TracedGroup[];
  readonly instances: readonly string[];
}
/** One living process of a dead host. */
interface Found {
  readonly pid: number;
  /** Undefined for what left its group by `setsid` and was found by its marker. */
  readonly group: TracedGroup | undefined;
  readonly startTime: StartTime | undefined;
  /** The name of its program, without arguments: those may hold secrets. */
  readonly command: string;
}
interface Ended {
  readonly ended: readonly Found[];
  /** What even SIGKILL did not end in time, such as a process in uninterruptible sleep. */
  readonly left: readonly Found[];
}

const termGraceMs = 300;
/** Several rounds, since a process may fork while the list is read. Together under 1.2 s. */
const rounds: readonly (readonly [signal: 'SIGTERM' | 'SIGKILL', patienceMs: number])[] = [
  ['SIGTERM', termGraceMs],
  ['SIGKILL', 200],
  ['SIGKILL', 200],
  ['SIGKILL', 200],
];
const lookMs = 10;

const markerName = 'A2C_INSTANCE';
const isMarker = (word: string): boolean => word.startsWith(`${markerName}=`);

/**
 * The marker in the environment that a process was started with, as the bytes say it; undefined when it has
 * none, when it is not ours to read, and where there is no /proc.
 */
export function markerOf(pid: number | string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').find(isMarker);
  } catch {
    return undefined;
  }
}
export const markerFor = (instance: string): string => `${markerName}=${instance}`;

/** A number that kill(2) takes for one group: -1 would be everybody, and 0 ourselves. */
const isGroupNumber = (pgid: number): boolean => Number.isSafeInteger(pgid) && pgid > 1;

/** A leader of another age is a stranger. Without a leader the number is still taken by the group itself. */
function isStillOurs({ pgid, startTime }: TracedGroup): boolean {
  if (!isGroupNumber(pgid)) return false;
  const now = statOf(pgid)?.startTime;
  return now === undefined || startTime === undefined || now === startTime;
}

function look({ groups, instances }: Doomed): Found[] {
  const ours = new Map(groups.filter(isStillOurs).map((group) => [group.pgid, group]));
  const pids = allPids();
  // Without /proc a group that answers is all that can be known.
  if (pids.length === 0)
    return [...ours.values()]
      .filter(({ pgid }) => answers(pgid))
      .map((group) => ({ pid: group.pgid, group, startTime: undefined, command: '' }));
  const markers = new Set(instances.map(markerFor));
  return pids.flatMap((name): Found[] => {
    const pid = Number(name);
    const stat = statOf(pid);
    if (!isAlive(stat) || pid === process.pid) return [];
    const group = ours.get(stat.pgrp);
    if (!group && (markers.size === 0 || !markers.has(markerOf(pid) ?? ''))) return [];
    return [{ pid, group, startTime: stat.startTime, command: stat.command }];
  });
}

function send(signal: 'SIGTERM' | 'SIGKILL', found: readonly Found[]): void {
  for (const target of new Set(found.map(({ pid, group }) => (group ? -group.pgid : pid)))) {
    try {
      process.kill(target, signal);
    } catch {
      // ESRCH: it ended meanwhile. EPERM: it has changed its user. The next look tells.
    }
  }
}

function lives({ pid, group, startTime }: Found): boolean {
  if (startTime === undefined) return group !== undefined && answers(group.pgid);
  const stat = statOf(pid);
  return isAlive(stat) && stat.startTime === startTime;
}

async function goneWithin(found: readonly Found[], patienceMs: number): Promise<void> {
  const until = performance.now() + patienceMs;
  // Only those that were found are looked at here: a machine may have thousands of others.
  for (let alive = found.filter(lives); alive.length > 0; alive = alive.filter(lives)) {
    if (performance.now() >= until) return;
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}

/** A process in the middle of an exec shows no environment: nothing was found only when twice nothing was. */
export async function lookTwice(doomed: Doomed): Promise<Found[]> {
  const found = look(doomed);
  if (found.length > 0) return found;
  await new Promise((resolve) => setTimeout(resolve, lookMs));
  return look(doomed);
}

/**
 * Ends all of it: SIGTERM, a short grace, SIGKILL, and again what was born meanwhile; within 1.2 s. A group whose
 * number went to a stranger is left alone.
 */
export async function endAll(doomed: Doomed): Promise<Ended> {
  const ended = new Map<string, Found>();
  let found = await lookTwice(doomed);
  for (const [signal, patienceMs] of rounds) {
    if (found.length === 0) break;
    for (const each of found) ended.set(`${each.pid} ${each.startTime}`, each);
    send(signal, found);
    await goneWithin(found, patienceMs);
    found = await lookTwice(doomed);
  }
  for (const each of found) ended.delete(`${each.pid} ${each.startTime}`);
  return { ended: [...ended.values()], left: found };
}
