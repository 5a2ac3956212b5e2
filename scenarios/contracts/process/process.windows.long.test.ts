import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemSpawn } from '../../../adapters/process/child.ts';
import { isAlive, statOf } from '../../../adapters/process/reaper/group.ts';
import { createWindowsLauncher } from '../../../adapters/process/windows/windows-launcher.ts';
import { systemTools } from '../../../adapters/process/windows/windows-tree.ts';
import { processContract } from './process.contract.ts';
import { commandOf, launcherSubject } from './process.subject.ts';
import { registered } from '../registered.ts';
import { listAsWindows } from './windows.world.ts';

// The launcher for Windows with real children of this machine: `taskkill` is a program of ours, first in PATH.
const folder = mkdtempSync(join(tmpdir(), 'a2c-windows-'));
const path = process.env['PATH'];
const tools = {
  ...systemTools,
  list: async () => listAsWindows(),
  // What has ended and was not reaped yet answers here, and on Windows there is no such thing.
  answers: (pid: number) => isAlive(statOf(pid)),
};
// Programs are looked up as this machine does it.
const launcher = createWindowsLauncher(tools, systemSpawn);

beforeAll(async () => {
  symlinkSync(
    fileURLToPath(new URL('../../fixtures/taskkill.mjs', import.meta.url)),
    join(folder, 'taskkill'),
  );
  process.env['PATH'] = `${folder}:${path}`;
  // From now on it knows who was there before its children.
  await launcher.launch({ server: 'first', command: 'true', args: [], env: {} }, { PATH: path ?? '' }).ended;
});
afterAll(() => {
  process.env['PATH'] = path;
  rmSync(folder, { recursive: true });
});

const subject = launcherSubject({
  launcher,
  commandOf: (behaviour) => {
    const spec = commandOf(behaviour);
    // In a session of its own, as `listAsWindows` needs it.
    return behaviour === 'missing'
      ? spec
      : { ...spec, command: 'setsid', args: [spec.command, ...spec.args] };
  },
});
registered('process port: the launcher for Windows', processContract(subject));

describe('the launcher for Windows', () => {
  it('has asked and forced whole trees, by the numbers of their roots', () => {
    const lines = readFileSync(join(folder, 'taskkill.log'), 'utf8').trim().split('\n');
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.filter((line) => !/^\/T (\/F )?\/PID \d+$/.test(line))).toEqual([]);
    expect(new Set(lines.map((line) => line.replace(/\d+/, 'N')))).toEqual(
      new Set(['/T /PID N', '/T /F /PID N']),
    );
  });
});

describe('what it has from the system', () => {
  it('lists this process, with its parent', async () => {
    expect(await systemTools.list()).toContainEqual({ pid: process.pid, ppid: process.ppid });
  });

  it('knows which number answers', () => {
    expect(systemTools.answers(process.pid)).toBe(true);
    expect(systemTools.answers(2 ** 30)).toBe(false);
  });

  it('says when there is no taskkill', async () => {
    process.env['PATH'] = folder.replace('a2c', 'no');
    const hasRun = await systemTools.taskkill(['/T', '/PID', '1073741824']);
    process.env['PATH'] = `${folder}:${path}`;
    expect(hasRun).toBe(false);
  });
});
