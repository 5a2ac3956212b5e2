import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { testFolder } from '../fixtures/test-folder.ts';
import { playersWith, root } from './hosts.ts';
import { readOr } from './processes.ts';

const folder = testFolder('judge-command');
const judging = (words: readonly string[], driver: readonly string[], tmp = folder) =>
  spawn(process.execPath, [join(root, 'dist/actors/main.js'), 'judge', ...words, '--', ...driver], {
    env: { ...process.env, TMPDIR: tmp },
  });
const commandsOf = (mark: string): readonly string[] =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid)
    .map((pid) => [readOr(`/proc/${pid}/cmdline`), readOr(`/proc/${pid}/environ`)])
    .flatMap((parts) => (parts.some((part) => part.includes(mark)) ? [parts[0] ?? ''] : []));
const ended = async (child: ReturnType<typeof judging>) => {
  const [[code], out, err] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code: code as number, out, err };
};
const scripted = (name: string, code: string): readonly string[] => {
  const file = join(folder, name);
  writeFileSync(file, code);
  return [process.execPath, file];
};

describe('a2c judge', () => {
  it('tells that a driver does not speak the protocol, and judges no host by it', async () => {
    const dead = await ended(judging([], scripted('dead.mjs', 'process.exit(3)')));
    expect(dead).toMatchObject({ code: 1, err: expect.stringContaining('ended before its hello (code 3') });
    expect(dead.err).toContain('docs/judge.md');
    const hello = { name: 'x', version: '1', pid: 1, can: ['flying'] };
    const wrong = scripted(
      'wrong.mjs',
      `console.log('${JSON.stringify({ hello })}'); process.stdin.resume()`,
    );
    expect((await ended(judging([], wrong))).err).toContain('the hello of the driver is wrong');
    const unknown = await ended(judging(['--only', 'wraped'], wrong));
    expect(unknown).toMatchObject({ code: 64, err: expect.stringContaining('did you mean wrapped') });
  });

  it('ends the driver and all that it started at Ctrl-C', async () => {
    const tmp = testFolder('judge-ended');
    const { driver } = playersWith('sdk1.mjs', root);
    const child = judging(['--only', 'killedAtStart', '--only', 'storm'], driver, tmp);
    const result = ended(child);
    const isRunning = (name: string): boolean => commandsOf(tmp).some((each) => each.includes(name));
    await vi.waitUntil(() => isRunning('sdk1') && isRunning('fault-server'), { timeout: 60_000 });
    child.kill('SIGINT');
    expect(await result).toMatchObject({ code: 130 });
    expect(commandsOf(tmp)).toEqual([]);
  });

  it('writes verdicts, rules and observations as JSON and as a page', async () => {
    const { driver } = playersWith('create-computer.mjs', root);
    const report = await ended(judging(['--only', 'clean', '--json'], driver));
    expect(report.code).toBe(0);
    expect(JSON.parse(report.out)).toMatchObject({
      host: { name: 'a2c-actors' },
      cells: { clean: { verdict: 'right', runs: [{ verdict: 'right' }, { verdict: 'right' }] } },
    });
    const page = await ended(judging(['--only', 'clean', '--markdown'], driver));
    expect(page.out).toMatch(/\| clean \| ● \| start, call, list, stop; nothing is left \| \[basic/);
  });
});
