import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

/**
 * Start time of a process: on Linux in clock ticks since boot (field 22 of /proc/<pid>/stat), on macOS in seconds since 1970.
 * Together with the pid it identifies one process.
 */
export type StartTime = string;

export interface Stat {
  readonly pid: number;
  /** Name of the program, at most 15 printable characters. */
  readonly command: string;
  readonly state: string;
  readonly parent: number;
  readonly pgrp: number;
  readonly startTime: StartTime;
}
/** Processes of this machine, zombies included. */
export interface ProcessTable {
  /**
   * Reads these processes, or all with a pid above `after`; those that are gone are missing. Empty where the system has no table
   * that is known here.
   */
  read(pids?: readonly number[], after?: number): readonly Stat[];
}

const nameIn = (text: string): string => text.replace(/[^ -~]/g, '?').slice(0, 15);

// ── /proc ─────────────────────────────────────────────────────────────────────────────────────────────
function statIn(text: string, pid: number): Stat {
  // Counts the fields from the last bracket, because the command name is in brackets and may itself hold blanks and brackets.
  const close = text.lastIndexOf(')');
  const fields = text.slice(close + 2).split(' ');
  return {
    pid,
    command: nameIn(text.slice(text.indexOf('(') + 1, close)),
    state: fields[0] ?? 'X',
    parent: Number(fields[1]),
    pgrp: Number(fields[2]),
    startTime: fields[19] ?? '',
  };
}
function ofProc(pid: number): Stat | undefined {
  try {
    return statIn(readFileSync(`/proc/${pid}/stat`, 'latin1'), pid);
  } catch {
    return undefined;
  }
}
function allOfProc(after: number): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => name > '0' && name < ':')
      .map(Number)
      .filter((pid) => pid > after);
  } catch {
    return [];
  }
}
/** Process table that reads /proc; about 1 ms for 60 processes. */
export const procTable: ProcessTable = {
  read: (pids, after = 0) => (pids ?? allOfProc(after)).flatMap((pid) => ofProc(pid) ?? []),
};

// ── ps ────────────────────────────────────────────────────────────────────────────────────────────────
/** Runs `ps` with these arguments, and returns what it prints. */
type RunPs = (args: readonly string[]) => string;
const psMs = 5_000;
const runPs: RunPs = (args) => {
  try {
    return execFileSync('/bin/ps', args, {
      // Sets the time zone to UTC, so that times stay the same when the clocks change.
      env: { LC_ALL: 'C', TZ: 'UTC' },
      encoding: 'latin1',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: psMs,
    });
  } catch {
    // Returns no processes when `ps` fails, which it does when none of the wanted ones exists.
    return '';
  }
};
const columns = ['pid', 'ppid', 'pgid', 'state', 'lstart', 'comm'].flatMap((name) => ['-o', `${name}=`]);
const row = /^ *(\d+) +(\d+) +(\d+) +(\S)\S* +(\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}) +(.*)$/gm;
/** Process table that runs `ps`, with columns that macOS and Linux share; each reading blocks this process for about 10 ms. */
export const psTable = (run: RunPs = runPs): ProcessTable => ({
  read: (pids, after = 0) => {
    if (pids?.length === 0) return [];
    const text = run([...(pids ? ['-p', pids.join(',')] : ['-A']), ...columns]);
    const rows = [...text.matchAll(row)].filter(([, pid]) => Number(pid) > after);
    return rows.map(([, pid, parent, pgrp, state = 'X', started = '', command = '']): Stat => ({
      pid: Number(pid),
      // Takes the name from the path of the program that macOS prints.
      command: nameIn(command.slice(command.lastIndexOf('/') + 1)),
      state,
      parent: Number(parent),
      pgrp: Number(pgrp),
      startTime: String(Date.parse(`${started} UTC`) / 1_000),
    }));
  },
});

const none: ProcessTable = { read: () => [] };
/** Returns the table of a platform; empty on Windows, whose processes `windows-trees.ts` lists. */
export const tableOf = (platform: NodeJS.Platform): ProcessTable => {
  if (platform === 'darwin') return psTable();
  return platform === 'linux' ? procTable : none;
};
export const processTable: ProcessTable = tableOf(process.platform);
