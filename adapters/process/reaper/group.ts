import { readFileSync, readdirSync } from 'node:fs';

/** Field 22 of /proc/<pid>/stat, in clock ticks since boot: with the pid it names one process for ever. */
export type StartTime = string;

const onLinux = process.platform === 'linux';

export interface Stat {
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
export function answers(pgid: number): boolean {
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
export interface Group {
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
