import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { endAll } from './group.ts';
import { procTable, psTable, tableOf } from './process-table.ts';

it.each([
  [
    '  612     1   612 S    Tue Nov 24 08:03:09 2026     /Applications/My App.app/Contents/MacOS/My App',
    { pid: 612, parent: 1, pgrp: 612, state: 'S', startTime: '1795507389', command: 'My App' },
  ],
  [
    ' 4711   612  4712 Z+   Fri Nov  6 00:20:01 2026     (node)',
    { pid: 4711, parent: 612, pgrp: 4712, state: 'Z', startTime: '1793924401', command: '(node)' },
  ],
  [
    '    9     1     9 R<s  Tue Nov 24 08:03:09 2026     /opt/a/a-name-of-more-than-fifteen-signs\u0007',
    { pid: 9, parent: 1, pgrp: 9, state: 'R', startTime: '1795507389', command: 'a-name-of-more-' },
  ],
])('a line of ps is read: %s', (line, stat) => {
  const head = 'ps: something is odd\n';
  expect(psTable(() => `${head}${line}\n`).read()).toEqual([stat]);
});

it('each system has its table', () => {
  expect(tableOf('linux')).toBe(procTable);
  expect(tableOf('win32').read()).toEqual([]);
  expect(psTable(() => '').read([1])).toEqual([]);
});

describe.skipIf(process.platform !== 'linux' || !existsSync('/bin/ps'))('ps of this machine', () => {
  const table = psTable();

  it('tells of a process what /proc tells, and of one that is gone nothing', async () => {
    const child = spawn('sleep', ['100'], { detached: true, stdio: 'ignore' });
    await once(child, 'spawn');
    const pid = child.pid ?? 0;
    const [[seen], [known]] = [table.read([pid]), procTable.read([pid])];
    expect({ ...seen, startTime: '' }).toEqual({ ...known, startTime: '' });
    expect(seen?.startTime).toMatch(/^\d{10}$/);
    expect(table.read()).toContainEqual(seen);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(table.read([pid])).toEqual([]);
  });

  it('is enough to end a group of a dead host that ignores SIGTERM, and no other', async () => {
    const deaf = `trap '' TERM; sleep 100 & echo; wait`;
    const begin = async () => {
      const child = spawn('sh', ['-c', deaf], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
      await once(child.stdout, 'data');
      return child;
    };
    const [ours, theirs] = [await begin(), await begin()];
    const end = once(ours, 'exit');
    const group = (pgid = 0, startTime = table.read([pgid])[0]?.startTime) => ({ pgid, startTime });
    const { ended, left } = await endAll(
      { groups: [group(ours.pid), group(theirs.pid, '1')], instances: [] },
      table,
    );
    expect({ ended: ended.map(({ command }) => command).toSorted(), left }).toEqual({
      ended: ['sh', 'sleep'],
      left: [],
    });
    expect(await end).toEqual([null, 'SIGKILL']);
    expect(table.read([theirs.pid ?? 0])).toHaveLength(1);
    process.kill(-(theirs.pid ?? 0), 'SIGKILL');
  });
});
