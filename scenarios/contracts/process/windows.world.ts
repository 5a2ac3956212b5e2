import { readFileSync } from 'node:fs';
import { allPids, statOf } from '../../../adapters/process/reaper/group.ts';
import type { Row } from '../../../adapters/process/windows/windows-tree.ts';

/** The session of a process: field 6 of /proc/<pid>/stat. */
function sessionOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[3]);
  } catch {
    return 0;
  }
}

/**
 * The processes of this machine as Windows would list them: a process goes on naming the parent that it had. Here it
 * is given to another at once; so what leads a session of its own counts as the parent of all that lost theirs in it.
 */
export function listAsWindows(): Row[] {
  return allPids().flatMap((name): Row[] => {
    const pid = Number(name);
    const stat = statOf(pid);
    if (!stat || stat.state === 'Z') return [];
    const session = sessionOf(pid);
    const isOrphan = session !== pid && sessionOf(stat.parent) !== session;
    return [{ pid, ppid: isOrphan ? session : stat.parent }];
  });
}
