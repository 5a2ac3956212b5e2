/** Process groups as the system shows them: who is in one, who is alive, how one is ended. */
import { readFileSync } from 'node:fs';
import { processTable, type ProcessTable, type StartTime, type Stat } from './process-table.ts';

const onLinux = process.platform === 'linux';

export const statOf = (pid: number, table: ProcessTable = processTable): Stat | undefined =>
  table.read([pid])[0];

/** Zombies are not alive: they hold no resources, and PID 1 may be slow to reap them. */
export const isAlive = (stat: Stat | undefined): stat is Stat =>
  stat !== undefined && stat.state !== 'Z' && stat.state !== 'X';

const livesIn = (pgid: number, stat: Stat | undefined): boolean => isAlive(stat) && stat.pgrp === pgid;

export const startTimeOf = (pid: number): StartTime | undefined => statOf(pid)?.startTime;

/** True does not mean that one is alive, because zombies answer to signal 0, too. */
function answers(pgid: number): boolean {
  try {
    process.kill(-pgid, 0);
    return true;
  } catch (error) {
    // Treats EPERM as an answer: the process exists, but has changed its user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Without /proc a group that answers counts as one process: a close asks often, and `ps` takes long. */
export function membersOf(pgid: number): number[] {
  if (!answers(pgid)) return [];
  const all = onLinux ? processTable.read() : [];
  if (all.length === 0) return [pgid];
  return all.filter((stat) => livesIn(pgid, stat)).map(({ pid }) => pid);
}

interface Group {
  readonly pid: number;
  readonly startTime: StartTime | undefined;
  /** From now on the leader's pid may be given to another process. */
  leaderReaped(): void;
  /** Stays 0 once it is 0 after the leader was reaped: a later group with that number is unrelated. */
  living(): number;
  /** Signals every member. A group that is gone, or whose number was given to another group, is left alone. Never throws. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
}

export function groupOf(pid: number, startTime: StartTime | undefined = startTimeOf(pid)): Group {
  let reaped = false;
  let gone = false;
  let known: number[] = [];

  /** No pid is reused while its group has members, so a leader with another start time is unrelated. */
  const isTakenOver = (): boolean => {
    const now = onLinux ? startTimeOf(pid) : undefined;
    return now !== undefined && startTime !== undefined && now !== startTime;
  };
  const living = (): number => {
    if (gone) return 0;
    // Checks the members seen last time first, so that watching a group does not read all of /proc each time.
    known = onLinux ? known.filter((member) => livesIn(pid, statOf(member))) : [];
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
        // Ignores ESRCH (the group has ended) and EPERM (this process may no longer signal it), because `living` shows both.
      }
    },
  };
}

/**
 * Process group together with the start time of its leader, which tells it from a later group with the same number. On Windows it
 * is one process, whose descendants are found by it.
 */
export interface TracedGroup {
  /** Process group id, which is the pid of the group's leader. */
  readonly pgid: number;
  /**
   * Start time of the leader, on Windows in ms since 1970; undefined where it cannot be read.
   */
  readonly startTime: string | undefined;
}
interface Doomed {
  readonly groups: readonly TracedGroup[];
  readonly instances: readonly string[];
  /** Highest pid that is skipped, because reading all processes takes as long as a call; default 0. */
  readonly after?: number;
}
interface Found {
  readonly pid: number;
  /** Undefined for a process that left its group by `setsid` and was found by its marker. */
  readonly group: TracedGroup | undefined;
  readonly startTime: StartTime | undefined;
  /** Without arguments, because those may hold secrets. */
  readonly command: string;
}
interface Ended {
  readonly ended: readonly Found[];
  readonly left: readonly Found[];
}

const termGraceMs = 300;
/** Waits in ms, together under 1.2 s. SIGKILL is repeated, because a process may fork meanwhile. */
const rounds: readonly (readonly [signal: 'SIGTERM' | 'SIGKILL', patienceMs: number])[] = [
  ['SIGTERM', termGraceMs],
  ['SIGKILL', 200],
  ['SIGKILL', 200],
  ['SIGKILL', 200],
];
const lookMs = 10;

