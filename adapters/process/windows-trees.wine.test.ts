import { fork, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runText } from './run-text.ts';
import { sweepLeftovers } from './reaper/state-file.ts';
import { systemTools } from './windows-trees.ts';

// A server behind a shim, as npm makes one: cmd.exe, node.exe, and another node.exe that the server starts. Neither of
// them ends by itself.
const folder = mkdtempSync(join(tmpdir(), 'a2c-trees-'));
const pids = join(folder, 'pids');
const shim = join(folder, 'server.cmd');
const note = `require('node:fs').appendFileSync(${JSON.stringify(pids)}, process.pid + ' '); setInterval(() => {}, 1000);`;
const denied = 'C:\\deny-taskkill';
beforeAll(() => {
  writeFileSync(join(folder, 'child.cjs'), note);
  writeFileSync(
    join(folder, 'server.cjs'),
    `${note} require('node:child_process').spawn(process.execPath, [__dirname + '/child.cjs'], { stdio: 'ignore' });`,
  );
  writeFileSync(shim, `@"${process.execPath}" "${join(folder, 'server.cjs')}"\r\n`);
});
let host: ChildProcess | undefined;
afterEach(() => {
  host?.kill();
  rmSync(denied, { force: true });
  for (const pid of noted()) systemTools.kill(pid);
  rmSync(pids, { force: true });
});
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 10 }));

const noted = (): number[] =>
  existsSync(pids) ? readFileSync(pids, 'utf8').trim().split(' ').map(Number) : [];
const patience = { timeout: 30_000, interval: 100 };
const living = (): number[] => noted().filter((pid) => systemTools.answers(pid));
const served = { mcpServers: { shim: { command: shim } } };
async function hostOf(stateDir: string, reaper: boolean, config: object = served): Promise<ChildProcess> {
  const started = fork(fileURLToPath(new URL('../../scenarios/wine/host.mjs', import.meta.url)), [
    JSON.stringify(config),
    join(folder, stateDir),
    String(reaper),
  ]);
  await expect.poll(() => noted().length, patience).toBe(2);
  return started;
}
const endOf = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve) => child.once('exit', (code) => resolve(code)));

describe('what a server behind a shim started', () => {
  it.each([false, true])('is gone when its host closes; taskkill refuses: %s', async (refuses) => {
    if (refuses) writeFileSync(denied, '');
    host = await hostOf('closed', true);
    const end = endOf(host);
    host.send('close');
    expect(await end).toBe(0);
    expect(living()).toEqual([]);
  });

  it('is ended beside a host that was killed', async () => {
    host = await hostOf('killed', true);
    host.kill('SIGKILL');
    await expect.poll(living, patience).toEqual([]);
  });

  it('is ended beside a host that was killed while it was the command of an input', async () => {
    host = await hostOf('input', true, {
      inputs: [{ id: 'word', type: 'command', command: `"${shim}"` }],
      servers: [{ name: 'asks', type: 'stdio', server_parameters: { command: '${input:word}' } }],
    });
    host.kill('SIGKILL');
    await expect.poll(living, patience).toEqual([]);
  });

  it('is ended by the next start, where nothing was beside the host', async () => {
    host = await hostOf('swept', false);
    const end = endOf(host);
    // Waits for a mark of the host, before which its own processes are not sure.
    await new Promise((resolve) => host?.once('message', resolve));
    host.kill('SIGKILL');
    await end;
    expect(living()).toEqual(noted());
    const ended = await sweepLeftovers({ stateDir: join(folder, 'swept') });
    expect(ended.map(({ pid }) => pid)).toEqual(expect.arrayContaining(noted()));
    await expect.poll(living, patience).toEqual([]);
  });
});

it('a command whose time is over is ended with all that it started', async () => {
  await expect(runText(`"${shim}"`, { ms: 8_000 })).rejects.toThrow('was not over');
  expect(noted().length).toBe(2);
  await expect.poll(living, patience).toEqual([]);
});
