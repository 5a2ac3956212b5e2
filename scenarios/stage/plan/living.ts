import { readdirSync, readFileSync } from 'node:fs';

const statOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return '';
  }
};
const answers = (group: number): boolean => {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
};
/** Who is dead and was not reaped yet answers to signals, but lives no more. Without /proc nobody can tell. */
const isMember = (group: number) => (pid: string) => {
  const stat = statOf(pid);
  const [state, , pgrp] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(pgrp) === group && state !== 'Z' && state !== 'X';
};

/** Whether anybody lives in this process group. Read by its own means: the adapters are what is on trial. */
export function livesGroup(group: number): boolean {
  if (!answers(group)) return false;
  if (process.platform !== 'linux') return true;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some(isMember(group));
}