const markerName = 'A2C_INSTANCE';
const isMarker = (word: string): boolean => word.startsWith(`${markerName}=`);

/** Undefined also when this user may not read the environment, and where there is no /proc. */
export function markerOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').find(isMarker);
  } catch {
    return undefined;
  }
}
export const markerFor = (instance: string): string => `${markerName}=${instance}`;

/** Tells whether a number means exactly one group for kill(2): -1 would signal all processes, and 0 this process's own group. */
const isGroupNumber = (pgid: number): boolean => Number.isSafeInteger(pgid) && pgid > 1;

/** Without a leader, living members keep the number in use. */
function isStillOurs({ pgid, startTime }: TracedGroup, leaders: ReadonlyMap<number, Stat>): boolean {
  if (!isGroupNumber(pgid)) return false;
  const now = leaders.get(pgid)?.startTime;
  return now === undefined || startTime === undefined || now === startTime;
}

function look({ groups, instances, after }: Doomed, table: ProcessTable): Found[] {
  const leaders = new Map(table.read(groups.map(({ pgid }) => pgid)).map((stat) => [stat.pid, stat]));
  const ours = new Map(
    groups.filter((group) => isStillOurs(group, leaders)).map((group) => [group.pgid, group]),
  );
  const markers = new Set(onLinux ? instances.map(markerFor) : []);
  if (ours.size + markers.size === 0) return [];
  const all = table.read(undefined, after);
  // Counts a group that answers as one process where there is no process table, because nothing more is known.
  if (all.length === 0)
    return [...ours.values()]
      .filter(({ pgid }) => answers(pgid))
      .map((group) => ({ pid: group.pgid, group, startTime: undefined, command: '' }));
  return all.flatMap((stat): Found[] => {
    const { pid } = stat;
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
      // Ignores ESRCH (the process has ended) and EPERM (it has changed its user), because the next check shows which.
    }
  }
}

function livingOf(found: readonly Found[], table: ProcessTable): Found[] {
  const now = new Map(table.read(found.map(({ pid }) => pid)).map((stat) => [stat.pid, stat]));
  return found.filter(({ pid, group, startTime }) => {
    if (startTime === undefined) return group !== undefined && answers(group.pgid);
    const stat = now.get(pid);
    return isAlive(stat) && stat.startTime === startTime;
  });
}

async function goneWithin(found: readonly Found[], patienceMs: number, table: ProcessTable): Promise<void> {
  const until = performance.now() + patienceMs;
  // Checks only the processes found before, because a machine may have thousands of others.
  for (let alive = livingOf(found, table); alive.length > 0; alive = livingOf(alive, table)) {
    if (performance.now() >= until) return;
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}

/** Looks for processes twice before it reports none, because a process in the middle of an exec shows no environment. */
export async function lookTwice(doomed: Doomed, table: ProcessTable = processTable): Promise<Found[]> {
  const found = look(doomed, table);
  if (found.length > 0) return found;
  await new Promise((resolve) => setTimeout(resolve, lookMs));
  return look(doomed, table);
}

/** Takes at most 1.2 s. A group whose number was given to another group is left alone. */
export async function endAll(doomed: Doomed, table: ProcessTable = processTable): Promise<Ended> {
  const ended = new Map<string, Found>();
  let found = await lookTwice(doomed, table);
  for (const [signal, patienceMs] of rounds) {
    if (found.length === 0) break;
    for (const each of found) ended.set(`${each.pid} ${each.startTime}`, each);
    send(signal, found);
    await goneWithin(found, patienceMs, table);
    found = await lookTwice(doomed, table);
  }
  for (const each of found) ended.delete(`${each.pid} ${each.startTime}`);
  return { ended: [...ended.values()], left: found };
}
