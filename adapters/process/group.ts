import { readFileSync, readdirSync } from 'node:fs';

/** Field 22 of /proc/<pid>/stat, in clock ticks since boot: with the pid it names one process for ever. */
export type StartTime = string;

const onLinux = process.platform === 'linux';
const onWindows = process.platform === 'win32';

interface Stat {
  readonly state: string;
  readonly pgrp: number;
  readonly startTime: StartTime;
}

function statOf(pid: number | string): Stat | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  // The command name is in brackets and may itself hold blanks and brackets, so fields count from the last one.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? 'X', pgrp: Number(fields[2]), startTime: fields[19] ?? '' };
}

/** Zombies do not count as alive: they hold nothing, and PID 1 may be slow to reap them. */
const livesIn = (pgid: number, pid: number | string): boolean => {
  const stat = statOf(pid);
  return stat !== undefined && stat.pgrp === pgid && stat.state !== 'Z' && stat.state !== 'X';
};

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
  if (onWindows || !answers(pgid)) return [];
  if (!onLinux) return [pgid];
  try {
    return readdirSync('/proc')
      .filter((name) => name > '0' && name < ':' && livesIn(pgid, name))
      .map(Number);
  } catch {
    return [pgid];
  }
}

/** One process group, led by the child that was spawned `detached`. On Windows it is that child alone. */
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
      if (gone || (reaped && (onWindows || living() === 0))) return;
      try {
        process.kill(onWindows ? pid : -pid, signal);
      } catch {
        // ESRCH: it ended meanwhile. EPERM: it is no longer ours to end. Both show in `living`.
      }
    },
  };
}
