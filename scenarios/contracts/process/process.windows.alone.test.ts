import { spawn } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { systemSpawn, createWindowsLauncher } from '../../../adapters/process/local-launcher.ts';
import { createSystemTools, type Run, type ListedProcess } from '../../../adapters/process/windows-trees.ts';
import { isAlive, statOf } from '../../../adapters/process/reaper/group.ts';
import { procTable } from '../../../adapters/process/reaper/process-table.ts';
import { processContract } from './process.contract.ts';
import { commandOf, launcherSubject } from './process.subject.ts';
import { registered } from '../registered.ts';
import { testFolder } from '../../fixtures/test-folder.ts';

/** Field 6 of /proc/<pid>/stat. */
function sessionOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[3]);
  } catch {
    return 0;
  }
}

/** On Windows an orphan goes on naming its parent; here the leader of its session counts as the parent. */
function listAsWindows(): ListedProcess[] {
  const bootedAt = Date.now() - uptime() * 1_000;
  return procTable.read().flatMap((stat): ListedProcess[] => {
    if (stat.state === 'Z') return [];
    const { pid } = stat;
    const session = sessionOf(pid);
    const isOrphan = session !== pid && sessionOf(stat.parent) !== session;
    // Clock ticks are 10 ms.
    return [{ pid, ppid: isOrphan ? session : stat.parent, created: bootedAt + Number(stat.startTime) * 10 }];
  });
}

const folder = testFolder('windows');
const run: Run = (program, args) =>
  new Promise((resolve) => {
    const child = spawn(join(folder, program), args, { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(undefined)).once('close', (code) => resolve({ code, out: '' }));
    child.unref();
  });
const systemTools = createSystemTools(run);
const tools = {
  ...systemTools,
  list: async () => listAsWindows(),
  // An ended process that was not reaped yet still answers; Windows has no such state.
  answers: (pid: number) => isAlive(statOf(pid)),
};
const launcher = createWindowsLauncher(tools, systemSpawn);

beforeAll(() => {
  symlinkSync(
    fileURLToPath(new URL('../../fixtures/taskkill.mjs', import.meta.url)),
    join(folder, 'taskkill'),
  );
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

describe('the launcher of this system', () => {
  it('knows which number answers', () => {
    expect(systemTools.answers(process.pid)).toBe(true);
    expect(systemTools.answers(2 ** 30)).toBe(false);
  });
});
