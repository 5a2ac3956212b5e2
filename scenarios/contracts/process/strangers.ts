import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach } from 'vitest';
import { groupOf, statOf } from '../../../adapters/process/reaper/group.ts';

export const lives = (pid: number): boolean => !['Z', 'X', undefined].includes(statOf(pid)?.state);

/** Groups of processes that end with each test. `stranger` starts one that is in the ledger of no host. */
export function groupsOfTests() {
  const born: number[] = [];
  afterEach(() => {
    for (const pid of born.splice(0)) groupOf(pid).signal('SIGKILL');
  });
  const stranger = async (): Promise<number> => {
    const child = spawn('sleep', ['100'], { detached: true, stdio: 'ignore' });
    await once(child, 'spawn');
    born.push(child.pid ?? 0);
    return child.pid ?? 0;
  };
  return { born, stranger };
}
