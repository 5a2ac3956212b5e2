import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

/** Linux: clock ticks since boot (field 22 of /proc/<pid>/stat); macOS: seconds since 1970. */
export type StartTime = string;

export interface Stat {
  readonly pid: number;
  /** At most 15 printable characters. */
  readonly command: string;
  readonly state: string;
  readonly parent: number;
  readonly pgrp: number;
  readonly startTime: StartTime;
}
export interface ProcessTable {
  /** Given processes, or all with a pid above `after`; those that are gone are missing. */
  read(pids?: readonly number[], after?: number): readonly Stat[];
}

const nameIn = (text: string): string => text.replace(/[^ -~]/g, '?').slice(0, 15);

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
export const procTable: ProcessTable = {
  read: (pids, after = 0) => (pids ?? allOfProc(after)).flatMap((pid) => ofProc(pid) ?? []),
};

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
      command: nameIn(command.slice(command.lastIndexOf('/') + 1)),
      state,
      parent: Number(parent),
      pgrp: Number(pgrp),
      startTime: String(Date.parse(`${started} UTC`) / 1_000),
    }));
  },
});

const none: ProcessTable = { read: () => [] };
/** Empty on Windows, whose processes `windows-trees.ts` lists. */
export const tableOf = (platform: NodeJS.Platform): ProcessTable => {
  if (platform === 'darwin') return psTable();
  return platform === 'linux' ? procTable : none;
};
export const processTable: ProcessTable = tableOf(process.platform);
